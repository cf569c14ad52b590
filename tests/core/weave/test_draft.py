"""A draft of a blend, shown while dragging: it equals some frames of the whole blend, except for planting."""

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.motion import kinematics
from action_loom.core.verbs.blend import draft, work
from action_loom.core.weave import ground_arc

WEIGHTS = ((0.5, 0.5), (0.9, 0.1), (0.0, 1.0))


def turning(clip, degrees):
    """A cycle of a walk that turns by some degrees while it goes."""
    length = len(clip) - 1
    at, arc = np.arange(length + 1.0), ground_arc.between(clip, 0, length)
    bent = ground_arc.GroundArc(arc.place, arc.facing, arc.step, np.radians(degrees), length)
    return ground_arc.add_arc(ground_arc.remove_arc(clip, arc, at), bent, at)


def apart(made, recipe, frames):
    """Return the largest distance (m) of drafts at some frames from the whole blend."""
    whole, found = work.again(made, recipe).clip, []
    for frame in frames:
        few = draft.of(made, recipe, frame)
        assert {0, min(max(frame, 0), len(whole) - 1)} <= set(few.frames.tolist())
        assert len(few.result.reference_frames) == len(few.result.clip) == few.result.weights.shape[1]
        assert len(few.result.clip) == len(few.frames)
        found.append(np.abs(kinematics.points(few.result.clip) - kinematics.points(whole)[few.frames]).max())
    return max(found)


@pytest.mark.parametrize("degrees", [(0.0, 0.0), (6.0, 4.0), (8.5, 7.0)])
def test_frames_of_a_cycle_are_those_of_the_whole_also_where_that_is_straightened(degrees):
    clips = [turning(clip(cycles=1), turn) for clip, turn in zip((actions.walk, actions.sneak), degrees, strict=True)]
    made = verbs.apply(verbs.Blend(plant_feet=False), clips)
    assert made.clip.cyclic
    for weights in WEIGHTS:
        assert apart(made, verbs.Blend(weights=weights, plant_feet=False), (0, 1, 17, 10_000)) < 1e-9


@pytest.mark.parametrize("ends", [{"ends": "pinned"}, {"ends": "open", "timing": "reference"}])
def test_frames_of_actions_with_ends_are_those_of_the_whole(ends):
    made = verbs.apply(verbs.Blend(plant_feet=False, **ends), [actions.turn_left(), actions.turn_right()])
    for weights in WEIGHTS:
        assert apart(made, verbs.Blend(weights=weights, plant_feet=False, **ends), (-3, 40, 80)) < 1e-9


def test_weights_that_change_are_taken_where_the_frames_are():
    keys = [[0.0, 1.0, 0.0], [0.5, 0.0, 1.0], [1.0, 1.0, 0.0]]
    clips = [actions.walk(cycles=1), actions.sneak(cycles=1)]
    made = verbs.apply(verbs.Blend(plant_feet=False), clips)
    assert apart(made, verbs.Blend(weight_keys=keys, plant_feet=False), (5, 30)) < 1e-9


def test_it_is_known_whether_feet_are_still_to_be_planted():
    made = verbs.apply(verbs.Blend(), [actions.walk(cycles=1), actions.sneak(cycles=1)])
    assert draft.of(made, verbs.Blend(weights=(0.5, 0.5)), 5).to_plant
    assert not draft.of(made, verbs.Blend(weights=(1.0, 0.0)), 5).to_plant
    assert not draft.of(made, verbs.Blend(weights=(0.5, 0.5), plant_feet=False), 5).to_plant
