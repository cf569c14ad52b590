"""Motion as a sum of bands, from fine to coarse, each with a gain of its own (methods: Filtering)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..motion import quat, root_motion
from ..motion.quat import Array

Flags = NDArray[np.bool_]

KERNEL = (1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0)
WAY = 0.5  # s; what a body does slower than that on its way is travel, which no gain changes


def known(frames: int) -> int:
    """Return how many bands a clip of so many frames has: those whose kernel is no longer than it is."""
    return max(0, int(np.floor(np.log2(frames - 1)))) if frames > 2 else 0


def reach(bands: int) -> int:
    """Return how many frames away a frame may be that has a part in some bands."""
    return 2 * (2**bands - 1)


def split(values: Array, bands: int) -> list[Array]:
    """Return bands of samples (F, K), the finest first, and what is left under them; all together are the samples.

    G₀ is what is given, Gₖ₊₁ is Gₖ by the kernel with 2ᵏ − 1 zeros between its numbers, a band is Gₖ − Gₖ₊₁.
    Ends by odd reflection: a line has no bands. Bruderlin & Williams 1995. Raises ValueError for over `known` bands.
    """
    if bands > known(len(values)):
        raise ValueError(f"{len(values)} frames have {known(len(values))} bands, not {bands}")
    found, level = [], values
    for k in range(bands):
        coarser = _smoothed(level, 2**k)
        found.append(level - coarser)
        level = coarser
    return [*found, level]


def _smoothed(values: Array, step: int) -> Array:
    far, count = 2 * step, len(values)
    head, tail = 2.0 * values[:1] - values[far:0:-1], 2.0 * values[-1:] - values[-2 : -far - 2 : -1]
    padded = np.concatenate([head, values, tail])
    # As a sum of differences a constant stays as it is to the bit.
    return values + sum(
        weight * (padded[k * step : k * step + count] - values) for k, weight in enumerate(KERNEL) if k != 2
    )


def mixed(values: Array, gains: Sequence[float]) -> Array:
    """Return samples (F, K) with each band times its gain, the finest first; bands without a gain stay as they are.

    Gains of 1 change nothing, to the bit; gains of bands that the samples are too short for do nothing.
    """
    count = min(len(gains), known(len(values)))
    out = values.copy()
    for band, gain in zip(split(values, count), gains[:count], strict=False):
        if gain != 1.0:
            out += (gain - 1.0) * band
    return out


def rotation_vectors(turns: Array, carriers: Flags, rate: float) -> tuple[Array, Array]:
    """Return what rotations (F, J, 4) turn about, (F, J, 4), and by what (F, J, 3): about · exp(vector) is the turn.

    carriers (J,) : which joints carry the body where it goes. They, and joints that go over half a turn away from their
    mean, turn about their own way, smoothed over `WAY` seconds: so facing is no band, and nothing jumps. Others turn
    about their mean.
    """
    means = quat.mean_of_frames(turns)
    vectors = quat.log_about(means, turns)
    about = np.broadcast_to(means, turns.shape).copy()
    far = np.linalg.norm(vectors, axis=-1).max(axis=0, initial=0.0) > np.pi
    along = np.flatnonzero(carriers | far)
    if len(along):
        way = quat.normalize(root_motion.smooth(quat.continuous(turns[:, along]), WAY * rate))
        about[:, along], vectors[:, along] = way, quat.log_about(way, turns[:, along])
    return about, vectors


def rotations(turns: Array, gains: Sequence[float], carriers: Flags, rate: float) -> Array:
    """Return rotations (F, J, 4) with each band times its gain; `carriers` as for `rotation_vectors`.

    Joints that are over half a turn away from their own way, as only broken ones are, stay as they are.
    """
    if all(gain == 1.0 for gain in gains[: known(len(turns))]):
        return turns.copy()
    about, vectors = rotation_vectors(turns, carriers, rate)
    made = mixed(vectors.reshape(len(turns), -1), gains).reshape(vectors.shape)
    broken = np.linalg.norm(vectors, axis=-1).max(axis=0) > np.pi
    mixed_turns = quat.same_side(quat.mul(about, quat.exp(made)), turns)
    return np.where(broken[:, None], turns, mixed_turns)


def translations(places: Array, gains: Sequence[float], rate: float) -> Array:
    """Return places (F, J, 3) with each band of what is beside their way times its gain; slow travel stays."""
    if all(gain == 1.0 for gain in gains[: known(len(places))]):
        return places.copy()
    way = root_motion.smooth(places, WAY * rate)
    beside = (places - way).reshape(len(places), -1)
    return way + mixed(beside, gains).reshape(places.shape)
