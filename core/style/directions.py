"""Directions of measures by regression, and factors for requested measures (methods: Style)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

# Share of a measure's variance to add to it in the regression, so that correlated measures do not get opposite
# directions.
RIDGE = 0.05
STEPS = 6  # iterations of damped least squares
EXACT = 1e-3  # standard deviations; a smaller error is accepted
DAMPING, EASING = 0.01, 4.0  # initial damping, and its divisor after a better step and factor after a worse one
FARTHEST = 8.0  # limit of a direction's factor: few examples give short directions, which need larger factors
LESS = (0.5, 0.25)  # smaller shares of the initial factors to try
PROBE = 0.5  # standard deviations to each side for the finite differences of the Jacobian


@dataclass(frozen=True, eq=False)
class Directions:
    """A direction of rows and of log duration for each measure, and the statistics of the measures.

    names (L,), means (L,), deviations (L,) : of the measures
    natural, only (L, D + 1) : directions with correlated changes as in the examples, and without
    lowest, highest (L,) : of the examples, in standard deviations
    """

    names: tuple[str, ...]
    means: Array
    deviations: Array
    natural: Array
    only: Array
    lowest: Array
    highest: Array

    def of(self, goes_along: str) -> Array:
        return self.natural if goes_along == "natural" else self.only

    def standard(self, measured: dict[str, float]) -> Array:
        """Return measures in standard deviations (L,) from the examples' means."""
        return np.asarray((np.array([measured[name] for name in self.names]) - self.means) / self.deviations)


def learn(rows: Array, measured: dict[str, Array], weights: Array) -> Directions:
    """Return the directions of measures (n,), by name, in rows (n, D + 1) with weights (n,) of sum 1.

    Measures that are constant over all rows are omitted.
    """
    names, values = [], []
    for name, measure in measured.items():
        spread = float(np.sqrt(weights @ (measure - weights @ measure) ** 2))
        if spread > 1e-6 * max(1e-3, float(np.abs(measure).max())):
            names.append(name)
            values.append(measure)
    stacked = np.array(values).reshape(len(names), len(rows)).T
    means = weights @ stacked
    deviations = np.sqrt(weights @ (stacked - means) ** 2)
    standard = (stacked - means) / deviations
    centred = rows - weights @ rows
    natural = standard.T @ (weights[:, None] * centred)
    gram = standard.T @ (weights[:, None] * standard)
    # Speed is stride times cadence: in the regression it would take over part of their directions.
    own = [k for k, name in enumerate(names) if name != "speed"]
    alone = natural.copy()
    alone[own] = np.linalg.solve((gram + RIDGE * np.eye(len(names)))[np.ix_(own, own)], alone[own])
    return Directions(
        tuple(names),
        means,
        deviations,
        natural,
        alone,
        standard.min(axis=0, initial=0.0),
        standard.max(axis=0, initial=0.0),
    )


def about(known: Directions, measured: dict[str, float]) -> Directions:
    """Return directions with measures relative to one stride, instead of the examples' means."""
    means = np.array([measured[name] for name in known.names])
    moved = (known.means - means) / known.deviations
    return replace(known, means=means, lowest=known.lowest + moved, highest=known.highest + moved)


def jacobian(base: Array, directions: Array, measure: Callable[[Array], Array]) -> Array:
    """Return the derivatives (L, K) of measures (L,) by the factors of directions (K, D), at a row (D,)."""
    columns = [
        (measure(base + PROBE * direction) - measure(base - PROBE * direction)) / (2.0 * PROBE)
        for direction in directions
    ]
    return np.stack(columns, axis=1)


def solve_rows(
    base: Array,
    wanted: Array,
    directions: Array,
    slopes: Array,
    measure: Callable[[Array], Array],
    start: Array,
    which: NDArray[np.int64],
    counts: Array,
    steps: int = STEPS,
) -> tuple[Array, Array]:
    """Return factors (K,) of directions (K, D) that give a row (D,) the wanted measures, and the measures reached (L,).

    wanted (L,) : measures, in the units of `measure`
    slopes (L, K) : the initial Jacobian
    start (K,) : initial factors
    which : indices of the requested measures; the others are free
    counts : weight of each of these

    By damped least squares ([Levenberg]), with slopes updated after each step ([Broyden]). Only steps that reduce the
    error are taken.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.style import directions
        >>> one, unit = np.ones(1), np.ones((1, 1))  # a row of one number, and one direction
        >>> factors, measured = directions.solve_rows(
        ...     one, 4.0 * one, unit, 2.0 * unit, np.square, 0.5 * one, np.array([0]), one
        ... )
        >>> factors.round(2).tolist(), measured.round(2).tolist()  # (1 + 1)² = 4
        ([1.0], [4.0])
    """
    slopes = counts[:, None] * slopes[which]
    # Too large a first step can reverse the swing of the arms, from which the iteration does not recover.
    tries = [(share * start, measure(base + share * start @ directions)) for share in (1.0, *LESS)]
    best, reached = min(tries, key=lambda tried: float(np.linalg.norm(counts * (wanted - tried[1])[which])))
    missing, damping = counts * (wanted - reached)[which], DAMPING
    for _ in range(steps):
        if float(np.linalg.norm(missing)) < EXACT:
            break
        damped = slopes.T @ slopes + damping * np.eye(len(best))
        tried = np.clip(best + np.linalg.solve(damped, slopes.T @ missing), -FARTHEST, FARTHEST)
        change, got = tried - best, measure(base + tried @ directions)
        # The update of the slopes uses all steps, including rejected ones.
        size = float(change @ change)
        if size > 0.0:
            slopes += np.outer(counts * (got - reached)[which] - slopes @ change, change) / size
        left = counts * (wanted - got)[which]
        better = np.linalg.norm(left) < np.linalg.norm(missing)
        damping = damping / EASING if better else damping * EASING
        if better:
            best, reached, missing = tried, got, left
    return best, reached
