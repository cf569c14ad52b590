"""Changes of a stride by chance, as people differ from each other (methods: Style)."""

import numpy as np

from ..motion.quat import Array
from .components import MOST
from .style import Style

MOST_CHANCE = 2.0  # standard deviations at which a variation's scores are cut


def shift(style: Style, number: int, amount: float) -> Array:
    """Return the change (P C + 1,) of a stride by a random variation, which its number says; 0 is none.

    amount : how far it goes, of what is usual between people

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
