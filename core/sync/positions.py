"""Pose distances by the positions of a body's points (methods: Pose distance)."""

from copy import copy
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..motion import blocks
from ..motion.quat import Array
from ..recipes.matching import Matching
from . import exact_sums, joint_weights
from .alignment import clouds_apart
from .distance import Metric, clamp_windows, compute_distances, in_blocks, rows
from .exact_sums import Some
from .posed_clip import PosedClip

SLOW_SHARE = 0.2  # share of the median speed; the direction of slower velocities is unreliable


class PointMetric(Metric):
    """Point clouds around each frame of a clip: all joints and tips of the frames within a window (ends clamped).

    Each pair of clouds is first aligned by the optimal rotation about the vertical and translation on the ground, so
    the place and facing of a clip do not matter (Kovar, Gleicher, Pighin 2002):

        D² = Σ w‖p‖² + Σ w‖p'‖² − 2·sqrt(C² + S²) + Σ w (z − z')²     C = Σ w p·p',  S = Σ w p×p'

    with horizontal coordinates centred per window. C, S and the heights are matrix products of single frames, summed
    along the diagonals; centring per window adds a thin product of frame centroids. If heights are aligned, too, the
    optimal lift is the difference of the clouds' mean heights ([TMPS]).
    """

    floor = 0.002  # m
    passes = 1

    def __init__(self, body: PosedClip, matching: Matching) -> None:
        equal = matching.point_weights == "equal"
        weights = joint_weights.point_weights(body.clip.skeleton, matching.joints, equal=equal)
        self._fill(body.points, weights, matching.align_height)

    @classmethod
    def of_cloud(cls, positions: Array, weights: Array) -> Self:
        """Return arbitrary points (F, P, 3) with weights (P,) of sum 1 prepared for comparison."""
        body = cls.__new__(cls)
        body._fill(positions, weights, False)
        return body

    def _fill(self, positions: Array, weights: Array, align_height: bool) -> None:
        self._align_height = align_height
        counting = weights > 0.0
        if not counting.all():
            weights = weights[counting]
        chosen = slice(None) if counting.all() else np.flatnonzero(counting)
        frames, points = len(positions), len(weights)
        self._centroids, self._mean_heights = np.empty((frames, 2)), np.empty(frames)
        self._ground = np.empty((frames, points, 2), dtype=np.float32)
        self._heights = np.empty((frames, points), dtype=np.float32)
        self._squares, largest = np.empty(frames), [0.0, 0.0]
        roots = np.sqrt(weights)
        for some in blocks.slices(frames, 3 * points):
            places = positions[some][:, chosen]
            self._centroids[some] = (weights @ places)[:, :2]
            self._mean_heights[some] = places[..., 2] @ weights
            for k, part in enumerate(self._about_centroids(places, some, roots)):
                flat = _flat(part)
                largest[k] = np.maximum(largest[k], np.einsum("fk,fk->f", flat, flat).max(initial=0.0))
        units = [exact_sums.unit_of(float(square)) for square in largest]
        for some in blocks.slices(frames, 3 * points):
            parts = self._about_centroids(positions[some][:, chosen], some, roots)
            square = 0.0
            for part, unit, out in zip(parts, units, (self._ground, self._heights), strict=True):
                exact_sums.write(part, unit, out[some])
                square = square + np.einsum("fk,fk->f", _flat(part), _flat(part))
            self._squares[some] = square

    def _about_centroids(self, places: Array, frames: slice, roots: Array) -> tuple[Array, Array]:
        """Return ground points (K, P, 2) and heights (K, P) of some frames, times the square roots of their weights.

        Each frame is relative to its own centroid, which avoids cancellation in clips that travel far.
        """
        ground, centroids = np.empty((len(places), len(roots), 2)), self._centroids[frames]
        for k in range(2):
            np.multiply(places[..., k] - centroids[:, k, None], roots, out=ground[..., k])
        return ground, places[..., 2] * roots

    def __len__(self) -> int:
        return len(self._heights)

    def take_frames(self, frames: slice) -> Self:
        other = copy(self)
        for name in ("_centroids", "_ground", "_heights", "_mean_heights", "_squares"):
            setattr(other, name, np.ascontiguousarray(getattr(self, name)[frames]))
        return other

    def matrix(self, other: Self, window: int) -> Array:
        """Return the distances (M, N), metres, between the clouds of this clip and of another."""
        drift, spread = self._window(window)
        other_drift, other_spread = other._window(window)
        lift, other_lift = self._lift(window), other._lift(window)
        ground, heights = rows(self._ground, window), rows(self._heights, window)
        others = exact_sums.ready(rows(other._ground, window))
        other_heights = exact_sums.ready(rows(other._heights, window))
        drifts, other_drift = np.stack([_flat(drift), _flat(_quarter_turned(drift))]), _flat(other_drift).T

        def some(block: slice, around: slice) -> Array:
            products = np.empty((3, around.stop - around.start, len(others)))
            turned = _flat(_quarter_turned(ground[around].reshape(-1, others.shape[1] // 2, 2)))
            products[0] = exact_sums.products(ground[around], others)
            products[1] = exact_sums.products(turned, others)
            products[2] = exact_sums.products(heights[around], other_heights)
            moved = drifts[:, block] @ other_drift
            return clouds_apart(products, moved, window, spread[block], other_spread, lift[block], other_lift)

        return in_blocks(len(spread), len(other_spread), window, some)

    @cached_property
    def steps(self) -> Array:
        """Distance (F−1,) that the cloud moves between frames, relative to its own centroid, metres."""
        steps = np.empty(len(self) - 1)
        for some in blocks.slices(len(steps), self._heights.shape[1] * 3):
            both = slice(some.start, some.stop + 1)
            steps[some] = np.sqrt(_squared_steps(self._ground[both]) + _squared_steps(self._heights[both]))
        return steps

    def never_nearer(self, other: Self, between: NDArray[np.bool_] | None = None) -> Array:
        """Return a lower bound (F,) of the distance of each frame of this clip from any moment of another, metres.

        between (N−1,) : which steps of the other clip to include; default all

        Moments between frames are included by the triangle inequality: a moment between two frames is no farther from
        them than the longest of the previous, current and next step.
        """
        if len(other) == 1:
            return self.matrix(other, 0)[:, 0]
        step, nearest = np.pad(other.steps, 1), np.full(len(self), np.inf)
        longest = np.maximum(np.maximum(step[:-2], step[1:-1]), step[2:])
        if between is not None:
            longest[~between] = -np.inf
        for some in blocks.slices(len(longest), len(self)):
            matrix = self.matrix(other.part(some.start, some.stop), 0)
            np.minimum(nearest, (matrix[:, :-1] + matrix[:, 1:] - longest[some]).min(axis=1), out=nearest)
        return np.asarray(np.maximum(0.5 * nearest, 0.0))

    def _lift(self, window: int) -> Array:
        """Return the mean height (F,) of each window, or zeros if heights are not aligned."""
        if not self._align_height:
            return np.zeros(len(self._mean_heights))
        return np.asarray(self._mean_heights[clamp_windows(len(self._mean_heights), window)].mean(axis=1))

    def _window(self, window: int) -> tuple[Array, Array]:
        """Return the centroids of each window relative to their mean, over √(2W+1), (F, 2W+1, 2), and Σ w‖p‖² (F,)."""
        if window == 0:
            return np.zeros((len(self), 1, 2)), self._squares
        frames = clamp_windows(len(self._heights), window)
        around = self._centroids[frames]
        drift = exact_sums.round_rows((around - around.mean(axis=1, keepdims=True)) / np.sqrt(frames.shape[1]))
        return drift, self._squares[frames].mean(axis=1) + (drift**2).sum(axis=(1, 2))


class MotionMetric(Metric):
    """Compares a body's motion rather than its pose: best between different people (methods: Pose distance).

    Half of the weight is on the points in the heading frame, minus the clip's mean pose, over its amplitude, and half
    on the directions of their velocities. Mean and amplitude depend on the frames compared, so they should be taken
    over the corresponding frames (`over`).
    """

    floor = 0.05
    passes = 3

    def __init__(self, body: PosedClip, matching: Matching) -> None:
        weights = joint_weights.point_weights(body.clip.skeleton, matching.joints)
        counting = slice(None) if weights.all() else np.flatnonzero(np.repeat(weights, 3))
        self._columns: slice | NDArray[np.int64] = counting
        # Each point's weight is divided equally between its position and its direction.
        self._roots = np.repeat(np.sqrt(0.5 * weights[weights > 0.0]), 3)
        self._places, self._velocities = _flat(body.local), _flat(body.velocities)
        speed = np.empty(len(body))
        for some in blocks.slices(len(body), self._velocities.shape[1]):
            velocities = self._velocities[some][:, counting] * self._roots
            speed[some] = np.sqrt(2.0 * np.einsum("fk,fk->f", velocities, velocities))
        self._slow = np.maximum(speed, max(SLOW_SHARE * float(np.median(speed)), 1e-9))
        self._more = self._compared_besides(body, matching)
        self._beside = 0.5 * (speed / self._slow) ** 2 + (self._more**2).sum(axis=1)

    @cached_property
    def _feature_sums(self) -> tuple[NDArray[np.float32], Array]:
        """The features (F, K), and sums of squares (F,); for long clips only requested for the frames of `over`."""
        return self._normalize_features(0, len(self._slow) - 1)

    def _compared_besides(self, body: PosedClip, matching: Matching) -> Array:  # noqa: ARG002  (for other metrics)
        """Return the additional features (F, K) of a derived metric."""
        return np.empty((len(body), 0))

    def over(self, first: int, last: int) -> Self:
        """Return the same clip, with mean and amplitude over the frames first … last."""
        other = copy(self)
        other._feature_sums = self._normalize_features(first, last)
        return other

    def take_frames(self, frames: slice) -> Self:
        other = copy(self)
        for name in ("_places", "_velocities", "_slow", "_more", "_beside"):
            setattr(other, name, getattr(self, name)[frames])
        features, squares = self._feature_sums
        other._feature_sums = features[frames], np.ascontiguousarray(squares[frames])  # long clips are decimated
        return other

    def matrix(self, other: Self, window: int) -> Array:
        """Return the distances (M, N), without unit, between this clip and another, as means over the window."""
        features, others = rows(self._feature_sums[0], window), exact_sums.ready(rows(other._feature_sums[0], window))
        square, other_square = self._square(window), other._square(window)

        def some(block: slice, around: slice) -> Array:
            return compute_distances(exact_sums.products(features[around], others), window, square[block], other_square)

        return in_blocks(len(square), len(other_square), window, some)

    def _square(self, window: int) -> Array:
        squares = self._feature_sums[1]
        return squares if window == 0 else np.asarray(squares[clamp_windows(len(squares), window)].mean(axis=1))

    def _normalize_features(self, first: int, last: int) -> tuple[NDArray[np.float32], Array]:
        """Return all features (F, K), with mean and amplitude of positions over the frames first … last."""
        count, width = len(self._slow), len(self._roots)
        sums, squares = np.zeros(width), np.empty(count)
        pieces = list(blocks.slices(count, width))
        for some in pieces:
            within = slice(max(some.start, first), min(some.stop, last + 1))
            if within.start < within.stop:
                sums += self._places[within].sum(axis=0)[self._columns]
        mean = self._roots * sums / (last + 1 - first)
        for some in pieces:
            places = self._places[some][:, self._columns] * self._roots
            places -= mean
            squares[some] = np.einsum("fk,fk->f", places, places)
        amplitude = max(float(np.sqrt(2.0 * squares[first : last + 1].mean())), 1e-9)
        unit = exact_sums.unit_of(float((squares / amplitude**2 + self._beside).max(initial=0.0)))
        features = np.empty((count, 2 * width + self._more.shape[1]), dtype=np.float32)
        for some in pieces:
            places = self._places[some][:, self._columns] * self._roots
            places -= mean
            places /= amplitude
            directions = self._velocities[some][:, self._columns] * self._roots
            directions /= self._slow[some, None]
            squares[some] = 0.0
            at = 0
            for part in (places, directions, self._more[some].copy()):
                exact_sums.write(part, unit, features[some, at : at + part.shape[1]])
                squares[some] += np.einsum("fk,fk->f", part, part)
                at += part.shape[1]
        return features, squares


def _squared_steps(values: NDArray[np.float32]) -> Array:
    """Return the squared lengths (F−1,) of the steps from row to row."""
    steps = np.diff(_flat(values.astype(np.float64)), axis=0)
    return np.asarray(np.einsum("fk,fk->f", steps, steps))


def _quarter_turned(vectors: Some) -> Some:
    """Return (−y, x) for (x, y): its dot product with (x', y') is the cross product of (x, y) with it."""
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def _flat(values: Some) -> Some:
    return values.reshape(len(values), -1)
