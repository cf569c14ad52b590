"""IK bones of engines: in the result of every verb they are at feet and hands, as they were in its sources."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.figure import actions
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
from action_loom.core.weave import ik_bones
from oracles.material import IK_BONES, captured, with_ik_bones

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
    """A clip whose IK bone has a way of its own."""
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


def test_a_clip_whose_bones_follow_already_is_the_same():
    assert ik_bones.follow(WALK, [WALK]) == (WALK, [])


@pytest.mark.parametrize("source", [actions.walk(cycles=1), WALK, with_ik_bones(actions.walk(cycles=1), keyed=False)])
def test_on_another_body_they_follow_where_its_rest_pose_has_them_at_the_foot(source):
    body = replace(WALK, skeleton=replace(WALK.skeleton, offsets=0.7 * WALK.skeleton.offsets))
    made = verbs.apply(Retarget(), [body, source]).clip
    turns, places = kinematics.world(made)
    for name, role in LIMBS.items():
        joint, limb = made.skeleton.index(name), made.skeleton.roles[role]
        assert np.abs(places[:, joint] - places[:, limb]).max() < 1e-6
        held = quat.mul(quat.inv(turns[:, limb]), turns[:, joint])
        assert np.abs(held - held[0]).max() < 1e-6
