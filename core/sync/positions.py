"""Pose distances by the positions of a body's points (methods: Pose distance)."""

from copy import copy
from functools import cached_property
from typing import Self

import numpy as np

from ..motion.quat import Array
from ..recipes.matching import Matching
from . import exact_sums, joint_weights
from .alignment import clouds_apart
from .distance import Metric, apart, clamped, in_blocks, rows
from .posed_clip import PosedClip

SLOW_SHARE = 0.2  # of the median speed; below it a velocity's direction means little


class PointMetric(Metric):
    """Point clouds round each frame of a clip: all joints and tips of the frames within a window (ends clamped).

    Each pair of clouds is first aligned by the best turn about the vertical and shift on the ground, so it does not
    matter where a clip stands and faces (Kovar, Gleicher, Pighin 2002):

        D² = Σ w‖p‖² + Σ w‖p'‖² − 2·sqrt(C² + S²) + Σ w (z − z')²     C = Σ w p·p',  S = Σ w p×p'

    with horizontal coordinates centred per window. C, S and the heights are matrix products of single frames, summed
    along the diagonals; centring by the window adds a thin product of frame centroids. To align heights too, the best
    lift is the difference of the clouds' mean heights ([TMPS]).
    """

    floor = 0.002  # m
    passes = 1

    def __init__(self, body: PosedClip, matching: Matching) -> None:
        equal = matching.point_weights == "equal"
        weights = joint_weights.point_weights(body.clip.skeleton, matching.joints, equal=equal)
        self._fill(body.points, weights, matching.align_height)

    @classmethod
    def of_cloud(cls, positions: Array, weights: Array) -> Self:
        """Return any points (F, P, 3) with weights (P,) of sum 1 ready to be compared."""
        body = cls.__new__(cls)
        body._fill(positions, weights, False)
        return body

    def _fill(self, positions: Array, weights: Array, align_height: bool) -> None:
        self._align_height = align_height
        if not weights.all():
            positions, weights = positions[:, weights > 0.0], weights[weights > 0.0]
        self._centroids = (weights @ positions)[:, :2]
        # Each frame about its own centroid, so that a clip that travels far loses no digits.
        ground = (positions[..., :2] - self._centroids[:, None]) * np.sqrt(weights)[:, None]
        self._ground = exact_sums.rounded(ground)
        self._heights = exact_sums.rounded(positions[..., 2] * np.sqrt(weights))
        self._mean_heights = positions[..., 2] @ weights

    def __len__(self) -> int:
        return len(self._heights)

    def taken(self, frames: slice) -> Self:
        other = copy(self)
        other._centroids, other._ground = self._centroids[frames], self._ground[frames]
        other._heights, other._mean_heights = self._heights[frames], self._mean_heights[frames]
        return other

    def matrix(self, other: Self, window: int) -> Array:
        """Return the distances (M, N), metres, between the clouds of this clip and of another."""
        drift, spread = self._window(window)
        other_drift, other_spread = other._window(window)
        lift, other_lift = self._lift(window), other._lift(window)
        ground, turned = rows(self._ground, window), rows(_quarter_turned(self._ground), window)
        heights, others = rows(self._heights, window), rows(other._ground, window).T
        other_heights = rows(other._heights, window).T
        drifts, other_drift = np.stack([_flat(drift), _flat(_quarter_turned(drift))]), _flat(other_drift).T

        def some(block: slice, around: slice) -> Array:
            products = np.empty((3, around.stop - around.start, others.shape[1]))
            np.matmul(ground[around], others, out=products[0])
            np.matmul(turned[around], others, out=products[1])
            np.matmul(heights[around], other_heights, out=products[2])
            moved = drifts[:, block] @ other_drift
            return clouds_apart(products, moved, window, spread[block], other_spread, lift[block], other_lift)

        return in_blocks(len(spread), len(other_spread), window, some)

    def never_nearer(self, other: Self) -> Array:
        """Return how near (F,) any moment of another clip is at least to each frame of this one, metres.

        Also between its frames: the distance of two clouds is never more than by way of a third, and by way of a moment
        from frame to frame is no farther than the longest of the steps before, there and after.
        """
        matrix = self.matrix(other, 0)
        if len(other) == 1:
            return matrix[:, 0]
        steps = np.concatenate([_flat(np.diff(other._ground, axis=0)), np.diff(other._heights, axis=0)], axis=1)
        step = np.pad(np.sqrt((steps**2).sum(axis=1)), 1)
        longest = np.maximum(np.maximum(step[:-2], step[1:-1]), step[2:])
        return np.asarray(np.maximum(0.5 * (matrix[:, :-1] + matrix[:, 1:] - longest).min(axis=1), 0.0))

    def _lift(self, window: int) -> Array:
        """Return the mean height (F,) of each window, or zeros where heights are not aligned."""
        if not self._align_height:
            return np.zeros(len(self._mean_heights))
        return np.asarray(self._mean_heights[clamped(len(self._mean_heights), window)].mean(axis=1))

    def _window(self, window: int) -> tuple[Array, Array]:
        """Return the centroids of each window about their mean, over √(2W+1), (F, 2W+1, 2), and Σ w‖p‖² (F,)."""
        frames = clamped(len(self._heights), window)
        around = self._centroids[frames]
        drift = exact_sums.rounded((around - around.mean(axis=1, keepdims=True)) / np.sqrt(frames.shape[1]))
        own = (self._ground**2).sum(axis=(1, 2)) + (self._heights**2).sum(axis=1)
        return drift, own[frames].mean(axis=1) + (drift**2).sum(axis=(1, 2))


class MotionMetric(Metric):
    """How a body moves, not how it stands: best between different people (methods: Pose distance).

    Half of the weight have the points in the heading frame, less the clip's mean pose, over its amplitude; half the
    directions of their velocities. Mean and amplitude depend on the frames compared, so take them over the frames that
    correspond (`over`).
    """

    floor = 0.05
    passes = 3

    def __init__(self, body: PosedClip, matching: Matching) -> None:
        weights = joint_weights.point_weights(body.clip.skeleton, matching.joints)
        counting = np.flatnonzero(weights) if not weights.all() else slice(None)
        # Each point's share is half for its place and half for its direction.
        roots = np.sqrt(0.5 * weights[counting])[:, None]
        velocities = body.velocities[:, counting] * roots
        speed = np.sqrt(2.0 * (velocities**2).sum(axis=(1, 2)))
        slowest = max(SLOW_SHARE * float(np.median(speed)), 1e-9)
        directions = _flat(velocities / np.maximum(speed, slowest)[:, None, None])
        self._places = _flat(body.local[:, counting] * roots)
        self._beside = np.concatenate([directions, self._more(body, matching)], axis=1)

    @cached_property
    def _features(self) -> Array:
        """What is compared, over all frames; of long clips only those of `over` are asked for."""
        return self._normalized(0, len(self._places) - 1)

    def _more(self, body: PosedClip, matching: Matching) -> Array:  # noqa: ARG002  (for other metrics)
        """Return what a derived metric compares besides, (F, K)."""
        return np.empty((len(body), 0))

    def over(self, first: int, last: int) -> Self:
        """Return the same clip, with mean and amplitude over the frames first … last."""
        other = copy(self)
        other._features = self._normalized(first, last)
        return other

    def taken(self, frames: slice) -> Self:
        other = copy(self)
        other._places, other._beside = self._places[frames], self._beside[frames]
        other._features = self._features[frames]
        return other

    def matrix(self, other: Self, window: int) -> Array:
        """Return the distances (M, N), without unit, between this clip and another, as means over the window."""
        features, others = rows(self._features, window), rows(other._features, window).T
        square, other_square = self._square(window), other._square(window)

        def some(block: slice, around: slice) -> Array:
            return apart(features[around] @ others, window, square[block], other_square)

        return in_blocks(len(square), len(other_square), window, some)

    def _square(self, window: int) -> Array:
        return np.asarray((self._features**2).sum(axis=1)[clamped(len(self._features), window)].mean(axis=1))

    def _normalized(self, first: int, last: int) -> Array:
        """Return all that is compared (F, K), with mean and amplitude of the places over the frames first … last."""
        features = np.concatenate([self._places, self._beside], axis=1)
        places = features[:, : self._places.shape[1]]
        places -= places[first : last + 1].mean(axis=0)
        square = 2.0 * (places[first : last + 1] ** 2).sum(axis=1).mean()
        places /= max(float(np.sqrt(square)), 1e-9)
        return exact_sums.rounded(features)


def _quarter_turned(vectors: Array) -> Array:
    """Return (−y, x) for (x, y): its dot product with (x', y') is the cross product of (x, y) with it."""
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def _flat(values: Array) -> Array:
    return values.reshape(len(values), -1)
