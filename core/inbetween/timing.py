"""Suggest a timing of keyed poses at which the stretches found between them play at natural speed (methods: Fill)."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..motion.clip import Clip
from . import candidates, choice, trust
from .candidates import Candidate, Gap, Search
from .fill import FEWEST_FRAMES, LONGEST, Library, asked_of
from .rows import RATE, Longs, Rows

SEARCH = Search(tuple(0.45 * 1.07**k for k in range(25)), pace=0.02, more=False)  # up to 2.3 times the gap's length


def suggest_frames(clip: Clip, keys: Longs, known: Library, locked: Mapping[int, Candidate] | None = None) -> list[int]:
    """Return the frames to which the keys (K,) would move; the first does not move.

    A gap keeps its length if it is not filled, or if no stretch is reliable at its own speed.
    locked : fixed stretches, by the index of a filled gap

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import fill, timing
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> hurried = walk.take_frames(np.array([8, *[9] * 11, 28]))  # 20 frames of a walk in 12
        >>> timing.suggest_frames(hurried, np.array([0, 12]), fill.library([walk], 1.0))
        [0, 20]
    """
    asked = asked_of(clip, keys)
    numbers = np.cumsum([gap is not None for gap in asked]) - 1
    wished = [None if gap is None else (locked or {}).get(int(k)) for gap, k in zip(asked, numbers, strict=True)]
    found = [_find_candidates(known.rows, gap, only) for gap, only in zip(asked, wished, strict=True)]
    chosen = choice.choose_together(known.rows, found, [[(1.0, 1.0)] * len(some) for some in found])
    postures = trust.postures(known.rows, asked, found, chosen)
    frames = [int(keys[0])]
    for k, (gap, length) in enumerate(zip(asked, np.diff(keys).tolist(), strict=True)):
        if gap is not None and chosen[k] >= 0:
            rows = sum(piece.end - piece.start for piece in found[k][chosen[k]].pieces)
            own = replace(gap, frames=float(rows))
            ratio = trust.ratio(known.rows, own, found[k], chosen[k], postures[k])
            if wished[k] or trust.gain(ratio) >= trust.ROUGHLY:
                length = min(max(round(rows * clip.rate / RATE), FEWEST_FRAMES), int(LONGEST * clip.rate))
        frames.append(frames[-1] + length)
    return frames


def _find_candidates(rows: Rows, gap: Gap | None, only: Candidate | None) -> list[Candidate]:
    if only is not None:
        return [only]
    return [] if gap is None else candidates.find_candidates(rows, gap, SEARCH)
