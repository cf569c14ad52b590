"""How far apart two poses are, for all pairs of frames of two clips at once (methods 2)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..motion import kinematics, quat, trajectory
from ..motion.clip import Clip
from ..motion.quat import Array

MOTION_HEADING_SIGMA = 0.5  # s
VELOCITY_SIGMA = 2.0 / 120.0  # s
SLOW_SHARE = 0.2  # of the median speed; below it a velocity's direction means little


@dataclass(frozen=True)
class Metric:
    """A pose distance: its matrix for two clips, and the distance below which poses are as good as equal."""

    name: str
    matrix: Callable[..., Array]
    floor: float
    passes: int


def points(a: Clip, b: Clip, window: int) -> Array:
    """Return the distances (M, N), metres, between the point clouds round each frame of a and of b.

    The cloud of a frame is all joints and tips of the frames within `window` of it (ends clamped). Each pair is
    first brought together by the best turn about the vertical and shift on the ground, so that it does not
    matter where a clip stands and faces (Kovar, Gleicher, Pighin 2002):

        D² = Σ w‖p‖² + Σ w‖p'‖² − 2·sqrt(C² + S²) + Σ w (z − z')²     C = Σ w p·p',  S = Σ w p×p'

    with horizontal coordinates centred per window. C, S and the heights are matrix products of single frames,
    summed along the diagonals; what the window's own centring adds is a thin product of frame centroids.
    """
    cloud_a, cloud_b = _Clouds(a, window), _Clouds(b, window)
    c = _diagonal_mean(cloud_a.flat @ cloud_b.flat.T, window) + cloud_a.drift @ cloud_b.drift.T
    s = _diagonal_mean(cloud_a.quarter_turned @ cloud_b.flat.T, window)
    s += cloud_a.drift_quarter_turned @ cloud_b.drift.T
    square = cloud_a.spread[:, None] + cloud_b.spread[None] - 2.0 * np.hypot(c, s)
    square -= 2.0 * _diagonal_mean(cloud_a.heights @ cloud_b.heights.T, window)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


class _Clouds:
    """One clip's point clouds, weighted and centred, ready for products between clips."""

    def __init__(self, clip: Clip, window: int) -> None:
        weights = clip.skeleton.point_weights
        positions = kinematics.points(clip)
        ground = positions[..., :2]
        centroids = np.einsum("fpk,p->fk", ground, weights)
        # Every frame about its own centroid: a travelling clip loses no digits, and the sums below are exact.
        centred = (ground - centroids[:, None]) * np.sqrt(weights)[:, None]
        heights = positions[..., 2] * np.sqrt(weights)
        own = (centred**2).sum(axis=(1, 2)) + (heights**2).sum(axis=1)

        frames = _clamped(len(clip), window)
        self.flat = _rows(centred, window)
        self.quarter_turned = _rows(_quarter(centred), window)
        self.heights = _rows(heights, window)
        around = centroids[frames]
        drift = around - around.mean(axis=1, keepdims=True)
        scale = np.sqrt(frames.shape[1])
        self.drift = drift.reshape(len(clip), -1) / scale
        self.drift_quarter_turned = _quarter(drift).reshape(len(clip), -1) / scale
        self.spread = own[frames].mean(axis=1) + (self.drift**2).sum(axis=1)


def _quarter(vectors: Array) -> Array:
    """(x, y) → (−y, x): then the dot product with (x', y') is the cross product x y' − y x', negated."""
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def _clamped(count: int, window: int) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """Frame numbers (F, 2W+1) of every window, its ends clamped to the clip."""
    return np.clip(np.arange(count)[:, None] + np.arange(-window, window + 1), 0, count - 1)


def _rows(values: Array, window: int) -> Array:
    """Frames as rows, the first and last repeated so that every window is whole."""
    count = len(values)
    padded = np.clip(np.arange(-window, count + window), 0, count - 1)
    return np.ascontiguousarray(values.reshape(count, -1)[padded])


def _diagonal_mean(products: Array, window: int) -> Array:
    """Return the mean over k = −W … W of products (M+2W, N+2W) at (i + k, j + k): (M, N)."""
    rows, columns = products.shape[0] - 2 * window, products.shape[1] - 2 * window
    if window == 0:
        return products
    total = products[:rows, :columns].copy()
    for k in range(1, 2 * window + 1):
        total += products[k : k + rows, k : k + columns]
    total /= 2 * window + 1
    return total


@dataclass(frozen=True, eq=False)
class Stretch:
    """The frames of a clip, first to last, over which its mean pose and amplitude are taken."""

    first: int
    last: int


def motion(a: Clip, b: Clip, window: int, over_a: Stretch | None = None, over_b: Stretch | None = None) -> Array:
    """Return the distances (M, N), without unit, between how two bodies move, not how they stand.

    Points in the heading frame, less the clip's mean pose, over its amplitude; beside them, with equal weight,
    the direction of their velocities. Both are averaged over the window. The mean and the amplitude are taken
    over a stretch of each clip (default: all of it): they should be that of the frames that correspond.
    """
    rows_a, rows_b = _motion_rows(a, over_a), _motion_rows(b, over_b)
    frames_a, frames_b = _clamped(len(a), window), _clamped(len(b), window)
    square_a = (rows_a**2).sum(axis=1)[frames_a].mean(axis=1)
    square_b = (rows_b**2).sum(axis=1)[frames_b].mean(axis=1)
    product = _rows(rows_a, window) @ _rows(rows_b, window).T
    square = square_a[:, None] + square_b[None] - 2.0 * _diagonal_mean(product, window)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def _motion_rows(clip: Clip, over: Stretch | None) -> Array:
    weights = clip.skeleton.point_weights[:, None]
    places = _in_heading_frame(clip)
    velocities = np.gradient(trajectory.smooth(places, VELOCITY_SIGMA * clip.rate), axis=0)
    speed = np.sqrt((weights * velocities**2).sum(axis=(1, 2)))
    slowest = max(SLOW_SHARE * float(np.median(speed)), 1e-9)
    directions = velocities / np.maximum(speed, slowest)[:, None, None]
    chosen = places if over is None else places[over.first : over.last + 1]
    places = places - chosen.mean(axis=0)
    chosen = chosen - chosen.mean(axis=0)
    amplitude = np.sqrt((weights * chosen**2).sum(axis=(1, 2)).mean())
    both = np.stack([places / max(amplitude, 1e-9), directions]) * np.sqrt(0.5 * weights)
    return np.ascontiguousarray(np.moveaxis(both, 0, 1).reshape(len(clip), -1))


def _in_heading_frame(clip: Clip) -> Array:
    """Points (F, P, 3) turned to face along y, the travelling joint's ground point in the origin."""
    positions = kinematics.points(clip)
    facing = trajectory.heading(clip, MOTION_HEADING_SIGMA)
    origin = positions[:, trajectory.travelling_joint(clip.skeleton)].copy()
    origin[:, 2] = 0.0
    return quat.rotate(quat.about_axis("Z", -facing)[:, None], positions - origin[:, None])


METRICS = {
    "points": Metric("points", points, floor=0.002, passes=1),
    "motion": Metric("motion", motion, floor=0.05, passes=3),
}
