"""Pull a clip towards others, with a report (methods: Fill)."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...bodies import alike
from ...edit.feet.spans import Span
from ...errors import ClipError, no_frame
from ...inbetween import fill as between
from ...inbetween import settle as pulling
from ...motion import kinematics, trim
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...recipes.planting import PlantOptions
from ...weave import planting, reporting
from ...weave.results import EditResult
from . import Settle


def settle(clips: Sequence[Clip], recipe: Settle, progress: Progress = SILENT) -> EditResult:
    """Return the first clip pulled towards similar motion of the other clips.

    Raises ClipError without other clips, OptionError for kept frames outside the clip, and SkeletonError for clips that
    can't be retargeted to its body.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Settle(strength=0.8), [actions.walk(), actions.walk()])
        >>> result.clip.name, result.report["settle"]["moved_cm"][0] < 1.0
        ('walk settled', True)
    """
    began = time.perf_counter()
    clip, kept = clips[0], [frame for row in recipe.kept_frames for frame in row]
    wrong = next((frame for frame in kept if frame != int(frame) or frame >= len(clip)), None)
    if wrong is not None:
        raise no_frame(clip.name, wrong, 0, len(clip) - 1)
    progress.at(0.0, "Preparing the clips")
    given = [trim.if_wanted(one, recipe.trim) for one in clips[1:]]
    brought = [alike.like(one.clip, clip) for one in given]
    library = between.library([one for one, _ in brought], pulling.LENGTH)
    progress.at(0.3, "Settling")
    done = pulling.settle_clip(clip, library, recipe.strength, [int(frame) for frame in kept])
    progress.at(0.8, "Planting feet")
    options = PlantOptions(plant_feet=recipe.keep_contacts)
    found = _contacts(clip) if recipe.keep_contacts else None
    result, feet = planting.of_result(done.clip, options, one_source=not done.pulled.any(), found=found)
    result = replace(result, name=recipe.result_name([clip.name]))
    away = np.linalg.norm(kinematics.points(result) - kinematics.points(clip), axis=2)
    carried = [one for _, one in brought if one is not None]
    figures = {
        "dropped": reporting.left_out(given),
        "carried": [one.as_report() for one in carried],
        "settle": {
            "pulled": round(float(done.pulled.mean()), 4),
            "frames": round(float((done.pulled > 0.5 * recipe.strength).mean()), 4) if recipe.strength else 0.0,
            "moved_cm": [round(100.0 * float(value), 3) for value in (away.mean(), away.max())],
        },
        **feet.report,
    }
    warnings = [sentence for one in carried for sentence in one.sentences] + _warnings(clip, recipe, done)
    report = reporting.compose(recipe.verb, clips, result, began, [clip], figures, warnings)
    return EditResult(result, report, 0, clip)


def _contacts(clip: Clip) -> list[Span] | None:
    try:
        return planting.find(clip)
    except ClipError:  # an in-place walk of unknown speed, which planting reports
        return None


def _warnings(clip: Clip, recipe: Settle, done: pulling.Settled) -> list[str]:
    if recipe.strength == 0.0:
        return [f"{clip.name}: strength is 0: it is as it was"]
    if done.pulled.max() < 0.5 * recipe.strength:
        return [f"{clip.name}: nothing like it was found, so it hardly changed"]
    return []
