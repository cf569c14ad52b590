"""One clip in another's time: synchronising by itself, without blending (methods 3)."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import ClipError
from ..motion import resample
from ..motion.clip import Clip
from ..progress import SILENT, Progress
from ..sync import registration
from ..sync.matching import Matching
from . import prepare, reporting
from .woven import Woven


def synchronise(clips: Sequence[Clip], matching: Matching, progress: Progress = SILENT) -> Woven:
    """Return the second of two clips (the one that is not the reference), re-timed to the reference.

    Raises ClipError for any other number of clips.
    """
    began = time.perf_counter()
    if len(clips) != 2:
        raise ClipError(f"Synchronising re-times one clip to another; {len(clips)} clips given")
    ready = prepare.together(clips, matching, progress.part(0.0, 0.3))
    registered = registration.register(ready.clips, ready.reference, matching, progress.part(0.3, 0.9))
    other = 1 - ready.reference
    at = registered.grid
    clip = resample.sample(ready.clips[other], registered.frames(at)[other])
    clip = replace(clip, name=f"{clip.name} in time with {ready.clips[ready.reference].name}")
    progress.at(0.9, "Measuring")
    report = reporting.report("sync", clips, ready, registered, clip, began)
    weights = np.zeros((2, len(at)))
    weights[other] = 1.0
    return Woven(clip, report, ready, registered, at, weights)
