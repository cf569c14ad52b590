"""Verbs retarget clips of other bodies to the reference's body, and report it."""

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.bodies import alike
from action_loom.core.demo_character import actions
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import retarget
from action_loom.core.verbs import Blend, BuildGraph, Connect, Follow, Splice, Synchronise, Walk
from action_loom.core.verbs.retarget.work import limbs_off
from numpy.testing import assert_array_equal
from oracles import bodies, material

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def walk():
    return material.walk(2.0, skeleton=bodies.resting(material.figure(), bodies.RESTS["A 45"]))


@pytest.fixture(scope="module")
def other():
    """A clip on a body with more joints, at rest in T pose."""
    body = bodies.with_joints(bodies.handed(), {"Spine1": 2})
    return material.walk(2.5, stride=0.8, skeleton=body, name="other")


VERBS = [Blend(), Synchronise(), Connect(), Splice()]


@pytest.mark.parametrize("recipe", VERBS, ids=lambda recipe: recipe.verb)
def test_clips_of_bodies_with_other_joints_are_woven_and_it_is_said(recipe, walk, other):
    for clips in ([walk, other], [other, walk]):
        made = verbs.apply(recipe, clips)
        reference = clips[made.reference]
        brought = next(clip for clip in clips if clip is not reference)
        assert made.clip.skeleton.names == reference.skeleton.names
        (carried,) = made.report["carried"]
        assert carried["clip"] == brought.name
        assert carried["scale"] == 1.0
        message = f"{brought.name} was put on the reference's body: 21 joints matched by role"
        assert any(one.startswith(message) for one in made.report["warnings"])


def test_graphs_and_what_is_carried_along_a_path_take_them_too(walk, other):
    graph = verbs.apply(BuildGraph(threshold=0.2), [walk, other])
    assert any("other was put on the reference's body" in one for one in graph.report["warnings"])
    assert len(verbs.apply(Walk(threshold=0.2, seconds=2.0), [walk, other]).clip.skeleton) == len(walk.skeleton)
    steps = [actions.walk(30.0, 4), actions.turn_left(30.0)]
    along = Follow(path=((0, 0), (0, 5)), stretches=((0.3, 0.9, 3),))
    assert verbs.apply(along, [*steps, other]).clip.skeleton.names == steps[0].skeleton.names


def test_of_the_same_body_nothing_is_carried(walk):
    made = verbs.apply(Blend(), [walk, walk])
    assert made.report["carried"] == []
    same, carried = alike.like(walk, walk)
    assert carried is None
    assert same is walk


def test_bodies_of_the_same_joints_are_matched_joint_for_joint(walk):
    longer = bodies.proportioned(walk.skeleton, {"Leg": 1.1})
    made, carried = alike.like(walk, material.walk(skeleton=longer))
    assert carried is None
    assert_array_equal(made.rotations, retarget.onto(walk, longer).rotations)


@pytest.mark.parametrize("lowered", [0.0, 42.0])
def test_bodies_of_the_same_joints_that_rest_otherwise_are_carried(walk, lowered):
    """An A pose is retargeted to a T pose, and limbs keep their directions; a few degrees need no retargeting."""
    other = material.walk(skeleton=bodies.resting(material.figure(), bodies.arms(-lowered)))
    made, carried = alike.like(walk, other)
    assert (carried is not None) == (lowered == 0.0)
    if carried is not None:
        off = limbs_off(walk, made)
        assert max(float(angle.max()) for angle in off.values()) < 1e-3
        blended = verbs.apply(Blend(), [other, walk])
        assert blended.report["carried"][0]["clip"] == walk.name


def test_what_is_no_person_is_refused_by_its_joints(walk):
    fox = material.character("Fox")
    still = material.random_clip(np.random.default_rng(0), fox)
    with pytest.raises(SkeletonError, match="its joints differ from the reference's"):
        alike.like(walk, still)
    with pytest.raises(SkeletonError, match="its joints differ from the reference's"):
        verbs.apply(Blend(), [walk, still])
