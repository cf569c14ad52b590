"""Learning a style from clips, and putting one on another body (methods: Style)."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..bodies import alike
from ..errors import OptionError
from ..motion import retarget
from ..motion.clip import Clip
from ..progress import SILENT, Progress
from ..recipes.base import graph_name
from ..recipes.style import StyleOptions
from . import form as forms
from . import material, reporting
from .style import Style


def fit(
    clips: Sequence[Clip], options: StyleOptions, progress: Progress = SILENT, learnt: Style | None = None
) -> Style:
    """Return what can be learnt from clips of one action; raises what `material.gather` does.

    learnt : what the same clips gave under the same options before
    """
    if learnt is not None:
        return learnt
    if options.kept:
        raise OptionError(f"There is no style kept as {options.kept!r} here: name the file of one, or leave it out")
    began = time.perf_counter()
    found = Style(material.gather(clips, options, progress), graph_name([clip.name for clip in clips]))
    hashes = [content_hash(clip) for clip in clips]
    return replace(found, report=reporting.learnt(found, [clip.name for clip in clips], hashes, began))


def content_hash(clip: Clip) -> str:
    """Return what tells whether a clip is the one that a style was learnt from: a hash of how it moves."""
    digest = hashlib.sha256()
    for values in (clip.rotations, clip.translations):
        digest.update(np.round(values, 6).astype("<f4").tobytes())
    return digest.hexdigest()[:16]


def on_body(style: Style, clip: Clip) -> Style:
    """Return a style on the body of a clip, onto which its strides are carried; raises SkeletonError."""
    if retarget.same(clip.skeleton, style.form.skeleton):
        return style
    moved = [forms.as_clip(style.form, row, seconds) for row, seconds in zip(
        style.material.rows, style.material.seconds, strict=True
    )]  # fmt: skip
    return replace(style, material=material.of_strides(style.material, [alike.like(one, clip)[0] for one in moved]))
