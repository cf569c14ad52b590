"""Follow several people through frames, even if a tracker exchanges their names (methods: Points)."""

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np

from ..motion.quat import Array

_Row = tuple[float, float, float, float]
_Points = Mapping[str, _Row]
Track = tuple[str, list[_Points], tuple[str, ...]]  # a person's name, their points in every frame, and sentences
_SEEN = 0.1  # share of frames in which a person must be seen
# Names are exchanged if this reduces the sum of people's distances to the previous frame below this share.
_EXCHANGED = 0.5
_MOST_PEOPLE = 5  # people whose permutations are compared; others keep their names


def follow(rows: Sequence[Sequence[tuple[str, _Points]]]) -> list[Track]:
    """Return each person's name, their points in every frame ({} where unseen), and sentences about exchanges.

    rows : for each frame the people in it: a name ("" without one), and points by label. A tracker's names are believed
    unless two people exchange their places from one frame to the next.
    """
    names = list(dict.fromkeys(name or f"{k}" for row in rows for k, (name, _) in enumerate(row)))
    tracks: dict[str, list[_Points]] = {name: [{} for _ in rows] for name in names}
    last: dict[str, Array] = {}
    belongs = {name: name for name in names}  # the person that each name in the file means at present
    exchanged: dict[str, int] = {}
    for number, row in enumerate(rows):
        seen = {name or f"{k}": points for k, (name, points) in enumerate(row)}
        centres = {name: _centre(points) for name, points in seen.items()}
        known = [name for name in seen if belongs[name] in last][:_MOST_PEOPLE]
        best = _cheapest(known, centres, belongs, last)
        for name, person in best.items():
            if belongs[name] != person:
                exchanged.setdefault(person, number)
        belongs |= best
        for name, points in seen.items():
            tracks[belongs[name]][number] = points
            last[belongs[name]] = centres[name]
    often = [name for name in names if sum(map(bool, tracks[name])) >= max(1, _SEEN * len(rows))]
    told = {name: (f"two people exchanged places at frame {at}: set right",) for name, at in exchanged.items()}
    return [(name, tracks[name], told.get(name, ())) for name in often]


def _centre(points: _Points) -> Array:
    rows = np.array(list(points.values()), dtype=np.float64)[:, :3]
    return np.asarray(np.nanmedian(rows, axis=0))


def _cheapest(
    names: Sequence[str], centres: Mapping[str, Array], belongs: Mapping[str, str], last: Mapping[str, Array]
) -> dict[str, str]:
    """Return the person of each name in a frame: the same as before, unless an exchange is much shorter in sum."""
    before = [belongs[name] for name in names]
    cost = {(n, p): float(np.linalg.norm(centres[n] - last[p])) for n in names for p in before}
    as_before = sum(cost[name, person] for name, person in zip(names, before, strict=True))
    best, least = tuple(before), _EXCHANGED * as_before
    for order in permutations(before):
        total = sum(cost[name, person] for name, person in zip(names, order, strict=True))
        if total < least:
            best, least = order, total
    return dict(zip(names, best, strict=True))
