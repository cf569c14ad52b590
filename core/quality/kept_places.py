"""Find parts with a fixed position on another part of the body: a foot on its leg, a sword in a hand.

Method: Measures of quality.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

# Unit: height of the body.
KEEPS = 0.03  # largest stray of a part with a fixed position
MOVES = 0.02  # a part with a smaller range of movement relative to its parent belongs to its parent
LEAVES = 0.008  # increase of the distance above which a part has left its position

EXPLAINS = 4.0  # least ratio of the movement relative to the parent to the stray


@dataclass(frozen=True, eq=False)
class KeptPlace:
    """A joint with a fixed position on another one.

    place (3,) : usual position in the other's frame, metres
    stray : largest distance from it, except in rare frames, metres
    """

    joint: int
    on: int
    place: Array
    stray: float


@dataclass(frozen=True)
class Gap:
    """The distance in metres between a joint and its usual position on another joint, and the frame."""

    joint: int
    on: int
    metres: float
    frame: int


def find_kept_places(
    axes: Array,
    places: Array,
    parents: NDArray[np.int64],
    seen: NDArray[np.bool_],
    height: float,
    *,
    share: float = 1.0,
) -> list[KeptPlace]:
    """Return the joints with a fixed position on a joint outside their ancestors, in frames of several actions.

    axes (F, J, 3, 3) : directions of each joint's axes, in columns; places (F, J, 3) : metres; parents (J,)
    seen (J,) : whether a joint moves a part of the surface; only these and their ancestors count
    height : of the body, metres; share : share of frames in which a joint must keep its position

    Example:
        >>> import numpy as np
        >>> from action_loom.core.quality import kept_places
        >>> places = np.zeros((5, 3, 3))
        >>> places[:, 1:, 0] = np.arange(5)[:, None]
        >>> axes, parents = np.tile(np.eye(3), (5, 3, 1, 1)), np.array([-1, 0, 0])
        >>> found = kept_places.find_kept_places(axes, places, parents, np.array([False, False, True]), 1.0)
        >>> [(one.joint, one.on) for one in found]
        [(2, 1)]
    """
    count = len(parents)
    below = _list_carried(parents)
    choices: dict[int, list[KeptPlace]] = {}
    for joint in range(count):
        parent = int(parents[joint])
        own = places[:, joint] if parent < 0 else _relative(axes, places, joint, np.array([parent]))[:, 0]
        goes = float(np.ptp(own, axis=0).max())
        if goes < MOVES * height or 2 * below[joint].sum() > count or not (seen & below[joint]).any():
            continue
        others = np.flatnonzero(~(below[joint] | below[:, joint]))
        above = np.flatnonzero(below[:, joint] & (np.arange(count) != joint))
        usual, away = _strays(axes, places, joint, np.concatenate([others, above]))
        stray = np.quantile(away, share, axis=0)
        if not len(others) or stray[len(others) :].min(initial=np.inf) <= KEEPS * height:
            continue  # a head that seldom moves keeps its position on the trunk, and so on the shoulders
        stray = stray[: len(others)]
        fits = np.flatnonzero((stray <= KEEPS * height) & (goes > EXPLAINS * stray))
        if len(fits):
            merit = np.round(stray[fits] / (0.1 * KEEPS * height)), np.linalg.norm(usual[fits], axis=1)
            most = np.quantile(away[:, fits], 0.5 + 0.5 * share, axis=0)
            choices[joint] = [
                KeptPlace(joint, int(others[fits[k]]), usual[fits[k]], float(most[k])) for k in np.lexsort(merit[::-1])
            ]
    return [one for joint in choices if (one := _choose(joint, choices)) is not None]


def _choose(joint: int, choices: Mapping[int, Sequence[KeptPlace]]) -> KeptPlace | None:
    """Return the best choice of a joint, None if all of them keep their places on it, too, and on nothing else.

    Two feet that stand, or two hands at rest, keep their places on each other, but neither is a part of the other.
    """

    def is_mutual(one: KeptPlace) -> bool:
        return any(theirs.on == one.joint for theirs in choices.get(one.on, ()))

    def is_carried(one: KeptPlace) -> bool:
        return any(not is_mutual(theirs) for theirs in choices[one.on])

    plain = (one for one in choices[joint] if not is_mutual(one))
    return next(plain, None) or next(filter(is_carried, choices[joint]), None)


def largest_gap(kept: Sequence[KeptPlace], axes: Array, places: Array, height: float) -> Gap | None:
    """Return the largest distance of a joint from its usual position, or None if every joint keeps it.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.quality import kept_places
        >>> kept = [kept_places.KeptPlace(1, 0, np.zeros(3), 0.0)]
        >>> places = np.zeros((2, 2, 3))
        >>> places[1, 1, 2] = 0.5
        >>> kept_places.largest_gap(kept, np.tile(np.eye(3), (2, 2, 1, 1)), places, 1.0)
        Gap(joint=1, on=0, metres=0.5, frame=1)
    """
    worst: Gap | None = None
    for one in kept:
        there = _relative(axes, places, one.joint, np.array([one.on]))[:, 0]
        away = np.linalg.norm(there - one.place, axis=1)
        frame = int(np.argmax(away))
        far = float(away[frame])
        if far > one.stray + LEAVES * height and (worst is None or far > worst.metres):
            worst = Gap(one.joint, one.on, far, frame)
    return worst


def _strays(axes: Array, places: Array, joint: int, others: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return the usual positions (K, 3) of a joint on others, and its distances (F, K) from them."""
    there = _relative(axes, places, joint, others)
    usual = np.median(there, axis=0)
    return usual, np.linalg.norm(there - usual, axis=2)


def _list_carried(parents: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each joint carries another (J, J), including itself; in any order."""
    below = np.eye(len(parents), dtype=bool)
    for joint, parent in enumerate(parents.tolist()):
        while parent >= 0:
            below[parent, joint] = True
            parent = int(parents[parent])
    return below


def _relative(axes: Array, places: Array, joint: int, others: NDArray[np.int64]) -> Array:
    """Return the positions (F, K, 3) of a joint in the frames of others."""
    away = places[:, joint, None] - places[:, others]
    return np.asarray(np.einsum("fkji,fkj->fki", axes[:, others], away))
