"""Transitions between clips: the distance pair by pair, the minima, and equal values by symmetry."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import Cancelled
from action_loom.core.graph import inputs, minima, transitions, windows
from action_loom.core.motion import kinematics, quat, resample, root_motion
from action_loom.core.progress import Progress
from action_loom.core.sync import alignment
from numpy.testing import assert_allclose
from oracles.material import as_captured

pytestmark = pytest.mark.both_engines


def wavering(clip, seed):
    """A clip whose joints waver, so that no cycle of it is like another."""
    rng = np.random.default_rng(seed)
    noise = root_motion.smooth(rng.normal(size=(len(clip), len(clip.skeleton), 3)), 6.0)
    return replace(clip, rotations=quat.mul(clip.rotations, quat.exp(0.3 * noise)))


@pytest.fixture(scope="module")
def ready():
    return inputs.gather([wavering(actions.walk(60.0, 3), 1), wavering(actions.turn_left(60.0), 2)], images=True)


@pytest.fixture(scope="module")
def body(ready):
    return windows.bodies(ready, 1.0 / 3.0)


def brute(ready, body, one, i, other, j):
    """Return the distance of two windows, with the best turn by trial, without any of our code."""
    weights = ready.clips[0].skeleton.point_weights

    def cloud(clip, frame):
        return kinematics.points(ready.clips[clip])[frame + body.samples]

    a, b = cloud(one, i), cloud(other, j)

    def away(angle):
        c, s = np.cos(angle), np.sin(angle)
        turned = b[..., :2] @ np.array([[c, s], [-s, c]])
        off = a[..., :2] - turned
        off = off - np.einsum("kpd,p->d", off, weights) / len(body.samples)
        up = a[..., 2] - b[..., 2]
        return float((((off**2).sum(axis=2) + up**2) @ weights).mean())

    best, width = 0.0, np.pi
    while width > 1e-7:
        tried = best + np.linspace(-width, width, 25)
        best = tried[np.argmin([away(angle) for angle in tried])]
        width /= 10.0
    return np.sqrt(away(best))


def test_blocks_are_the_distance_pair_by_pair(ready, body, rng):
    rows, columns = windows.windows_of(body, range(2)), windows.windows_of(body, range(2, 4))
    for side in (rows, columns):
        found = alignment.distances(rows, side, slice(0, None), slice(0, None))
        assert np.isinf(found[rows.clip < 0]).all()
        some = np.flatnonzero(rows.clip >= 0)
        for _ in range(12):
            i, j = rng.choice(some, 2)
            expected = brute(ready, body, rows.clip[i], rows.frame[i], side.clip[j], side.frame[j])
            assert_allclose(found[i, j], expected, atol=2e-6)  # metres; rows are rounded


def test_a_moved_clip_is_as_near_as_itself(ready):
    clip = ready.clips[0]
    moved = root_motion.place_clip(clip, 2.0, np.array([30.0, -20.0]))
    body = windows.bodies(inputs.gather([clip, moved], images=False), 1.0 / 3.0)
    rows, columns = windows.windows_of(body, range(1)), windows.windows_of(body, range(1, 2))
    found = alignment.distances(rows, columns, slice(0, None), slice(0, None))
    inside = np.flatnonzero(rows.clip >= 0)
    assert found[inside, inside].max() < 1e-6


def test_minima_are_those_of_the_whole_matrix_within_each_pair_of_clips(ready, body, monkeypatch):
    # Blocks so small that minima lie on all their edges.
    monkeypatch.setattr(minima, "ROWS", 7)
    monkeypatch.setattr(minima, "COLUMNS", 11)
    monkeypatch.setattr(transitions, "REACH", 0.0)
    found = transitions.find(body, 2, threshold=0.08)
    rows = windows.windows_of(body, range(4))
    every = alignment.distances(rows, rows, slice(0, None), slice(0, None)).astype(float)
    expected = set()
    for a in range(2):
        for b in range(a, 4):
            if b == 2 and a == 1:
                continue  # the mirror image of a compared pair
            block = every[np.ix_(rows.clip == a, rows.clip == b)]
            around = np.lib.stride_tricks.sliding_window_view(np.pad(block, 1, constant_values=np.inf), (3, 3))
            least = block <= around.min(axis=(2, 3))
            for i, j in np.argwhere(least & (block <= 0.08)):
                one, other = (int(i), int(j)) if b != a else sorted((int(i), int(j)))
                frames = body.frames(a)[one], body.frames(b)[other]
                if (b != a or frames[1] - frames[0] >= 2 * body.half) and not (b == a + 2 and one > other):
                    expected.add((a, int(frames[0]), b, int(frames[1])))
    found = transitions.best_of_cells(found, 1.0)
    ours = {
        tuple(int(v) for v in row)
        for row in zip(found.clip, found.frame, found.other_clip, found.other_frame, strict=True)
    }
    assert len(ours) > 4
    assert ours <= expected
    # Only the nearest match of each cell is kept.
    cell = transitions.CELL * body.rate
    cells = {(a, i // cell, b, j // cell) for a, i, b, j in expected}
    assert {(a, i // cell, b, j // cell) for a, i, b, j in ours} == cells


def test_refining_never_leaves_the_reach_and_never_makes_worse(body, ready):
    coarse = transitions.Matches(*(np.array(v) for v in ([0], [40], [1], [60])), np.array([np.nan]))
    fine = transitions.refine_matches(body, coarse)
    reach = round(transitions.REACH * body.rate)
    assert abs(fine.frame - 40).max() <= reach
    assert abs(fine.other_frame - 60).max() <= reach
    around = [
        brute(ready, body, 0, 40 + i, 1, 60 + j) for i in range(-reach, reach + 1) for j in range(-reach, reach + 1)
    ]
    assert fine.distance[0] >= min(around) - 1e-6
    assert fine.distance[0] <= brute(ready, body, 0, 40, 1, 60) + 1e-6


def test_the_same_recording_twice_is_found_and_other_clips_are_not():
    walk, sneak = actions.walk(30.0, 4), actions.sneak(30.0)
    again = root_motion.place_clip(walk.cut(3, len(walk)), 1.0, np.array([2.0, 1.0]))
    ready = inputs.gather([walk, sneak, again], images=True)
    found = transitions.find(windows.bodies(ready, 1.0 / 3.0), 3, threshold=0.05)
    assert found.repeated == ((0, 2),)
    assert 2 not in {int(k) % 3 for k in found.clip} | {int(k) % 3 for k in found.other_clip}


@pytest.mark.both_engines
@pytest.mark.shared
def test_captured_clips_that_differ_are_not_taken_for_the_same():
    clips = [as_captured(f"cmu_{name}") for name in ("mb_35_01", "mb_35_03", "mb_16_15", "asf_16_15")]
    ready = inputs.gather(clips, images=False)
    found = transitions.find(windows.bodies(ready, 1.0 / 3.0), 4, threshold=0.05)
    assert found.repeated == ((2, 3),)


def within_a_frame(one, other):
    """Which of some matches (M, N) are other ones, within a frame."""
    clips = (one.clip[:, None] == other.clip) & (one.other_clip[:, None] == other.other_clip)
    near = abs(one.frame[:, None] - other.frame) <= 1
    return clips & near & (abs(one.other_frame[:, None] - other.other_frame) <= 1)


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("times", [2, 3])
def test_of_too_many_windows_some_lead_to_the_same_transitions(monkeypatch, times):
    first, *others = (as_captured(f"cmu_{name}") for name in ("mb_02_01", "mb_35_01", "asf_16_17"))
    ready = inputs.gather([resample.to_rate(first, 30.0), *others], images=True)
    all_of_them = windows.bodies(ready, 1.0 / 3.0)
    expected = transitions.find(all_of_them, 3, threshold=0.05)
    count = sum(len(all_of_them.frames(k)) for k in range(3))
    monkeypatch.setattr(windows, "MOST", -(-count // times))
    some = windows.bodies(ready, 1.0 / 3.0)
    assert (some.sparse, some.step) == (True, times * all_of_them.step)
    found = transitions.find(some, 3, threshold=0.05)
    assert 100 < len(expected) <= len(found) < 1.1 * len(expected)
    nearest = np.where(within_a_frame(expected, found), found.distance, np.inf).min(axis=1)
    assert (nearest <= expected.distance + 1e-6).all()


def test_the_same_recording_is_found_between_the_windows_too(monkeypatch):
    walk, sneak = actions.walk(30.0, 4), actions.sneak(30.0)
    again = root_motion.place_clip(walk.cut(1, len(walk)), 1.0, np.array([2.0, 1.0]))
    ready = inputs.gather([walk, sneak, again], images=True)
    monkeypatch.setattr(windows, "MOST", 200)
    body = windows.bodies(ready, 1.0 / 3.0)
    assert body.step == 3
    found = transitions.find(body, 3, threshold=0.05)
    assert found.repeated == ((0, 2),)
    assert 2 not in {int(k) % 3 for k in found.clip} | {int(k) % 3 for k in found.other_clip}


def test_of_too_many_matches_the_best_of_larger_cells_are_kept(body, monkeypatch):
    every = transitions.find(body, 2, threshold=0.08)
    monkeypatch.setattr(transitions, "MOST", len(every) // 4)
    kept = transitions.find(body, 2, threshold=0.08)
    assert 0 < len(kept) <= len(every) // 4
    assert kept.distance.min() == every.distance.min()
    assert np.median(kept.distance) <= np.median(every.distance)


def test_refining_says_how_far_it_is_and_can_be_cancelled(body, monkeypatch):
    monkeypatch.setattr(transitions, "SOME", 8)
    reports = []

    def listen(fraction, doing):
        reports.append((fraction, doing))
        return fraction < 0.9

    with pytest.raises(Cancelled):
        transitions.find(body, 2, threshold=0.08, progress=Progress(listen))
    fractions = [fraction for fraction, _ in reports]
    assert fractions == sorted(fractions)
    assert len({fraction for fraction, _ in reports if fraction > 0.7}) > 2  # refining is the last part
