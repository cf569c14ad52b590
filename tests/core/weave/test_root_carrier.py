"""Transfer of travel from bone to bone: the chosen bone carries it, and nothing moves in the world."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.verbs import Blend, Loop
from action_loom.core.weave import root_carrier
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines


def with_root(clip, height=0.0):
    """The clip on a body with a root bone above its hips and a foot target beside, neither of them moving."""
    body = clip.skeleton
    names = ("root", "target", *body.names)
    parents = np.concatenate([[-1, 0], np.where(body.parents < 0, 0, body.parents + 2)])
    still = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    root = np.array([0.1, -0.2, height])
    skeleton = Skeleton(
        names,
        parents,
        np.concatenate([[root, [0.3, 0.0, 0.0]], body.offsets - root * (body.parents < 0)[:, None]]),
        np.concatenate([still, body.orients]),
        np.concatenate([np.zeros((2, 3)), body.tips]),
        {role: joint + 2 for role, joint in body.roles.items()},
    )
    count = len(clip)
    rotations = np.concatenate([np.tile(still, (count, 1, 1)), clip.rotations], axis=1)
    translations = np.concatenate([np.zeros((count, 2, 3)), clip.translations], axis=1)
    return Clip(clip.name, skeleton, clip.rate, rotations, translations)


@pytest.fixture
def turning():
    return with_root(actions.walk(turn=0.4))


def test_on_the_root_the_body_stays_where_it_is_and_the_root_goes_along(turning):
    carried = root_carrier.by_root(turning)
    before, after = kinematics.points(turning), kinematics.points(carried)
    body = turning.skeleton.point_weights > 0.0
    assert_allclose(after[:, body], before[:, body], atol=1e-9)
    root, hips = after[:, 0], after[:, 2]
    assert np.linalg.norm(root[-1] - root[0]) == pytest.approx(np.linalg.norm(hips[-1] - hips[0]), rel=0.05)
    assert (
        np.ptp(np.linalg.norm((root - hips)[:, :2], axis=1)) < 0.1
    )  # the sway, and the part of the curve cut off by smoothing
    assert_allclose(root[:, 2], root[0, 2], atol=1e-9)


def test_the_sway_is_left_on_the_hips():
    places = kinematics.points(root_carrier.by_root(with_root(actions.walk())))
    inner = slice(20, -20)  # a smoothed path is not as even near its ends
    shaking = [np.abs(np.diff(places[inner, joint, :2], n=2, axis=0)).mean() for joint in (0, 2)]
    assert shaking[0] < 0.2 * shaking[1]


def test_on_the_hips_the_root_stands_still_again(turning):
    back = root_carrier.by_hips(root_carrier.by_root(turning))
    assert_allclose(kinematics.points(back)[:, 1:], kinematics.points(turning)[:, 1:], atol=1e-9)
    assert_allclose(back.rotations[:, 0], back.rotations[:1, 0].repeat(len(back), axis=0), atol=1e-12)


def test_the_root_faces_as_the_body_does(turning):
    turning = turning.cut(0, 90)  # cycles are smoothed as cycles
    rotations, _ = kinematics.world(root_carrier.by_root(turning))
    turned = 2.0 * np.arctan2(rotations[:, 0, 3], rotations[:, 0, 0])
    heading = root_motion.heading(turning, root_carrier.SIGMA)
    wanted = heading - root_motion.rest_heading(turning.skeleton)
    assert_allclose(np.exp(1j * turned), np.exp(1j * wanted), atol=1e-9)


def test_a_body_without_a_root_bone_can_only_be_carried_by_its_hips():
    walk = actions.walk()
    assert root_carrier.by_hips(walk) is walk
    with pytest.raises(SkeletonError, match="is not above hips"):
        root_carrier.by_root(walk)


def leaning(clip):
    """A cycle that does not close, because the chest leans by 2° until its end."""
    rotations, chest = clip.rotations.copy(), clip.skeleton.index("chest")
    leans = quat.about_axis("X", np.radians(np.linspace(0.0, 2.0, len(clip))))
    rotations[:, chest] = quat.mul(rotations[:, chest], leans)
    return replace(clip, rotations=rotations, cyclic=False)


@pytest.mark.parametrize(
    "recipe", [Loop(whole="yes"), Loop(whole="yes", in_place=True), Blend()], ids=["loop", "in place", "blend"]
)
def test_a_root_bone_that_stands_still_stays_there_when_the_ends_of_a_cycle_are_made_to_meet(recipe):
    walk, turn = actions.walk(cycles=1), actions.walk(cycles=1, turn=0.08)
    clips = [with_root(leaning(clip)) for clip in (walk, turn)][: 2 if recipe.verb == "blend" else 1]
    made = verbs.apply(recipe, clips)
    text = " ".join(made.report["notes"] + made.report["warnings"])
    assert "are made to meet" in text or recipe.verb == "loop"
    assert_allclose(made.clip.rotations[:, :2], clips[0].rotations[: len(made.clip), :2], atol=0.0)
    assert_allclose(made.clip.translations[:, :2], 0.0, atol=0.0)
    travel = kinematics.points(made.clip)[[0, -1], 2, :2]
    assert np.linalg.norm(travel[1] - travel[0]) == pytest.approx(
        0.0 if getattr(recipe, "in_place", 0) else 1.4, abs=0.1
    )
