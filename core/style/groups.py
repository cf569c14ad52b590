"""Groups of strides, and their mean motion: by a label, or by low and high values of a measure (methods: Style)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..motion.quat import Array
from ..sync import ties
from .labels import PERSON
from .style import Learnt, Style


@dataclass(frozen=True, eq=False)
class Group:
    """Some strides of a style: their name, their flags (n,), and their weights (n,) of sum 1."""

    name: str
    strides: NDArray[np.bool_]
    weights: Array


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of strides, and the component that separates them best.

    by : the label or measure
    component : its index among the components of posture and dynamics
    share : share of that component's variance between the groups
    """

    by: str
    every: tuple[Group, ...]
    component: int
    share: float


def of(style: Style, by: str) -> Groups:
    """Return the strides of a style in groups.

    by : "person", a label of the clips, or a measure such as "stride", whose groups are below and above its median
    Raises OptionError for other names, and if fewer than two groups have strides.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.style import groups
        >>> walks = [replace(actions.walk(30.0, 4, speed=speed), name=f"{speed}") for speed in (0.9, 1.2, 1.5)]
        >>> style = verbs.apply(verbs.FitStyle(), walks)
        >>> found = groups.of(style, "speed")
        >>> [(group.name, int(group.strides.sum())) for group in found.every]
        [('under 1.43', 6), ('over 1.43', 6)]
    """
    found = []
    for name, own in _members(style, by).items():
        weights = style.material.weights * own
        if own.any():
            found.append(Group(name, own, weights / weights.sum()))
    if len(found) < 2:
        raise OptionError(f"by is {by!r}, but all strides are alike in that: take another label or measure")
    between = _between(style, found)
    best = ties.first_least(-between)  # for procedural walks, several components separate groups completely
    return Groups(by, tuple(found), best, float(between[best]))


def curves(learnt: Learnt, rows: Array, group: Group) -> tuple[Array, Array]:
    """Return the mean angles (P, A) of a group over a stride, and their standard deviations, degrees.

    rows (n, P, C) : of all strides, in the form of the components; the axes (A,) belong to the main joints

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.style import groups
        >>> walks = [replace(actions.walk(30.0, 4, speed=speed), name=f"{speed}") for speed in (0.9, 1.2, 1.5)]
        >>> style = verbs.apply(verbs.FitStyle(), walks)
        >>> fast = groups.of(style, "speed").every[1]
        >>> mean, spread = groups.curves(style.learnt("apart"), style.material.rows, fast)
        >>> mean.shape == spread.shape == (64, len(style.learnt("apart").turning))
        True
    """
    angles = np.degrees(rows[group.strides][:, :, learnt.turning])
    weights = group.weights[group.strides]
    mean = np.tensordot(weights, angles, 1)
    return mean, np.sqrt(np.tensordot(weights, (angles - mean) ** 2, 1))


def _members(style: Style, by: str) -> dict[str, NDArray[np.bool_]]:
    """Return which strides (n,) belong to each group, by its name."""
    material = style.material
    labels = {PERSON: material.people, **material.columns}
    if by in labels:
        values = np.array([labels[by][clip] for clip in material.of])
        return {value: values == value for value in dict.fromkeys(labels[by]) if value}
    if by not in material.measured:
        known = ", ".join([*labels, *material.measured])
        raise OptionError(f"by is {by!r}, but must be a label or a measure of this style: {known}")
    values = material.measured[by]
    middle = float(np.median(values))
    return {f"under {middle:.3g}": values < middle, f"over {middle:.3g}": values >= middle}


def _between(style: Style, found: list[Group]) -> Array:
    """Return the share of each component's variance (K,) that lies between the groups."""
    learnt = style.learnt("apart")
    scores = learnt.scores(style.rows_in(learnt.form))
    weights = style.material.weights * np.any([group.strides for group in found], axis=0)
    weights /= weights.sum()
    middle = weights @ scores
    total = weights @ (scores - middle) ** 2
    parts = [weights[group.strides].sum() * (group.weights @ scores - middle) ** 2 for group in found]
    return np.asarray(np.sum(parts, axis=0) / np.where(total > 0.0, total, np.inf))
