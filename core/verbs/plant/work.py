"""Plant the feet of a clip, with a report (methods: Planted feet)."""

import time
from collections.abc import Sequence
from dataclasses import replace

from ...edit.feet import spans
from ...edit.feet.planting import Planted, told
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...weave import planting, reporting
from ...weave.results import PlantResult
from ...weave.seam import close
from . import Plant


def plant(clips: Sequence[Clip], recipe: Plant, progress: Progress = SILENT) -> PlantResult:
    """Return a clip with feet fixed during contacts; unchanged if they already are.

    Raises ClipError for more than one clip and for bodies of an unknown unit, SkeletonError for legs that are not known
    or on which inverse kinematics is not possible, and OptionError for invalid spans.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> report = verbs.apply(verbs.Plant(), [actions.walk(cycles=1)]).report
        >>> report["plant"]["spans"], report["warnings"]
        ([], ['walk: its feet slide too little to plant: nothing was changed'])
    """
    began = time.perf_counter()
    clip, corrected = close.cycle_of(clips[0])
    progress.at(0.0, "Planting feet")
    rows = spans.of_rows(recipe.spans, len(clip)) if recipe.spans else None
    result, done = planting.plant_clip(clip, rows, lift=recipe.lift_feet)
    progress.at(0.6, "Measuring")
    result = replace(result, name=recipe.result_name([clip.name]), cyclic=clips[0].cyclic)
    figures, warnings = {"plant": done.report}, _warnings(clip, done)
    report = reporting.compose(recipe.verb, clips, result, began, [clip], figures, warnings, corrected)
    before = clip if corrected else clips[0]
    return PlantResult(result, report, 0, before, done)


def _warnings(clip: Clip, done: Planted) -> list[str]:
    notes: list[str] = []
    notes += told(done.report, clip.name)
    if not done.refused and not done.spans and not done.lifts:
        notes.append(f"{clip.name}: its feet slide too little to plant: nothing was changed")
    return notes
