"""Learn from windows of clips how motion departs from interpolation, and how far to trust that (methods: Fill).

Kernel ridge regression on some windows as centres, or a network with many windows. The error is measured on clips that
were held out.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..motion.clip import Clip
from ..motion.quat import Array
from . import network
from .network import Network
from .rows import Longs, Rows
from .windows import (
    Around,
    Poses,
    describe_windows,
    list_described_joints,
    list_moving_joints,
    measure_departures,
    waves,
)

MANY = 24_000  # windows; a larger number is learnt by a network, a smaller one by kernel regression
MOST = 48_000  # largest number of windows; if there are more, evenly spaced ones are used
CENTRES = 800  # largest number of centres of the kernel regression
PARTS = 4  # parts into which the clips are divided; each is held out in turn, and only the first one for a network
FEWEST_GROUPS = 3  # least number of clips; if there are fewer, each is divided into groups of GROUP rows
GROUP = 300
FEWEST_WINDOWS = 40  # with fewer windows nothing is learnt
TOGETHER = 2000  # windows multiplied at once
WIDTH = 0.9  # width of the kernel, as a multiple of the median distance of the centres
SLOPE = 0.5  # weight of the linear part of the kernel
NOISE = 0.1  # regularization by the kernel among the centres
JITTER = 2e-5  # regularization by a multiple of the identity, relative to the mean of the diagonal
# The error of a query is estimated from the held-out windows most similar to it: one in OF_WINDOWS of them, within
# these limits.
NEIGHBOURS, LEAST_NEIGHBOURS, OF_WINDOWS = 150, 20, 8
# Squared number of held-out clips at which the shares of a network are halved: few clips tell little of its error.
FEW = 2.0
# Held-out windows are weighted by the reciprocal of their squared departure plus this share of its median.
FLOOR = 0.1
DIGITS = 6  # decimals of the compared distances, so that every processor finds the same neighbours


class Departure(NamedTuple):
    """A departure (K, D) from interpolation, its share (0 to 1), and its expected error over that of interpolation,
    both squared."""

    departure: Array
    share: float
    error: float


@dataclass(frozen=True, eq=False)
class _Features:
    """How windows are described: the blocks' means, and their sizes; `unit` makes the mean square of a row 1."""

    means: list[Array]
    sizes: list[float]
    unit: float

    def rows(self, blocks: list[Array]) -> Array:
        each = [(block - mean) / size for block, mean, size in zip(blocks, self.means, self.sizes, strict=True)]
        return np.concatenate(each, axis=1) / self.unit


@dataclass(frozen=True, eq=False)
class _Kernel:
    """Weights (M, D) of the kernel between windows and centres (M, F)."""

    centres: Array
    width: float
    weights: Array

    def predict(self, given: Array) -> Array:
        return _compare(given, self.centres, self.width) @ self.weights


@dataclass(frozen=True, eq=False)
class Model:
    """A model of windows of some rows.

    windows : their number; explained : share of the squared departures of held-out clips that it predicts
    centres : some windows
    measures (N, 3), hits, sizes, squares (N,) : of held-out windows: their measures, the product of predicted and true
    departures, and the squares of both; farthest : the largest distance of one from the centres of the fit
    known : factor of shares, below 1 where few clips were held out
    """

    rows: int
    around: Around
    windows: int
    explained: float
    features: _Features
    centres: Array
    way: _Kernel | Network
    levers: Array
    measures: Array
    spread: Array
    hits: Array
    sizes: Array
    squares: Array
    farthest: float
    known: float

    def predict(self, poses: Poses, first: int, last: int, before: list[int], after: list[int]) -> Departure:
        """Return the departure between two poses of a body, with those known beside them."""

        def at(*numbers: int) -> Longs:
            return np.array(numbers, dtype=np.int64)

        blocks = describe_windows(poses, at(first), at(last), [at(k) for k in before], [at(k) for k in after])
        query = self.features.rows(blocks).astype(self.centres.dtype)
        apart = _nearest(query, self.centres)
        made = self.way.predict(query)
        size = float((self.levers * made**2).sum())
        wanted = (_measure(np.array([size]), apart, query, self.features) / self.spread)[0]
        share, error = self._judge(wanted, float(apart[0]))
        return Departure(
            made.astype(np.float64).reshape(-1, made.shape[1] // waves(self.rows, np.zeros(1)).shape[1]), share, error
        )

    def _judge(self, wanted: Array, apart: float) -> tuple[float, float]:
        """Return share and error, from the held-out windows most like a query."""
        far = np.round(((self.measures / self.spread - wanted) ** 2).sum(axis=1), DIGITS)
        count = min(max(len(far) // OF_WINDOWS, LEAST_NEIGHBOURS), NEIGHBOURS, len(far))
        some = np.argsort(far, kind="stable")[:count]
        weights = 1.0 / (self.squares[some] + FLOOR * np.median(self.squares[some]) + 1e-12)
        share = float(
            np.clip((weights * self.hits[some]).sum() / ((weights * self.sizes[some]).sum() + 1e-12), 0.0, 1.0)
        )
        share *= self.known * min(1.0, self.farthest / max(apart, 1e-9)) ** 4
        missed = self.squares[some] - 2.0 * share * self.hits[some] + share**2 * self.sizes[some]
        error = (weights * missed).sum() / max((weights * self.squares[some]).sum(), 1e-12)
        return share, float(np.clip(error, 0.01, 1.0))


def learn(clips: list[Clip], rows: Rows, poses: Poses, gap_rows: int, around: Around) -> Model | None:
    """Return a model of gaps of some rows, or None with too few clips of that length.

    rows, poses : of the clips, as `rows.of_clips` and `windows.pose_all` return them
    """
    enough = rows.left >= gap_rows + max(around.after, default=0)
    starts = np.flatnonzero(enough & (rows.passed >= max(around.before, default=0)))
    if len(starts) > MOST:
        starts = starts[np.linspace(0, len(starts) - 1, MOST).astype(np.int64)]
    groups = rows.clips[starts] * 10_000 + (rows.frames[starts] // GROUP if rows.clips.max() < FEWEST_GROUPS else 0)
    numbers = np.unique(groups, return_inverse=True)[1]
    if len(starts) < FEWEST_WINDOWS or numbers.max() + 1 < FEWEST_GROUPS:
        return None
    ends = starts + gap_rows
    blocks = describe_windows(
        poses, starts, ends, [starts - lag for lag in around.before], [ends + lag for lag in around.after]
    )
    features = _normalize(blocks)
    kind: Any = np.float32 if len(starts) > MANY else np.float64
    given = features.rows(blocks).astype(kind)
    departures = measure_departures(poses, starts, gap_rows).astype(kind)
    levers = _measure_levers(clips[0], *departures.shape[1:]).astype(kind)
    parts, true = numbers % min(PARTS, numbers.max() + 1), departures.reshape(len(starts), -1)
    way: _Kernel | Network
    predicted: Any
    if len(starts) > MANY:
        held = parts == 0
        some = len(np.unique(numbers[held]))
        known = some**2 / (some**2 + FEW)
        windows = network.Windows(poses, starts, gap_rows, given, true)
        way, predicted = network.train(clips[0], list_moving_joints(clips), windows, levers, ~held)
    else:
        held, known = np.ones(len(parts), dtype=bool), 1.0
        way, predicted = _fit_kernel(given, true, parts)
    centres = _centres(len(given))
    apart = np.empty(len(given))
    for part in np.unique(parts[held]):
        apart[parts == part] = _nearest(given[parts == part], given[centres[parts[centres] != part]])
    apart, true = apart[held], true[held]
    hits = (predicted * true) @ levers
    sizes, squares = (predicted**2) @ levers, (true**2) @ levers
    measures = _measure(sizes, apart, given[held], features)
    explained = 1.0 - float((squares - 2.0 * hits + sizes).sum() / max(squares.sum(), 1e-12))
    return Model(
        gap_rows, around, len(given), max(explained, 0.0), features, given[centres], way, levers, measures,
        measures.std(axis=0) + 1e-6, hits, sizes, squares, float(apart.max()), known,
    )  # fmt: skip


def _centres(count: int) -> Longs:
    return np.linspace(0, count - 1, min(count, CENTRES)).astype(np.int64)


def _fit_kernel(given: Array, true: Array, parts: Longs) -> tuple[_Kernel, Array]:
    """Return a regression of departures (N, D) on features (N, F), and each part's prediction without that part."""
    centres = given[_centres(len(given))]
    width = WIDTH * float(np.median(np.linalg.norm(centres - centres[::-1], axis=1))) + 1e-9
    among, near = _compare(centres, centres, width), _compare(given, centres, width)
    own = [np.flatnonzero(parts == part) for part in range(parts.max() + 1)]
    sums = [(near[at].T @ near[at], near[at].T @ true[at]) for at in own]
    square, wanted = (np.sum([part[k] for part in sums], axis=0) for k in range(2))
    predicted = np.empty_like(true)
    for at, (own_square, own_wanted) in zip(own, sums, strict=True):
        predicted[at] = near[at] @ _solve(square - own_square, wanted - own_wanted, among)
    return _Kernel(centres, width, _solve(square, wanted, among)), predicted


def _solve(square: Array, wanted: Array, among: Array) -> Array:
    """Return the weights of centres."""
    noise = NOISE * among + JITTER * np.trace(square) / len(square) * np.eye(len(square))
    return np.linalg.solve(square + noise, wanted)


def _compare(given: Array, centres: Array, width: float) -> Array:
    """Return the kernel (N, M) between windows and centres: Matérn 3/2, and a linear part."""
    apart = _distances(given, centres) * (np.sqrt(3.0) / width)
    return np.asarray((1.0 + apart) * np.exp(-apart) + SLOPE * (given @ centres.T))


def _distances(given: Array, centres: Array) -> Array:
    square = (given**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2.0 * (given @ centres.T)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def _nearest(given: Array, centres: Array) -> Array:
    """Return the distance (N,) of the nearest centre."""
    return np.asarray(_distances(given, centres).min(axis=1))


def _measure(sizes: Array, apart: Array, given: Array, features: _Features) -> Array:
    """Return measures (N, 3) of windows: size of the predicted departure, novelty, and travel and turn."""
    begin = sum(len(mean) for mean in features.means[:2])
    turn = sum(len(mean) for mean in features.means[:3])
    moved = (given[:, begin : begin + 2] ** 2).sum(axis=1) + (given[:, turn : turn + len(features.means[3])] ** 2).sum(
        axis=1
    )
    return np.log(np.column_stack([sizes, apart**2, moved]) + 1e-6)


def _normalize(blocks: list[Array]) -> _Features:
    means = [block.mean(axis=0) for block in blocks]
    sizes = [
        float(np.sqrt((block - mean).var() * block.shape[1])) + 1e-6 for block, mean in zip(blocks, means, strict=True)
    ]
    square = sum(
        float(((block - mean) ** 2).sum(axis=1).mean()) / size**2
        for block, mean, size in zip(blocks, means, sizes, strict=True)
    )
    return _Features(means, sizes, max(square, 1e-9) ** 0.5)


def _measure_levers(clip: Clip, count: int, width: int) -> Array:
    """Return the weights of squared departures: mean squared distances of points that a joint turns, at rest."""
    skeleton = clip.skeleton
    joints, places = len(skeleton), skeleton.rest[1] / skeleton.height
    points = list_described_joints(skeleton)
    square = np.zeros(joints)
    for point in points:
        joint = int(skeleton.parents[point])
        while joint >= 0:
            square[joint] += ((places[point] - places[joint]) ** 2).sum() / len(points)
            joint = int(skeleton.parents[joint])
    each = np.concatenate([np.repeat(square, 3), np.ones(width - 3 * joints)])
    return np.tile(each, count)
