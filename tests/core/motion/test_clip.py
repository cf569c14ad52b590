"""A clip refuses faulty motion, and its message names the place."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.errors import ClipError
from action_loom.core.motion.clip import Channel, Clip
from numpy.testing import assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines


@pytest.fixture
def clip(rng):
    return material.random_clip(rng, material.random_skeleton(rng, joints=4), frames=6)


def changed(clip, **fields):
    names = ("name", "skeleton", "rate", "rotations", "translations")
    return Clip(**{name: fields.get(name, getattr(clip, name)) for name in names})


def test_its_length_is_its_frames_and_its_time_the_steps_between_them(clip):
    assert len(clip) == 6
    assert clip.seconds == pytest.approx(5 / 30)


def test_a_cut_is_the_frames_from_start_to_before_the_end(clip):
    cut = clip.cut(2, 5)
    assert_array_equal(cut.rotations, clip.rotations[2:5])
    assert_array_equal(cut.translations, clip.translations[2:5])
    assert (cut.name, cut.rate, cut.skeleton) == (clip.name, clip.rate, clip.skeleton)


@pytest.mark.parametrize(("start", "end"), [(3, 3), (6, 9), (4, 2)])
def test_a_cut_of_nothing_is_refused(clip, start, end):
    with pytest.raises(ClipError, match="random: the clip has no frames"):
        clip.cut(start, end)


@pytest.mark.parametrize("rate", [0.0, -24.0, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_refused(clip, rate):
    with pytest.raises(ClipError, match="frames per second is not a rate"):
        changed(clip, rate=rate)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("field", "word"), [("rotations", "rotation"), ("translations", "translation")])
def test_a_value_that_is_no_number_is_named_by_joint_and_frame(clip, field, word, bad):
    values = getattr(clip, field).copy()
    values[4, 2, 1] = bad
    with pytest.raises(ClipError, match=f"the {word} of 'joint2' at frame 4 is not a number"):
        changed(clip, **{field: values})


@pytest.mark.parametrize(
    "fields",
    [
        {"rotations": np.zeros((6, 3, 4))},
        {"rotations": np.zeros((6, 4, 3))},
        {"translations": np.zeros((6, 3, 3))},
        {"translations": np.zeros((5, 4, 3))},
    ],
)
def test_arrays_that_do_not_fit_the_skeleton_are_refused(clip, fields):
    with pytest.raises(ClipError, match="4 joints got rotations, translations and scales of shapes"):
        changed(clip, **fields)


def test_its_arrays_and_those_of_its_skeleton_cannot_be_written(clip):
    """Poses and other values are remembered for a clip: they would be stale after a change."""
    held = replace(clip, channels={"grip": Channel(np.zeros(len(clip)))})
    arrays = [held.rotations, held.translations, held.channels["grip"].values]
    arrays += [getattr(held.skeleton, name) for name in ("parents", "offsets", "orients", "tips")]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array += 1


def test_the_array_that_a_clip_was_made_of_stays_writable(clip):
    moved = clip.translations.copy()
    made = replace(clip, translations=moved)
    assert moved.flags.writeable
    assert np.shares_memory(moved, made.translations)
