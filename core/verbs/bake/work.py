"""Prepare a clip for writing a key on every frame, with a report; the host decides which channels get keys."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...quality import quality
from ...weave import reporting
from ...weave.results import EditResult
from . import Bake


def bake(clips: Sequence[Clip], recipe: Bake, progress: Progress = SILENT) -> EditResult:
    """Return the clip unchanged, to be written with a key on every frame; raises ClipError for more than one clip.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Bake(), [actions.walk(cycles=1)])
        >>> result.clip.name, result.report["bake"]["joints"], result.report["changed"]
        ('walk baked', 21, True)
    """
    began = time.perf_counter()
    (clip,) = clips
    progress.at(0.0, "Measuring")
    measured = quality.measure(clip)
    result = replace(clip, name=recipe.result_name([clip.name]))
    report: dict[str, Any] = {
        "dropped": [],
        "bake": {"joints": len(clip.skeleton)},
        "quality": {"before": [measured], "after": measured},
        "warnings": [],
    }
    return EditResult(result, report | reporting.common(recipe.verb, clips, result, began), 0, clip)
