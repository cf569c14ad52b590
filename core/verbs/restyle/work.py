"""Restyling a clip, with its report (methods: Style)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...check import quality
from ...errors import ClipError
from ...motion import cycles, quat, resample, root_motion, trim
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...recipes.travel import TravelOptions
from ...style import clip_in_style, fit, knees
from ...style.clip_in_style import ClipInStyle
from ...style.style import Style
from ...weave import add_root_motion, planting, reporting, root_blend, root_trajectory
from ...weave.results import EditResult
from . import Restyle, change
from .change import Change

SAME = 1e-6  # of its length; by less a clip is not re-timed


@dataclass(frozen=True, eq=False)
class RestyleResult(EditResult):
    """A clip that was restyled; worn : as the style sees it, changed : what was asked of it, None for nothing."""

    in_style: ClipInStyle
    changed: Change | None


def restyle(
    clips: Sequence[Clip], recipe: Restyle, progress: Progress = SILENT, style: Style | None = None
) -> RestyleResult:
    """Return the first of some clips as a recipe asks, by a style that was learnt from all of them, or was before.

    Its feet are planted where the recipe says so. Raises what learning does (see `material.gather`), ClipError for a
    clip without strides, OptionError for sliders, people and factors that the style does not have.
    """
    began = time.perf_counter()
    if not clips:
        raise ClipError("A clip is restyled; none given")
    if style is None:
        style = fit.fit(clips, recipe, progress.part(0.0, 0.5))
    clip = clips[0]
    progress.at(0.5, "Restyling")
    trimmed = trim.if_wanted(clip, True)
    ready = replace(trimmed.clip, cyclic=len(trimmed.clip) > 2 and cycles.closes(trimmed.clip))
    # What walks on the spot is restyled as it would go, and taken back to the spot.
    (going,), given = add_root_motion.travelling([ready], TravelOptions(), needed=True)
    on_the_spot = bool(given)
    in_style = clip_in_style.of_clip(fit.on_body(style, going), going)
    changed = change.asked(in_style, recipe)
    made, planted = ready, planting.Outcome(None, planting.ONE_SOURCE)
    if changed is not None:
        made, planted = planting.of_result(restyled(in_style, changed), recipe, one_source=False)
        made = root_trajectory.removed(made)[0] if on_the_spot else made
    progress.at(0.8, "Measuring")
    made = replace(made, name=recipe.result_name([one.name for one in clips]), cyclic=clip.cyclic)
    report: dict[str, Any] = {
        "dropped": reporting.left_out([trimmed]),
        "style": change.as_report(changed) | {"examples": len(style.material), "knees": round(knees.least(made), 2)},
        **planted.report,
        "quality": {"before": [quality.measure(ready)], "after": quality.measure(made)},
        "warnings": list(dict.fromkeys([*style.material.left_out, *style.material.given, *given, *_held(changed)])),
    }
    report |= reporting.common(recipe.verb, clips, made, began)
    return RestyleResult(made, report, 0, ready, in_style, changed)


def _held(changed: Change | None) -> tuple[str, ...]:
    return () if changed is None else changed.held


def restyled(in_style: ClipInStyle, changed: Change) -> Clip:
    """Return the clip whose motion rows tell, where it was and facing as it did in its first frame."""
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
    made = root_blend.place_joints(replace(clip, rotations=rotations), poses)
    # Knees last: curves between frames go beyond where one stops.
    return knees.kept_from_overstretching(_longer(made, changed.longer), clip)


def _longer(clip: Clip, times: float) -> Clip:
    """The clip in so many times its seconds, rounded to whole frames."""
    if abs(times - 1.0) < SAME or len(clip) < 2:
        return clip
    frames = np.linspace(0.0, len(clip) - 1.0, max(1, round((len(clip) - 1) * times)) + 1)
    if clip.cyclic:
        return replace(cycles.sample(clip, frames), cyclic=True)
    return resample.sample(clip, frames)
