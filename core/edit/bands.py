"""Multiresolution filtering: a motion as a sum of frequency bands, each with its own gain (methods: Filtering)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..motion import quat, root_motion
from ..motion.quat import Array

Flags = NDArray[np.bool_]

# A binomial kernel, nearly Gaussian; inserting zeros gives the coarser levels [Bruderlin].
KERNEL = (1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0)
TRAJECTORY = 0.5  # s; sigma of the trajectory that counts as travel and facing, which gains do not change


def count_bands(frames: int) -> int:
    """Return the number of bands of a clip with `frames` frames: those whose kernel is not longer than the clip.

    Example:
        >>> from action_loom.core.edit import bands
        >>> [bands.count_bands(frames) for frames in (2, 3, 30, 120)]
        [0, 1, 4, 6]
    """
    return max(0, int(np.floor(np.log2(frames - 1)))) if frames > 2 else 0


def reach(bands: int) -> int:
    """Return the reach of the kernels of the finest `bands` bands, in frames to each side."""
    return 2 * (2**bands - 1)


def split(values: Array, bands: int) -> list[Array]:
    """Return the bands of samples (F, K), the finest first, then the residual; their sum is the samples.

    G₀ is the samples, Gₖ₊₁ is Gₖ filtered by the kernel with 2ᵏ − 1 zeros inserted, a band is Gₖ − Gₖ₊₁.
    Ends are extended by odd reflection, so a straight line has no bands. Raises ValueError for more
    than `count_bands` bands.
    Bruderlin & Williams 1995.
    """
    if bands > count_bands(len(values)):
        raise ValueError(f"{len(values)} frames have {count_bands(len(values))} bands, not {bands}")
    split_off, level = [], values
    for k in range(bands):
        coarser = _smooth_band(level, 2**k)
        split_off.append(level - coarser)
        level = coarser
    return [*split_off, level]


def _smooth_band(values: Array, step: int) -> Array:
    far, count = 2 * step, len(values)
    head, tail = 2.0 * values[:1] - values[far:0:-1], 2.0 * values[-1:] - values[-2 : -far - 2 : -1]
    padded = np.concatenate([head, values, tail])
    # A weighted sum of differences, unlike a weighted sum, preserves a constant bit for bit.
    return values + sum(
        weight * (padded[k * step : k * step + count] - values) for k, weight in enumerate(KERNEL) if k != 2
    )


def mix_bands(values: Array, gains: Sequence[float]) -> Array:
    """Return samples (F, K) with each band scaled by its gain, the finest first; bands without a gain do not change.

    Gains of 1 change no bit; gains of bands for which the samples are too short have no effect.
    """
    count = min(len(gains), count_bands(len(values)))
    out = values.copy()
    for band, gain in zip(split(values, count), gains[:count], strict=False):
        if gain != 1.0:
            out += (gain - 1.0) * band
    return out


def rotation_vectors(turns: Array, carriers: Flags, rate: float) -> tuple[Array, Array]:
    """Return base rotations (F, J, 4) and rotation vectors (F, J, 3) with turns = base · exp(vectors).

    carriers (J,) : joints that carry the body (see `filtering.carriers`). For these, and for joints that turn more than
        half a turn from their mean, the base is their own trajectory smoothed with sigma `TRAJECTORY` seconds. Bands
        therefore do not contain the facing, and no vector jumps. The base of other joints is their mean.
    """
    means = quat.mean_of_frames(turns)
    vectors = quat.log_about(means, turns)
    base = np.broadcast_to(means, turns.shape).copy()
    far = np.linalg.norm(vectors, axis=-1).max(axis=0, initial=0.0) > np.pi
    along = np.flatnonzero(carriers | far)
    if len(along):
        smooth = quat.normalize(root_motion.smooth(quat.continuous(turns[:, along]), TRAJECTORY * rate))
        base[:, along], vectors[:, along] = smooth, quat.log_about(smooth, turns[:, along])
    return base, vectors


def rotations(turns: Array, gains: Sequence[float], carriers: Flags, rate: float) -> Array:
    """Return rotations (F, J, 4) with each band scaled by its gain; `carriers` as for `rotation_vectors`.

    A joint that turns more than half a turn from its own smoothed trajectory (a broken capture) does not change.
    """
    if all(gain == 1.0 for gain in gains[: count_bands(len(turns))]):
        return turns.copy()
    base, vectors = rotation_vectors(turns, carriers, rate)
    filtered = mix_bands(vectors.reshape(len(turns), -1), gains).reshape(vectors.shape)
    broken = np.linalg.norm(vectors, axis=-1).max(axis=0) > np.pi
    mixed_turns = quat.same_side(quat.mul(base, quat.exp(filtered)), turns)
    return np.where(broken[:, None], turns, mixed_turns)


def translations(places: Array, gains: Sequence[float], rate: float) -> Array:
    """Return translations (F, J, 3) with each band of the offset from the smoothed trajectory scaled by its gain."""
    if all(gain == 1.0 for gain in gains[: count_bands(len(places))]):
        return places.copy()
    smooth = root_motion.smooth(places, TRAJECTORY * rate)
    beside = (places - smooth).reshape(len(places), -1)
    return smooth + mix_bands(beside, gains).reshape(places.shape)
