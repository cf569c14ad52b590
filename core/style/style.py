"""A style: strides of several people, and the components learned from them (methods: Style)."""

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

KINDS = ("apart", "together", "source")  # kinds of components, see `Style.learnt`
# Roles, without sides, of the main joints.
MAIN = ("spine", "chest", "neck", "head", "clavicle", "upper_arm", "forearm", "thigh", "shin", "foot")


@dataclass(frozen=True, eq=False)
class Learnt:
    """Components of the rotations of the body's main joints, and the changes correlated with them.

    form : of the rows
    turning : the columns of a row that belong to the main joints
    parts : the components, of these columns at all P phases
    names : of the components
    whole (K, P C + 1) : the change of a row and of its log duration per unit of score
    centre (P C + 1,) : the row with scores of zero
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
    """A style. Everything is derived from its strides, and computed on first use.

    name : of its file
    report : plain JSON values, see `reporting.learnt`
    shipped, why : whether it is added to a clip's own cycle, like the bundled walks, and why these are used
    manners : strides (P C + 1,) of manners of walking, by name
    """

    material: Material
    name: str = ""
    report: Mapping[str, Any] = field(default_factory=dict)
    shipped: bool = False
    why: str = ""
    manners: Mapping[str, Array] = field(default_factory=dict)

    @property
    def form(self) -> Form:
        return self.material.form

    @cached_property
    def flat(self) -> Array:
        """The strides as rows (n, P C + 1), with the logarithm of their duration last."""
        rows = self.material.rows
        return np.concatenate([rows.reshape(len(rows), -1), np.log(self.material.seconds)[:, None]], axis=1)

    @cached_property
    def mean(self) -> Array:
        """The mean stride (P C + 1,), with equal weights for all people."""
        return np.asarray(self.material.weights @ self.flat)

    @cached_property
    def sliders(self) -> Directions:
        """The directions of the measures that have a slider."""
        known = {name: values for name, values in self.material.measured.items() if name in SLIDERS}
        found = directions.learn(self.flat, known, self.material.weights)
        # A bundled style is centred on the clip's own stride, although its measures need not be the examples' mean.
        return directions.about(found, self.measure(self.mean)) if self.shipped else found

    def measure(self, flat: Array) -> dict[str, float]:
        """Return the measures of a row (P C + 1,)."""
        return measures.measure(self.form, flat[:-1].reshape(PHASES, -1), float(np.exp(flat[-1])))

    def standard(self, flat: Array) -> Array:
        """Return the measures (L,) of a row, in standard deviations from the examples' means."""
        return self.sliders.standard(self.measure(flat))

    @cached_property
    def with_speed(self) -> dict[str, float]:
        """Change of stride and cadence, in standard deviations, per standard deviation of speed."""
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
        """Derivatives of measures by the factors of directions at the mean stride: "natural" and "only"."""
        known = self.sliders
        return {
            "natural": directions.jacobian(self.mean, known.natural, self.standard),
            "only": directions.jacobian(self.mean, known.only, self.standard),
        }

    def learnt(self, kind: str) -> Learnt:
        """Return the components of one of KINDS: posture and dynamics separately, both, or as in the source."""
        if kind not in self._learnt:
            self._learnt[kind] = _learn(self, kind)
        return self._learnt[kind]

    @cached_property
    def _learnt(self) -> dict[str, Learnt]:
        return {}

    @cached_property
    def added(self) -> dict[str, "Style"]:
        """Cache of the style added to clips (see `fit.for_clip`), by their hashes."""
        return {}

    @cached_property
    def about_rest(self) -> Form:
        """The form of rows about the rest pose, as in the source."""
        skeleton = self.form.skeleton
        rest = skeleton.rest[0][root_motion.travelling_joint(skeleton)]
        facing = quat.about_axis("Z", np.array(-root_motion.rest_heading(skeleton)))
        means = np.tile(quat.IDENTITY, (len(self.form.means), 1))
        means[-1] = quat.mul(facing, rest)
        return Form(skeleton, self.form.joints, means)

    def rows_in(self, form: Form) -> Array:
        """Return all strides (n, P, C) in a form."""
        rows = self.material.rows
        return rows if form is self.form else np.stack([form.to_rows(self.form.read(row)) for row in rows])

    @cached_property
    def people(self) -> dict[str, Array]:
        """The mean stride of each person, and of each value of a label, under the name column=value."""
        strides = dict(self.manners)
        of, flat = self.material.of, self.flat
        for name in dict.fromkeys(self.material.people):
            own = np.array([self.material.people[clip] == name for clip in of])
            if own.any():
                strides[name] = flat[own].mean(axis=0)
        for column, values in self.material.columns.items():
            for value in dict.fromkeys(filter(None, values)):
                own = np.array([values[clip] == value for clip in of])
                if own.any():
                    shares = self.material.weights * own
                    strides[f"{column}={value}"] = shares @ flat / shares.sum()
        return strides

    def effects(self, kind: str) -> dict[str, Effect]:
        """Return the relation of each label to the components that have a factor."""
        learnt = self.learnt(kind)
        scores = learnt.scores(self.rows_in(learnt.form))[:, :FACTORS]
        return {column: _effect(self.material, scores, values) for column, values in self.material.columns.items()}


def _learn(style: Style, kind: str) -> Learnt:
    """Return the components of a kind."""
    form = style.about_rest if kind == "source" else style.form
    rows, weights = style.rows_in(form), style.material.weights
    columns = _main_columns(form, with_hips=kind != "source")
    turning = rows[:, :, columns]
    if kind == "apart":
        parts, names = _separate_components(turning, weights)
    else:
        centre = np.zeros(turning[0].size) if kind == "source" else None
        parts = components.of_rows(turning.reshape(len(rows), -1), weights, centre)
        names = tuple(f"component {k + 1}" for k in range(len(parts.directions)))
    flat = np.concatenate([rows.reshape(len(rows), -1), style.flat[:, -1:]], axis=1)
    scores = parts.scores(turning.reshape(len(rows), -1))
    whole = _goes_along(scores, flat, weights)
    own = (np.arange(PHASES)[:, None] * form.channels + columns).ravel()
    whole[:, own] = parts.directions
    mean = weights @ scores
    centre = weights @ flat - (mean @ whole if kind == "source" else 0.0)
    centre[own] = parts.centre
    return Learnt(form, columns, parts, names, whole, centre)


def _main_columns(form: Form, *, with_hips: bool) -> NDArray[np.int64]:
    """Return the columns of the main joints: without fingers, hands, toes and helpers.

    The source omits the hips, too. All joints are used for a body without roles.
    """
    roles = {joint: role.partition(".")[0] for role, joint in form.skeleton.roles.items()}
    own = [k for k, joint in enumerate(form.joints) if roles.get(int(joint), "") in MAIN]
    if not own:
        own = list(range(len(form.joints)))
    if with_hips:
        own.append(len(form.joints))
    return np.array([3 * k + axis for k in own for axis in range(3)])


def _separate_components(turning: Array, weights: Array) -> tuple[Components, tuple[str, ...]]:
    """Return the components of posture and of dynamics, sorted together by deviation, and their names."""
    both, names = [], list[str]()
    for rows, name in zip(components.in_two_parts(turning), ("posture", "dynamics"), strict=True):
        parts = components.of_rows(rows.reshape(len(rows), -1), weights, most=components.MOST // 2)
        both.append(parts)
        names += [f"{name} {k + 1}" for k in range(len(parts.directions))]
    deviations = np.concatenate([parts.deviations for parts in both])
    order = np.argsort(-deviations, kind="stable")
    merged = Components(
        both[0].centre + both[1].centre,
        np.concatenate([parts.directions for parts in both])[order],
        deviations[order] ** 2 / max(_variance(turning, weights), 1e-300),
        deviations[order],
    )
    return merged, tuple(names[k] for k in order)


def _variance(turning: Array, weights: Array) -> float:
    """Return the total variance of rows (n, P, C)."""
    flat = turning.reshape(len(turning), -1)
    return float(weights @ ((flat - weights @ flat) ** 2).sum(axis=1))


def _goes_along(scores: Array, flat: Array, weights: Array) -> Array:
    """Return the change (K, P C + 1) of rows correlated with one unit of score of each component, by regression."""
    centred = scores - weights @ scores
    spread = np.maximum(np.sqrt(weights @ centred**2), 1e-12)
    standard = centred / spread
    gram = standard.T @ (weights[:, None] * standard) + directions.RIDGE * np.eye(len(spread))
    along = np.linalg.solve(gram, standard.T @ (weights[:, None] * (flat - weights @ flat)))
    return np.asarray(along / spread[:, None])


def _effect(material: Material, scores: Array, values: Sequence[str]) -> Effect:
    """Return the relation of a label, given by clip, to scores.

    It is computed over people if each has one value, else over clips, with equal total weights for all people.
    """
    clips = [k for k, value in enumerate(values) if value and (material.of == k).any()]
    by_person: dict[str, set[str]] = {}
    for k in clips:
        by_person.setdefault(material.people[k], set()).add(values[k])
    if all(len(theirs) == 1 for theirs in by_person.values()):
        own = np.array([material.people[k] for k in material.of])
        means = np.stack([scores[own == person].mean(axis=0) for person in by_person])
        count = len(by_person)
        of_people = [next(iter(theirs)) for theirs in by_person.values()]
        return components.effect(means, of_people, np.full(count, 1.0 / count))
    means = np.stack([scores[material.of == k].mean(axis=0) for k in clips])
    people = [material.people[k] for k in clips]
    weights = np.array([1.0 / people.count(name) for name in people])
    return components.effect(means, [values[k] for k in clips], weights / weights.sum())
