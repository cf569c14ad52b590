"""Blend weights: constant, or interpolated between keys."""

from dataclasses import dataclass

import numpy as np

from ...motion.quat import Array
from . import Blend


@dataclass(frozen=True, eq=False)
class BlendWeights:
    """Weights (R, N) of N clips, each row with sum 1, at positions (R,) from 0 (start of the result) to 1 (end)."""

    places: Array
    rows: Array

    @property
    def change(self) -> bool:
        return bool((self.rows != self.rows[0]).any())

    @property
    def close(self) -> bool:
        """Whether the last weights equal the first, as a cycle requires."""
        return bool((self.rows[0] == self.rows[-1]).all())

    def at(self, places: Array) -> Array:
        """Return the weights (N, K) at any positions (K,), held constant before the first key and after the last.

        Between keys they follow a smooth step, which keeps the derivative continuous.
        """
        if len(self.rows) == 1:
            return np.repeat(self.rows.T, len(places), axis=1)
        after = np.clip(np.searchsorted(self.places, places, side="right"), 1, len(self.places) - 1)
        start, end = self.places[after - 1], self.places[after]
        t = np.clip((places - start) / (end - start), 0.0, 1.0)
        eased = (t * t * (3.0 - 2.0 * t))[:, None]
        return np.asarray(((1.0 - eased) * self.rows[after - 1] + eased * self.rows[after]).T)


def of_recipe(recipe: Blend, count: int) -> BlendWeights:
    """Return the weights of a recipe for `count` clips; raises OptionError if they do not fit.

    Example:
        >>> from action_loom.core.verbs import Blend
        >>> from action_loom.core.verbs.blend import weights
        >>> weights.of_recipe(Blend(weights=(1, 3)), 2).at(np.array([0.5])).tolist()
        [[0.25], [0.75]]
    """
    places, rows = recipe.shares(count)
    return BlendWeights(np.array(places), np.array(rows))
