"""Make the guide of a variation: a new arrangement of the source's patches, from coarse to fine (methods: Variations).

A guide has the features that each row of the variation should have. The choice of rows follows it; the guide itself is
never played ([Granot]; [Li]).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from .source import Indices, Source

PATCH = 11  # rows in a patch
FINEST = 0.4  # rate of the finest level, as a share of the source's rate
FACTOR = 0.75  # ratio of a level's rate to that of the next finer level
COARSEST = (14, 22)  # range of the random least number of rows that the longest clip has at the coarsest level
ROUNDS = 5  # rounds of matching at each level
COMPONENTS = 48  # number of principal components of patches
SAME = 1e-6  # limit, as a share of COMPLETE times the patches' variance; patches at smaller distances count as equal
# The distance of a patch from a target is divided by this share of the patches' variance plus its least distance from
# any target. A smaller share makes the use of all patches more equal.
COMPLETE = 0.01
PIECE = 4  # consecutive source rows in each piece of the random arrangement with which matching begins
NOISE = 1.0  # noise added to this arrangement, in standard deviations of the features
GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)  # the fractional parts of its multiples are evenly spread
OVERLAP = PATCH / 4.0  # rows; sigma of the weights of overlapping patches
ADAPT = 0.3  # speed at which the clips' distances are adapted until the clips are used for their shares
LEAST = 0.02  # added to shares in this, so that very small ones make little difference
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
    loop : whether the end continues with the start

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
    levels = levels[round((1.0 - variation) * (len(levels) - 1)) :]  # a finer first level keeps longer stretches
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
    """Return `count` rows, joined from short pieces that begin at places spread evenly over the given rows.

    first : where the first piece begins, as a share of the rows
    """
    parts = -(-count // PIECE)
    begins = (first + GOLDEN * np.arange(parts)) % 1.0 * len(rows)
    at = (begins[:, None].astype(np.int64) + np.arange(PIECE)) % len(rows)
    return rows[at.ravel()[:count]]


def _in_order(source: Source, count: int) -> Array:
    """Return the features of the clips one after the other, repeated up to `count` rows; a cycle counts once."""
    once = np.unique(source.same)
    return source.features[once[np.arange(count) % len(once)]]


def _levels(longest: int, coarsest: int) -> list[float]:
    """Return the share of rows at each level, from the coarsest to the finest."""
    shares = [FINEST]
    while shares[-1] * FACTOR * longest > coarsest:
        shares.append(shares[-1] * FACTOR)
    return shares[::-1]


def _resize_rows(rows: Array, count: int) -> Array:
    """Return rows (F, D) resampled to `count` rows: by means to fewer rows, by linear interpolation to more."""
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
    """Return rows after several rounds in which each patch is replaced by the best patch of the source.

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
    """Return the best patch (T,) for each wanted one.

    The distances of a patch are scaled down if it is far from all wanted patches, so that every patch is used.
    """
    own, others = (wanted**2).sum(axis=1), (known**2).sum(axis=1)
    least = np.full(len(known), np.inf)
    parts = [slice(first, first + MOST) for first in range(0, len(wanted), MOST)]
    kept = []
    for some in parts:
        apart = np.maximum(own[some, None] + others - 2.0 * wanted[some] @ known.T, SAME * variance)
        np.minimum(least, apart.min(axis=0), out=least)
        kept.append(apart)
    scale = dearer / (variance + least)
    # Single precision makes the distances of equal patches equal, too, so that the first one is chosen.
    return np.concatenate([np.argmin((apart * scale).astype(np.float32), axis=1) for apart in kept])
