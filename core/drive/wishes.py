"""Wishes (target velocities and facings) over time: as rows of a table, and sampled at every step (methods: Drive)."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..errors import OptionError, not_rising, wrong_rows
from .controller import STEP, Wish

Rows = Sequence[Sequence[float]]
DECIMALS = 4  # decimals stored; wishes are rounded before use, so that a drive can be repeated exactly
ALONG = 1000.0  # degrees; a larger value means the travel direction
LONGEST = 36_000.0  # s


def round_wish(wish: Wish) -> Wish:
    """Return a wish rounded as in its row.

    Example:
        >>> from action_loom.core.drive import wishes
        >>> from action_loom.core.drive.controller import Wish
        >>> wishes.round_wish(Wish(1.23456j)).velocity
        1.2346j
    """
    velocity = complex(round(wish.velocity.real, DECIMALS), round(wish.velocity.imag, DECIMALS))
    facing = None if wish.facing is None else math.radians(round(math.degrees(wish.facing), DECIMALS))
    return Wish(velocity, facing)


def as_rows(wishes: Sequence[Wish]) -> tuple[tuple[float, ...], ...]:
    """Return the rows of wishes (F,), one per step: time, vx, vy and facing at each change, and the end.

    Example:
        >>> from action_loom.core.drive import wishes
        >>> from action_loom.core.drive.controller import Wish
        >>> wishes.as_rows([Wish(1j)] * 60)
        ((0.0, 0.0, 1.0, 1000.0), (1.0, 0.0, 1.0, 1000.0))
    """
    rows: list[tuple[float, ...]] = []
    for k, wish in enumerate(wishes):
        facing = ALONG if wish.facing is None else round(math.degrees(wish.facing), DECIMALS)
        row = (round(k * STEP, 4), wish.velocity.real, wish.velocity.imag, facing)
        if not rows or row[1:] != rows[-1][1:]:
            rows.append(row)
    if rows:
        rows.append((round(len(wishes) * STEP, 4), *rows[-1][1:]))
    return tuple(rows)


def of_rows(rows: Rows) -> list[Wish]:
    """Return the wish of every step; rows : time, vx, vy and facing in degrees (if omitted, the travel direction).

    A wish holds until the next row; the last row gives the end. Raises OptionError.

    Example:
        >>> from action_loom.core.drive import wishes
        >>> len(wishes.of_rows([(0, 0, 1.2), (2, 0, 0), (3, 0, 0)]))
        180
    """
    table = [tuple(float(value) for value in row) for row in rows]
    if len(table) < 2 or any(len(row) not in (3, 4) for row in table):
        raise wrong_rows("wishes", "time", "vx", "vy", "[facing]")
    _check_times([row[0] for row in table], "wishes")
    out: list[Wish] = []
    for row, after in pairwise(table):
        facing = None if len(row) < 4 or abs(row[3]) >= ALONG else math.radians(row[3])
        count = round(after[0] / STEP) - round(row[0] / STEP)
        out += [Wish(complex(row[1], row[2]), facing)] * count
    return out


def _check_times(times: Sequence[float], name: str) -> None:
    if times[0] != 0.0 or any(b <= a for a, b in pairwise(times)):
        raise not_rising(name, "time")
    if not STEP <= times[-1] <= LONGEST:
        raise OptionError(f"{name} last {times[-1]:g} s, but can last {STEP:.2g} to {LONGEST:.0f} s")


def of_places(rows: Rows) -> list[Wish]:
    """Return the wish of every step for passing places at given times; rows : x, y, time. Raises OptionError.

    Example:
        >>> from action_loom.core.drive import wishes
        >>> wishes.of_places([(0, 0, 0), (0, 4, 2)])[60].velocity
        2j
    """
    table = np.array([tuple(row) for row in rows], dtype=float) if len({len(row) for row in rows}) == 1 else None
    if table is None or table.ndim != 2 or table.shape[1] != 3 or len(table) < 2:
        raise wrong_rows("places", "x", "y", "time")
    _check_times(table[:, 2].tolist(), "places")
    out: list[Wish] = []
    for row, after in pairwise(table):
        velocity = complex(after[0] - row[0], after[1] - row[1]) / (after[2] - row[2])
        out += [round_wish(Wish(velocity))] * (round(after[2] / STEP) - round(row[2] / STEP))
    return out
