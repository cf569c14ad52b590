"""Principal components of how strides differ, and what labels have to do with them (methods: Style, [Shibuta])."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..motion.quat import Array

SHUFFLES = 499  # of labels, to know how large an effect comes by chance
MOST = 12  # components that are kept


@dataclass(frozen=True, eq=False)
class Components:
    """Orthogonal directions in which rows differ from a centre, the largest first.

    centre (D,); directions (K, D), of length 1; shares (n,) : of the variance, of all that there are; deviations (K,) :
    the standard deviation of scores
    """

    centre: Array
    directions: Array
    shares: Array
    deviations: Array

    def scores(self, rows: Array) -> Array:
        """Return how far rows (…, D) lie along each direction (…, K)."""
        return np.asarray((rows - self.centre) @ self.directions.T)


def of_rows(rows: Array, weights: Array, centre: Array | None = None, most: int = MOST) -> Components:
    """Return the components of rows (n, D) by weights (n,) with sum 1, about their mean or about another centre."""
    middle = weights @ rows if centre is None else centre
    # Of so few rows and so many numbers, the products of the rows tell all.
    scaled = np.sqrt(weights)[:, None] * (rows - middle)
    values, vectors = np.linalg.eigh(scaled @ scaled.T)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    total = float(values.sum())
    kept = min(most, int((values > 1e-12 * max(total, 1e-300)).sum()))
    directions = (vectors[:, :kept] / np.sqrt(values[:kept])).T @ scaled
    # The sign of a component is anybody's; here its largest number is positive.
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)
    return Components(middle, directions * np.sign(largest), values / (total or 1.0), np.sqrt(values[:kept]))


def in_two_parts(rows: Array) -> tuple[Array, Array]:
    """Return rows (n, P, C) as posture, the same at all phases, and dynamics, whose mean over them is zero."""
    posture = np.repeat(rows.mean(axis=1, keepdims=True), rows.shape[1], axis=1)
    return posture, rows - posture


@dataclass(frozen=True)
class Effect:
    """What a label has to do with the component that it has most to do with.

    component : its number, from 0; size : by how many standard deviations within them two groups are apart (Cohen's
    d; the sign tells which is larger); correlation : for a label that is a number instead of two groups
    chance : share of labels dealt anew that have as much to do with whichever component they have most to do with
    """

    component: int
    size: float
    chance: float
    correlation: float | None = None


def effect(scores: Array, values: Sequence[str], weights: Array, seed: int = 0) -> Effect:
    """Return what a label has to do with the scores (n, K) of people or clips, whose weights (n,) have sum 1.

    values : of the label; numbers are correlated, else the first group in the alphabet is set against the rest.
    """
    numbers = _numbers(values)
    first = min(values)
    of_all = np.array([float(value != first) for value in values]) if numbers is None else numbers
    judge = _differences if numbers is None else _correlations
    draw = np.random.default_rng(seed)
    own = judge(scores, of_all, weights)
    dealt = [np.abs(judge(scores, draw.permutation(of_all), weights)).max() for _ in range(SHUFFLES)]
    best = int(np.argmax(np.abs(own)))
    found = float(own[best])
    chance = (1 + sum(one >= abs(found) - 1e-12 for one in dealt)) / (1 + len(dealt))
    if numbers is None:
        return Effect(best, found, chance)
    return Effect(best, 2.0 * found / float(np.sqrt(max(1.0 - found * found, 1e-12))), chance, found)


def _numbers(values: Sequence[str]) -> Array | None:
    try:
        return np.array([float(value) for value in values])
    except ValueError:
        return None


def _correlations(scores: Array, values: Array, weights: Array) -> Array:
    """Correlations (K,) of scores (n, K) with values (n,)."""
    a, b = scores - weights @ scores, values - weights @ values
    norm = np.sqrt((weights @ a**2) * (weights @ b**2))
    return np.asarray((weights * b) @ a / np.where(norm > 0.0, norm, 1.0))


def _differences(scores: Array, group: Array, weights: Array) -> Array:
    """By how many standard deviations within them (K,) the means of groups 1 and 0 (n,) are apart."""
    means, within = [], np.zeros(scores.shape[1])
    for chosen in (1.0 - group, group):
        share = weights * chosen / (weights @ chosen)
        mean = share @ scores
        means.append(mean)
        within += (weights * chosen) @ (scores - mean) ** 2
    return np.asarray((means[1] - means[0]) / np.sqrt(np.where(within > 0.0, within, 1.0)))
