"""Reduce the keys of a clip, with a report (methods: Fewer keys)."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...edit import fewer_keys
from ...errors import no_frame
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...quality import contacts, world_pose
from ...weave import reporting
from ...weave.results import KeysResult
from . import FewerKeys

_MM = 1e-3


def fewer(clips: Sequence[Clip], recipe: FewerKeys, progress: Progress = SILENT) -> KeysResult:
    """Return a clip as played by its reduced keys, and the keys.

    Raises ClipError for more than one clip, and OptionError for frames to keep outside the clip.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> report = verbs.apply(verbs.FewerKeys(within=5.0), [actions.walk(cycles=1)]).report["fewer_keys"]
        >>> report["share"] < 0.25, report["error_mm"] <= 5.0
        (True, True)
    """
    began = time.perf_counter()
    (clip,) = clips
    beyond = [frame for frame in recipe.kept if frame >= len(clip)]
    if beyond:
        raise no_frame(clip.name, beyond[0], 0, len(clip) - 1)
    progress.at(0.0, "Making the result")
    found = fewer_keys.fewer(clip, _MM * recipe.within, _MM * recipe.feet, keep=recipe.kept)
    progress.at(0.8, "Measuring")
    result = replace(found.keyed.clip(), name=recipe.result_name([clip.name]))
    own = {"fewer_keys": figures(clip, result, found)}
    report = reporting.compose(recipe.verb, clips, result, began, [clip], own)
    return KeysResult(result, report, 0, clip, found.keyed)


def figures(clip: Clip, played: Clip, found: fewer_keys.Fewer) -> dict[str, Any]:
    """Return the report on reduced keys.

    keys : on all animated curves, with a key on every frame, and now; share : of keys remaining
    error_mm : largest displacement of a joint or tip in any frame; feet_error_mm : of hips, legs, feet
    stand_slide_cm_s : speed of the balls of feet during contacts, before and after; None without known contacts
    """
    keyed = found.keyed
    return {
        "keys": [keyed.full_count, keyed.key_count],
        "share": round(keyed.key_count / keyed.full_count, 4) if keyed.full_count else None,
        "error_mm": round(found.error / _MM, 3),
        "feet_error_mm": round(found.feet_error / _MM, 3),
        "stand_slide_cm_s": _slides(clip, played),
    }


def _slides(clip: Clip, played: Clip) -> list[float] | None:
    if len(clip) < 3:
        return None
    before, after = (contacts.standing_feet(world_pose.pose(one)) for one in (clip, played))
    slides = []
    for feet in (before, after):
        speeds = [foot.ball_speed(clip.rate)[before[name].ball_stands] for name, foot in feet.items()]
        slides.append(np.concatenate([np.empty(0), *speeds]))
    return [round(100.0 * float(speeds.mean()), 2) for speeds in slides] if len(slides[0]) else None
