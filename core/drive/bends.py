"""Bend walks into turns, for a character whose actions hardly turn (methods: Drive)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion.clip import Clip
from ..motion.quat import Array

RATES = (60.0, 120.0)  # degrees a second
TURNS = 50.0  # degrees a second; for a character that hardly turns, 99 % of the rows turn less
MOST = 8  # number of always travelling clips to bend at most
GOES = 0.25  # heights a second, of the root

Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Part:
    """The database rows of one clip."""

    clip: Clip
    posed: Clip
    step: Complex
    turn: Array
    velocity: Complex
    stands: NDArray[np.bool_]
    balls: Complex
    raw: Array
    cyclic: bool
    after: tuple[int, float] | None = None  # the clip that it leads into, and the phase of that cycle
    bent: bool = False


def turning(turns: Array, rate: float) -> bool:
    """Return whether a body sometimes turns quickly; turns (R,) : turn per row, radians; rate : of the rows.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.drive import bends
        >>> bends.turning(np.full(100, 0.002), 60.0), bends.turning(np.full(100, 0.02), 60.0)
        (False, True)
    """
    return bool(np.percentile(np.abs(turns), 99.0) * rate >= np.radians(TURNS))


def with_bends(parts: Sequence[Part], given: int, ahead: tuple[int, ...], rate: float) -> tuple[list[Part], int]:
    """Return the rows of clips and images, with bent walks if no clip turns, and how many parts are not mirrored.

    Bent rows have the poses of their walk. Clips bend to the left and images to the right; without images, to both.
    given : number of parts that are not mirror images; ahead, rate : see `features`

    Example:
        >>> from action_loom.core.drive import bends
        >>> bends.with_bends([], 0, (20, 40, 60), 60.0)
        ([], 0)
    """
    if not parts or turning(np.concatenate([part.turn for part in parts]), rate):
        return list(parts), given
    goes = [np.abs(one.velocity).min() > GOES * one.clip.skeleton.height for one in parts[:given]]
    which, images = [k for k in range(given) if goes[k]][:MOST], len(parts) > given
    spins = [np.radians(one) * sign for one in RATES for sign in ((1.0,) if images else (1.0, -1.0))]
    more = [_bend_rows(parts[k], spin, ahead, rate) for k in which for spin in spins]
    mirrored = [_bend_rows(parts[given + k], -spin, ahead, rate) for k in which for spin in spins] if images else []
    own = [_renumber_next(part, given, len(more)) for part in parts]
    return [*own[:given], *more, *own[given:], *mirrored], given + len(more)


def _renumber_next(part: Part, given: int, more: int) -> Part:
    """Return the rows of a clip with its successor renumbered, if that is an image behind the added bends."""
    if part.after is None or part.after[0] < given:
        return part
    return replace(part, after=(part.after[0] + more, part.after[1]))


def _bend_rows(part: Part, spin: float, ahead: tuple[int, ...], rate: float) -> Part:
    """Return the rows of a clip with an additional turn rate `spin`, radians a second."""
    raw = features(part.raw, part.step, part.turn, spin / rate, ahead, cyclic=part.cyclic, rate=rate)
    step, turn = part.step * np.exp(0.5j * spin / rate), part.turn + spin / rate
    return replace(part, raw=raw, step=step, turn=turn, after=None, bent=True)


def features(
    raw: Array, step: Complex, turn: Array, spin: float, ahead: tuple[int, ...], *, cyclic: bool, rate: float
) -> Array:
    """Return the features (R, 27) of a clip's rows with an additional turn of `spin` radians per row.

    raw (R, 27) : features of the clip; step, turn (R,) : original motion to each next row, x + iy and radians
    ahead : offsets of the future rows whose root is a feature; cyclic : whether the first row follows the last; rate :
        rows a second

    Example:
        >>> import numpy as np
        >>> from action_loom.core.drive import bends
        >>> raw, step, turn = np.zeros((60, 27)), np.full(60, 0.02j), np.zeros(60)
        >>> rows = bends.features(raw, step, turn, 1.0 / 60.0, (20, 40, 60), cyclic=True, rate=60.0)
        >>> np.arctan2(-rows[0, 21::2], rows[0, 22::2]).round(2).tolist()
        [0.33, 0.67, 1.0]
    """
    out, count = raw.copy(), len(raw)
    for at, speed in ((0, 6), (3, 9)):  # balls are carried about the root
        out[:, speed] -= rate * spin * raw[:, at + 1]
        out[:, speed + 1] += rate * spin * raw[:, at]
    row, place, facing = np.arange(count), np.zeros(count, dtype=complex), np.zeros(count)
    for k in range(1, ahead[-1] + 1):
        place = place + step[row] * np.exp(1j * (facing + 0.5 * spin))
        facing = facing + turn[row] + spin
        row = (row + 1) % count if cyclic else np.minimum(row + 1, count - 1)
        if k in ahead:
            column = 15 + 2 * ahead.index(k)
            out[:, column], out[:, column + 1] = place.real, place.imag
            out[:, column + 6], out[:, column + 7] = -np.sin(facing), np.cos(facing)
    return out
