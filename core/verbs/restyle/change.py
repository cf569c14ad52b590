"""Compute the style change that a recipe requests, and how much of it was reached (methods: Style)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError, some
from ...motion.quat import Array
from ...options import declared_options
from ...recipes.style import NAMED, RECORDED, SLIDERS
from ...style import chance, directions
from ...style.clip_in_style import ClipInStyle
from ...style.form import PHASES
from ...style.style import Learnt, Style
from . import Restyle

ASKED = 3.0  # weight of a requested measure relative to measures that should stay
WALKS = 2.4  # leg lengths a second; people who are faster run
FARTHEST = 6.0  # amount of a slider
OFF = 0.25  # standard deviations; a slider with a larger error is reported
USUAL = 3.0  # standard deviations at which a measure or a score is clamped
FEW = 8  # people; with fewer, measures are clamped to the range of the examples


@dataclass(frozen=True, eq=False)
class Change:
    """Rows (F, C) of a changed clip including its steps between phases, and the factor of its duration (`longer`).

    row (P C + 1,) : its new mean stride; sliders : requested and reached values by name; held : notes on clamped values
    """

    rows: Array
    longer: float
    row: Array
    sliders: dict[str, dict[str, float]]
    held: tuple[str, ...]


def read_change(in_style: ClipInStyle, recipe: Restyle) -> Change | None:
    """Return the change that a recipe requests, or None if it requests none.

    The factors of components apply first, then `toward` and `variation`, then the sliders, which are measured on the
    outcome of the others. Raises OptionError for sliders and people that the style does not have.
    """
    style, form = in_style.style, in_style.style.form
    wanted = _wanted_sliders(style, recipe)
    keeps = any(factor != 1.0 for factor in (*recipe.factors, recipe.own_speed, recipe.individuality))
    moved = bool(recipe.toward and recipe.toward_amount) or bool(recipe.variation)
    if not (keeps or moved or wanted):
        return None
    rows, row, held = (in_style.rows(form), in_style.row, list[str]())
    if keeps:
        rows, row, held = _scale_components(in_style, recipe)
    shift = _toward(style, recipe, row) + chance.shift(style, recipe.variation, 1.0)
    reached: dict[str, dict[str, float]] = {}
    if wanted:
        slid, reached, more = _slid(style, recipe, row + shift, wanted)
        shift = shift + slid
        held += more
    rows = rows + in_style.at @ shift[:-1].reshape(PHASES, -1)
    _lift(in_style, rows)
    return Change(rows, float(np.exp(row[-1] + shift[-1] - in_style.row[-1])), row + shift, reached, tuple(held))


def as_sliders(recipe: Restyle, style: Style) -> tuple[Restyle, list[str]]:
    """Return a recipe with a named style as amounts of the sliders, and a sentence on missing sliders.

    A person of that name comes first; where the examples have the manner itself, it is the target.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.style import shipped
        >>> from action_loom.core.verbs.restyle import change
        >>> tired, _ = change.as_sliders(verbs.Restyle(toward="tired", toward_amount=0.5), shipped.walks())
        >>> tired.toward, tired.stride, tired.lean
        ('', -0.35, 1.25)
    """
    name = recipe.toward.strip()
    if name not in NAMED or name in style.people:
        return recipe, []
    if RECORDED.get(name) in style.people and style.measure(style.mean)["speed"] < WALKS:
        return replace(recipe, toward=RECORDED[name]), []
    lacking = [slider for slider in NAMED[name] if slider not in style.sliders.names]
    amounts: dict[str, Any] = {
        slider: float(np.clip(getattr(recipe, slider) + recipe.toward_amount * amount, -FARTHEST, FARTHEST))
        for slider, amount in NAMED[name].items()
        if slider not in lacking
    }
    told = _describe_lacking(lacking, style)
    return replace(recipe, toward="", toward_amount=1.0, **amounts), [told] if lacking else []


def _describe_lacking(lacking: list[str], style: Style) -> str:
    labels = {name: about.label for name, about in declared_options(Restyle).items()}
    missing, there = ([labels.get(one) or one for one in names] for names in (lacking, style.sliders.names))
    return (
        f"Nothing changes {some(missing)} here: the examples do not differ in that, or the body has no parts that tell:"
        f" they have {', '.join(there)}"
    )


def _lift(in_style: ClipInStyle, rows: Array) -> None:
    """Raise the hips where the supporting foot of changed rows (F, C) would be lower than in the clip."""
    form, clip = in_style.style.form, in_style.clip
    stride, lows = clip.rate * float(np.exp(in_style.row[-1])), form.lows(in_style.rows(form))
    if clip.cyclic:
        first = rows[0, form.height]
        form.lift(rows[:-1], lows[:-1], stride, repeats=True)
        rows[-1, form.height] += rows[0, form.height] - first
    else:
        form.lift(rows, lows, stride, repeats=False)


def _wanted_sliders(style: Style, recipe: Restyle) -> dict[str, float]:
    found = {name: getattr(recipe, name) for name in SLIDERS if getattr(recipe, name)}
    lacking = [name for name in found if name not in style.sliders.names]
    if lacking:
        raise OptionError(_describe_lacking(lacking, style))
    return found


def _scale_components(in_style: ClipInStyle, recipe: Restyle) -> tuple[Array, Array, list[str]]:
    """Return the rows (F, C) and the mean stride of a clip with its components and residual scaled by their factors.

    Also returns notes on clamped scores.
    """
    style = in_style.style
    learnt = style.learnt(recipe.components)
    rows = in_style.rows(learnt.form)
    flat = in_style.row
    if learnt.form is not style.form:
        own = flat[:-1].reshape(PHASES, -1)
        flat = np.append(learnt.form.to_rows(style.form.read(own)).ravel(), flat[-1])
    stride = flat[:-1].reshape(PHASES, -1)
    # The smallest components, which have no factor, belong to individuality.
    scores = learnt.scores(stride[None])[0, : len(recipe.factors)]
    factors, held = _factors(learnt, scores, recipe)
    own = flat - learnt.centre - scores @ learnt.whole[: len(scores)]
    speed = np.append(np.zeros_like(stride), 1.0)
    speed[:-1].reshape(PHASES, -1)[:, learnt.form.steps] = 1.0
    change = ((factors - 1.0) * scores) @ learnt.whole[: len(scores)]
    change += np.where(speed > 0.0, recipe.own_speed - 1.0, recipe.individuality - 1.0) * own
    by_itself = rows - in_style.at @ stride
    rows = rows + in_style.at @ change[:-1].reshape(PHASES, -1) + (recipe.individuality - 1.0) * by_itself
    row = flat + change
    if learnt.form is not style.form:
        rows = style.form.to_rows(learnt.form.read(rows))
        row = np.append(style.form.to_rows(learnt.form.read(row[:-1].reshape(PHASES, -1))).ravel(), row[-1])
    return rows, row, held


def _factors(learnt: Learnt, scores: Array, recipe: Restyle) -> tuple[Array, list[str]]:
    """Return the factors (K,) of the largest components, clamped where a score would be unusual, and notes on that."""
    factors = np.array(recipe.factors[: len(scores)])
    farthest = np.maximum(USUAL * learnt.parts.deviations[: len(scores)], np.abs(scores))
    allowed = np.clip(factors * scores, -farthest, farthest)
    held = np.abs(allowed - factors * scores) > 1e-9 * farthest
    reached = [
        f"{learnt.names[k]}: {factors[k]:g} times would be"
        f" {abs(factors[k] * scores[k]) / learnt.parts.deviations[k]:.1f} standard deviations: held at {USUAL:g}"
        for k in np.flatnonzero(held)
    ]
    return np.where(held, allowed / np.where(scores == 0.0, 1.0, scores), factors), reached


def _toward(style: Style, recipe: Restyle, row: Array) -> Array:
    if not recipe.toward.strip() or not recipe.toward_amount:
        return np.zeros_like(row)
    found = style.people.get(recipe.toward.strip())
    if found is None:
        known = [*style.people, *NAMED]
        raise OptionError(f"toward is {recipe.toward!r}, but the style knows {some(known)}")
    return recipe.toward_amount * (found - row)


def _slid(
    style: Style, recipe: Restyle, row: Array, wanted: dict[str, float]
) -> tuple[Array, dict[str, dict[str, float]], list[str]]:
    """Return the change of a stride (P C + 1,) by sliders, requested and reached values, and notes on errors."""
    known = style.sliders
    index = {name: k for k, name in enumerate(known.names)}
    now = style.standard(row)
    goal, held = now.copy(), list[str]()
    low, high = limits(style)
    for name, amount in wanted.items():
        k = index[name]
        goal[k] = float(np.clip(now[k] + amount, min(low[k], now[k]), max(high[k], now[k])))
        if abs(goal[k] - now[k] - amount) > 1e-9:
            held.append(
                f"{name}: {now[k] + amount:+.1f} standard deviations from the examples' mean: held at {goal[k]:+.1f}"
            )
    if recipe.goes_along == "natural":
        which = chosen = np.array([index[name] for name in wanted])
    else:
        goal, chosen = _speed_as_stride_and_cadence(style, goal, now, index)
        which = chosen
    vectors = known.of(recipe.goes_along)[chosen]
    start = (goal - now)[chosen]
    slopes = style.slopes[recipe.goes_along][:, chosen]
    if recipe.exact:
        counts = np.where(goal[which] == now[which], 1.0, ASKED)
        factors, scores = directions.solve_rows(row, goal, vectors, slopes, style.standard, start, which, counts)
    else:
        factors = np.clip(start, -directions.FARTHEST, directions.FARTHEST)
        scores = style.standard(row + factors @ vectors)
    for name in wanted:
        off = float(scores[index[name]] - goal[index[name]])
        if abs(off) > OFF and index[name] in which:
            held.append(f"{name}: came {off:+.1f} standard deviations off: the examples tell too little of it")
    reached = {
        name: {
            "asked": amount,
            "before": float(now[index[name]]),
            "after": float(scores[index[name]]),
            "measure_before": float(known.means[index[name]] + known.deviations[index[name]] * now[index[name]]),
            "measure_after": float(known.means[index[name]] + known.deviations[index[name]] * scores[index[name]]),
        }
        for name, amount in wanted.items()
    }
    return factors @ vectors, reached, held


def limits(style: Style) -> tuple[Array, Array]:
    """Return the lowest and highest measures (L,) reachable by sliders, in standard deviations from the mean."""
    known, of = style.sliders, style.material
    if len({of.people[clip] for clip in of.of}) >= FEW:
        return np.full(len(known.names), -USUAL), np.full(len(known.names), USUAL)
    return known.lowest, known.highest


def _speed_as_stride_and_cadence(
    style: Style, goal: Array, now: Array, index: dict[str, int]
) -> tuple[Array, NDArray[np.int64]]:
    """Return the goal with speed replaced by stride and cadence, correlated as in the examples, and its measures."""
    if "speed" not in index:
        return goal, np.arange(len(goal))
    more = goal[index["speed"]] - now[index["speed"]]
    goal = goal.copy()
    for name in ("stride", "cadence"):
        if name in index:
            goal[index[name]] += more * style.with_speed[name]
    return goal, np.array([k for name, k in index.items() if name != "speed"])


def as_report(change: Change | None) -> dict[str, Any]:
    """Return a change as plain JSON values for the report."""
    if change is None:
        return {"sliders": {}, "held": [], "longer": 1.0}
    return {
        "sliders": {name: {key: round(value, 4) for key, value in one.items()} for name, one in change.sliders.items()},
        "held": list(change.held),
        "longer": round(change.longer, 6),
    }
