"""Changes from one arm posture to another: they take a second, and legs do not wait for them."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.graph import assemble, build, posture
from action_loom.core.motion import quat
from action_loom.core.recipes.graph import GraphOptions
from numpy.testing import assert_allclose, assert_array_equal

RAISED = np.radians(70.0)


@pytest.mark.both_engines
def test_arms_take_a_second_from_one_posture_to_another():
    walk = actions.walk(30.0, 4)
    arm = walk.skeleton.index("upper_arm.L")
    rotations = walk.rotations.copy()
    rotations[:, arm] = quat.mul(rotations[:, arm], quat.about_axis("X", np.array(RAISED)))
    raised = replace(walk, name="raised", rotations=rotations)
    graph = build.build([walk, raised], GraphOptions(mirror=False, threshold=0.3))
    first, last = (graph.clip[each] for each in (graph.start, graph.end))
    length = 2 * graph.half
    ahead = graph.frame[graph.end] - graph.frame[graph.start] - length
    middle = (np.abs(graph.frame[graph.start] - 50) < 20) & (ahead % 32 == 0)  # in step, so that arms alone differ
    edge = int(np.flatnonzero(graph.crosses & (first == 0) & (last == 1) & middle)[0])
    start, end = (int(graph.frame[each[edge]]) for each in (graph.start, graph.end))
    pieces = [
        assemble.WalkPiece(0, start - 30, start),
        assemble.WalkPiece(0, start, start + length, edge),
        assemble.WalkPiece(1, end, min(end + 30, len(raised) - 1)),
    ]
    made = assemble.assemble(graph, pieces)
    source = [graph.clips[0].rotations[made.origin.frame[:31]], graph.clips[1].rotations[made.origin.frame[-1:]]]
    own, arms = walk.rotations[start - 30 : start + length + 1, arm], made.clip.rotations[: 31 + length, arm]
    away = np.linalg.norm(quat.log(quat.mul(quat.inv(own), arms)), axis=1)
    assert away[-1] > 0.6 * RAISED
    assert np.diff(away).max() < 1.02 * RAISED * 1.5 / (posture.SECONDS * 30.0)  # a smooth step's steepest
    half, at = round(0.5 * posture.SECONDS * 30.0), 30 + graph.half
    before = slice(0, at - half + 1)
    assert_array_equal(made.clip.rotations[before, arm], source[0][before, arm])
    assert len(made.clip) > at + half
    assert_array_equal(made.clip.rotations[-1:, arm], source[1][:, arm])
    legs = [walk.skeleton.index(name) for name in ("thigh.L", "shin.L", "foot.R")]
    assert_allclose(made.clip.rotations[:31][:, legs], source[0][:, legs], atol=0.0)
