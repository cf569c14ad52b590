"""What goes with a measure of strides: directions by regression, and factors that give what is asked.

Method: Style.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

RIDGE = 0.05  # of a measure's variance: measures that go together are not torn apart
STEPS = 6  # of Newton's
EXACT = 1e-3  # standard deviations; nearer is near enough
DAMPING, EASING = 0.01, 4.0  # of steps; and by how much more where one has made it worse, less where better
FARTHEST = 8.0  # factors of a direction; few examples tell little of one, so that more of it is needed
LESS = (0.5, 0.25)  # of the first factors, which are tried, too
PROBE = 0.5  # standard deviations, of the one Jacobian


@dataclass(frozen=True, eq=False)
class Directions:
    """Directions (L, D + 1) of rows and of log seconds, for each measure one, and how measures differ.

    names (L,); means, deviations (L,) : of the measures; natural, only : with what goes along, and without;
    lowest, highest (L,) : among the examples, in standard deviations
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
        """Return measures in standard deviations from the examples' means (L,)."""
        return np.asarray((np.array([measured[name] for name in self.names]) - self.means) / self.deviations)


def learn(rows: Array, measured: dict[str, Array], weights: Array) -> Directions:
    """Return the directions of measures (n,), by name, in rows (n, D + 1) with weights (n,) of sum 1.

    Measures that are the same for all are left out.
    """
    names, values = [], []
    for name, of_all in measured.items():
        spread = float(np.sqrt(weights @ (of_all - weights @ of_all) ** 2))
        if spread > 1e-6 * max(1e-3, float(np.abs(of_all).max())):
            names.append(name)
            values.append(of_all)
    stacked = np.array(values).reshape(len(names), len(rows)).T
    means = weights @ stacked
    deviations = np.sqrt(weights @ (stacked - means) ** 2)
    standard = (stacked - means) / deviations
    centred = rows - weights @ rows
    with_what_goes_along = standard.T @ (weights[:, None] * centred)
    gram = standard.T @ (weights[:, None] * standard)
    # Speed is stride times cadence: beside these it would take away from them what is theirs.
    own = [k for k, name in enumerate(names) if name != "speed"]
    alone = with_what_goes_along.copy()
    alone[own] = np.linalg.solve((gram + RIDGE * np.eye(len(names)))[np.ix_(own, own)], alone[own])
    return Directions(
        tuple(names),
        means,
        deviations,
        with_what_goes_along,
        alone,
        standard.min(axis=0, initial=0.0),
        standard.max(axis=0, initial=0.0),
    )


def jacobian(base: Array, directions: Array, measure: Callable[[Array], Array]) -> Array:
    """Return how measures (L,) change (L, K) with the factors of directions (K, D), about a row (D,)."""
    columns = [
        (measure(base + PROBE * direction) - measure(base - PROBE * direction)) / (2.0 * PROBE)
        for direction in directions
    ]
    return np.stack(columns, axis=1)


def solved(
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
    """Return factors (K,) with which a row's measures are as wanted (L,), and what they came to (L,).

    slopes (L, K) : the Jacobian to begin with; which : indices of the measures that are asked for, the others go as
    they go; counts : how much each of these counts. Damped least squares ([Levenberg]) on slopes that are learnt on the
    way ([Broyden]); only steps that lead nearer are taken.
    """
    slopes = counts[:, None] * slopes[which]
    # Arms that swing less and less swing the other way at last: from there no step leads back.
    tries = [(share * start, measure(base + share * start @ directions)) for share in (1.0, *LESS)]
    best, found = min(tries, key=lambda one: float(np.linalg.norm(counts * (wanted - one[1])[which])))
    missing, damping = counts * (wanted - found)[which], DAMPING
    for _ in range(steps):
        if float(np.linalg.norm(missing)) < EXACT:
            break
        damped = slopes.T @ slopes + damping * np.eye(len(best))
        tried = np.clip(best + np.linalg.solve(damped, slopes.T @ missing), -FARTHEST, FARTHEST)
        change, got = tried - best, measure(base + tried @ directions)
        # What the step has shown of the slopes is learnt, whether it was a good one or not.
        size = float(change @ change)
        if size > 0.0:
            slopes += np.outer(counts * (got - found)[which] - slopes @ change, change) / size
        left = counts * (wanted - got)[which]
        better = np.linalg.norm(left) < np.linalg.norm(missing)
        damping = damping / EASING if better else damping * EASING
        if better:
            best, found, missing = tried, got, left
    return best, found
