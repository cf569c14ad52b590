"""Bake, the verb: the result equals the clip, counts as generated, and joints at rest do not move others."""

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.motion import kinematics, quat
from action_loom.core.verbs import Bake


@pytest.mark.parametrize("onto", ["bones", "controls"])
def test_the_clip_moves_as_before_and_counts_as_made(onto):
    walk = actions.walk(cycles=1)
    made = verbs.apply(Bake(onto=onto), [walk])
    assert made.clip.name == "walk baked"
    assert made.report["changed"]
    assert made.report["notes"] == []
    np.testing.assert_array_equal(made.clip.rotations, walk.rotations)
    np.testing.assert_array_equal(made.clip.translations, walk.translations)
    assert made.clip.cyclic == walk.cyclic
    assert Bake().figures(made.report) == [f"  21 joints have a key on each of {len(walk)} frames"]


def test_joints_that_rest_leave_those_that_hang_on_them_where_they_are():
    walk = actions.walk(cycles=1)
    skeleton = walk.skeleton
    resting = [skeleton.index("hips"), skeleton.index("chest")]
    linear, places = kinematics.matrices(walk)
    rotations, translations, _ = kinematics.local(skeleton, linear, places, resting)
    np.testing.assert_array_equal(rotations[:, resting], np.broadcast_to(quat.IDENTITY, (len(walk), 2, 4)))
    assert not translations[:, resting].any()
    others = np.setdiff1d(np.arange(len(skeleton)), resting)
    turned, stands = kinematics.forward(skeleton, rotations, translations)
    np.testing.assert_allclose(stands[:, others], places[:, others], atol=1e-9)
    np.testing.assert_allclose(quat.to_matrix(turned[:, others]), linear[:, others], atol=1e-9)


def test_of_a_sheared_joint_the_tip_stays():
    """A stretched limb, and below it a bent and stretched one that does not inherit the stretch."""
    skeleton = actions.walk().skeleton
    above, below = skeleton.index("thigh.L"), skeleton.index("shin.L")
    linear, places = kinematics.matrices(actions.walk(cycles=1))
    stretched = linear.copy()
    stretched[:, [above, below]] *= (0.9, 1.2, 0.9)
    rotations, translations, scales = kinematics.local(skeleton, stretched, places)
    frames = np.empty_like(stretched)
    found = kinematics.Frames(skeleton, frames, at := places.copy())
    for joint in range(len(skeleton)):
        basis = quat.to_matrix(rotations[:, joint]) * scales[:, joint, None, :]
        frames[:, joint], at[:, joint] = found.frame_of(joint).apply(basis, translations[:, joint])
    np.testing.assert_allclose(at, places, atol=1e-9)
    np.testing.assert_allclose(frames[:, below, :, 1], stretched[:, below, :, 1], atol=1e-9)
