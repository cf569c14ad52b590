"""Find the best place for the seam of a loop: both sides are close, and the clip's own motion is typical there.

Method: Loops.
"""

import numpy as np
from numpy.typing import NDArray

from ...motion.clip import Clip
from ...motion.quat import Array
from ...quality import seams
from ...recipes.matching import Matching
from ...sync import metrics
from ...sync.cycle_search import NEAR_BEST, PERIODIC, Cycle, Repetition

LENGTHS = 0.042  # s by which the cycle length may change
WINDOW = 0.033  # s compared on each side
PLACES, APART = 12, 0.025  # number of places offered, and s between them
# The cost of a place is its K plus CLOSENESS for each doubling of the distance, up to STRETCH for a changed length (at
# the limit above), and LESS for each 0.05 of score by which its start is below the scores equivalent to the best.
CLOSENESS, STRETCH, LESS = 1.5, 1.0, 2.0

Frames = NDArray[np.int64]


def rank_cycles(clip: Clip, repetition: Repetition) -> list[Cycle]:
    """Return the best cycle of a clip with its seam at the best place, then at the next best places a few frames apart.

    The start moves by at most one cycle, the length by at most 42 ms. The cost of a place is the distance of point
    clouds in a window, which stays inside the clip (or its ends would attract the seam), plus how untypical the clip's
    own motion is there.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.sync import cycle_search
        >>> from action_loom.core.weave.seam import search
        >>> walk = actions.walk(cycles=4)
        >>> places = search.rank_cycles(walk, cycle_search.find(walk))
        >>> places[0].length, len(places) > 1
        (32, True)
    """
    cycle = repetition.best
    window, reach = round(WINDOW * clip.rate), max(1, round(LENGTHS * clip.rate))
    last = len(clip) - 1
    every = np.arange(max(window, cycle.start - cycle.length), min(last - window, cycle.start + cycle.length) + 1)
    scores = np.interp(every, repetition.starts, repetition.start_scores, left=-np.inf, right=-np.inf)
    less = np.maximum(cycle.score - NEAR_BEST - scores, 0.0)[:, None] / NEAR_BEST
    # Starts that repeat slightly less well than the best are included: a worse cycle is better than a visible seam.
    alike = scores >= min(cycle.score - NEAR_BEST, PERIODIC)
    starts, less = every[alike][:, None], less[alike]
    change = np.arange(-reach, reach + 1)[None]
    ends = starts + cycle.length + change
    usable = (ends + window <= last) & (ends > starts + 1)
    if not usable.any():
        return [cycle]
    distance = _distances(clip, starts, np.minimum(ends, last - window), window)
    low, high = int(starts.min()), min(int(starts.max()) + cycle.length, last)
    places = seams.at_every_frame(clip.cut(low, high + 1))[starts - low]
    cost = CLOSENESS * np.log2(np.maximum(distance, 1e-9)) + STRETCH * (change / reach) ** 2 + LESS * less
    natural = np.isfinite(places) & usable
    cost = np.where(natural, cost + places, np.inf) if natural.any() else np.where(usable, cost, np.inf)
    lengths, costs = ends[np.arange(len(ends)), cost.argmin(axis=1)] - starts[:, 0], cost.min(axis=1)
    chosen: list[Cycle] = []
    for row in np.argsort(costs, kind="stable"):
        start = int(starts[row, 0])
        if np.isfinite(costs[row]) and all(abs(start - other.start) >= APART * clip.rate for other in chosen):
            chosen.append(Cycle(start, int(lengths[row]), cycle.score))
        if len(chosen) == PLACES:
            break
    return chosen


def _distances(clip: Clip, starts: Frames, ends: Frames, window: int) -> Array:
    """Return windowed distances (S, K) between frames (S, 1) and (S, K), computed on the part of the clip they span."""
    low, high = int(starts.min()) - window, int(ends.max()) + window
    body = metrics.prepare(clip.cut(low, high + 1), Matching(metric="points"))
    return np.asarray(body.matrix(body, window)[starts - low, ends - low])
