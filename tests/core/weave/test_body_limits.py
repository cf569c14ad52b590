"""Body limits: figures in every report, and a warning if a result exceeds its sources."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.motion import quat, root_motion
from action_loom.core.verbs import Blend, BuildGraph, Follow, Loop, Mirror, Retarget, Splice, Synchronise
from action_loom.core.weave import body_limits
from numpy.testing import assert_allclose

WALK = actions.walk()


def turned(joint, axis, degrees, frames=slice(None)):
    """The walk with a joint turned by degrees in some frames."""
    rotations, at = WALK.rotations.copy(), WALK.skeleton.index(joint)
    rotations[frames, at] = quat.mul(rotations[frames, at], quat.about_axis(axis, np.radians(degrees)))
    return replace(WALK, name="changed", rotations=rotations)


def test_a_clip_keeps_within_its_own_limits():
    found, sentences = body_limits.describe_limits(WALK, [WALK])
    assert found["knee_acceleration"] == 1.0
    assert found["knee_backwards_degrees"] == found["penetration_cm"] == 0.0
    assert found["legs_apart_cm"][0] == found["legs_apart_cm"][1] > 10.0
    assert sentences == []


@pytest.mark.parametrize(
    ("joint", "axis", "degrees", "frames", "words"),
    [
        ("shin.L", "X", 40.0, slice(30, 31), "a knee jerks"),
        ("shin.L", "X", -30.0, slice(None), "further back"),
        ("thigh.L", "Y", 14.0, slice(None), "of each other"),
    ],
)
def test_what_goes_beyond_is_said_with_its_frame(joint, axis, degrees, frames, words):
    sentences = body_limits.describe_limits(turned(joint, axis, degrees, frames), [WALK])[1]
    sentences += body_limits.describe_limits(turned(joint, axis, -degrees, frames), [WALK])[1]
    (said, *_) = [one for one in sentences if words in one]
    assert "of the result" in said
    if frames != slice(None):
        assert any(f"at frame {k} " in said for k in (29, 30, 31))


def test_a_body_that_sinks_is_said():
    sunk = root_motion.place_clip(WALK, 0.0, np.zeros((len(WALK), 2)))
    places = sunk.translations.copy()
    places[40:60, 0, 2] -= 0.2
    found, sentences = body_limits.describe_limits(replace(sunk, translations=places), [WALK])
    assert found["penetration_cm"] > 10.0
    assert any("lower than in the sources" in one for one in sentences)


def test_figures_do_not_hang_on_place_facing_and_size():
    moved = root_motion.place_clip(WALK, 1.0, np.array([3.0, -2.0]))
    assert body_limits.describe_limits(moved, [WALK])[0] == body_limits.describe_limits(WALK, [WALK])[0]
    wider = turned("thigh.L", "Y", -5.0)
    expected = body_limits.describe_limits(wider, [WALK])[0]
    got = body_limits.describe_limits(root_motion.place_clip(wider, 2.0, np.array([5.0, 1.0])), [WALK])[0]
    assert_allclose(got["legs_apart_cm"], expected["legs_apart_cm"], atol=0.02)


def test_bodies_without_legs_have_no_figures():
    legless = replace(WALK, skeleton=replace(WALK.skeleton, roles={"hips": 0}))
    assert not any(body_limits.describe_limits(legless, [WALK])[0].values())
    assert body_limits.describe_limits(legless, [WALK])[1] == []


@pytest.mark.parametrize(
    ("recipe", "count"), [(Blend(), 2), (Loop(), 1), (Mirror(), 1), (Retarget(), 2), (Splice(), 2), (Synchronise(), 2)]
)
def test_every_report_has_them(recipe, count):
    report = verbs.apply(recipe, [WALK, actions.sneak()][:count]).report
    assert report["limits"]["knee_acceleration"] is not None
    assert all(isinstance(note, str) for note in report["notes"])


@pytest.mark.parametrize(
    ("recipe", "count", "option"),
    [
        (Blend(radius=0.2), 2, "radius"),
        (Splice(retime=True), 2, "retime"),
        (Splice(action_graph=True, action_threshold=0.2), 2, "action_threshold"),
        (Loop(start=3), 1, "start"),
        (Synchronise(align_height=True, metric="angles"), 2, "align_height"),
    ],
)
def test_an_option_that_can_not_matter_is_named(recipe, count, option):
    notes = verbs.apply(recipe, [WALK, actions.sneak()][:count]).report["notes"]
    assert any(note.startswith(f"{option} had no effect: ") for note in notes)


@pytest.mark.parametrize("gait", [actions.walk, actions.run])
def test_feet_on_a_belt_do_not_slide(gait):
    """Made in place, a walk at 1.3 m/s slid by 130 cm/s; the belt has one speed, so a little remains."""
    moving = gait()
    ground = root_motion.ground_frames(moving)[0]
    still = root_motion.place_clip(moving, 0.0, ground[0] - ground)
    before, after = body_limits.describe_limits(still, [moving])[0]["low_feet_cm_s"]
    assert before < after < 8.0
    aside = root_motion.place_clip(still, 0.0, np.outer(np.sin(np.arange(len(still)) * 0.9), (0.05, 0.0)))
    found, sentences = body_limits.describe_limits(aside, [still])
    assert found["low_feet_cm_s"][0] == after < 0.3 * found["low_feet_cm_s"][1]
    assert "a foot near the ground moves more" in sentences[0]
    planted = body_limits.describe_limits(aside, [still], planted=True)[1]
    assert "a foot that is not seen to stand moves near the ground" in planted[0]  # feet in contact may slide by 0.0


def test_a_mirrored_snap_is_the_sources_own():
    snaps = turned("hand.L", "X", 60.0, slice(30, 31))
    assert not [one for one in verbs.apply(Mirror(), [snaps]).report["warnings"] if "turns by" in one]
    assert "'hand.R' turns by" in " ".join(
        body_limits.describe_turns(turned("hand.R", "X", 60.0, slice(30, 31)), [WALK])
    )


def test_a_walk_through_a_stored_graph_is_compared_with_the_clips_in_it():
    snaps = turned("hand.L", "X", 60.0, slice(30, 31))
    graph = verbs.apply(BuildGraph(), [snaps])
    made = verbs.apply(Follow(path=((0.0, 0.0), (0.0, -1.5))), [], prepared=graph)
    assert not [one for one in made.report["warnings"] if "turns by" in one]
