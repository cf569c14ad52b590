"""Choose the candidates of all gaps jointly (methods: Fill)."""

from collections.abc import Sequence

import numpy as np

from .candidates import Candidate
from .rows import Rows, Singles

SMOOTH = 0.1  # s; cost in body heights of a speed difference of 1 body height a second across a key


def choose_together(
    rows: Rows, gaps: Sequence[Sequence[Candidate]], paces: Sequence[Sequence[tuple[float, float]]]
) -> list[int]:
    """Return the index of each gap's candidate that minimizes the total cost, including velocity jumps at keys.

    paces : playback speed of each candidate relative to its clip, at its start and at its end. Gaps without candidates
    get −1. By dynamic programming (Viterbi).

    Example:
        >>> from action_loom.core.inbetween import candidates, choice, rows
        >>> from action_loom.core.demo_character import actions
        >>> library = rows.of_clips([actions.walk()])
        >>> one, other = (candidates.Candidate((candidates.Piece(k, k + 10),), 0.0) for k in (20, 27))
        >>> after = [candidates.Candidate((candidates.Piece(30, 40),), 0.0)]
        >>> choice.choose_together(library, [[other, one], after], [[(1.0, 1.0)] * 2, [(1.0, 1.0)]])
        [1, 0]
    """
    chosen = [-1] * len(gaps)
    begin = 0
    while begin < len(gaps):
        end = begin
        while end < len(gaps) and gaps[end]:
            end += 1
        if end > begin:
            chosen[begin:end] = _run(rows, gaps[begin:end], paces[begin:end])
        begin = end + 1
    return chosen


def _run(rows: Rows, gaps: Sequence[Sequence[Candidate]], paces: Sequence[Sequence[tuple[float, float]]]) -> list[int]:
    total = np.array([one.cost for one in gaps[0]])
    back = []
    for k in range(1, len(gaps)):
        leave = _speeds(rows, [one.end for one in gaps[k - 1]], [pace[1] for pace in paces[k - 1]])
        enter = _speeds(rows, [one.start for one in gaps[k]], [pace[0] for pace in paces[k]])
        jumps = ((leave[:, None] - enter[None]) ** 2).sum(axis=-1).mean(axis=-1)
        each = total[:, None] + SMOOTH**2 * jumps
        back.append(each.argmin(axis=0))
        total = each.min(axis=0) + np.array([one.cost for one in gaps[k]])
    way = [int(total.argmin())]
    for step in reversed(back):
        way.append(int(step[way[-1]]))
    return way[::-1]


def _speeds(rows: Rows, at: list[int], paces: list[float]) -> Singles:
    return np.asarray(rows.speeds[at] * np.array(paces, dtype=np.float32)[:, None, None])
