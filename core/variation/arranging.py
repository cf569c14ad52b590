"""Arrange the rows of a variation: make a guide, find jumps, and choose the cheapest sequence (methods: Variations)."""

from collections.abc import Callable

import numpy as np

from ..motion.quat import Array
from . import choice, guide, jumps
from .choice import Chosen, Limits
from .guide import Pinned
from .jumps import Jumps
from .source import Source


def arrange(
    source: Source,
    count: int,
    limits: Limits,
    pinned: Pinned,
    shares: Array,
    *,
    variation: float = 1.0,
    seed: int = 1,
    nearest: float = jumps.NEAR,
    farthest: float = jumps.FARTHEST,
    at: Callable[[float], None] = lambda _: None,
) -> tuple[Chosen, Jumps] | None:
    """Return `count` rows of a variation, and the jumps that were found; None if no sequence of rows is possible.

    shares (K,) : wanted share of each clip; nearest, farthest : first and last limit of the distance of jumps, m
    at : progress callback

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> from action_loom.core.variation import arranging, source, wishes
        >>> rows = source.gather(inputs.gather([actions.wave()], images=False))
        >>> limits, pinned = wishes.limits(rows, wishes.Wishes(120, (), ()), 120, hold=0.4, loop=False)
        >>> len(arranging.arrange(rows, 120, limits, pinned, np.ones(1))[0].rows)
        120
    """
    guided = guide.make(source, count, variation, seed, pinned, shares, loop=limits.loop)
    limit = nearest
    while True:
        found = jumps.find(source, limit)
        rng = np.random.default_rng(seed)
        chosen = choice.choose(source, found, guided, limits, shares, rng, variation, at)
        if chosen is not None:
            return chosen, found
        if limit >= farthest:
            return None
        limit *= jumps.GROWTH
