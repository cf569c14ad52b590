"""The share of each clip in a blend: the same all the way, or changing between keys."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import OptionError
from ..motion.quat import Array


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares (R, N) of N clips, each row with sum 1, at places (R,) on the way from 0 to 1."""

    places: Array
    rows: Array

    @property
    def change(self) -> bool:
        return bool((self.rows != self.rows[0]).any())

    @property
    def close(self) -> bool:
        """Whether they end as they begin, so that they can go round a cycle."""
        return bool((self.rows[0] == self.rows[-1]).all())

    def at(self, places: Array) -> Array:
        """Return the shares (N, K) at any places (K,): held before the first key and after the last.

        From key to key they ease in and out, so that nothing changes its speed at once.
        """
        if len(self.rows) == 1:
            return np.repeat(self.rows.T, len(places), axis=1)
        after = np.clip(np.searchsorted(self.places, places, side="right"), 1, len(self.places) - 1)
        start, end = self.places[after - 1], self.places[after]
        t = np.clip((places - start) / (end - start), 0.0, 1.0)
        eased = (t * t * (3.0 - 2.0 * t))[:, None]
        return np.asarray(((1.0 - eased) * self.rows[after - 1] + eased * self.rows[after]).T)


def constant(weights: Sequence[float], count: int) -> Shares:
    """Return shares that stay as they are; none given is equal ones. Raises OptionError where they do not fit."""
    return Shares(np.zeros(1), _normalized(weights or [1.0] * count, count, "weights were given")[None])


def keyed(keys: Sequence[Sequence[float]], count: int) -> Shares:
    """Return shares by keys: rows of a place from 0 to 1 and N weights. Raises OptionError where they do not fit."""
    places = np.array([row[0] for row in keys if row])
    if len(places) != len(keys) or places.max() > 1.0 or (np.diff(places) <= 0.0).any():
        raise OptionError("Weight keys begin with their place, from 0 (start) to 1 (end), each after the last")
    rows = [
        _normalized(row[1:], count, f"weights were given at {row[0]:g} of the way") for row in keys
    ]
    return Shares(places, np.array(rows))


def _normalized(weights: Sequence[float], count: int, given: str) -> Array:
    if len(weights) != count:
        raise OptionError(f"{len(weights)} {given} for {count} clips")
    total = sum(weights)
    if total <= 0.0:
        raise OptionError("All weights are zero: give at least one clip a share")
    return np.array(weights, dtype=float) / total
