"""Blend strides of clips to match requested measures such as speed, turn and steps.

Method: Asking by measures.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...edit.feet import clearing
from ...errors import OptionError, some, wrong_rows
from ...motion import feet, kinematics, resample, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ...recipes.ask import AskOptions
from ...recipes.style import StyleOptions
from ...style import barycentric, material, measures
from ...style import form as forms
from ...style.clip_in_style import ClipInStyle
from ...style.form import PHASES
from ...style.material import Material
from ...style.style import Style
from ...weave import planting, reporting, root_blend
from ...weave.results import Result
from ..restyle import work as restyle
from ..restyle.change import Change
from . import Ask, steering, widened
from .steering import GroundPath

CORRECTIONS = 2  # times that the remaining error is added to the request
DIFFER = {"turn": 1.0}  # least difference between examples for a measure to be requested; default 1 % of the largest
OFF = 0.02  # share of the examples' range; a larger error is reported
MOST_STRIDES = 1000


@dataclass(frozen=True, eq=False)
class Examples:
    """Strides to blend, and their measures (n,) by name, in metres for lengths along the ground.

    clip : supplies body and rate of the result; floor : lowest foot height in all clips, metres
    why : a note if generated strides were added
    """

    material: Material
    clip: Clip
    floor: float
    why: str = ""

    @cached_property
    def flat(self) -> Array:
        """Strides as rows (n, P C + 1); the last number is the logarithm of the stride's duration in seconds."""
        return Style(self.material).flat

    @cached_property
    def measured(self) -> dict[str, Array]:
        every = [self.measure(row) for row in self.flat]
        return {name: np.array([one[name] for one in every]) for name in measures.common(every)}

    @cached_property
    def lows(self) -> Array:
        """Height (n, P, N) of the lowest point of each foot in each stride, metres."""
        form = self.material.form
        each = np.stack([form.lows(row[:-1].reshape(PHASES, -1)) for row in self.flat])
        return np.maximum(each, self.floor)  # a closed stride may sink at its ends

    def blend_strides(self, weights: Array) -> Array:
        """Return the row of blended strides; the supporting foot never sinks below its height in the strides.

        Averaging knees that bend at different times straightens the leg, so the hips are raised.
        """
        flat = weights @ self.flat
        self.material.form.lift(
            flat[:-1].reshape(PHASES, -1), np.tensordot(weights, self.lows, axes=1), PHASES, repeats=True
        )
        return flat

    def measure(self, flat: Array, names: Sequence[str] | None = None) -> dict[str, float]:
        """Return the measures of a row; faster if only measures of the root motion are requested."""
        form, rows, seconds = self.material.form, flat[:-1].reshape(PHASES, -1), float(np.exp(flat[-1]))
        if names is not None and set(names) <= set(_OF_ROOT):
            return measures.of_root_trajectory(form, rows, seconds)
        return measures.measure(form, rows, seconds)


@dataclass(frozen=True, eq=False)
class AskResult(Result):
    """A clip of blended strides; weights (S, n) : of the n examples at the ends of its strides, one row for all alike.

    phases (F,) : the number of strides from the start to each frame
    asked, got : requested and achieved values of the first stride, by measure
    """

    examples: Examples
    weights: Array
    phases: Array
    asked: dict[str, float]
    got: dict[str, float]


@dataclass(frozen=True, eq=False)
class Found:
    """Weights (n,) of examples, with requested and achieved values by measure.

    outside : whether the request lies outside the convex hull of the examples
    """

    weights: Array
    asked: dict[str, float]
    got: dict[str, float]
    outside: bool


_OF_ROOT = ("stride", "cadence", "speed", "turn", "bounce")


def gather(
    clips: Sequence[Clip], options: AskOptions, progress: Progress = SILENT, gathered: Examples | None = None
) -> Examples:
    """Return the strides of clips and optionally of their mirror images; raises as `material.gather` does.

    Slower, faster and turning variants are added if there are few strides or the basis is `walks` (see `widened`).
    """
    if gathered is not None:
        return gathered
    how = StyleOptions(mirror=options.mirror, turns=360.0, cycles="strides")
    own = options.basis == "clips"
    of, why = material.gather(clips, how, progress, least=2 if own else 1, persons=1), ""
    if not own and (options.basis == "walks" or len(of) < material.LEAST):
        why = f"Besides {len(of)} of the clips' own, strides vary in speed and turning as people's walks do"
        of = widened.widen_strides(of, clips[0])
    floor = min(float(feet.lows(clip.skeleton, kinematics.points(clip)).min(initial=np.inf)) for clip in clips)
    return Examples(of, clips[0], floor if np.isfinite(floor) else -np.inf, why)


def ask(clips: Sequence[Clip], recipe: Ask, progress: Progress = SILENT, examples: Examples | None = None) -> AskResult:
    """Return a clip blended from strides of the given clips to match requested speed, turn and step measures.

    A request outside the range of the examples moves to the nearest reachable point, with a note in the report. Raises
    ClipError for fewer than two strides, and OptionError for measures that the examples lack or do not vary.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Ask(speed=1.0), [actions.walk(cycles=2), actions.sneak(cycles=2)])
        >>> [round(weight, 2) for weight in result.report["ask"]["weights"]]
        [0.69, 0.31]
    """
    began = time.perf_counter()
    if examples is None:
        examples = gather(clips, recipe, progress.part(0.0, 0.6))
    progress.at(0.6, "Searching the clips")
    path = steering.path_of(recipe.path) if recipe.path else None
    facing = 0.0
    if path is not None:
        found, facing = _solve_along(examples, recipe, path)
    elif recipe.over_time:
        found = _over_time(examples, recipe)
    else:
        found = [_solve_weights(examples, read_wanted_measures(examples, recipe))]
    result, phases = _strides(examples, recipe, [one.weights for one in found])
    if path is not None:
        result = root_motion.beginning_at(result, path.points[0], facing)
    result, planted = planting.of_result(result, recipe, one_source=False)
    progress.at(0.9, "Measuring")
    result = replace(result, name=recipe.result_name([clip.name for clip in clips]))
    of, first = examples.material, found[0]
    figures: dict[str, Any] = {
        "ask": {
            "asked": {name: round(value, 4) for name, value in first.asked.items()},
            "got": {name: round(value, 4) for name, value in first.got.items()},
            "outside": any(one.outside for one in found),
            "strides": len(of),
            "weights": _of_clips(of, first.weights, len(clips)).round(4).tolist(),
        },
        "carried": [one.as_report() for one in of.carried],
        **planted.report,
    }
    if path is not None:
        away = path.measure_distances(root_motion.ground_frames(result)[0])
        figures["ask"] |= {
            "path_m": round(path.length, 3),
            "off_path_cm": round(100.0 * float(np.sqrt((away**2).mean())), 2),
        }
    warnings, notes = [*of.left_out, *_note_misses(examples, found)], tuple(filter(None, [examples.why]))
    report = reporting.compose(recipe.verb, clips, result, began, clips, figures, warnings, notes)
    weights = np.array([one.weights for one in found])
    return AskResult(result, report, 0, examples, weights, phases, first.asked, first.got)


def read_wanted_measures(examples: Examples, recipe: Ask) -> dict[str, float]:
    """Return the requested measures by name, in the units of `measures`; raises OptionError for impossible ones."""
    unit = measures.unit_of(examples.material.form.skeleton)
    found = {} if not recipe.speed else {"speed": recipe.speed / unit}
    if recipe.step:
        found["stride"] = 2.0 * recipe.step / unit
    found |= recipe.asked()
    lacking = [name for name in found if name not in examples.measured]
    if lacking:
        raise OptionError(f"{some(lacking)}: what can be asked for is {', '.join(examples.measured)}")
    if not recipe.any_turn and "turn" not in found and (recipe.turn or _differ(examples, "turn")):
        found["turn"] = recipe.turn
    same = [name for name in found if not _differ(examples, name)]
    if same:
        raise OptionError(f"{some(same)}: all strides are alike in that: add clips that differ, or do not ask for it")
    if not found:
        raise OptionError("Nothing is asked for: give a speed, a turn or a length of steps")
    if {"speed", "stride", "cadence"} <= set(found):
        raise OptionError("speed, stride and cadence: two of them tell the third; ask for two")
    return found


def _differ(examples: Examples, name: str) -> bool:
    values = examples.measured[name]
    return float(np.ptp(values)) > DIFFER.get(name, 0.01 * float(np.abs(values).max()))


def _solve_weights(examples: Examples, asked: dict[str, float]) -> Found:
    """Return weights for the requested measures; the blended stride's error is added to the request and repeated."""
    names = list(asked)
    points = np.stack([examples.measured[name] for name in names], axis=1)
    spread = points.std(axis=0)
    goal = np.array([asked[name] for name in names])
    corrected, best, least, outside = goal.copy(), None, np.inf, False
    for step in range(CORRECTIONS + 1):
        place = barycentric.place(points / spread, corrected / spread)
        outside |= step == 0 and place.away > 0.0
        # Weights are shares of time, so that speeds are averaged; shares of distance would favour long strides.
        weights = place.weights / examples.material.seconds
        weights /= weights.sum()
        measured = examples.measure(examples.blend_strides(weights), names)
        got = np.array([measured[name] for name in names])
        missing = float(np.linalg.norm((got - goal) / spread))
        if missing < least:
            best, least = Found(weights, asked, dict(zip(names, got.tolist(), strict=True)), outside), missing
        corrected = corrected + goal - got
    assert best is not None
    return replace(best, outside=outside)


def _over_time(examples: Examples, recipe: Ask) -> list[Found]:
    """Return the weights requested for the beginning of each stride and the end of the last."""
    rows = _rows_over_time(recipe)
    unit = measures.unit_of(examples.material.form.skeleton)
    found: list[Found] = []
    now = float(rows[0, 0])
    for _ in range(MOST_STRIDES):
        speed, turn = (float(np.interp(now, rows[:, 0], rows[:, k])) for k in (1, 2))
        one = _solve_weights(examples, {"speed": speed / unit, "turn": turn})
        found.append(one)
        if now >= rows[-1, 0]:
            return found
        now += float(np.exp(one.weights @ examples.flat[:, -1]))
    raise OptionError(f"over_time lasts longer than {MOST_STRIDES} strides: make it shorter")


def _solve_along(examples: Examples, recipe: Ask, path: GroundPath) -> tuple[list[Found], float]:
    """Return the weights of strides along a path, and the heading of the first (radians)."""
    unit = measures.unit_of(examples.material.form.skeleton)
    form, usual = examples.material.form, float(np.exp(examples.flat[:, -1]).mean())
    rows = _rows_over_time(recipe) if recipe.over_time else None
    last: list[Found] = []

    def chosen(gone: float, _stride: float, turn: float) -> Found:
        seconds = float(np.exp(last[-1].weights @ examples.flat[:, -1])) if last else usual
        asked = {"turn": float(np.degrees(turn)) / seconds}
        if rows is not None:
            asked["speed"] = float(np.interp(gone / path.length, rows[:, 0] / rows[-1, 0], rows[:, 1])) / unit
        elif recipe.speed:
            asked["speed"] = recipe.speed / unit
        last.append(_solve_weights(examples, asked))
        return last[-1]

    def steps(one: Found, other: Found) -> Array:
        share = (np.arange(PHASES) / PHASES)[:, None]
        ends = [(f.weights @ examples.flat)[:-1].reshape(PHASES, -1)[:, form.steps] for f in (one, other)]
        return np.asarray((1.0 - share) * ends[0] + share * ends[1])

    return steering.choose_along_path(path, chosen, steps)


def _rows_over_time(recipe: Ask) -> Array:
    rows = np.array(recipe.over_time, dtype=np.float64) if len({len(row) for row in recipe.over_time}) == 1 else None
    if rows is None or rows.shape[1] != 3 or (np.diff(rows[:, 0]) <= 0.0).any():
        raise wrong_rows("over_time", "later_time", "speed", "turn")
    return rows


def _strides(examples: Examples, recipe: Ask, weights: Sequence[Array]) -> tuple[Clip, Array]:
    """Return the clip of strides with these weights, and its phases; consecutive strides fade into each other."""
    flat = np.stack([examples.blend_strides(one) for one in weights])
    turning = len(flat) > 1
    if not turning:
        flat = np.repeat(flat, recipe.strides + 1, axis=0)
    rate = examples.clip.rate
    lasts = np.exp(0.5 * (flat[1:, -1] + flat[:-1, -1]))
    frames = max(2, round(float(lasts.sum()) * rate))
    ends = np.concatenate([[0.0], np.cumsum(lasts)])
    phase = np.interp(np.linspace(0.0, ends[-1], frames + 1), ends, np.arange(len(ends)))
    before = np.minimum(phase.astype(np.int64), len(lasts) - 1)
    share = (phase - before)[:, None]
    at = forms.at_phases(phase)
    of_each = [at @ row[:-1].reshape(PHASES, -1) for row in flat]
    stacked = np.stack(of_each) if turning else np.repeat(of_each[0][None], len(flat), axis=0)
    picked = np.arange(frames + 1)
    rows = (1.0 - share) * stacked[before, picked] + share * stacked[before + 1, picked]
    base = _base(examples, phase)
    style = Style(examples.material)
    in_style = ClipInStyle(style, base, phase, flat[0], root_blend.part(base))
    result = restyle.restyle_clip(in_style, Change(rows, 1.0, flat[0], {}, ()))
    result = replace(result, cyclic=not turning and recipe.strides == 1)
    stands = [np.tensordot(one, examples.lows, axes=1) for one in weights]
    wanted = np.stack([at @ stands[min(k, len(stands) - 1)] for k in range(len(flat))])
    lows = (1.0 - share) * wanted[before, picked] + share * wanted[before + 1, picked]
    return clearing.cleared(result, lows, rate * float(lasts.mean())), phase


def _base(examples: Examples, phase: Array) -> Clip:
    """Return the reference's first stride at phases (F,), for everything that rows do not contain."""
    of = examples.material
    own = np.flatnonzero(of.of == 0)
    clip = examples.clip
    if not len(own):
        return replace(resample.sample(clip, np.zeros(len(phase))), cyclic=False)
    first, end = of.frames[own[0]] + of.frame_maps[0].first
    frames = np.minimum(first + (phase % 1.0) * (end - first), len(clip) - 1.0)
    return replace(resample.sample(clip, frames), cyclic=False)


def _of_clips(of: Material, weights: Array, count: int) -> Array:
    """Return the weight of each clip, including its mirror image."""
    return np.asarray(np.bincount(of.of, weights=weights, minlength=count), dtype=np.float64)


def _note_misses(examples: Examples, found: Sequence[Found]) -> list[str]:
    """Return up to six notes on requested measures out of range, with the values achieved."""
    notes: dict[str, None] = {}
    for one in found:
        for name, asked in one.asked.items():
            values = examples.measured[name]
            if abs(one.got[name] - asked) > OFF * float(np.ptp(values)):
                notes[
                    f"{name}: {asked:.3g} {measures.UNITS[name]} is outside what these clips do together: it came to"
                    f" {one.got[name]:.3g} (alone they go from {values.min():.3g} to {values.max():.3g})"
                ] = None
    return list(notes)[:6]
