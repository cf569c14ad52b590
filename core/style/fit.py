"""Learn a style from clips, and retarget it to another body (methods: Style)."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..bodies import alike
from ..errors import LoomError, OptionError, SkeletonError
from ..motion import retarget
from ..motion.clip import Clip
from ..progress import SILENT, Progress
from ..recipes.base import graph_name
from ..recipes.style import StyleOptions
from . import form as forms
from . import gait_phase, material, reporting, shipped, steps
from .style import Style

MOST_ADDED = 8  # largest number of clips for which an extended bundled style is cached


def fit(
    clips: Sequence[Clip], options: StyleOptions, progress: Progress = SILENT, learnt: Style | None = None
) -> Style:
    """Return the style of clips of one action, or `learnt` if given; raises as `material.gather` does.

    The bundled walks on the body of the first clip are used for the basis `walks`, and for a walk with too few strides
    (see `shipped.added_to`).

    Example:
        >>> from action_loom.core.demo_character import actions
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
    if options.basis == "walks":
        return _bundled_style(clips[0])
    try:
        of = material.gather(clips, options, progress)
    except material.TooFewError as few:
        if options.basis == "clips" or options.cycles == "repeats":
            raise
        _refuse_without_strides(clips[0])
        return _bundled_style(clips[0], f"Changed by the walks that Action Loom brings along: {few}")
    style = Style(of, graph_name([clip.name for clip in clips]))
    hashes = [content_hash(clip) for clip in clips]
    return replace(style, report=reporting.learnt(style, [clip.name for clip in clips], hashes, began))


def learnt_of(
    clips: Sequence[Clip], options: StyleOptions, progress: Progress = SILENT, learnt: Style | None = None
) -> Style:
    """Return the style of clips as `fit` does; raises TooFewError if they have too few strides.

    Example:
        >>> from action_loom.core.errors import ClipError
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.style import StyleOptions
        >>> from action_loom.core.style import fit
        >>> try:
        ...     fit.learnt_of([actions.walk(cycles=1), actions.sneak(cycles=1)], StyleOptions())
        ... except ClipError as error:
        ...     print(str(error).partition(":")[0])
        At least 8 strides are needed, and these clips have 2
    """
    style = fit(clips, options, progress, learnt)
    if style.shipped and options.basis != "walks":
        raise material.TooFewError(style.why.partition(": ")[2])
    return style


def for_clip(style: Style, clip: Clip) -> Style:
    """Return a style prepared for a clip: on its body and, if it is a bundled one, added to the clip's own strides.

    Raises as `on_body` and `shipped.added_to` do.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.style import StyleOptions
        >>> from action_loom.core.style import fit
        >>> walk = actions.walk(cycles=1)
        >>> style = fit.fit([walk], StyleOptions())
        >>> style.shipped, fit.for_clip(style, walk) is fit.for_clip(style, walk)  # once for each clip
        (True, True)
    """
    here = on_body(style, clip)
    if not here.shipped:
        return here
    key = content_hash(clip)
    if key not in here.added:
        if len(here.added) >= MOST_ADDED:
            here.added.clear()
        here.added[key] = shipped.added_to(here, clip)
    return here.added[key]


def _bundled_style(clip: Clip, why: str = "") -> Style:
    """Return the bundled walks, on the body of a clip."""
    return replace(on_body(shipped.walks(), clip), why=why)


def _refuse_without_strides(clip: Clip) -> None:
    """Raise TooFewError for a clip without strides with travelling feet, which the bundled walks can't change."""
    try:
        gait_phase.of_steps(steps.travelling(steps.ready(clip)[0])[0])
    except LoomError as error:
        raise material.TooFewError(str(error)) from None


def content_hash(clip: Clip) -> str:
    """Return a hash of a clip's motion, which identifies the clips of a style."""
    digest = hashlib.sha256()
    for values in (clip.rotations, clip.translations):
        digest.update(np.round(values, 6).astype("<f4").tobytes())
    return digest.hexdigest()[:16]


def on_body(style: Style, clip: Clip) -> Style:
    """Return a style with its strides retargeted to the body of a clip.

    Raises SkeletonError for a body to which this is impossible.

    Example:
        >>> from action_loom.core.demo_character import actions
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
    try:
        carried = [alike.like(stride, clip)[0] for stride in moved]
    except SkeletonError:  # its message would name joints of a stride, unknown to the user
        raise SkeletonError(
            f"{clip.name}: the style's examples are of two-legged bodies, and can't be brought onto this one: give"
            " more of its own clips"
        ) from None
    return replace(style, material=material.of_strides(style.material, carried))
