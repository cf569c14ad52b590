"""Re-time one clip to another, without blending them (methods: Time registration)."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...motion import cycles, resample
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...recipes.base import check_count
from ...weave import reporting
from ...weave.preprocess import RegisteredClips, register
from ...weave.results import BlendResult
from . import Synchronise


def synchronise(
    clips: Sequence[Clip], recipe: Synchronise, progress: Progress = SILENT, registered: RegisteredClips | None = None
) -> BlendResult:
    """Return the clip that is not the reference, re-timed to the reference.

    registered : an earlier result of `preprocess.register` for the same clips and options. Raises ClipError unless two
    clips are given.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Synchronise(), [actions.walk(cycles=1), actions.sneak(cycles=1)])
        >>> result.clip.name, len(result.clip)
        ('sneak in time with walk', 33)
    """
    began = time.perf_counter()
    check_count(recipe.label, len(clips), 2, 2)  # *Analyse* registers more, in pairs
    if registered is None:
        registered = register(clips, recipe, progress.part(0.0, 0.9))
    ready, registration = registered.prepared, registered.registration
    other = 1 - ready.reference
    at = registration.grid
    frames, retimed = registration.frames(at)[other], ready.clips[other]
    clip = cycles.sample(retimed, frames) if registration.cyclic else resample.sample(retimed, frames)
    name = f"{clip.name} in time with {ready.clips[ready.reference].name}"
    clip = replace(clip, name=name, cyclic=registration.cyclic)
    progress.at(0.9, "Measuring")
    report = reporting.report_registered("sync", clips, registered, clip, began)
    weights = np.zeros((2, len(at)))
    weights[other] = 1.0
    return BlendResult(clip, report, registration.reference, ready, registration, at, weights)
