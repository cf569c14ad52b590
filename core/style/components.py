"""Principal components of strides, and their relation to labels (methods: Style; [Shibuta])."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..motion.quat import Array

SHUFFLES = 499  # random permutations of labels, for the significance of an effect
MOST = 12  # number of components stored


@dataclass(frozen=True, eq=False)
class Components:
    """Orthogonal directions of largest variance of rows about a centre, the largest first.

    centre (D,)
    directions (K, D) : of length 1
    shares (n,) : of the variance, of all components
    deviations (K,) : standard deviations of the scores
    """

    centre: Array
    directions: Array
    shares: Array
    deviations: Array

    def scores(self, rows: Array) -> Array:
        """Return the coordinates of rows (…, D) along each direction (…, K)."""
        return np.asarray((rows - self.centre) @ self.directions.T)


def of_rows(rows: Array, weights: Array, centre: Array | None = None, most: int = MOST) -> Components:
    """Return the components of rows (n, D) with weights (n,) of sum 1, about their mean or about another centre."""
    middle = weights @ rows if centre is None else centre
    # There are fewer rows than columns, so the Gram matrix of the rows is smaller.
    scaled = np.sqrt(weights)[:, None] * (rows - middle)
    values, vectors = np.linalg.eigh(scaled @ scaled.T)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    total = float(values.sum())
    kept = min(most, int((values > 1e-12 * max(total, 1e-300)).sum()))
    directions = (vectors[:, :kept] / np.sqrt(values[:kept])).T @ scaled
    # The sign of a component is arbitrary; it is chosen to make its largest number positive.
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)
    return Components(middle, directions * np.sign(largest), values / (total or 1.0), np.sqrt(values[:kept]))


def in_two_parts(rows: Array) -> tuple[Array, Array]:
    """Return rows (n, P, C) as posture, equal at all phases, and dynamics, whose mean over the phases is zero."""
    posture = np.repeat(rows.mean(axis=1, keepdims=True), rows.shape[1], axis=1)
    return posture, rows - posture


@dataclass(frozen=True)
class Effect:
    """The relation of a label to its most related component.

    component : its index, from 0
    size : the difference of two groups, in standard deviations within them (Cohen's d; the sign shows the larger one)
    chance : share of shuffled labels with at least this relation to their own best component (p-value)
    correlation : of numeric labels, None for groups
    """

    component: int
    size: float
    chance: float
    correlation: float | None = None


def effect(scores: Array, values: Sequence[str], weights: Array) -> Effect:
    """Return the relation of a label to the scores (n, K) of people or clips with weights (n,) of sum 1.

    values : of the label; numbers are correlated, for other labels the first in the alphabet is compared with the rest
    """
    numbers = _numbers(values)
    first = min(values)
    label = np.array([float(value != first) for value in values]) if numbers is None else numbers
    relation = _differences if numbers is None else _correlations
    draw = np.random.default_rng(0)
    own = relation(scores, label, weights)
    shuffled = [np.abs(relation(scores, draw.permutation(label), weights)).max() for _ in range(SHUFFLES)]
    best = int(np.argmax(np.abs(own)))
    size = float(own[best])
    chance = (1 + sum(by_chance >= abs(size) - 1e-12 for by_chance in shuffled)) / (1 + len(shuffled))
    if numbers is None:
        return Effect(best, size, chance)
    return Effect(best, 2.0 * size / float(np.sqrt(max(1.0 - size * size, 1e-12))), chance, size)


def _numbers(values: Sequence[str]) -> Array | None:
    """Return values as numbers, or None if any is not numeric."""
    try:
        return np.array([float(value) for value in values])
    except ValueError:
        return None


def _correlations(scores: Array, values: Array, weights: Array) -> Array:
    """Return the correlations (K,) of scores (n, K) with values (n,)."""
    a, b = scores - weights @ scores, values - weights @ values
    norm = np.sqrt((weights @ a**2) * (weights @ b**2))
    return np.asarray((weights * b) @ a / np.where(norm > 0.0, norm, 1.0))


def _differences(scores: Array, group: Array, weights: Array) -> Array:
    """Return the differences (K,) of the means of groups 1 and 0 (n,), in standard deviations within them."""
    means, within = [], np.zeros(scores.shape[1])
    for chosen in (1.0 - group, group):
        share = weights * chosen / (weights @ chosen)
        mean = share @ scores
        means.append(mean)
        within += (weights * chosen) @ (scores - mean) ** 2
    return np.asarray((means[1] - means[0]) / np.sqrt(np.where(within > 0.0, within, 1.0)))
