"""A clip in a style: its phase in every frame, its mean stride, and its root trajectory (methods: Style)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..motion.clip import Clip
from ..motion.quat import Array
from ..weave import root_blend
from ..weave.root_blend import Part
from . import form as forms
from . import gait_phase
from .form import PHASES, Form
from .style import Style


@dataclass(frozen=True, eq=False)
class ClipInStyle:
    """A clip of F frames, prepared for changes in a style.

    phase (F,) : a whole number where a stride begins
    row (P C + 1,) : its mean stride, followed by the logarithm of its duration in seconds
    part : its ground points and headings
    """

    style: Style
    clip: Clip
    phase: Array
    row: Array
    part: Part

    @cached_property
    def at(self) -> Array:
        """The matrix (F, P) from the samples of a stride to the clip's frames."""
        return forms.at_phases(self.phase)

    @cached_property
    def motion(self) -> forms.Motion:
        return forms.motion_of_part(self.part)

    @cached_property
    def standard(self) -> Array:
        """The measures of its mean stride, in standard deviations from the examples' means."""
        return self.style.standard(self.row)

    @cached_property
    def pace(self) -> Array:
        """Duration (F,) of each frame in phases, of which a stride has P."""
        steps = np.diff(self.phase) * PHASES
        return np.append(steps, steps[-1:]) if len(steps) else np.ones(1)

    def rows(self, form: Form) -> Array:
        """Return the clip's own rows (F, C), with steps scaled to one phase as in strides."""
        rows = form.to_rows(self.motion)
        rows[:, form.steps] /= self.pace[:, None]
        return rows


def of_clip(style: Style, clip: Clip) -> ClipInStyle:
    """Return a clip on the style's body prepared for changes; raises ClipError if it has no stride.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.style import StyleOptions
        >>> from action_loom.core.style import clip_in_style, fit
        >>> style = fit.fit([actions.walk(cycles=5), actions.sneak(cycles=5)], StyleOptions(mirror=False))
        >>> walk = clip_in_style.of_clip(style, actions.walk())
        >>> measures = dict(zip(style.sliders.names, walk.standard.round(1).tolist()))
        >>> measures["cadence"], measures["lean"]  # between a walk and a sneak, each is one deviation off
        (1.0, -1.0)
    """
    phases = gait_phase.of_steps(clip) if style.material.gait else gait_phase.by_cycles(clip)
    frames = np.arange(phases.own.start, phases.own.stop)
    own = [forms.motion_of_stride(phases, stride) for stride in phases.of_own]
    rows = np.stack([forms.close_stride(style.form.to_rows(motion)) for motion in own])
    seconds = np.mean([(stride.end - stride.first) / phases.clip.rate for stride in phases.of_own])
    mean, offset = rows.mean(axis=0), 0
    if not style.material.gait:
        offset = _offset(mean, style)
        mean = np.roll(mean, offset, axis=0)
    part = root_blend.part(phases.clip)
    return ClipInStyle(
        style,
        clip,
        phases.at(frames.astype(float)) + offset / PHASES,
        np.append(mean.ravel(), np.log(seconds)),
        _own(part, phases.own, clip),
    )


def _offset(row: Array, style: Style) -> int:
    """Return the number of phases to roll a stride (P, C) for the best agreement with the style's mean."""
    turning = style.form.turning
    own = np.fft.rfft(row[:, turning], axis=0)
    mean = np.fft.rfft(style.mean[:-1].reshape(PHASES, -1)[:, turning], axis=0)
    return int(np.argmax(np.fft.irfft((np.conj(own) * mean).sum(axis=1), n=PHASES)))


def _own(part: Part, own: slice, clip: Clip) -> Part:
    """Return the clip's own frames of a part with cyclic padding."""
    return Part(clip, part.ground[own], part.facing[own], part.rotations[own], part.positions[own])
