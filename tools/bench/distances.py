"""Benchmarks of pose distances between all pairs of frames, compared with direct implementations."""

from collections.abc import Callable

import numpy as np
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.quat import Array
from action_loom.core.sync import distance, joint_weights, metrics
from action_loom.core.verbs import Synchronise
from line import Case, Line, Rival, Target, later
from material import Material

WINDOW = 5  # frames on each side
SAMPLE = 400  # pairs of frames for the implementation that computes one pair at a time
ROWS = 5  # rows of the matrix that scipy computes
PER_PAIR = "numpy, pair by pair"


def lines() -> list[Line]:
    return [
        Line("distance", "pose distances `points`, single frames", Target(10.0, {PER_PAIR: 1000.0}), _points(0)),
        Line("distance-window", "pose distances `points`, 11 frames", Target(35.0), _points(WINDOW)),
        Line("angles", "pose distances `angles`, single frames", Target(40.0), _angles),
        Line("chordal", "pose distances `chordal`, single frames", Target(15.0), _chordal),
    ]


def matrix_of(material: Material, metric: str, window: int) -> Callable[[], Array]:
    a, b = (metrics.prepare(clip, Synchronise(metric=metric)) for clip in material.clips)
    return lambda: a.matrix(b, window)


def _points(window: int) -> Callable[[Material], Case]:
    def case(material: Material) -> Case:
        places = [kinematics.points(clip) for clip in material.clips]
        weights = joint_weights.point_weights(material.clips[0].skeleton, "all")
        m, n, points = len(places[0]), len(places[1]), places[0].shape[1]
        thin = 0 if window == 0 else 2 * 2 * (2 * window + 1)
        return Case(
            matrix_of(material, "points", window),
            {
                PER_PAIR: later(_pair_by_pair, *places, weights, window),
                "numpy, whole windows": later(_whole_windows, *places, weights, window),
            },
            moved=8.0 * m * n,
            operations=2.0 * m * n * (2 * 2 * points + points + thin),
        )

    return case


def _pair_by_pair(one: Array, other: Array, weights: Array, window: int) -> Rival:
    """Implement the formula literally: align the two point clouds for each pair of frames."""
    pairs = np.random.default_rng(0).integers(0, [len(one), len(other)], (SAMPLE, 2))
    windows = [distance.clamp_windows(len(places), window) for places in (one, other)]
    shared = np.tile(weights, 2 * window + 1) / (2 * window + 1)

    def apart(i: int, j: int) -> float:
        a, b = one[windows[0][i]].reshape(-1, 3), other[windows[1][j]].reshape(-1, 3)
        p, q = a[:, :2] - shared @ a[:, :2], b[:, :2] - shared @ b[:, :2]
        c = (shared * (p * q).sum(axis=1)).sum()
        s = (shared * (p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])).sum()
        square = (shared * ((p**2).sum(axis=1) + (q**2).sum(axis=1) + (a[:, 2] - b[:, 2]) ** 2)).sum()
        return float(np.sqrt(max(square - 2.0 * np.hypot(c, s), 0.0)))

    def work() -> Array:
        return np.array([apart(i, j) for i, j in pairs])

    return Rival(work, lambda ours, theirs: _most(ours[tuple(pairs.T)] - theirs), 1e-6, len(one) * len(other) / SAMPLE)


def _whole_windows(one: Array, other: Array, weights: Array, window: int) -> Rival:
    """Compute the matrix with three matrix products of whole windows: the fastest direct numpy implementation."""
    root = np.sqrt(np.tile(weights, 2 * window + 1) / (2 * window + 1))

    def clouds(places: Array) -> tuple[Array, Array, Array]:
        cloud = places[distance.clamp_windows(len(places), window)].reshape(len(places), -1, 3)
        flat = (cloud[..., :2] - np.einsum("fpk,p->fk", cloud[..., :2], root**2)[:, None]) * root[:, None]
        turned = np.stack([-flat[..., 1], flat[..., 0]], axis=-1)
        return flat.reshape(len(places), -1), turned.reshape(len(places), -1), cloud[..., 2] * root

    def work() -> Array:
        (p, turned, z), (q, _, other_z) = clouds(one), clouds(other)
        own, others = (p**2).sum(axis=1) + (z**2).sum(axis=1), (q**2).sum(axis=1) + (other_z**2).sum(axis=1)
        square = own[:, None] + others - 2.0 * np.hypot(p @ q.T, turned @ q.T) - 2.0 * (z @ other_z.T)
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    return Rival(work, lambda ours, theirs: _most(ours - theirs), 1e-6)


def _angles(material: Material) -> Case:
    (one, other), weights = _rotations(material)
    m, n, count = len(one), len(other), len(weights)
    return Case(
        matrix_of(material, "angles", 0),
        {"numpy, joint by joint": later(_arccos, one, other, weights), "scipy": later(_scipy, one, other, weights)},
        moved=8.0 * m * n,
        operations=8.0 * m * n * count,
    )


def _rotations(material: Material) -> tuple[list[Array], Array]:
    """Return per clip the rotations (F, J, 4) of weighted joints (hips in the heading frame), and the weights (J,)."""
    weights = joint_weights.rotation_weights(material.clips[0].skeleton, "all")
    used = np.flatnonzero(weights)
    return [_within_heading(clip)[:, used] for clip in material.clips], weights[used]


def _within_heading(clip: Clip) -> Array:
    rotations, hips = clip.rotations.copy(), root_motion.travelling_joint(clip.skeleton)
    turned_back = quat.about_axis("Z", -root_motion.pelvis_heading(clip, root_motion.HEADING_SIGMA))
    rotations[:, hips] = quat.mul(turned_back, kinematics.world(clip)[0][:, hips])
    return rotations


def _arccos(one: Array, other: Array, weights: Array) -> Rival:
    def work() -> Array:
        total = np.zeros((len(one), len(other)))
        for k, weight in enumerate(weights):
            cosine = np.minimum(np.abs(one[:, k] @ other[:, k].T), 1.0)
            total += weight * (2.0 * np.arccos(cosine)) ** 2
        return total

    return Rival(work, lambda ours, theirs: _most(ours - theirs), 1e-6)


def _scipy(one: Array, other: Array, weights: Array) -> Rival:
    from scipy.spatial.transform import Rotation

    first = Rotation.from_quat(one[:ROWS], scalar_first=True)
    second = Rotation.from_quat(other, scalar_first=True)

    def work() -> Array:
        return np.stack([(first[k].inv() * second).magnitude() ** 2 @ weights for k in range(ROWS)])

    return Rival(work, lambda ours, theirs: _most(ours[:ROWS] - theirs), 1e-6, len(one) / ROWS)


def _chordal(material: Material) -> Case:
    (one, other), weights = _rotations(material)
    m, n, count = len(one), len(other), len(weights)

    def joint_by_joint() -> Rival:
        def work() -> Array:
            total = np.zeros((m, n))
            for k, weight in enumerate(weights):
                total += weight * (1.0 - (one[:, k] @ other[:, k].T) ** 2)
            return total

        return Rival(work, lambda ours, theirs: _most(ours - theirs))

    return Case(
        matrix_of(material, "chordal", 0),
        {"numpy, joint by joint": joint_by_joint},
        moved=8.0 * m * n,
        operations=2.0 * 10 * m * n * count,
    )


def _most(differences: Array) -> float:
    return float(np.abs(differences).max())
