"""Props follow the hands that hold them, by a judge with its own kinematics on written files.

The prop is a joint of a body that a captured person holds: in one hand, then in both. Nothing of it is captured.
"""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.contacts import find
from action_loom.core.demo_character import actions
from action_loom.core.motion import kinematics
from action_loom.core.verbs import (
    Blend,
    Connect,
    Filter,
    Loop,
    Mirror,
    Plant,
    Retarget,
    Splice,
    Warp,
    holding,
    source_frames,
)
from numpy.testing import assert_array_equal
from oracles.hands import at_30, legs, other_body, palms, standing, written
from oracles.material import with_ik_bones
from oracles.props import MARKS, PROP, grips, with_prop

SIT, DANCE, WALK = "cmu_daz_14_27", "cmu_daz_salsa_10", "cmu_daz_02_01"
HELD = [("R", 40, 130), ("LR", 138, 249)]
INSIDE = [("R", 45, 125), ("LR", 145, 245)]


def held(parent=""):
    return with_prop(at_30(SIT), HELD, parent)


def lying(parent=""):
    return with_prop(at_30(WALK), [("R", 0, 1)], parent)


def played(made, recipe, clips, index):
    """Return the frame of one source in each frame of a result, -1 for none."""
    frames = np.full(len(made.clip), -1.0)
    for one in source_frames.of(made, recipe, clips):
        if one.source == index:
            own = one.low + (one.frames - one.low) % one.cycle if one.cycle else one.frames
            count = len(frames) - one.first
            frames[one.first :][: len(own)] = np.where(one.weights > 0.5, own, -1.0)[:count]
    return frames


def measure(made, source, spans, frames, folder, scale=1.0):
    """Return by hand and span how far (95 %, metres) palms are from where they are on the prop in the source."""
    clips = [written(one, folder) for one in (made, source)]
    ours, theirs = (grips(one, palms(one)) for one in clips)
    found = {}
    for sides, first, end in spans:
        chosen = np.flatnonzero((frames >= first) & (frames < end))
        for side in sides if len(chosen) > 5 else "":
            k = "LR".index(side)
            wanted = [np.interp(frames[chosen], np.arange(len(source)), theirs[k][:, axis]) for axis in range(3)]
            off = np.linalg.norm(ours[k][chosen] - scale * np.transpose(wanted), axis=1)
            found[sides, side] = float(np.quantile(off, 0.95))
    return found


CASES = [
    (Plant(), 0, held),
    (Filter(cutoff=2.0), 0, held),
    (Connect(), 0, lambda: [held(), lying()]),
    (Splice(), 1, lambda: [lying(), held()]),
    (Blend(weights=(0.3, 0.7)), 1, lambda: [lying(), held()]),
    (Blend(weights=(0.3, 0.7)), 1, lambda: [lying("hip"), held("hip")]),
]


@pytest.mark.shared
@pytest.mark.parametrize(("recipe", "index", "clips"), CASES, ids=lambda value: getattr(value, "verb", ""))
def test_a_prop_stays_in_the_hands(recipe, index, clips, tmp_path):
    given = clips()
    given = given if isinstance(given, list) else [given]
    made = verbs.apply(recipe, given)
    off = measure(made.clip, given[index], INSIDE, played(made, recipe, given, index), tmp_path)
    assert off
    assert max(off.values()) < 0.001
    assert any(row["kind"] == "prop" for row in made.report["hands"]["contacts"])


@pytest.mark.shared
def test_without_it_the_prop_is_elsewhere(tmp_path):
    given, recipe = [lying(), held()], Blend(weights=(0.3, 0.7), keep_hands="off")
    made = verbs.apply(recipe, given)
    assert min(measure(made.clip, given[1], INSIDE, played(made, recipe, given, 1), tmp_path).values()) > 0.05


@pytest.mark.shared
def test_a_body_of_another_size_holds_the_prop_of_its_own_rig(tmp_path):
    """The distance of the hands on it has the ratio of legs, and they stay in their places."""
    source = held()
    body = with_prop(standing(other_body(arm=1.2)), [("R", 0, 2)])
    made = verbs.apply(Retarget(trim=False), [body, source])
    scale = legs(made.clip) / legs(source)
    (left, right), theirs = (grips(one, palms(one)) for one in (written(made.clip, tmp_path), source))
    alone, both = slice(45, 125), slice(145, 245)
    assert np.ptp(right[alone], axis=0).max() < 0.001
    wanted = scale * np.linalg.norm(theirs[0] - theirs[1], axis=1)[both]
    assert np.abs(np.linalg.norm(left - right, axis=1)[both] - wanted).max() < 0.001
    for own, other in ((left, theirs[0]), (right, theirs[1])):
        assert (np.ptp(own[both], axis=0) < scale * np.ptp(other[both], axis=0).max() + 0.001).all()


@pytest.mark.shared
@pytest.mark.parametrize("parent", ["", "rHand"], ids=["keyed", "child"])
def test_the_other_hand_stays_on_a_prop_that_one_hand_always_holds(parent, tmp_path):
    sit, walk = at_30(SIT), at_30(WALK)
    given = [with_prop(clip, [("R", 0, len(clip))], parent) for clip in (walk, sit.cut(138, 249))]
    off = []
    for how in ("off", "auto"):
        recipe = Blend(weights=(0.3, 0.7), keep_hands=how)
        made = verbs.apply(recipe, given)
        off.append(measure(made.clip, given[1], [("LR", 5, 100)], played(made, recipe, given, 1), tmp_path))
    assert off[0]["LR", "L"] > 0.05
    assert max(off[1].values()) < 0.001


@pytest.mark.shared
def test_a_cycle_repeats_with_its_prop():
    dance = with_prop(at_30(DANCE), [("R", 60, 200)])
    made = verbs.apply(Loop(), [dance]).clip
    joints = [made.skeleton.index(name) for name in (PROP, *MARKS)]
    places = kinematics.world(made)[1][:, [*joints, made.skeleton.roles["hand.R"]]]
    ends = places[[0, -1]]
    assert np.ptp(ends[:, :3] - ends[:, 3:], axis=0).max() < 1e-6


@pytest.mark.shared
def test_a_mirrored_prop_is_in_the_other_hand():
    made = verbs.apply(Mirror(), [held()])
    sides = [(one.sides, one.first, one.end) for one in find.find_contacts(made.clip) if one.kind == find.PROP]
    assert [one[0] for one in sides] == ["L", "LR"]
    assert not any(PROP in warning for warning in made.report["warnings"])


@pytest.mark.shared
def test_neither_prop_nor_arm_jumps():
    given = [lying(), held()]
    plain, made = (verbs.apply(Blend(weights=(0.3, 0.7), keep_hands=how), given).clip for how in ("off", "auto"))
    sizes = []
    for clip in (*given, plain, made):
        joints = [clip.skeleton.roles[f"{role}.{side}"] for role in ("forearm", "hand") for side in "LR"]
        places = kinematics.world(clip)[1]
        sizes.append(np.quantile(np.linalg.norm(np.diff(places[:, joints], 2, axis=0), axis=2), 0.995, axis=0))
    steps = np.linalg.norm(np.diff(kinematics.world(made)[1][:, made.skeleton.index(PROP)], axis=0), axis=1)
    assert (sizes[3] <= 1.2 * np.maximum.reduce(sizes[:3])).all()
    assert steps.max() < 0.05  # metres a frame


@pytest.mark.shared
def test_a_prop_stays_where_it_was_put_down():
    """It does not slide after a hand that is elsewhere than in the source has let it go."""
    source = with_prop(at_30(SIT), [("R", 40, 130)])
    recipe = Blend(weights=(0.3, 0.7))
    made = verbs.apply(recipe, [lying(), source])
    after = np.flatnonzero(played(made, recipe, [lying(), source], 1) > 135)
    place = kinematics.world(made.clip)[1][after, made.clip.skeleton.index(PROP)]
    assert len(after) > 50
    assert np.ptp(place, axis=0).max() < 0.01


@pytest.mark.parametrize("clip", [actions.walk(), actions.run(), actions.sneak()], ids=lambda clip: clip.name)
def test_a_body_with_bones_at_its_hands_holds_no_prop(clip):
    """Bones of engines follow one hand; arms that swing do not hold them with the other."""
    body = with_ik_bones(clip)
    assert not any(one.kind == find.PROP and one.sides == "LR" for one in find.find_contacts(body))
    plain, made = (verbs.apply(Loop(keep_hands=how), [body]).clip for how in ("off", "auto"))
    assert_array_equal(made.rotations, plain.rotations)
    assert_array_equal(made.translations, plain.translations)


def test_a_prop_that_lies_still_is_in_no_hand():
    clip = actions.wave()
    beside = with_prop(clip, [("R", 0, 1)])
    assert [one for one in find.find_contacts(beside) if one.kind == find.PROP] == []
    still = replace(beside, rotations=beside.rotations[:1].repeat(len(clip), axis=0),
                    translations=beside.translations[:1].repeat(len(clip), axis=0))  # fmt: skip
    assert [one for one in find.find_contacts(still) if one.kind == find.PROP] == []


@pytest.mark.shared
@pytest.mark.parametrize("recipe", [Splice(), Blend(weights=(0.3, 0.7)), Mirror()], ids=lambda recipe: recipe.verb)
def test_an_object_that_is_no_joint_goes_where_the_hands_go(recipe, tmp_path):
    """Its distance from the palms is that of the source; two hands are kept on one thing."""
    sit, walk = at_30(SIT), at_30(WALK)
    source = held()
    joint = source.skeleton.index(PROP)
    turned, places = (values[:, joint] for values in kinematics.world(source))
    given, index = ([sit], 0) if isinstance(recipe, Mirror) else ([walk, sit], 1)
    made = verbs.apply(recipe, given)
    shown = source_frames.of(made, recipe, given)
    pose, hands = holding.carry_object(made.clip, made, given, {index: (turned, places)}, shown)
    assert hands.startswith("left hand" if isinstance(recipe, Mirror) else "right hand")
    frames = played(made, recipe, given, index)
    ours, theirs = palms(written(made.clip, tmp_path)), palms(sit)
    checked = 0
    for sides, first, end in INSIDE:
        chosen = np.flatnonzero((frames >= first) & (frames < end))
        for side in sides if len(chosen) else "":
            k = "LR".index(side)
            mirrored = 1 - k if isinstance(recipe, Mirror) else k
            wanted = np.interp(frames[chosen], np.arange(len(sit)), np.linalg.norm(theirs[k] - places, axis=1))
            off = np.abs(np.linalg.norm(ours[mirrored][chosen] - pose[1][chosen], axis=1) - wanted)
            assert np.quantile(off, 0.95) < 0.003
            checked += len(chosen)
    assert checked > 30


@pytest.mark.shared
def test_a_prop_that_is_posed_by_hand_stays_where_it_was_posed():
    clip = held()
    moved = clip.translations[60:61].copy()
    moved[0, clip.skeleton.index(PROP), 2] += 0.3
    pose = clip.take_frames(np.array([60]))
    pose = replace(pose, translations=moved)
    made = verbs.apply(Warp(poses=((60.0, 2.0, 0.0),)), [clip, pose])
    assert abs(made.clip.translations[60, clip.skeleton.index(PROP), 2] - moved[0, clip.skeleton.index(PROP), 2]) < 1e-9


@pytest.mark.shared
def test_hands_keep_their_distance_on_a_body_that_lacks_the_prop(tmp_path):
    source = held()
    made = verbs.apply(Retarget(trim=False), [standing(other_body(arm=1.2)), source])
    scale, both = legs(made.clip) / legs(source), slice(145, 245)
    apart = [np.linalg.norm(np.subtract(*palms(one)), axis=1)[both] for one in (written(made.clip, tmp_path), source)]
    assert np.abs(apart[0] - scale * apart[1]).max() < 0.003
