"""Detached joints: in every result they stay on the parts that they follow in its sources."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.bodies import attachments
from action_loom.core.demo_character import actions
from action_loom.core.motion import kinematics, quat
from action_loom.core.verbs import (
    Blend,
    Connect,
    Filter,
    InPlace,
    Loop,
    Mirror,
    Place,
    Plant,
    Retarget,
    Root,
    Splice,
    Travel,
)
from oracles.material import IK_BONES, captured, loose, with_ik_bones

LIMBS = {name: role for name, (_, role) in IK_BONES.items() if role}
WALK = with_ik_bones(actions.walk(cycles=1))
SNEAK = with_ik_bones(actions.sneak(cycles=1))


def off(clip, names=LIMBS):
    """How far each IK bone is from the place 1 cm beside its foot or hand, metres."""
    turns, places = kinematics.world(clip)
    found = {}
    for name in names:
        joint, limb = clip.skeleton.index(name), clip.skeleton.roles[LIMBS[name]]
        beside = places[:, limb] + quat.rotate(turns[:, limb], np.array([0.01, 0.0, 0.0]))
        found[name] = float(np.linalg.norm(places[:, joint] - beside, axis=1).max())
    return found


def local(clip, names):
    joints = [clip.skeleton.index(name) for name in names]
    return np.abs(clip.rotations[:, joints] - quat.IDENTITY).max(), np.abs(clip.translations[:, joints]).max()


RECIPES = [
    (Root(), 1),
    (InPlace(), 1),
    (Plant(), 1),
    (Mirror(), 1),
    (Place(x=1.0, facing=50.0), 1),
    (Filter(), 1),
    (Loop(), 1),
    (Blend(), 2),
    (Connect(), 2),
    (Splice(), 2),
]


@pytest.mark.shared
@pytest.mark.parametrize(("recipe", "count"), RECIPES, ids=lambda value: getattr(value, "verb", ""))
def test_they_follow_in_every_verb(recipe, count):
    clips = [with_ik_bones(captured(name)) for name in ("cmu_mb_02_01", "cmu_mb_35_01")[:count]]
    made = verbs.apply(recipe, clips)
    assert max(off(made.clip).values()) < 1e-6
    assert max(local(made.clip, ["ik_foot_root", "ik_hand_root"])) < 1e-9


@pytest.mark.shared
def test_they_go_along_when_the_travel_is_given_back():
    spot = verbs.apply(InPlace(), [with_ik_bones(captured("cmu_mb_02_01"))]).clip
    assert max(off(verbs.apply(Travel(), [replace(spot, channels={})]).clip).values()) < 1e-6


def test_bones_that_nothing_keys_stay_at_rest():
    made = verbs.apply(Root(), [with_ik_bones(actions.walk(cycles=1), keyed=False)])
    assert max(local(made.clip, IK_BONES)) < 1e-9
    assert made.report["notes"] == []


def test_a_source_that_leaves_them_at_rest_goes_along_with_one_that_keys_them():
    still = with_ik_bones(actions.sneak(cycles=1), keyed=False)
    made = verbs.apply(Blend(), [WALK, still])
    assert max(off(made.clip).values()) < 1e-6


def elsewhere(clip, name):
    """A clip whose IK bone moves on a path of its own."""
    moves = clip.translations.copy()
    moves[:, clip.skeleton.index(name), 2] += np.linspace(0.0, 0.5, len(clip))
    return replace(clip, translations=moves)


def test_what_does_something_else_is_left_and_said_only_where_sources_differ():
    other = elsewhere(WALK, "ik_hand_l")
    alone = verbs.apply(Plant(), [other])
    joint = WALK.skeleton.index("ik_hand_l")
    assert np.allclose(alone.clip.translations[:, joint], other.translations[:, joint])
    assert not any("ik_hand_l" in note for note in alone.report["notes"])
    mixed = verbs.apply(Blend(), [WALK, replace(elsewhere(SNEAK, "ik_hand_l"), name="other")])
    assert sum("ik_hand_l follows" in note for note in mixed.report["notes"]) == 1
    assert max(off(mixed.clip, set(LIMBS) - {"ik_hand_l"}).values()) < 1e-6


def test_hanging_and_restoring_changes_nothing():
    found = attachments.find([WALK, SNEAK])
    for clip in (WALK, SNEAK):
        again = found.restore(found.hang([clip])[0], [clip])
        for values, before in zip(kinematics.world(again), kinematics.world(clip), strict=True):
            assert np.abs(values - before).max() < 1e-12


FEET = ("foot.L", "foot.R")
ON_LEGS = [(recipe, count) for recipe, count in RECIPES if recipe.verb != "root"]


def worlds_of(clip, names):
    turns, places = kinematics.world(clip)
    joints = [clip.skeleton.index(name) for name in names]
    return places[:, joints], quat.to_matrix(turns[:, joints])


@pytest.mark.parametrize(("recipe", "count"), ON_LEGS, ids=lambda value: getattr(value, "verb", ""))
@pytest.mark.parametrize("first", [False, True])
def test_feet_that_hang_on_a_root_are_woven_as_feet_of_their_legs(recipe, count, first):
    clips = [actions.walk(cycles=2), actions.sneak(cycles=2)][:count]
    made = verbs.apply(recipe, [loose(clip, FEET, first=first) for clip in clips])
    plain = verbs.apply(recipe, [loose(clip, ()) for clip in clips]).clip  # a root bone, from which the body hangs
    for ours, theirs in zip(
        worlds_of(made.clip, plain.skeleton.names), worlds_of(plain, plain.skeleton.names), strict=True
    ):
        assert np.abs(ours - theirs).max() < 1e-6
    assert not any("from its place" in warning for warning in made.report["warnings"])


def test_feet_that_rest_on_a_root_stay_under_their_legs_where_the_root_moves():
    """As in an idle: arms move with the hands on them, legs and feet are at rest, and the root is beside the body."""
    wave = actions.wave()
    arms = [joint for role, joint in wave.skeleton.roles.items() if role.startswith(("upper_arm", "forearm", "hand"))]
    rotations = np.tile(quat.IDENTITY, (len(wave), len(wave.skeleton), 1))
    rotations[:, arms] = wave.rotations[:, arms]
    calm = replace(wave, rotations=rotations, translations=np.zeros_like(wave.translations), cyclic=False)
    idle = loose(calm, (*FEET, "hand.L", "hand.R"))
    body = idle.skeleton
    offsets = body.offsets + np.where(body.parents == 0, 0.5, 0.0)[:, None] * np.array([1.0, 0.0, 0.0])
    idle = replace(idle, skeleton=replace(body, offsets=offsets))
    made = verbs.apply(Root(onto="root"), [idle]).clip
    names = [name for name in body.names if name != "root"]
    assert np.abs(worlds_of(made, names)[0] - worlds_of(idle, names)[0]).max() < 1e-6
    assert np.abs(worlds_of(made, ["root"])[0] - worlds_of(idle, ["root"])[0]).max() > 0.4


@pytest.mark.parametrize("named", [True, False])
def test_feet_that_rest_on_a_root_while_the_legs_over_them_bend_stay_flat(named):
    """As in an attack of a wolf on the spot: other actions of it show that the feet belong to the legs."""
    wave = actions.wave()
    bend = np.radians(12.0) * (1.0 - np.cos(np.linspace(0.0, 4.0 * np.pi, len(wave))))
    names = wave.skeleton.names
    rotations, translations = np.tile(quat.IDENTITY, (len(wave), len(names), 1)), np.zeros((len(wave), len(names), 3))
    for role, by in (("thigh", 1.0), ("shin", -2.0)):
        for side in "LR":
            rotations[:, wave.skeleton.roles[f"{role}.{side}"]] = quat.about_axis("X", by * bend)
    crouch = replace(wave, rotations=rotations, translations=translations, cyclic=False)
    foot = wave.skeleton.roles["foot.L"]
    hips = kinematics.world(crouch)[1][:, foot, 2]
    translations[:, wave.skeleton.roles["hips"], 2] = hips[0] - hips
    still = loose(replace(crouch, translations=translations), FEET)
    body = still.skeleton
    feet = [body.index(name) for name in FEET]
    rotations, translations = still.rotations.copy(), still.translations.copy()
    rotations[:, feet], translations[:, feet] = quat.IDENTITY, 0.0
    roles = {role: joint for role, joint in body.roles.items() if named or not role.startswith("foot")}
    leaders = {body.index(f"foot.{side}"): body.roles[f"shin.{side}"] for side in "LR"}
    body = replace(body, roles=roles, leaders=leaders)
    still = replace(still, skeleton=body, rotations=rotations, translations=translations)
    assert np.ptp(kinematics.world(still)[1][:, body.roles["shin.L"]], axis=0).max() > 0.1
    found = attachments.find([still])
    assert set(found.bodies[still.skeleton].leaders) >= set(feet)
    made = verbs.apply(Place(x=1.0), [still]).clip
    ours, plain = (worlds_of(clip, still.skeleton.names[1:]) for clip in (made, still))
    assert np.abs(ours[1] - plain[1]).max() < 1e-6
    assert np.abs(ours[0] - plain[0] - (ours[0] - plain[0])[0]).max() < 1e-6


def test_one_foot_of_two_that_hangs_on_a_root_is_mirrored_with_the_other():
    walk = actions.walk(cycles=1)
    ours, plain = (verbs.apply(Mirror(), [loose(walk, names)]).clip for names in (FEET[:1], ()))
    names = plain.skeleton.names
    assert np.abs(worlds_of(ours, names)[0] - worlds_of(plain, names)[0]).max() < 1e-6


def on_hand(clip):
    """Return the place of the left hand's IK bone in the hand's frame (F, 3), metres, and its rotation there."""
    turns, places = kinematics.world(clip)
    joint, limb = clip.skeleton.index("ik_hand_l"), clip.skeleton.roles["hand.L"]
    back = quat.inv(turns[:, limb])
    return quat.rotate(back, places[:, joint] - places[:, limb]), quat.to_matrix(quat.mul(back, turns[:, joint]))


def held_otherwise(clip, metres, degrees):
    """Return the clip with the left hand's IK bone moved along its own x axis and turned about it."""
    joint, rotations, moves = clip.skeleton.index("ik_hand_l"), clip.rotations.copy(), clip.translations.copy()
    moves[:, joint] += quat.rotate(rotations[:, joint], np.array([metres, 0.0, 0.0]))
    half = 0.5 * np.radians(degrees)
    rotations[:, joint] = quat.mul(rotations[:, joint], np.array([np.cos(half), np.sin(half), 0.0, 0.0]))
    return replace(clip, rotations=rotations, translations=moves)


def test_a_prop_that_each_clip_holds_otherwise_is_held_as_in_each_at_the_ends_of_the_result():
    walk, sneak = (with_ik_bones(action(cycles=2)) for action in (actions.walk, actions.sneak))
    other = held_otherwise(sneak, 0.03, 40.0)
    made = on_hand(verbs.apply(Connect(), [walk, other]).clip)
    for frame, source in ((0, walk), (-1, other)):
        for values, known in zip(made, on_hand(source), strict=True):
            assert np.abs(values[frame] - known[frame]).max() < 1e-6
    apart = [np.abs(one - other).max() for one, other in zip(on_hand(sneak), on_hand(other), strict=True)]
    assert min(apart) > 0.029


@pytest.mark.parametrize("ahead", [0.0, 0.002, 0.12])
def test_a_clip_is_put_on_a_body_whose_feet_hang_on_a_root_and_rest_ahead_of_their_legs(ahead):
    body, walk = actions.sneak(cycles=1), actions.walk(cycles=2)
    made = verbs.apply(Retarget(), [resting_ahead(loose(body, FEET), ahead), walk]).clip
    plain = verbs.apply(Retarget(), [body, walk]).clip
    names = plain.skeleton.names
    assert np.abs(worlds_of(made, names)[0] - worlds_of(plain, names)[0]).max() < 1e-6


def resting_ahead(clip, metres):
    """The same motion of a body whose feet, children of a root with the world's axes, rest elsewhere."""
    feet, ahead = [clip.skeleton.index(name) for name in FEET], np.array([0.0, metres, 0.0])
    offsets, moves = clip.skeleton.offsets.copy(), clip.translations.copy()
    offsets[feet] += ahead
    moves[:, feet] -= quat.rotate(quat.inv(clip.skeleton.orients[feet]), ahead)
    return replace(clip, skeleton=replace(clip.skeleton, offsets=offsets), translations=moves)


def test_a_foot_that_leaves_its_leg_is_told():
    clip = loose(actions.walk(cycles=1), FEET)
    found = attachments.find([clip])
    moves = clip.translations.copy()
    moves[20:, clip.skeleton.index("foot.L"), 1] += 0.2
    (sentence,) = found.leaving(replace(clip, translations=moves), [clip])
    assert sentence.startswith("walk: foot.L is")
    assert "on shin.L at frame" in sentence
    assert found.leaving(clip, [clip]) == []


@pytest.mark.parametrize("source", [actions.walk(cycles=1), WALK, with_ik_bones(actions.walk(cycles=1), keyed=False)])
def test_on_another_body_they_follow_where_its_rest_pose_has_them_at_the_foot(source):
    unkeyed = with_ik_bones(actions.walk(cycles=1), keyed=False)
    body = replace(unkeyed, skeleton=replace(unkeyed.skeleton, offsets=0.7 * unkeyed.skeleton.offsets))
    made = verbs.apply(Retarget(), [body, source]).clip
    turns, places = kinematics.world(made)
    for name, role in LIMBS.items():
        joint, limb = made.skeleton.index(name), made.skeleton.roles[role]
        assert np.abs(places[:, joint] - places[:, limb]).max() < 0.0101  # 1 cm beside in WALK
        held = quat.mul(quat.inv(turns[:, limb]), turns[:, joint])
        assert np.abs(held - held[0]).max() < 1e-6


def test_poles_of_both_sides_do_not_lead_each_other():
    walk = actions.walk(cycles=1)
    paths = loose(walk, ("hand.L", "hand.R"))
    moves = paths.translations.copy()
    way = 0.3 * np.sin(np.linspace(0.0, 6.0, len(walk)))
    names = ["hand.L", "hand.R"]
    for name in names:
        moves[:, paths.skeleton.index(name)] = np.column_stack([way, 2.0 * way, np.zeros(len(walk))])
    names = {name: f"pole{name[-2:]}" for name in names}
    skeleton = replace(paths.skeleton, names=tuple(names.get(name, name) for name in paths.skeleton.names), roles={})
    poles = replace(paths, skeleton=skeleton, translations=moves)
    found = attachments.find([poles])
    assert not found.bodies
    assert found.hang([poles])[0] is poles


def test_leaders_that_lead_each_other_are_left_out_instead_of_walked_forever():
    parents = np.array([-1, 0, 1, 0])
    assert attachments._without_loops(parents, {3: 2}) == {3: 2}
    assert attachments._without_loops(parents, {1: 2, 3: 1}) == {3: 1}  # joint 2 hangs on joint 1
    assert attachments._without_loops(parents, {1: 3, 3: 1}) in ({1: 3}, {3: 1})


def test_two_feet_that_go_together_in_one_clip_only_are_not_told():
    clip = loose(actions.walk(cycles=1), FEET)
    feet, moved, turned = [clip.skeleton.index(name) for name in FEET], clip.translations.copy(), clip.rotations.copy()
    moved[:, feet] = 0.3 * np.sin(np.linspace(0.0, 2.0 * np.pi, len(clip)))[:, None, None]
    turned[:, feet] = quat.IDENTITY
    together = replace(clip, rotations=turned, translations=moved.copy())
    moved[:, feet[0]] *= -1.0
    found = attachments.find([together, replace(together, translations=moved)])
    assert (found.bodies, found.notes) == ({}, ())
