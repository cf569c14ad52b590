"""A zero-phase low-pass: a Butterworth filter applied forward and backward.

Method: Filtering.
"""

from typing import cast

import numpy as np

from .. import jit
from ..motion import quat
from ..motion.quat import Array

ORDER = 4
PADDING = 6.0  # periods of the cutoff before and after a clip; more distant samples have an influence below a millionth
# Periods at each end to which a line is fitted; the clip is reflected about its start, because the first frame is
# noisy.
LEVEL = 0.25


def passes_all(cutoff: float, rate: float) -> bool:
    """Return whether a low-pass removes nothing at a frame rate: its cutoff is at least half the rate, both in Hz.

    Example:
        >>> from action_loom.core.edit import low_pass
        >>> low_pass.passes_all(8.0, 24.0), low_pass.passes_all(12.0, 24.0)
        (False, True)
    """
    return cutoff >= 0.5 * rate


def sections(cutoff: float, rate: float) -> Array:
    """Return a Butterworth low-pass of fourth order as second-order sections (2, 6): b0 b1 b2, 1 a1 a2.

    cutoff : Hz; the gain there is 1/√2, or one half after both directions. Raises ValueError unless it is above 0 and
        below half the rate.
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
    """Return the number of frames of padding before and after a clip for filtering."""
    return int(np.ceil(PADDING * rate / cutoff))


def both_ways(values: Array, cutoff: float, rate: float) -> Array:
    """Return samples (F, K) without frequencies above a cutoff in Hz, without delay; a copy if the rate is too low.

    At both ends a line is fitted to a quarter of a period, and the samples are extended by reflection about its start;
    short clips by repeated reflection. Raises ValueError unless the cutoff is positive.
    """
    if passes_all(cutoff, rate) or len(values) < 3:
        return values.copy()
    reach, last = padding(cutoff, rate), len(values) - 1
    level = max(2, round(LEVEL * rate / cutoff))
    begins, ends = beginning(values[: level + 1]), beginning(values[: -level - 2 : -1])
    frames = np.arange(-reach, len(values) + reach)
    line = begins + (ends - begins) * (frames / last)[:, None]
    beside = values - line[reach : reach + len(values)]
    phase = frames % (2 * last)
    mirrored = phase > last
    around = np.where(mirrored[:, None], -1.0, 1.0) * beside[np.where(mirrored, 2 * last - phase, phase)]
    # The filter preserves the line, so only the difference from it is filtered.
    smooth = forward_and_back(sections(cutoff, rate), around)
    return np.asarray((line + smooth)[reach : reach + len(values)])


def beginning(first: Array) -> Array:
    """Return the start (K,) of the least-squares line through samples (N, K)."""
    time = np.arange(len(first)) - 0.5 * (len(first) - 1)
    slope = (time[:, None] * first).sum(axis=0) / (time**2).sum()
    return np.asarray(first.mean(axis=0) + time[0] * slope)


def forward_and_back(filters: Array, values: Array) -> Array:
    """Return samples (F, K) filtered by second-order sections (S, 6) in both directions, each from a steady state."""
    kernel = jit.kernels(__package__).sections_forward
    once = kernel(filters, _steady(filters), np.ascontiguousarray(values))
    return cast(Array, kernel(filters, _steady(filters), np.ascontiguousarray(once[::-1]))[::-1])


def _steady(filters: Array) -> Array:
    """Return the states (S, 2) of sections in the steady state of a constant 1."""
    states, level = np.empty((len(filters), 2)), 1.0
    for k, (b0, b1, b2, _, a1, a2) in enumerate(filters):
        out = level * (b0 + b1 + b2) / (1.0 + a1 + a2)
        states[k] = (b1 + b2) * level - (a1 + a2) * out, b2 * level - a2 * out
        level = out
    return states


def rotations(turns: Array, cutoff: float, rate: float) -> Array:
    """Return rotations (F, J, 4) without frequencies above a cutoff in Hz; quaternions keep their signs."""
    smooth = both_ways(quat.continuous(turns).reshape(len(turns), -1), cutoff, rate).reshape(turns.shape)
    return quat.same_side(quat.normalize(smooth), turns)


def translations(places: Array, cutoff: float, rate: float) -> Array:
    """Return translations (F, J, 3) without frequencies above a cutoff in Hz."""
    return both_ways(places.reshape(len(places), -1), cutoff, rate).reshape(places.shape)
