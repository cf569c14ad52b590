"""Where in a clip the seam of a loop is best put: where both sides are close, and the clip itself moves as usual."""

import numpy as np
from numpy.typing import NDArray

from ..check import seams
from ..motion.clip import Clip
from ..motion.quat import Array
from ..sync import metrics
from ..sync.matching import Matching
from ..sync.repetition import NEAR_BEST, Cycle, Repetition

LENGTHS = 0.042  # s by which a cycle may be longer or shorter than it was found
WINDOW = 0.033  # s each side that is compared
CLOSENESS, STRETCH = 1.5, 1.0  # what a doubled distance, and a length at that limit, weigh against K of the place

Frames = NDArray[np.int64]


def refine(clip: Clip, found: Repetition) -> Cycle:
    """Return the best cycle of a clip, moved to where its seam is best: by a cycle at most, its length by 42 ms.

    By the distance of point clouds in a window, which stays inside the clip (or its ends would draw the seam), and by
    how natural the clip itself is at that place; only where the clip repeats itself as well as at the best start.
    """
    cycle = found.best
    window, reach = round(WINDOW * clip.rate), max(1, round(LENGTHS * clip.rate))
    last = len(clip) - 1
    every = np.arange(max(window, cycle.start - cycle.length), min(last - window, cycle.start + cycle.length) + 1)
    starts = every[_repeats(found, every)][:, None]
    change = np.arange(-reach, reach + 1)[None]
    ends = starts + cycle.length + change
    usable = (ends + window <= last) & (ends > starts + 1)
    if not usable.any():
        return cycle
    distance = _distances(clip, starts, np.minimum(ends, last - window), window)
    low, high = int(starts.min()), min(int(starts.max()) + cycle.length, last)
    places = seams.at_every_frame(clip.cut(low, high + 1))[starts - low]
    cost = CLOSENESS * np.log2(np.maximum(distance, 1e-9)) + STRETCH * (change / reach) ** 2
    natural = np.isfinite(places) & usable
    cost = np.where(natural, cost + places, np.inf) if natural.any() else np.where(usable, cost, np.inf)
    row, column = np.unravel_index(np.argmin(cost), cost.shape)
    return Cycle(int(starts[row, 0]), int(ends[row, column] - starts[row, 0]), cycle.score)


def _repeats(found: Repetition, starts: Frames) -> NDArray[np.bool_]:
    """Say from which starts the clip repeats itself as well as from the best."""
    scores = np.interp(starts, found.starts, found.start_scores, left=-np.inf, right=-np.inf)
    return np.asarray(scores >= found.best.score - NEAR_BEST)


def _distances(clip: Clip, starts: Frames, ends: Frames, window: int) -> Array:
    """Windowed distances (S, K) between frames (S, 1) and (S, K), from the part of the clip that they lie in."""
    low, high = int(starts.min()) - window, int(ends.max()) + window
    body = metrics.of(clip.cut(low, high + 1), Matching(metric="points"))
    return np.asarray(body.matrix(body, window)[starts - low, ends - low])
