"""Benchmarks of cheapest paths through a distance matrix, compared with libraries for dynamic time warping."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from action_loom.core.motion import kinematics
from action_loom.core.motion.quat import Array
from action_loom.core.sync import dtw
from action_loom.core.sync.dtw import WarpPath
from distances import WINDOW, matrix_of
from line import Case, Line, Rival, Target, later
from material import Material

LIMIT = 3
RADIUS = 10  # of the approximation in fastdtw
APPROXIMATE = 0.5  # relative extra cost allowed to an approximate path


def lines() -> list[Line]:
    return [
        Line("dtw", "time warping with path, no limit", Target(2.0, {"librosa": 4.0}), _unlimited),
        Line("dtw-slope", "time warping with path, slope limit 3", Target(4.0, {"dtw-python": 8.0}), _limited),
        Line("dtw-curves", "time warping with path of two curves of 1000 numbers, no limit", Target(), _curves),
        Line("dtw-squares", "the same by squared differences", Target(), _squares),
    ]


def _unlimited(material: Material) -> Case:
    matrix = matrix_of(material, "points", WINDOW)()
    return Case(
        lambda: dtw.find_pinned_path(matrix, len(matrix)),
        {
            "librosa": later(_librosa, matrix),
            "tslearn": later(_tslearn, matrix),
            "dtw-python": later(_dtw_python, matrix, "symmetric1"),
        },
        moved=_bytes(matrix),
    )


def _limited(material: Material) -> Case:
    matrix = matrix_of(material, "points", WINDOW)()
    return Case(
        lambda: dtw.find_pinned_path(matrix, LIMIT),
        {
            "dtw-python": later(_dtw_python, _entered(matrix), _waiting_at_most(LIMIT)),
            "dtw-python symmetricP1": later(_dtw_python, matrix, "symmetricP1", False),
        },
        moved=_bytes(matrix),
    )


def _bytes(matrix: Array) -> float:
    """Return the bytes to read all distances and to write one byte, the step direction, per cell."""
    return 9.0 * matrix.size


def _librosa(matrix: Array) -> Rival:
    from librosa import sequence

    return Rival(lambda: sequence.dtw(C=matrix), lambda ours, theirs: _dearer(ours, theirs[0][-1, -1]))


def _tslearn(matrix: Array) -> Rival:
    from tslearn.metrics import dtw_path_from_metric

    return Rival(
        lambda: dtw_path_from_metric(matrix, metric="precomputed"), lambda ours, theirs: _dearer(ours, theirs[1])
    )


def _dtw_python(matrix: Array, pattern: Any, same: bool = True) -> Rival:
    import dtw

    wanted = pattern if isinstance(pattern, str) else dtw.StepPattern(np.array(pattern, dtype=float))
    return Rival(
        lambda: dtw.dtw(matrix, step_pattern=wanted),
        (lambda ours, theirs: _dearer(ours, theirs.distance)) if same else None,
    )


def _entered(matrix: Array) -> Array:
    """Return the matrix with a start cell before it: our paths may wait in the first frame, dtw-python's may not."""
    padded = np.pad(matrix, ((1, 0), (1, 0)), constant_values=np.inf)
    padded[0, 0] = 0.0
    return padded


def _waiting_at_most(limit: int) -> list[Sequence[float]]:
    """Return our step pattern for dtw-python: a diagonal, then up to limit − 1 steps down or right, all of weight 1."""
    pattern, number = [], 0
    for down in (True, False):
        for waits in range(limit):
            if waits == 0 and not down:
                continue  # the first direction has added the diagonal alone
            number += 1
            start = (waits + 1, 1) if down else (1, waits + 1)
            pattern.append((number, *start, -1))
            pattern += [(number, k * down, k * (not down), 1) for k in range(waits, -1, -1)]
    return pattern


def _heights(material: Material) -> tuple[Array, Array]:
    """Return the heights of a hand in both clips."""
    hand = material.clips[0].skeleton.roles.get("hand.R", len(material.clips[0].skeleton) - 1)
    one, other = (np.ascontiguousarray(kinematics.points(clip)[:, hand, 2]) for clip in material.clips)
    return one, other


def _curves(material: Material) -> Case:
    one, other = _heights(material)

    def ours() -> WarpPath:
        return dtw.find_pinned_path(np.abs(np.subtract.outer(one, other)), len(one))

    return Case(
        ours,
        {
            "dtaidistance": later(_dtaidistance, one, other),
            "tslearn": later(_tslearn_curves, one, other),
            "fastdtw": later(_fastdtw, one, other),
        },
        moved=1.0 * len(one) * len(other),
    )


def _dtaidistance(one: Array, other: Array) -> Rival:
    from dtaidistance import dtw

    def work() -> tuple[float, list[tuple[int, int]]]:
        # Its warping_path_fast ignores inner_dist (2.5.1).
        cost, paths = dtw.warping_paths_fast(one, other, inner_dist="euclidean")
        return cost, dtw.best_path(paths)

    return Rival(work, lambda ours, theirs: _dearer(ours, theirs[0]))


def _tslearn_curves(one: Array, other: Array) -> Rival:
    from tslearn.metrics import dtw_path_from_metric

    return Rival(
        lambda: dtw_path_from_metric(one[:, None], other[:, None], metric="euclidean"),
        lambda ours, theirs: _dearer(ours, theirs[1]),
    )


def _fastdtw(one: Array, other: Array) -> Rival:
    from fastdtw import fastdtw

    return Rival(lambda: fastdtw(one, other, radius=RADIUS), lambda ours, theirs: _dearer(ours, theirs[0]), APPROXIMATE)


def _squares(material: Material) -> Case:
    """Compare with aeon's DTW of squared differences; its other elastic distances are timed only."""
    one, other = _heights(material)

    def ours() -> WarpPath:
        return dtw.find_pinned_path(np.subtract.outer(one, other) ** 2, len(one))

    elastic = {f"aeon {name}": later(_aeon, name.lower(), one, other) for name in ("DTW", "MSM", "ERP", "TWE")}
    return Case(ours, elastic, moved=1.0 * len(one) * len(other))


def _aeon(name: str, one: Array, other: Array) -> Rival:
    from aeon import distances

    path = getattr(distances, f"{name}_alignment_path")
    same = name == "dtw"
    return Rival(lambda: path(one, other), (lambda ours, theirs: _dearer(ours, theirs[1])) if same else None)


def _dearer(ours: WarpPath, cost: float) -> float:
    """Return the relative difference of two path costs."""
    return abs(float(cost) - ours.cost) / ours.cost
