"""The gap between a walk and its path is spread over steps: bodies glide, standing feet do not."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.graph import spreading
from action_loom.core.motion import ik, kinematics
from action_loom.core.quality import contacts, world_pose
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines

RATE = 60.0


def drift(clip, metres):
    return np.linspace(0.0, metres, len(clip)) * (1.0 + 0.0j)


def spread(clip, left, sigma):
    return spreading.spread(clip, left, np.zeros(len(clip)), sigma)[:2]


def stances(clip, moved):
    """Return the distances of each foot's ball from its place in the clip, over its stances (K, 2)."""
    before, after = (contacts.standing_feet(world_pose.pose(one)) for one in (clip, moved))
    for name, foot in before.items():
        for start, end in contacts.runs(foot.stands):
            yield (after[name].ankle - foot.ankle)[start:end]


def test_feet_that_stand_are_moved_as_a_whole_while_the_body_glides():
    clip = actions.walk(RATE, 4)
    moved, way = spread(clip, drift(clip, 0.3), 0.25)
    assert np.ptp(way.real) == pytest.approx(0.3, rel=0.05)
    root = [kinematics.world(one)[1][:, 0] for one in (moved, clip)]
    assert_allclose(root[0] - root[1], np.column_stack([way.real, way.imag, 0.0 * way.real]), atol=1e-9)
    found = list(stances(clip, moved))
    assert len(found) >= 8
    for by in found:
        assert np.ptp(by, axis=0).max() < 0.002
    # Without leading, they would slide with the body by 1 to 6 cm.
    assert max(np.ptp(way[start:end].real) for start, end in contacts.runs(contacts.detect(clip)["L"])) > 0.03


def test_only_legs_are_bent_and_nothing_where_nothing_is_left():
    clip = actions.walk(RATE, 2)
    moved, _ = spread(clip, drift(clip, 0.2), 0.25)
    legs = {joint for leg in ik.legs(clip.skeleton) for joint in (leg.upper, leg.lower, leg.end)}
    others = [joint for joint in range(len(clip.skeleton)) if joint not in legs]
    assert_allclose(moved.rotations[:, others], clip.rotations[:, others], atol=1e-12)
    same, way = spread(clip, drift(clip, 0.0), 0.25)
    assert_allclose(way, 0.0)
    assert_allclose(same.rotations, clip.rotations, atol=1e-9)
    assert_allclose(same.translations, clip.translations, atol=1e-12)


def test_feet_are_led_no_farther_than_a_leg_can_hide():
    clip = actions.walk(RATE, 4)
    moved, way = spread(clip, drift(clip, 3.0), 0.25)
    ahead = [
        np.linalg.norm(by[:, :2] - np.column_stack([way.real, way.imag])[: len(by)], axis=1)
        for by in [contacts.standing_feet(world_pose.pose(moved))[side].ankle
                   - contacts.standing_feet(world_pose.pose(clip))[side].ankle for side in "LR"]
    ]  # fmt: skip
    assert max(one.max() for one in ahead) < 1.05 * spreading.REACH


@pytest.mark.one_engine
def test_a_body_without_feet_only_glides():
    walk = actions.walk(RATE, 2)
    bare = replace(walk, skeleton=replace(walk.skeleton, roles={"hips": walk.skeleton.roles["hips"]}))
    assert not ik.legs(bare.skeleton)
    moved, way = spread(bare, drift(bare, 0.2), 0.25)
    assert_allclose(moved.rotations, bare.rotations, atol=1e-12)
    assert np.ptp(way.real) > 0.1


def test_a_body_that_is_lifted_treads_in_steps_too():
    clip = actions.walk(RATE, 4)
    lower = np.linspace(0.0, 0.1, len(clip))
    moved, way, lift = spreading.spread(clip, drift(clip, 0.0), lower, 0.25)
    assert_allclose(way, 0.0)
    assert_allclose(lift[5:-5], lower[5:-5], atol=0.01)
    for by in stances(clip, moved):
        assert np.ptp(by[:, 2]) < 0.003  # the body rises by 16 mm in each
    root = [kinematics.world(one)[1][:, 0, 2] for one in (moved, clip)]
    assert_allclose(root[0] - root[1], lift, atol=1e-9)
