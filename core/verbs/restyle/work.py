"""Restyle a clip, with a report (methods: Style)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...edit.feet import clearing
from ...motion import cycles, feet, kinematics, quat, resample, root_motion
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...recipes.travel import TravelOptions
from ...style import clip_in_style, fit, knees, steps
from ...style.clip_in_style import ClipInStyle
from ...style.style import Style
from ...weave import add_root_motion, body_limits, planting, reporting, root_blend, root_trajectory
from ...weave.results import EditResult
from ...weave.seam import close
from . import Restyle, change
from .change import Change

LESS = (0.75, 0.5, 0.25)  # fractions of the sliders, tried in turn if the legs would collide
SAME = 1e-6  # relative; for a smaller change of duration a clip is not re-timed


@dataclass(frozen=True, eq=False)
class RestyleResult(EditResult):
    """A restyled clip; in_style : the clip described by the style; changed : its change, or None."""

    in_style: ClipInStyle
    changed: Change | None


def restyle(
    clips: Sequence[Clip], recipe: Restyle, progress: Progress = SILENT, style: Style | None = None
) -> RestyleResult:
    """Return the first clip restyled, by the given style or by one learned from all clips.

    Raises as learning does (see `material.gather`), ClipError for a clip without strides, and OptionError for sliders,
    people and factors that the style does not have.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> recipe = verbs.Restyle(mirror=True, cadence=-0.5)
        >>> result = verbs.apply(recipe, [actions.walk(cycles=3), actions.sneak(cycles=3)])
        >>> slider = result.report["style"]["sliders"]["cadence"]
        >>> [round(slider[name], 1) for name in ("before", "after", "measure_before", "measure_after")]
        [1.0, 0.5, 112.5, 98.0]
    """
    began = time.perf_counter()
    if style is None:
        style = fit.fit(clips, recipe, progress.part(0.0, 0.5))
    clip = clips[0]
    progress.at(0.5, "Restyling")
    trimmed = close.trim_clip(clip, wanted=True)
    ready, corrected = steps.ready(replace(trimmed.clip, cyclic=False))
    # An in-place clip gets root motion for restyling, which is removed afterwards.
    (going,), given = add_root_motion.travelling([ready], TravelOptions(), needed=True)
    on_the_spot = bool(given)
    in_style = clip_in_style.of_clip(fit.for_clip(style, going), going)
    amounts, lacking = change.as_sliders(recipe, in_style.style)
    changed = _within_body(in_style, amounts)
    result, planted = ready, planting.Outcome(None, planting.ONE_SOURCE)
    if changed is not None:
        lows = feet.lows(going.skeleton, kinematics.points(going))
        stride = going.rate * float(np.exp(changed.row[-1]))
        clear = clearing.cleared(restyle_clip(in_style, changed), lows, stride)
        result, planted = planting.of_result(clear, recipe, one_source=False)
        result = root_trajectory.remove_trajectory(result)[0] if on_the_spot else result
    progress.at(0.8, "Measuring")
    result = replace(result, name=recipe.result_name([one.name for one in clips]), cyclic=clip.cyclic)
    figures = {
        "dropped": reporting.left_out([trimmed]),
        "style": change.as_report(changed) | {"examples": len(style.material), "knees": round(knees.least(result), 2)},
        **planted.report,
    }
    warnings = list(
        dict.fromkeys([*style.material.left_out, *style.material.given, *given, *lacking, *_held_names(changed)])
    )
    notes = dict.fromkeys(filter(None, [style.why, *style.material.corrected, *corrected]))
    report = reporting.compose(recipe.verb, clips, result, began, [ready], figures, warnings, tuple(notes))
    return RestyleResult(result, report, 0, ready, in_style, changed)


def _within_body(in_style: ClipInStyle, recipe: Restyle) -> Change | None:
    """Return the requested change, with reduced sliders and a note if the legs would collide."""
    changed = change.read_change(in_style, recipe)
    wanted = {name: getattr(recipe, name) for name in (changed.sliders if changed is not None else ())}
    for share in LESS:
        if changed is None or not body_limits.legs_meet(restyle_clip(in_style, changed), in_style.clip):
            break
        less = change.read_change(
            in_style, replace(recipe, **{name: share * amount for name, amount in wanted.items()})
        )
        if less is None or not wanted:
            break
        sliders = {name: one | {"asked": wanted[name]} for name, one in less.sliders.items()}
        note = f"{', '.join(wanted)}: held at {100.0 * share:.0f} % of what is asked, as the shins would meet"
        changed = replace(less, sliders=sliders, held=(*less.held, note))
    return changed


def _held_names(changed: Change | None) -> tuple[str, ...]:
    return () if changed is None else changed.held


def restyle_clip(in_style: ClipInStyle, changed: Change) -> Clip:
    """Return the clip with the motion of changed rows; its first frame keeps its place and facing."""
    clip, part = in_style.clip, in_style.part
    form = in_style.style.form
    steps = changed.rows[:-1, form.steps] * in_style.pace[:-1, None]
    motion = form.read(changed.rows)
    ground, facing = root_motion.integrate(steps, part.ground[0], float(part.facing[0]))
    rotations = clip.rotations.copy()
    rotations[:, form.joints] = quat.same_side(motion.turns, rotations[:, form.joints])
    poses = root_blend.blend([part], np.ones((1, len(clip))), 0, ground, facing)
    hips = root_motion.travelling_joint(clip.skeleton)
    turn = quat.mul(quat.about_axis("Z", facing), motion.hips)
    poses[hips] = turn, np.column_stack([ground, motion.height])
    result = root_blend.place_joints(replace(clip, rotations=rotations), poses)
    # Knees are corrected after re-timing, because interpolation overshoots where a knee stops.
    return knees.without_hyperextension(_longer(result, changed.longer), clip)


def _longer(clip: Clip, times: float) -> Clip:
    """Return the clip re-timed by a factor of its duration, rounded to whole frames."""
    if abs(times - 1.0) < SAME or len(clip) < 2:
        return clip
    frames = np.linspace(0.0, len(clip) - 1.0, max(1, round((len(clip) - 1) * times)) + 1)
    if clip.cyclic:
        return replace(cycles.sample(clip, frames), cyclic=True)
    return resample.sample(clip, frames)
