"""Random changes of a stride, distributed like the differences between people (methods: Style)."""

import numpy as np

from ..motion.quat import Array
from .components import MOST
from .style import Style

MOST_CHANCE = 2.0  # standard deviations at which a variation's scores are clamped


def shift(style: Style, number: int, amount: float) -> Array:
    """Return the change (P C + 1,) of a stride by a random variation, seeded by its number; 0 is none.

    amount : size of the change, relative to the usual differences between people

    Example:
        >>> from action_loom.core.style import chance, shipped
        >>> one, other = (chance.shift(shipped.walks(), number, 1.0) for number in (1, 2))
        >>> bool(abs(one - other).max() > 0.1), bool((one == chance.shift(shipped.walks(), 1, 1.0)).all())
        (True, True)
    """
    if not number or not amount:
        return np.zeros_like(style.mean)
    learnt = style.learnt("together")
    draw = np.random.default_rng(number).standard_normal(MOST)[: len(learnt.whole)]
    drawn = amount * np.clip(draw, -MOST_CHANCE, MOST_CHANCE)
    return np.asarray((drawn * learnt.parts.deviations) @ learnt.whole)
