"""A style: strides of several people with what was learnt from them (methods: Style)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..motion import quat, root_motion
from ..motion.quat import Array
from ..recipes.style import FACTORS, SLIDERS
from . import components, directions, measures
from .components import Components, Effect
from .directions import Directions
from .form import PHASES, Form
from .material import Material

WAYS = ("apart", "together", "source")
# Roles, without their sides, of the joints that components are of.
MAIN = ("spine", "chest", "neck", "head", "clavicle", "upper_arm", "forearm", "thigh", "shin", "foot")


@dataclass(frozen=True, eq=False)
class Learnt:
    """Components of how the body's main joints turn, with what of everything else goes along.

    form : of its rows; turning : which columns of a row the components are of, those of the main joints
    parts : the components (of D' = P times as many columns); names : of each; whole (K, P C + 1) : what a score of one
    changes of a row and of the logarithm of its seconds, all columns; centre (P C + 1,) : the row with scores of zero
    """

    form: Form
    turning: NDArray[np.int64]
    parts: Components
    names: tuple[str, ...]
    whole: Array
    centre: Array

    def scores(self, rows: Array) -> Array:
        """Return the scores (n, K) of rows (n, P, C) of its form."""
        return self.parts.scores(rows[:, :, self.turning].reshape(len(rows), -1))


@dataclass(frozen=True, eq=False)
class Style:
    """What was learnt from strides; everything follows from these, and is worked out when it is wanted.

    name : what its file is called; report : plain JSON values, see `reporting.learnt`
    """

    material: Material
    name: str = ""
    report: Mapping[str, Any] = field(default_factory=dict)

    @property
    def form(self) -> Form:
        return self.material.form

    @cached_property
    def flat(self) -> Array:
        """The strides as rows (n, P C + 1), the logarithm of their seconds last."""
        rows = self.material.rows
        return np.concatenate([rows.reshape(len(rows), -1), np.log(self.material.seconds)[:, None]], axis=1)

    @cached_property
    def mean(self) -> Array:
        """The mean stride (P C + 1,), people weighing alike."""
        return np.asarray(self.material.weights @ self.flat)

    @cached_property
    def sliders(self) -> Directions:
        """The directions of the measures that have a slider."""
        known = {name: values for name, values in self.material.measured.items() if name in SLIDERS}
        return directions.learn(self.flat, known, self.material.weights)

    def measure(self, flat: Array) -> dict[str, float]:
        """Return the measures of a row (P C + 1,)."""
        return measures.measure(self.form, flat[:-1].reshape(PHASES, -1), float(np.exp(flat[-1])))

    def standard(self, flat: Array) -> Array:
        """Return the measures of a row in standard deviations from the examples' means (L,)."""
        return self.sliders.standard(self.measure(flat))

    @cached_property
    def with_speed(self) -> dict[str, float]:
        """By how many standard deviations stride and cadence change where speed does by one."""
        weights, known = self.material.weights, self.sliders
        standard = {
            name: (self.material.measured[name] - known.means[k]) / known.deviations[k]
            for k, name in enumerate(known.names)
        }
        return {
            name: float(weights @ (standard[name] * standard["speed"]))
            for name in ("stride", "cadence")
            if name in standard and "speed" in standard
        }

    @cached_property
    def slopes(self) -> dict[str, Array]:
        """How measures change with the factors of directions, about the mean stride, by what goes along."""
        known = self.sliders
        return {
            "natural": directions.jacobian(self.mean, known.natural, self.standard),
            "only": directions.jacobian(self.mean, known.only, self.standard),
        }

    def learnt(self, way: str) -> Learnt:
        """Return the components, one of WAYS: posture and dynamics apart, together, or as the source has them."""
        return self._learnt[way]

    @cached_property
    def _learnt(self) -> dict[str, Learnt]:
        return _Ways(self)

    @cached_property
    def about_rest(self) -> Form:
        """The form of rows about the rest pose, as the source writes them."""
        skeleton = self.form.skeleton
        rest = skeleton.rest[0][root_motion.travelling_joint(skeleton)]
        facing = quat.about_axis("Z", np.array(-root_motion.rest_heading(skeleton)))
        means = np.tile(quat.IDENTITY, (len(self.form.means), 1))
        means[-1] = quat.mul(facing, rest)
        return Form(skeleton, self.form.joints, means)

    def rows_in(self, form: Form) -> Array:
        """Return all strides (n, P, C) in a form."""
        rows = self.material.rows
        return rows if form is self.form else np.stack([form.written(self.form.read(row)) for row in rows])

    @cached_property
    def people(self) -> dict[str, Array]:
        """The mean stride of each person, and of each label's value as column=value."""
        found = {}
        of, flat = self.material.of, self.flat
        for name in dict.fromkeys(self.material.people):
            own = np.array([self.material.people[clip] == name for clip in of])
            if own.any():
                found[name] = flat[own].mean(axis=0)
        for column, values in self.material.columns.items():
            for value in dict.fromkeys(filter(None, values)):
                own = np.array([values[clip] == value for clip in of])
                if own.any():
                    shares = self.material.weights * own
                    found[f"{column}={value}"] = shares @ flat / shares.sum()
        return found

    def effects(self, way: str) -> dict[str, Effect]:
        """Return for each label what it has to do with the components that have a factor."""
        learnt = self.learnt(way)
        scores = learnt.scores(self.rows_in(learnt.form))[:, :FACTORS]
        return {column: _effect(self.material, scores, values) for column, values in self.material.columns.items()}


class _Ways(dict[str, Learnt]):
    """Components by their way, learnt when they are asked for."""

    def __init__(self, style: Style) -> None:
        super().__init__()
        self._style = style

    def __missing__(self, way: str) -> Learnt:
        self[way] = found = _learn(self._style, way)
        return found


def _learn(style: Style, way: str) -> Learnt:
    form = style.about_rest if way == "source" else style.form
    rows, weights = style.rows_in(form), style.material.weights
    columns = _main_columns(form, with_hips=way != "source")
    turning = rows[:, :, columns]
    if way == "apart":
        parts, names = _apart(turning, weights)
    else:
        centre = np.zeros(turning[0].size) if way == "source" else None
        parts = components.of_rows(turning.reshape(len(rows), -1), weights, centre)
        names = tuple(f"component {k + 1}" for k in range(len(parts.directions)))
    flat = np.concatenate([rows.reshape(len(rows), -1), style.flat[:, -1:]], axis=1)
    scores = parts.scores(turning.reshape(len(rows), -1))
    whole = _goes_along(scores, flat, weights)
    own = (np.arange(PHASES)[:, None] * form.channels + columns).ravel()
    whole[:, own] = parts.directions
    mean = weights @ scores
    centre = weights @ flat - (mean @ whole if way == "source" else 0.0)
    centre[own] = parts.centre
    return Learnt(form, columns, parts, names, whole, centre)


def _main_columns(form: Form, *, with_hips: bool) -> NDArray[np.int64]:
    """Columns of the joints that have to do with the action itself: not fingers, hands, toes and helpers.

    The source leaves the root out, too. A body whose joints have no roles has all of them.
    """
    roles = {joint: role.partition(".")[0] for role, joint in form.skeleton.roles.items()}
    own = [k for k, joint in enumerate(form.joints) if roles.get(int(joint), "") in MAIN]
    if not own:
        own = list(range(len(form.joints)))
    if with_hips:
        own.append(len(form.joints))
    return np.array([3 * k + axis for k in own for axis in range(3)])


def _apart(turning: Array, weights: Array) -> tuple[Components, tuple[str, ...]]:
    """The components of posture and those of dynamics, together by how much they tell."""
    found, names = [], list[str]()
    for rows, name in zip(components.in_two_parts(turning), ("posture", "dynamics"), strict=True):
        parts = components.of_rows(rows.reshape(len(rows), -1), weights, most=components.MOST // 2)
        found.append(parts)
        names += [f"{name} {k + 1}" for k in range(len(parts.directions))]
    deviations = np.concatenate([parts.deviations for parts in found])
    order = np.argsort(-deviations, kind="stable")
    merged = Components(
        found[0].centre + found[1].centre,
        np.concatenate([parts.directions for parts in found])[order],
        deviations[order] ** 2 / max(_variance(turning, weights), 1e-300),
        deviations[order],
    )
    return merged, tuple(names[k] for k in order)


def _variance(turning: Array, weights: Array) -> float:
    flat = turning.reshape(len(turning), -1)
    return float(weights @ ((flat - weights @ flat) ** 2).sum(axis=1))


def _goes_along(scores: Array, flat: Array, weights: Array) -> Array:
    """What of rows (n, P C + 1) goes with a score of one of each component (K, P C + 1), by regression."""
    centred = scores - weights @ scores
    spread = np.maximum(np.sqrt(weights @ centred**2), 1e-12)
    standard = centred / spread
    gram = standard.T @ (weights[:, None] * standard) + directions.RIDGE * np.eye(len(spread))
    along = np.linalg.solve(gram, standard.T @ (weights[:, None] * (flat - weights @ flat)))
    return np.asarray(along / spread[:, None])


def _effect(material: Material, scores: Array, values: Sequence[str]) -> Effect:
    """What a label has to do with scores: of people, where each has one value, else of clips, people weighing alike."""
    clips = [k for k, value in enumerate(values) if value and (material.of == k).any()]
    by_person: dict[str, set[str]] = {}
    for k in clips:
        by_person.setdefault(material.people[k], set()).add(values[k])
    if all(len(found) == 1 for found in by_person.values()):
        own = np.array([material.people[k] for k in material.of])
        means = np.stack([scores[own == person].mean(axis=0) for person in by_person])
        count = len(by_person)
        of_people = [next(iter(found)) for found in by_person.values()]
        return components.effect(means, of_people, np.full(count, 1.0 / count))
    means = np.stack([scores[material.of == k].mean(axis=0) for k in clips])
    people = [material.people[k] for k in clips]
    weights = np.array([1.0 / people.count(name) for name in people])
    return components.effect(means, [values[k] for k in clips], weights / weights.sum())
