"""Clips too long for their distance matrix to be held whole: compared in less detail first, then in a band."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.motion import kinematics, quat, resample
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import distance, dtw, metrics, refine, registration, transitions
from action_loom.core.verbs import Blend
from numpy.testing import assert_allclose
from oracles.material import captured

pytestmark = pytest.mark.both_engines


def held(monkeypatch, cells):
    """Limit the size of distance matrices held whole to a number of cells."""
    monkeypatch.setattr(distance, "MOST_CELLS", cells)


@pytest.mark.shared
@pytest.mark.parametrize("metric", ["motion", "points", "angles", "chordal"])
@pytest.mark.parametrize("names", [("mb_02_01", "mb_05_01")])
def test_long_clips_are_registered_as_short_ones_are(monkeypatch, metric, names):
    clips = [captured(f"cmu_{name}") for name in names]
    matching = Matching(metric=metric, ends="pinned")
    whole = registration.register_pair(*clips, matching)
    held(monkeypatch, len(clips[0]) * len(clips[1]) // 8)
    thinned = registration.register_pair(*clips, matching)
    assert (whole.every, thinned.every) == (1, 3)
    assert (thinned.first, thinned.last) == (whole.first, whole.last)
    apart = np.abs(thinned.frames - whole.frames) / clips[0].rate
    assert np.median(apart) < 0.004
    assert apart.max() < 0.04
    assert thinned.matrix.size <= distance.MOST_CELLS


@pytest.mark.shared
@pytest.mark.parametrize("name", ["asf_16_17", "mb_35_17"])
def test_a_known_re_timing_is_found_in_long_clips(monkeypatch, name):
    clip = captured(f"cmu_{name}")
    last = len(clip) - 1
    truth = np.arange(len(clip)) + 10.0 * np.sin(np.pi * np.arange(len(clip)) / last)
    truth = last * truth / truth[-1]
    held(monkeypatch, len(clip) ** 2 // 3)
    monkeypatch.setattr(refine, "ROWS", 100)
    found = registration.register_pair(resample.sample(clip, truth), clip, Matching(metric="points", ends="pinned"))
    assert found.every == 2
    error = np.abs(found.frames - truth)
    assert np.median(error) <= 0.5
    assert error[5:-5].max() <= 2.0


@pytest.mark.parametrize("every", [2, 3, 7])
def test_a_thinned_path_spread_out_goes_on_by_single_frames(every):
    rows, columns = 100, 83
    corner = np.array([[0, 0], [1, 1], [2, 1], [3, 2], [3, 3]])
    last = np.array([(rows - 1) // every, (columns - 1) // every])
    ahead = np.stack([np.linspace(3, end, 200).round().astype(int) for end in last], axis=1)
    thinned = np.unique(np.concatenate([corner, ahead]), axis=0)
    spread = refine.spread(thinned, every, rows, columns)
    steps = np.diff(spread, axis=0)
    assert ((steps == 0) | (steps == 1)).all()
    assert steps.any(axis=1).all()
    assert spread[0].tolist() == [0, 0]
    assert spread[-1].tolist() == [rows - 1, columns - 1]
    on_the_way = {tuple(cell) for cell in spread.tolist()}
    assert all(tuple(cell) in on_the_way for cell in (thinned * every).tolist())


@pytest.mark.parametrize("metric", ["motion", "points", "angles", "chordal"])
def test_a_part_of_a_metric_is_that_part_of_its_matrix(metric):
    one, other = actions.walk(), actions.sneak()
    bodies = [metrics.prepare(clip, Matching(metric=metric)) for clip in (one, other)]
    whole = bodies[0].matrix(bodies[1], 0)
    part = bodies[0].part(10, 40).matrix(bodies[1].part(5, 70), 0)
    assert_allclose(part, whole[10:41, 5:71], atol=1e-12)
    window = 4
    wide = bodies[0].part(10 - window, 40 + window).matrix(bodies[1].part(5 - window, 70 + window), window)
    inner = wide[window:-window, window:-window]
    assert_allclose(inner, bodies[0].matrix(bodies[1], window)[10:41, 5:71], atol=1e-12)


def test_in_pieces_the_path_is_the_one_of_the_whole(monkeypatch):
    one = actions.walk(cycles=4)
    even = np.linspace(0.0, len(one) - 1.0, len(one))
    other = resample.sample(one, np.minimum(even + 4.0 * np.sin(0.02 * np.pi * even) ** 2, len(one) - 1.0))
    bodies = [metrics.prepare(clip, Matching(metric="points")) for clip in (one, other)]
    matrix = bodies[0].matrix(bodies[1], 0)
    first = dtw.find_pinned_path(matrix, 3)
    whole = refine.path(matrix, first, 3, 6).cells
    monkeypatch.setattr(refine, "ROWS", 40)
    pieces = refine.cells(*bodies, first.cells, 3, 6)
    assert pieces.tolist() == whole.tolist()


def test_transitions_are_found_in_blocks_as_in_the_whole(monkeypatch, rng):
    # Each step a little unlike the others: which of equal ones comes first is a matter of rounding.
    one, other = (wobbling(clip, rng) for clip in (actions.walk(cycles=4), actions.sneak()))
    ranges = {"from_frames": (5, len(one) - 1), "to_frames": (0, len(other) - 2)}
    whole = transitions.find(one, other, window=2, **ranges)
    held(monkeypatch, 30 * len(other))
    blocks = transitions.find(one, other, window=2, **ranges)
    assert [(t.from_frame, t.to_frame) for t in blocks] == [(t.from_frame, t.to_frame) for t in whole]
    assert_allclose([t.distance for t in blocks], [t.distance for t in whole], atol=1e-9)


def wobbling(clip, rng):
    bends = 0.02 * np.cumsum(rng.normal(size=(len(clip), len(clip.skeleton), 3)), axis=0)
    return replace(clip, rotations=quat.mul(clip.rotations, quat.exp(bends)))


def test_long_clips_can_be_blended(monkeypatch):
    held(monkeypatch, 4000)
    woven = verbs.apply(Blend(metric="points"), [actions.walk(cycles=3).cut(3, 60), actions.sneak().cut(5, 80)])
    assert woven.registration.curves[1].every == 2
    assert np.isfinite(woven.clip.rotations).all()


@pytest.mark.parametrize("moves", [False, True])
def test_poses_as_they_stand_are_compared_point_by_point_in_blocks_too(monkeypatch, moves):
    one, other = actions.walk(30.0, 2).cut(0, 40), actions.turn_left(30.0).cut(0, 30)
    ranges = {"from_frames": (12, 36), "to_frames": (0, 20), "moves": moves}
    whole = transitions.find_as_made(one, other, 2, **ranges)
    monkeypatch.setattr(distance, "MOST_CELLS", 150)
    assert transitions.find_as_made(one, other, 2, **ranges) == whole
    best = whole[0]
    a, b = (
        kinematics.points(clip)[np.clip(frame + np.arange(-2, 3), 0, len(clip) - 1)]
        for clip, frame in ((one, best.from_frame), (other, best.to_frame))
    )
    weights = one.skeleton.point_weights
    if moves:
        a, b = (p - np.append((p[..., :2].swapaxes(1, 2) @ weights).mean(axis=0), 0.0) for p in (a, b))
    total = (((a - b) ** 2).sum(axis=2) @ weights).mean()
    assert best.distance == pytest.approx(np.sqrt(total), abs=1e-7)
    assert best.turn == 0.0
    assert (best.shift == (0.0, 0.0)) != moves
