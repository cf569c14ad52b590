"""Prepare clips for weaving: trimmed, on one skeleton, at one rate, and registered to a reference."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from ..bodies import alike
from ..bodies.carried import Carried
from ..motion import closing, cycles, resample, trim
from ..motion.clip import Clip
from ..motion.closing import Closing
from ..motion.frame_map import FrameMap, LeftOut
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..quality import quality
from ..recipes import base
from ..recipes.matching import Matching
from ..recipes.travel import TravelOptions
from ..sync import registration
from ..sync.registration_curve import Registration
from . import add_root_motion, repeated
from .seam import close

NEARLY = 0.04  # body heights; ends with a smaller gap may be meant to meet


@dataclass(frozen=True, eq=False)
class PreparedClips:
    """The clips on the reference's skeleton and rate, its index, and the omitted frames.

    frame_maps : of each clip; unclosed : clips declared cyclic that do not close, and their gap (m)
    nearly : clips next to cycles that nearly close, and their gap (m)
    carried : reports of clips that were retargeted to the reference's skeleton
    corrected : sentences on closed ends and repetitions of cycles
    counts : repetitions of each clip, empty if cycles are not repeated; frames of a repeated clip continue beyond its
        last
    """

    clips: tuple[Clip, ...]
    reference: int
    left_out: tuple[LeftOut, ...]
    frame_maps: tuple[FrameMap, ...]
    unclosed: tuple[tuple[str, float], ...] = ()
    carried: tuple[Carried, ...] = ()
    corrected: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    nearly: tuple[tuple[str, float], ...] = ()

    def given_frames(self, clip: int, frames: Array) -> Array:
        """Return frames of a prepared clip as frames of the given clip."""
        return self.frame_maps[clip].given(frames)


@dataclass(frozen=True, eq=False)
class RegisteredClips:
    """Clips on one skeleton and rate, and their registration; independent of weights.

    cyclic : whether cycles may be treated as such
    """

    prepared: PreparedClips
    registration: Registration
    cyclic: bool

    @cached_property
    def travelling(self) -> tuple[PreparedClips, list[str]]:
        """The clips, with root motion added to in-place clips if others travel, and sentences about it; cached.

        Registration does not depend on it.
        """
        clips, sentences = add_root_motion.travelling(self.prepared.clips, TravelOptions())
        return replace(self.prepared, clips=tuple(clips)), sentences

    @cached_property
    def quality(self) -> tuple[dict[str, Any], ...]:
        """The measures of each clip over the common stretch; cached, since they do not depend on weights."""
        registered = self.registration
        ends = registered.frames(registered.grid[[0, -1]])
        stretches = [
            clip
            if registered.cyclic or (int(first), int(last) + 1) == (0, len(clip))
            else clip.cut(int(first), int(last) + 1)
            for clip, (first, last) in zip(self.prepared.clips, ends, strict=True)
        ]
        return tuple(quality.measure(stretch) for stretch in stretches)


def register(
    clips: Sequence[Clip], matching: Matching, progress: Progress = SILENT, *, cyclic: bool = True
) -> RegisteredClips:
    """Return two or more clips prepared and registered; `cyclic` : whether cycles may be treated as such.

    Raises LoomError kinds for clips that can't be brought onto one skeleton or synchronised.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.matching import Matching
        >>> from action_loom.core.weave import preprocess
        >>> clips = [actions.walk(cycles=1), actions.walk(cycles=1, speed=1.1)]
        >>> registered = preprocess.register(clips, Matching(ends="pinned")).registration
        >>> registered.frames(registered.grid[[0, 16, 32]]).round(1).tolist()  # frames that correspond
        [[0.0, 16.0, 32.0], [0.0, 19.0, 38.0]]
    """
    matching = _alone(matching)
    ready = merge(clips, matching, progress.part(0.0, 0.3), cyclic=cyclic)
    registered = registration.register(ready.clips, ready.reference, matching, progress.part(0.3, 1.0))
    return RegisteredClips(ready, registered, cyclic)


def _alone(matching: Matching) -> Matching:
    """Return the options of matching without the rest of their recipe, so that copying them is cheap.

    They are copied for each of up to hundreds of clips, and a recipe validates all options, including a weight per
    clip, whenever it is copied.
    """
    return Matching(**{field.name: getattr(matching, field.name) for field in fields(Matching)})


def merge(
    clips: Sequence[Clip], matching: Matching, progress: Progress = SILENT, *, cyclic: bool = True
) -> PreparedClips:
    """Return two or more clips on the skeleton and rate of the reference named by `matching`.

    Cycles are marked as such, unless the result can't be `cyclic`. If all clips are cycles, one repetition of each is
    used; with ends "auto", cycles are repeated to match a take of several steps.
    Raises ClipError for fewer than two clips, and SkeletonError if their joints differ and a body is not known to be
    human (see `bodies.alike`).
    """
    base.check_count("Weave", len(clips), 2, None)
    trimmed = [close.trim_clip(clip, matching.trim) for clip in clips]
    left_out = [entry for t in trimmed for entry in t.left_out]
    # Whether the ends meet decides, not whether the clip is declared cyclic.
    may_be_cycles = matching.ends in ("auto", "cyclic")
    endings = [closing.guess_closing(t.clip) if may_be_cycles or t.clip.cyclic else None for t in trimmed]
    counts = repeated.counts([t.clip for t in trimmed], endings) if matching.ends == "auto" else []
    marked, corrected = _as_cycles(trimmed, endings if may_be_cycles and cyclic else [None] * len(trimmed))
    for k, count in enumerate(counts):
        if count > 1:
            marked[k], said = repeated.close_cycle(trimmed[k].clip, endings[k], count)
            corrected += said
    if all(clip.cyclic for clip in marked):
        firsts = [cycles.first_of(clip) for clip in marked]
        left_out += [
            LeftOut(clip.name, 0, len(clip) - len(first), "one of its cycles is enough")
            for clip, first in zip(marked, firsts, strict=True)
            if first is not clip
        ]
        marked = firsts
    reference = registration.choose_reference(_like(marked, marked[0])[0], matching, progress)
    ready, carried = _like(marked, marked[reference])
    steps = [_step(clip, prepared) for clip, prepared in zip(marked, ready, strict=True)]
    return PreparedClips(
        tuple(repeated.in_a_row(clip, count) for clip, count in zip(ready, counts or [1] * len(ready), strict=True)),
        reference,
        tuple(left_out),
        tuple(FrameMap(t.first, step) for t, step in zip(trimmed, steps, strict=True)),
        tuple(
            (t.clip.name, cycles.gap(t.clip))
            for t, ending in zip(trimmed, endings, strict=True)
            if t.clip.cyclic and ending is not None and not ending.kind
        ),
        carried,
        tuple(corrected),
        tuple(counts),
        _list_near_cycles([t.clip for t in trimmed], endings),
    )


def _list_near_cycles(clips: Sequence[Clip], endings: Sequence[Closing | None]) -> tuple[tuple[str, float], ...]:
    """Return the names of clips next to cycles whose ends nearly meet, and their gaps (m), except gestures."""
    if not any(ending is not None and ending.kind for ending in endings):
        return ()
    return tuple(
        (clip.name, ending.gap)
        for clip, ending in zip(clips, endings, strict=True)
        if ending is not None and not (ending.kind or clip.cyclic) and ending.gap <= NEARLY * clip.skeleton.height
        if not closing.is_gesture(clip)
    )


def _as_cycles(trimmed: Sequence[trim.Trimmed], endings: Sequence[Closing | None]) -> tuple[list[Clip], list[str]]:
    """Return clips with cycles marked, and sentences on corrections.

    If all clips are cycles, ends with a gap are closed and missing last keys are added.
    """
    known = [(t.clip, ending) for t, ending in zip(trimmed, endings, strict=True)]
    if all(ending is not None and ending.kind for _, ending in known):
        corrected = [sentence for clip, ending in known if ending for sentence in close.correction(clip.name, ending)]
        return [close.as_cycle(clip, ending) for clip, ending in known], corrected
    exact = [ending is not None and ending.kind == closing.EXACT for _, ending in known]
    pairs = zip(known, exact, strict=True)
    return [clip if clip.cyclic == closes else replace(clip, cyclic=closes) for (clip, _), closes in pairs], []


def _step(given: Clip, ready: Clip) -> float:
    """Return the number of frames of a given clip per frame of the prepared clip."""
    if given.cyclic and given.rate != ready.rate:
        return (len(given) - 1) / (len(ready) - 1)
    return given.rate / ready.rate


def _like(clips: Sequence[Clip], reference: Clip) -> tuple[list[Clip], tuple[Carried, ...]]:
    """Return the clips on the reference's skeleton and rate, and reports on retargeted clips."""
    body = reference.skeleton
    brought = [(clip, None) if clip.skeleton is body else alike.like(clip, reference) for clip in clips]
    ready = [_at_rate(clip, reference.rate) for clip, _ in brought]
    return ready, tuple(carried for _, carried in brought if carried is not None)


def _at_rate(clip: Clip, rate: float) -> Clip:
    return cycles.to_rate(clip, rate) if clip.cyclic else resample.to_rate(clip, rate)
