"""One clip in another's time: synchronising by itself, without blending (methods 3)."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import ClipError
from ..motion import cycles, resample
from ..motion.clip import Clip
from ..progress import SILENT, Progress
from ..sync.matching import Matching
from . import reporting
from .matched import Matched, match
from .woven import Blended


def synchronise(
    clips: Sequence[Clip], matching: Matching, progress: Progress = SILENT, *, matched: Matched | None = None
) -> Blended:
    """Return the second of two clips (the one that is not the reference), re-timed to the reference.

    `matched` is what the same clips gave under the same `matching` before. Raises ClipError for any other number
    of clips.
    """
    began = time.perf_counter()
    if len(clips) != 2:
        raise ClipError(f"Synchronising re-times one clip to another; {len(clips)} clips given")
    if matched is None:
        matched = match(clips, matching, progress.part(0.0, 0.9))
    ready, registered = matched.prepared, matched.registration
    other = 1 - ready.reference
    at = registered.grid
    frames, retimed = registered.frames(at)[other], ready.clips[other]
    clip = cycles.sample(retimed, frames) if registered.cyclic else resample.sample(retimed, frames)
    name = f"{clip.name} in time with {ready.clips[ready.reference].name}"
    clip = replace(clip, name=name, cyclic=registered.cyclic)
    progress.at(0.9, "Measuring")
    report = reporting.matched("sync", clips, matched, clip, began)
    weights = np.zeros((2, len(at)))
    weights[other] = 1.0
    return Blended(clip, report, registered.reference, ready, registered, at, weights)
