"""Motion without its fast part: a Butterworth filter forward and back, so that nothing comes later.

Method: Filtering.
"""

from typing import cast

import numpy as np

from .. import jit
from ..motion import quat
from ..motion.quat import Array

ORDER = 4
PADDING = 6.0  # periods of the cutoff before and after a clip; of what lies further away the filter keeps a millionth
LEVEL = 0.25  # periods at each end through which a line goes: a clip is reflected about where that begins


def passes_all(cutoff: float, rate: float) -> bool:
    """Say whether frames at such a rate hold nothing over a cutoff, both in Hz: then a low-pass takes nothing off."""
    return cutoff >= 0.5 * rate


def sections(cutoff: float, rate: float) -> Array:
    """Return a Butterworth low-pass of fourth order as second-order sections (2, 6): b0 b1 b2, 1 a1 a2.

    cutoff : Hz, over 0 and under half the rate; there it lets 1/√2 through, forward and back a half. Raises ValueError.
    """
    if not 0.0 < cutoff < 0.5 * rate:
        raise ValueError(f"{cutoff} Hz is no cutoff at {rate} frames a second")
    warped = np.tan(np.pi * cutoff / rate)
    damping = 2.0 * np.sin(np.pi * (2.0 * np.arange(ORDER // 2) + 1.0) / (2.0 * ORDER))
    scale = 1.0 / (1.0 + damping * warped + warped**2)
    gain = warped**2 * scale
    a1, a2 = 2.0 * (warped**2 - 1.0) * scale, (1.0 - damping * warped + warped**2) * scale
    return np.stack([gain, 2.0 * gain, gain, np.ones(len(gain)), a1, a2], axis=1)


def padding(cutoff: float, rate: float) -> int:
    """Return how many frames are put before and after a clip while it is filtered."""
    return int(np.ceil(PADDING * rate / cutoff))


def both_ways(values: Array, cutoff: float, rate: float) -> Array:
    """Return samples (F, K) without what is faster than a cutoff in Hz, nothing delayed; all of it if the rate is low.

    At both ends the samples go on as their reflection about the end of a line through a quarter of a period there,
    and that of a short clip goes on as the reflection of that. Raises ValueError for no cutoff.
    """
    if passes_all(cutoff, rate) or len(values) < 3:
        return values.copy()
    reach, last = padding(cutoff, rate), len(values) - 1
    level = max(2, round(LEVEL * rate / cutoff))
    begins, ends = _begin(values[: level + 1]), _begin(values[: -level - 2 : -1])
    frames = np.arange(-reach, len(values) + reach)
    line = begins + (ends - begins) * (frames / last)[:, None]
    beside = values - line[reach : reach + len(values)]
    there = frames % (2 * last)
    mirrored = there > last
    around = np.where(mirrored[:, None], -1.0, 1.0) * beside[np.where(mirrored, 2 * last - there, there)]
    # A line goes through as it is.
    smooth = forward_and_back(sections(cutoff, rate), around)
    return np.asarray((line + smooth)[reach : reach + len(values)])


def _begin(first: Array) -> Array:
    """Where the line through some samples (N, K) begins."""
    time = np.arange(len(first)) - 0.5 * (len(first) - 1)
    slope = (time[:, None] * first).sum(axis=0) / (time**2).sum()
    return np.asarray(first.mean(axis=0) + time[0] * slope)


def forward_and_back(filters: Array, values: Array) -> Array:
    """Return samples (F, K) that went through second-order sections (S, 6) both ways, from rest at each end."""
    kernel = jit.kernels(__package__).sections_forward
    once = kernel(filters, _steady(filters), np.ascontiguousarray(values))
    return cast(Array, kernel(filters, _steady(filters), np.ascontiguousarray(once[::-1]))[::-1])


def _steady(filters: Array) -> Array:
    """The states (S, 2) of sections through which a constant 1 has always gone."""
    states, level = np.empty((len(filters), 2)), 1.0
    for k, (b0, b1, b2, _, a1, a2) in enumerate(filters):
        out = level * (b0 + b1 + b2) / (1.0 + a1 + a2)
        states[k] = (b1 + b2) * level - (a1 + a2) * out, b2 * level - a2 * out
        level = out
    return states


def rotations(turns: Array, cutoff: float, rate: float) -> Array:
    """Return rotations (F, J, 4) without what is faster than a cutoff in Hz, each on the side that it is given on."""
    smooth = both_ways(quat.continuous(turns).reshape(len(turns), -1), cutoff, rate).reshape(turns.shape)
    return quat.same_side(quat.normalize(smooth), turns)


def translations(places: Array, cutoff: float, rate: float) -> Array:
    """Return places (F, J, 3) without what is faster than a cutoff in Hz."""
    return both_ways(places.reshape(len(places), -1), cutoff, rate).reshape(places.shape)
