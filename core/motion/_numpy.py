"""The kernels of this package for numpy: the same numbers as `_numba`, up to rounding."""

from collections.abc import Iterator
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from . import quat
from .quat import Array
from .skeleton import DEEP

# Block sizes that fit a processor's cache: frames, joints × frames, and numbers of curves.
FRAMES, POSES, NUMBERS = 512, 4096, 16384

_TWICE = [0, 1, 2, 0, 1]
_INVERSE = np.array([[1.0], [-1.0], [-1.0], [-1.0]])
_NEAREST = np.nextafter(1.0, 0.0)  # its angle over its sine is 1 to the last bit
_LEAST = 1e-300  # prevents division by zero

Places = NDArray[np.int64]


def mean(rotations: Array, weights: Array, iterations: int) -> Array:
    """See `quat.mean`."""
    # The mean of two rotations takes one step; several distant rotations take some dozens.
    if len(rotations) == 2 and np.allclose(weights.sum(axis=0), 1.0, rtol=0.0, atol=1e-12):
        iterations = 1
    means = np.empty(rotations.shape[1:])
    for first in range(0, len(means), 2 * POSES):
        some = slice(first, first + 2 * POSES)
        heaviest = np.argmax(weights[:, some], axis=0)
        start = np.take_along_axis(rotations[:, some], heaviest[None, :, None], axis=0)[0]
        # Components lie in the first axis, because numpy is several times faster with long rows than with rows of four.
        towards = np.ascontiguousarray(rotations[:, some].transpose(0, 2, 1))
        means[some] = _mean(np.ascontiguousarray(start.T), towards, weights[:, some], iterations).T
    return quat.normalize(means)


def _mean(estimate: Array, rotations: Array, weights: Array, iterations: int) -> Array:
    """Return the means (4, M) of rotations (N, 4, M) by iteration from an estimate, which is overwritten."""
    here, moving = estimate, np.arange(estimate.shape[1])
    for _ in range(iterations):
        # The vector part of here⁻¹ · the sum of the scaled rotations is half the weighted sum of the logarithms.
        towards = np.zeros_like(here)
        for one, weight in zip(rotations, weights, strict=True):
            cosine = np.einsum("ij,ij->j", here, one)
            towards += np.copysign(weight * _angle_over_sine(np.abs(cosine)), cosine) * one
        step = 2.0 * _product(here * _INVERSE, towards)[1:]
        half = np.maximum(0.5 * np.sqrt(np.einsum("ij,ij->j", step, step)), _LEAST)
        turn = np.empty_like(here)
        np.cos(half, out=turn[0])
        np.multiply(0.5 * np.sin(half) / half, step, out=turn[1:])
        here = _product(here, turn)
        estimate[:, moving] = here
        moves = np.abs(step).max(axis=0, initial=0.0) >= 1e-12
        if not moves.any():
            break
        if 2 * np.count_nonzero(moves) < len(moves):  # dropping converged rotations pays only if they are the majority
            here, rotations, weights = here[:, moves], rotations[:, :, moves], weights[:, moves]
            moving = moving[moves]
    return estimate


def _angle_over_sine(cosine: Array) -> Array:
    """Return the angle over its sine for cosines of 0 to 1, well-conditioned down to the least representable angle."""
    near = np.minimum(cosine, _NEAREST)
    sine = np.sqrt((1.0 - near) * (1.0 + near))
    np.arccos(near, out=near)
    near /= sine
    return near


def curve(values: Array, frames: Array) -> Array:
    """See `resample.curve`; requires two samples or more, and frames in their range."""
    sampled = np.empty((len(frames), values.shape[1]))
    several = max(NUMBERS // max(values.shape[1], 1), 1)
    for first in range(0, len(frames), several):
        some = slice(first, first + several)
        sampled[some] = _sample_values(values, frames[some])
    return sampled


def _sample_values(values: Array, frames: Array) -> Array:
    last = len(values) - 1
    start = np.minimum(frames.astype(np.int64), last - 1)
    t = (frames - start)[:, None]
    before, end, after = np.maximum(start - 1, 0), start + 1, np.minimum(start + 2, last)
    a, b = values[start], values[end]
    slope_a, slope_b = (b - values[before]) / (end - before)[:, None], (values[after] - a) / (after - start)[:, None]
    step = b - a
    return a + t * (slope_a + t * (3.0 * step - 2.0 * slope_a - slope_b + t * (slope_a + slope_b - 2.0 * step)))


def forward(
    joints: Places,
    parents: Places,
    offsets: Array,
    orients: Array,
    rotations: Array,
    translations: Array,
    more: int,
) -> tuple[Array, Array]:
    """See `kinematics.forward`: for some joints, parents first; other entries and `more` extra points are zero.

    The numbers equal those of `_numba` to the last bit, or up to rounding for chains of more than DEEP joints.
    """
    turned, moved = np.zeros(rotations.shape), np.zeros((len(rotations), len(parents) + more, 3))
    every = len(joints) == len(parents)
    above = _list_parents_among(joints, parents)
    frames = max(min(FRAMES, len(rotations)), 1)
    width = POSES // frames
    steps = [step for here, over in _scans(above) for step in _split(here, over, width)]
    below, moving = np.flatnonzero(above >= 0), np.flatnonzero(np.any(translations.any(axis=0), axis=1)[joints])
    offset, orient = offsets[joints].T[:, :, None], orients[joints].T[:, :, None]
    for first in range(0, len(rotations), frames):
        some = slice(first, first + frames)
        local = rotations[some] if every else rotations[some, joints]
        # Components lie in the first axis and frames in the last: numpy is several times faster with long rows.
        turn = np.ascontiguousarray(local.transpose(2, 1, 0))
        place = np.empty((3, *turn.shape[1:]))
        place[:] = offset
        if len(moving):
            own = translations[some, joints[moving]].transpose(2, 1, 0)
            place[:, moving] += _rotate_vectors(orient[:, moving], own)
        for k in range(0, len(joints), width):
            turn[:, k : k + width] = _product(orient[:, k : k + width], turn[:, k : k + width])
        for here, over in steps:
            turn[:, here] = _product(turn.take(over, axis=1), turn.take(here, axis=1))
        for here, over in _split(below, above[below], width):
            place[:, here] = _rotate_vectors(turn.take(over, axis=1), place.take(here, axis=1))
        for here, over in steps:
            place[:, here] = place.take(over, axis=1) + place.take(here, axis=1)
        chosen = slice(len(parents)) if every else joints
        turned[some, chosen], moved[some, chosen] = turn.transpose(2, 1, 0), place.transpose(2, 1, 0)
    return turned, moved


def _list_parents_among(joints: Places, parents: Places) -> Places:
    """Return for each of some joints the index of its parent among them, −1 for roots."""
    places = np.full(len(parents) + 1, -1)
    places[joints] = np.arange(len(joints))
    return places[parents[joints]]


def _scans(above: Places) -> Iterator[tuple[Places, Places]]:
    """Yield steps (joints, ancestors to combine them with); in the end every joint is combined with all its ancestors.

    The steps go level by level. Hierarchies of more than DEEP levels are split into pieces of several levels, processed
    for all pieces at once and then piece by piece: 200 steps for a chain of 10,000 joints.
    """
    depths: list[int] = []
    for parent in above.tolist():
        depths.append(0 if parent < 0 else depths[parent] + 1)
    depth = np.array(depths, dtype=np.int64)
    passes = [(depth, above)]
    if (deepest := max(depths, default=0)) >= DEEP:
        height = isqrt(deepest)
        tops: list[int] = []
        for joint, parent in enumerate(above.tolist()):
            tops.append(tops[parent] if depths[joint] % height else joint)
        passes = [(depth % height, above), (depth // height, above[tops])]
    for rank, over in passes:
        order = np.argsort(rank, kind="stable")
        for here in np.split(order, np.cumsum(np.bincount(rank))[:-1])[1:]:
            yield here, over[here]


def _split(here: Places, over: Places, width: int) -> list[tuple[Places, Places]]:
    """Return joints and their ancestors in chunks, because larger arrays do not fit the processor's cache."""
    return [(here[k : k + width], over[k : k + width]) for k in range(0, len(here), width)]


def _product(a: Array, b: Array) -> Array:
    """Return the products a·b of quaternions (4, …), with all sums in the order of `quat.mul`."""
    total = a[0] * b
    part = np.empty_like(total)
    pairs, halves = b.reshape(2, 2, *b.shape[1:]), part.reshape(2, 2, *total.shape[1:])
    np.multiply(a[1], pairs[:, ::-1], out=halves)
    total[1::2] += part[1::2]
    total[::2] -= part[::2]
    np.multiply(a[2], pairs[::-1], out=halves)
    total[1:3] += part[1:3]
    total[::3] -= part[::3]
    np.multiply(a[3], b[::-1], out=part)
    total[2:] += part[2:]
    total[:2] -= part[:2]
    return total


def _rotate_vectors(q: Array, v: Array) -> Array:
    """Return vectors v (3, …) rotated by q (4, …), with all sums in the order of `quat.rotate`."""
    axis = q.take([1, 2, 3, 1, 2], axis=0)
    across = 2.0 * _cross(axis, v.take(_TWICE, axis=0))
    total = q[0] * across
    total += v
    total += _cross(axis, across.take(_TWICE, axis=0))
    return total


def _cross(a: Array, b: Array) -> Array:
    """Return the cross products (3, …) of vectors (5, …): x, y, z, and x, y again."""
    total = a[1:4] * b[2:5]
    total -= a[2:5] * b[1:4]
    return total
