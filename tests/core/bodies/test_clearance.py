"""Hands that touch the body or each other, or stay clear of it, on bodies of other proportions."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.bodies import carry, clearance
from action_loom.core.contacts import keep
from action_loom.core.demo_character import actions, body
from action_loom.core.edit import reaching
from action_loom.core.motion import cycles, kinematics
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import Retarget
from oracles import material
from oracles.takes import capture

ARMS, FRAMES = {"L": "left_arm", "R": "right_arm"}, (40, 70)


def grown(skeleton, **factors):
    """The figure with some bones longer: the offsets of joints whose names begin so are multiplied."""
    offsets = skeleton.offsets.copy()
    for start, factor in factors.items():
        offsets[[name.startswith(start) for name in skeleton.names]] *= factor
    return replace(skeleton, offsets=offsets)


def reaching_to(goals):
    """Return a standing figure whose wrists move to places (3,) by side, stay for half a second, and return."""
    clip = actions.wave()
    clip = replace(clip, rotations=np.repeat(clip.rotations[:1], len(clip), axis=0), cyclic=False)
    share = reaching.shares(len(clip), *FRAMES, ease=20.0)
    for side, goal in goals.items():
        led = reaching.limb_of(clip, ARMS[side])
        asked = reaching.Asked(led, np.tile(goal, (len(clip), 1)), share, tip=np.zeros(3))
        clip = reaching.reach_target(clip, asked)
    return clip


def at(clip, role):
    return kinematics.world(clip)[1][:, clip.skeleton.roles[role]]


def retarget(clip, skeleton, how="auto"):
    """Return a clip on another body, and its report."""
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (2, len(skeleton), 1))
    standing = Clip("body", skeleton, clip.rate, turns, np.zeros((2, len(skeleton), 3)))
    made = verbs.apply(Retarget(keep_hands=how, plant_feet=False, trim=False), [standing, clip])
    return made.clip, made.report


LONG = {"forearm": 1.25, "hand": 1.25}  # these joints are farther from those above: both bones of the arm are longer
BROAD = {"clavicle": 1.3, "upper_arm": 1.3}


@pytest.mark.parametrize("factors", [LONG, BROAD], ids=["long arms", "broad shoulders"])
def test_hands_that_meet_meet_on_another_body(factors):
    clip = reaching_to({"L": (0.03, -0.35, 1.25), "R": (-0.03, -0.35, 1.25)})
    other = grown(clip.skeleton, **factors)
    before, (made, report) = carry.onto_body(clip, other, hands=False)[0], retarget(clip, other)
    middle = slice(FRAMES[0] + 5, FRAMES[1] - 5)
    wanted = (at(clip, "hand.L") - at(clip, "hand.R"))[middle]
    off = [np.linalg.norm((at(one, "hand.L") - at(one, "hand.R"))[middle] - wanted, axis=1) for one in (before, made)]
    assert off[0].min() > 0.03
    assert off[1].max() < 0.01  # palms meet, which are farther from the wrists on long arms
    assert [one["kind"] for one in report["hands"]["contacts"]] == ["touch"]
    assert report["hands"]["off_cm"][1] < 1.0
    # Only arms change.
    changed = np.abs(made.rotations - before.rotations).max(axis=(0, 2)) > 1e-9
    arms = {f"{part}.{side}" for part in ("upper_arm", "forearm", "hand") for side in "LR"}
    assert {name for name, one in zip(other.names, changed, strict=True) if one} <= arms


def test_a_hand_on_the_hip_is_on_the_hip_of_a_broader_body():
    clip = reaching_to({"L": (0.2, -0.06, 1.05)})
    other = grown(clip.skeleton, thigh=1.3)
    made, report = retarget(clip, other)
    middle = slice(FRAMES[0] + 5, FRAMES[1] - 5)
    wide = [at(one, "hand.L")[middle, 0] - at(one, "hips")[middle, 0] for one in (clip, made)]
    assert [one["contact"] for one in report["hands"]["contacts"]] == ["left hand on trunk"]
    assert (wide[1] - wide[0]).min() > 0.02


def test_contacts_are_the_same_where_a_clip_is_brought_to_another_body_for_other_verbs():
    clip = reaching_to({"L": (0.03, -0.35, 1.25), "R": (-0.03, -0.35, 1.25)})
    other = grown(clip.skeleton, **BROAD)
    carried, _ = carry.onto_body(clip, other)
    made, lost = keep.keep_carried(clip, carried)
    assert lost == []
    np.testing.assert_allclose(made.rotations, retarget(clip, other)[0].rotations, atol=1e-9)


def test_what_a_hand_cannot_reach_is_said_of_the_result():
    clip = reaching_to({"L": (0.03, -0.35, 1.25), "R": (-0.03, -0.35, 1.25)})
    _, report = retarget(clip, grown(clip.skeleton, forearm=0.4, hand=0.4, clavicle=1.6, upper_arm=1.6))
    (one,) = report["hands"]["contacts"]
    about_hands = [text for text in report["warnings"] if "both hands together" in text]
    assert len(about_hands) == 1
    off = one["off_cm"][0] if one["let_go"] else one["off_cm"][1]
    assert one["let_go"] in about_hands[0]
    assert f"{off:.0f} cm" in about_hands[0]


def test_arms_that_touch_nothing_and_bodies_of_the_same_proportions_stay_as_they_are():
    walk = actions.walk()
    assert clearance.keep_clear(walk, walk)[0] is walk
    clip = reaching_to({"L": (0.03, -0.35, 1.25), "R": (-0.03, -0.35, 1.25)})
    other = replace(clip.skeleton, offsets=0.5 * clip.skeleton.offsets, tips=0.5 * clip.skeleton.tips)
    made, report = retarget(clip, other)
    np.testing.assert_array_equal(made.rotations, carry.onto_body(clip, other, hands=False)[0].rotations)
    assert report["hands"]["off_cm"][0] < 0.01


def test_a_body_without_a_known_hand_keeps_its_arms():
    clip = reaching_to({"L": (0.03, -0.35, 1.25), "R": (-0.03, -0.35, 1.25)})
    other = grown(body.skeleton(), **BROAD)
    other = replace(other, roles={role: joint for role, joint in other.roles.items() if not role.startswith("hand")})
    made, report = retarget(clip, other)
    assert "hands" not in report
    np.testing.assert_array_equal(made.rotations, carry.onto_body(clip, other, hands=False)[0].rotations)


def test_a_cycle_stays_one():
    walk = actions.walk(cycles=1)
    walk = replace(walk, rotations=walk.rotations.copy())
    other = grown(walk.skeleton, thigh=1.8)
    made, carried = carry.onto_body(walk, other)
    plain, _ = carry.onto_body(walk, other, hands=False)
    assert np.linalg.norm(at(made, "hand.L") - at(plain, "hand.L"), axis=1).max() > 0.005
    assert carried.arms_turned > 1.0
    assert cycles.closes(made)


@pytest.mark.shared
@pytest.mark.parametrize("source", ["GenoView__Geno_bind", "bvh-python__test_mocapbank"])
@pytest.mark.parametrize("name", ["cmu_daz_13_18", "127_32", "cmu_daz_salsa_10", "cmu_daz_14_27"])
def test_captured_hands_touch_what_they_touched(name, source):
    """Boxing and hands on a thigh; a couple's dance and sitting down, both kept out of tuning."""
    _, report = retarget(capture(name), material.as_captured(source).skeleton)
    before, after = report["hands"]["off_cm"]
    assert before > 3.0
    assert after < 1.4


@pytest.mark.shared
@pytest.mark.parametrize("name", ["cmu_mb_35_22", "cmu_daz_09_02", "09_02", "09_10", "127_14", "16_35", "16_45"])
def test_hands_of_walks_and_runs_touch_nothing(name):
    """They swing past the trunk, near it and slow at the ends of their swings (kept out of tuning)."""
    _, report = retarget(capture(name), material.as_captured("GenoView__Geno_bind").skeleton)
    assert "hands" not in report
