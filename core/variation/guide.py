"""Guide a variation: match the source's patches from coarse to fine, for a new arrangement (methods: Variations).

Only the choice of rows follows the guide; it is never played itself ([Granot]; [Li]).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from .source import Indices, Source

PATCH = 11  # rows
FINEST, FACTOR = 0.4, 0.75  # share of the rate, and factor from a level to the one before
COARSEST = (14, 22)  # rows of the longest clip at the coarsest level, drawn by chance
ROUNDS = 5  # of matching at each level
COMPONENTS = 48  # of patches
SAME = 1e-6  # of that share: nearer patches are alike
COMPLETE = 0.01  # share of the variance beside the least distance: smaller uses all patches alike
PIECE = 4  # rows of a free arrangement that are neighbours in the source
NOISE = 1.0  # standard deviations, of a free arrangement
GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)  # its multiples spread evenly
OVERLAP = PATCH / 4.0  # rows: σ of the weights of overlapping patches
ADAPT, LEAST = 0.3, 0.02  # how fast shares of clips are reached, and the share below which they are alike
MOST = 1200  # target patches matched at a time


@dataclass(frozen=True, eq=False)
class Pinned:
    """Rows of the result (P,) that show given features (P, D)."""

    rows: Indices
    features: Array


def make(
    source: Source, count: int, variation: float, seed: int, pinned: Pinned, shares: Array, *, loop: bool
) -> Array:
    """Return the features (count, D) that a variation of `count` rows should have.

    variation : 0 keeps the source's order, 1 arranges it freely; shares (K,) : wanted share of each clip
    loop : whether the end goes on with the start

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> from action_loom.core.variation import guide, source
        >>> rows = source.gather(inputs.gather([actions.wave()], images=False))
        >>> none = guide.Pinned(np.zeros(0, dtype=int), np.zeros((0, rows.features.shape[1])))
        >>> bool((guide.make(rows, 50, 0.0, 1, none, np.ones(1), loop=False) == rows.features[:50]).all())
        True
    """
    clips = [source.features[source.rows_of(k)] for k in range(len(source.firsts) - 1)]
    ordered = _in_order(source, count)
    if variation <= 0.0:
        made = ordered.copy()
        made[pinned.rows] = pinned.features
        return made
    rng = np.random.default_rng(seed)
    levels = _levels(max(map(len, clips)), int(rng.integers(*COARSEST)))
    levels = levels[round((1.0 - variation) * (len(levels) - 1)) :]  # finer levels keep the order of longer stretches
    length = max(round(count * levels[0]), PATCH)
    every = _in_order(source, len(np.unique(source.same)))
    every = _resize_rows(every, max(round(len(every) * levels[0]), 1))
    noise = NOISE * rng.normal(size=(length, source.features.shape[1])) * source.features.std(axis=0)
    free = _arrange(every, length, seed * GOLDEN) + noise
    made = (1.0 - variation) * _resize_rows(ordered, length) + variation * free
    favour = np.zeros(len(clips))
    for share in levels:
        made = _resize_rows(made, max(round(count * share), PATCH))
        small = [_resize_rows(clip, max(round(len(clip) * share), 2)) for clip in clips]
        made = _match_patches(made, small, pinned, count, shares, favour, loop=loop)
    return _resize_rows(made, count)


def _arrange(rows: Array, count: int, first: float) -> Array:
    """Return `count` rows out of pieces of rows, the first at a share of them, the others spread evenly."""
    parts = -(-count // PIECE)
    begins = (first + GOLDEN * np.arange(parts)) % 1.0 * len(rows)
    at = (begins[:, None].astype(np.int64) + np.arange(PIECE)) % len(rows)
    return rows[at.ravel()[:count]]


def _in_order(source: Source, count: int) -> Array:
    """Return the features of the clips one after the other, again and again, without repeated cycles' repetitions."""
    once = np.unique(source.same)
    return source.features[once[np.arange(count) % len(once)]]


def _levels(longest: int, coarsest: int) -> list[float]:
    """Return the share of rows at each level, from the coarsest to the finest."""
    shares = [FINEST]
    while shares[-1] * FACTOR * longest > coarsest:
        shares.append(shares[-1] * FACTOR)
    return shares[::-1]


def _resize_rows(rows: Array, count: int) -> Array:
    """Return rows (F, D) as `count` rows over the same time: means where fewer, linear between where more."""
    if count == len(rows):
        return rows
    if count < len(rows):
        sums = np.vstack([np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0)])
        edges = np.linspace(0.0, len(rows), count + 1)
        low = np.minimum(edges.astype(np.int64), len(rows) - 1)
        at = sums[low] + (edges - low)[:, None] * rows[low]
        return np.asarray(np.diff(at, axis=0) / np.diff(edges)[:, None])
    places = np.clip((np.arange(count) + 0.5) * len(rows) / count - 0.5, 0.0, len(rows) - 1.0)
    low = np.minimum(places.astype(np.int64), max(len(rows) - 2, 0))
    share = (places - low)[:, None]
    return np.asarray((1.0 - share) * rows[low] + share * rows[np.minimum(low + 1, len(rows) - 1)])


def _match_patches(
    made: Array, clips: Sequence[Array], pinned: Pinned, count: int, shares: Array, favour: Array, *, loop: bool
) -> Array:
    """Return rows moved towards the source's patches, several times.

    favour (K,) : logarithms of factors on the distances of each clip's patches, adapted until they get their shares
    """
    size = min(PATCH, len(made), max(map(len, clips)))
    every = np.concatenate([_patches(clip, size) for clip in clips if len(clip) >= size])
    flat = every.reshape(len(every), -1)
    owner = np.repeat(np.arange(len(clips)), [max(len(clip) - size + 1, 0) for clip in clips])
    mean = flat.mean(axis=0)
    axes = _axes(flat - mean)
    known = (flat - mean) @ axes
    weights = np.exp(-0.5 * ((np.arange(size) - 0.5 * (size - 1)) / OVERLAP) ** 2)
    variance = COMPLETE * float(known.var(axis=0).sum()) + 1e-9
    at = np.minimum((pinned.rows * len(made)) // max(count, 1), len(made) - 1)
    for _ in range(ROUNDS):
        made[at] = pinned.features
        around = np.vstack([made, made[: size - 1]]) if loop else made
        wanted = (_patches(around, size).reshape(-1, size * made.shape[1]) - mean) @ axes
        nearest = _nearest(wanted, known, variance, np.exp(favour)[owner])
        chosen = every[nearest]
        if len(clips) > 1:
            gone = np.bincount(owner[nearest], minlength=len(clips)) / len(nearest)
            favour += ADAPT * np.log((gone + LEAST) / (shares + LEAST))
        total, heights = np.zeros_like(around), np.zeros(len(around))
        for k in range(size):
            total[k : k + len(chosen)] += weights[k] * chosen[:, k]
            heights[k : k + len(chosen)] += weights[k]
        if loop:
            total[: size - 1] += total[len(made) :]
            heights[: size - 1] += heights[len(made) :]
        made = total[: len(made)] / heights[: len(made), None]
    made[at] = pinned.features
    return made


def _patches(rows: Array, size: int) -> Array:
    """Return the patches (F − size + 1, size, D) of rows."""
    return np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(rows, size, axis=0).transpose(0, 2, 1))


def _axes(flat: Array) -> Array:
    """Return the axes (K, C) of largest variance of rows (R, K); all axes for few rows."""
    if len(flat) < flat.shape[1]:
        return np.eye(flat.shape[1])
    return np.ascontiguousarray(np.linalg.eigh(flat.T @ flat)[1][:, ::-1][:, :COMPONENTS])


def _nearest(wanted: Array, known: Array, variance: float, dearer: Array) -> NDArray[np.int64]:
    """Return the best patch (T,) for each wanted one; patches that are near to none are preferred, so all are used."""
    own, others = (wanted**2).sum(axis=1), (known**2).sum(axis=1)
    least = np.full(len(known), np.inf)
    parts = [slice(first, first + MOST) for first in range(0, len(wanted), MOST)]
    kept = []
    for some in parts:
        apart = np.maximum(own[some, None] + others - 2.0 * wanted[some] @ known.T, SAME * variance)
        np.minimum(least, apart.min(axis=0), out=least)
        kept.append(apart)
    scale = dearer / (variance + least)
    # In single precision equal patches tie, whatever the last bits of their sums, and the first is chosen.
    return np.concatenate([np.argmin((apart * scale).astype(np.float32), axis=1) for apart in kept])
