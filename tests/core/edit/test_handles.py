"""Bézier handles of any reach: a segment that they fit is played as Blender plays it."""

import numpy as np
import pytest
from action_loom.core.edit import handles
from action_loom.core.edit.keyed import Keys


def by_bisection(corners, times, share):
    """A point of a Bézier segment at a share of its time, by the definition of the curve."""
    low, high = 0.0, 1.0
    for _ in range(60):
        t = 0.5 * (low + high)
        b = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3]
        low, high = (t, high) if sum(w * x for w, x in zip(b, times, strict=True)) < share else (low, t)
    return sum(w * y for w, y in zip(b, corners, strict=True))


@pytest.mark.parametrize(("leave", "arrive"), [(1 / 3, 1 / 3), (0.39, 0.39), (0.1, 0.8), (0.5, 0.5)])
def test_a_segment_with_handles_of_any_reach_is_found_again(leave, arrive):
    gap = 12.0
    corners = [1.0, 4.0, -2.0, 3.0]
    values = np.array([by_bisection(corners, [0.0, leave, 1 - arrive, 1.0], k / gap) for k in range(13)])[:, None]
    frames, reach = np.array([0, 12]), np.array([[leave * gap] * 2, [arrive * gap] * 2])
    slopes, missed = handles.slopes(values, frames, reach)
    assert missed < 1e-9
    keys = Keys(frames, values[frames], slopes, reach=reach)
    at = np.linspace(0.0, 12.0, 49)
    seen = [by_bisection(corners, [0.0, leave, 1 - arrive, 1.0], frame / gap) for frame in at]
    assert np.abs(keys.at(at)[:, 0] - seen).max() < 1e-8


def test_handles_of_a_third_play_as_keys_without_a_reach():
    rng = np.random.default_rng(4)
    frames = np.array([0, 3, 10, 30])
    values, slopes = rng.normal(size=(4, 2)), rng.normal(size=(4, 2, 2))
    gaps = np.diff(frames) / 3.0
    reach = np.stack([np.append(gaps[:1], gaps), np.append(gaps, gaps[-1:])], axis=1)
    at = np.linspace(-2.0, 33.0, 71)
    plain, timed = Keys(frames, values, slopes), Keys(frames, values, slopes, reach=reach)
    assert np.abs(plain.at(at) - timed.at(at)).max() < 1e-9


def test_what_does_not_fit_is_said():
    values = np.sin(np.arange(40.0))[:, None]
    _, missed = handles.slopes(values, np.array([0, 39]), np.full((2, 2), 13.0))
    assert missed > 0.5
