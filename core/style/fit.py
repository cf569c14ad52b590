"""Learn a style from clips, and carry it onto another body (methods: Style)."""

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
    """Return the style of clips of one action, or `learnt` if it was learnt before; raises what `material.gather` does.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.recipes.style import StyleOptions
        >>> from action_loom.core.style import fit
        >>> style = fit.fit([actions.walk(cycles=5), actions.sneak(cycles=5)], StyleOptions(mirror=False))
        >>> style.sliders.names
        ('stride', 'cadence', 'speed', 'bounce', 'swing', 'lean', 'elbows', 'width', 'lift')
    """
    if learnt is not None:
        return learnt
    if options.kept:
        raise OptionError(f"There is no style kept as {options.kept!r} here: name the file of one, or leave it out")
    began = time.perf_counter()
    style = Style(material.gather(clips, options, progress), graph_name([clip.name for clip in clips]))
    hashes = [content_hash(clip) for clip in clips]
    return replace(style, report=reporting.learnt(style, [clip.name for clip in clips], hashes, began))


def content_hash(clip: Clip) -> str:
    """Return a hash of a clip's motion, which shows whether a style was learnt from it."""
    digest = hashlib.sha256()
    for values in (clip.rotations, clip.translations):
        digest.update(np.round(values, 6).astype("<f4").tobytes())
    return digest.hexdigest()[:16]


def on_body(style: Style, clip: Clip) -> Style:
    """Return a style with its strides carried onto the body of a clip.

    Raises SkeletonError for a body that they can't be carried onto.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.recipes.style import StyleOptions
        >>> from action_loom.core.style import fit
        >>> style = fit.fit([actions.walk(cycles=5), actions.sneak(cycles=5)], StyleOptions(mirror=False))
        >>> fit.on_body(style, actions.run()) is style  # the same body already
        True
    """
    if retarget.same(clip.skeleton, style.form.skeleton):
        return style
    strides = zip(style.material.rows, style.material.seconds, strict=True)
    moved = [forms.as_clip(style.form, row, seconds) for row, seconds in strides]
    carried = [alike.like(stride, clip)[0] for stride in moved]
    return replace(style, material=material.of_strides(style.material, carried))
