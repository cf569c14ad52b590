"""Clips as they are read, prepared for weaving: good ends, one skeleton, one rate, registered to a reference."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from ..bodies import alike
from ..bodies.carried import Carried
from ..check import quality
from ..errors import ClipError
from ..motion import closing, cycles, resample, trim
from ..motion.clip import Clip
from ..motion.closing import Closing
from ..motion.frame_map import FrameMap, LeftOut
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..recipes.matching import Matching
from ..recipes.travel import TravelOptions
from ..sync import registration
from ..sync.registration_curve import Registration
from . import add_root_motion, repeated
from .seam import close

NEARLY = 0.04  # of the height: ends so near may be meant to meet


@dataclass(frozen=True, eq=False)
class PreparedClips:
    """The clips on the reference's skeleton and rate, its index, and the frames that were left out.

    frame_maps : of each clip; unclosed : clips declared cyclic that do not close, and their gap (m)
    nearly : clips beside cycles that are none by little, and their gap (m)
    carried : how clips of other joints were carried onto the reference's skeleton
    corrected : how the ends of cycles were made to meet, and how often they are repeated, a sentence each
    counts : how often each clip is repeated, none where cycles are not; frames of a repeated one go on beyond its last
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
    """Clips on one skeleton and rate, and their registration; the same for any weights.

    cyclic : whether cycles were allowed to be taken as such
    """

    prepared: PreparedClips
    registration: Registration
    cyclic: bool

    @cached_property
    def travelling(self) -> tuple[PreparedClips, list[str]]:
        """The clips, those on the spot with root motion where others travel, and sentences about it; worked out once.

        Registration does not depend on it.
        """
        clips, sentences = add_root_motion.travelling(self.prepared.clips, TravelOptions())
        return replace(self.prepared, clips=tuple(clips)), sentences

    @cached_property
    def quality(self) -> tuple[dict[str, Any], ...]:
        """The measures of each clip over the stretch that all share; worked out once, whatever the weights."""
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
    """Return two clips or more prepared and registered; `cyclic` : whether cycles may be taken as such.

    Raises LoomError kinds for clips that can't be brought onto one skeleton or synchronised.

    Example:
        >>> from action_loom.core.figure import actions
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
    """Return the options of matching without the rest of their recipe: they are copied for each clip of hundreds.

    A recipe checks all of its options whenever it is copied, and it may have as many weights as there are clips.
    """
    return Matching(**{field.name: getattr(matching, field.name) for field in fields(Matching)})


def merge(
    clips: Sequence[Clip], matching: Matching, progress: Progress = SILENT, *, cyclic: bool = True
) -> PreparedClips:
    """Return two clips or more on the skeleton and rate of the reference that `matching` names.

    Cycles are marked as such, unless the result can't be `cyclic`; where all are cycles, one of each is enough, and
    beside a take of several steps they are repeated, with ends "auto".
    Raises ClipError for fewer than two clips, and SkeletonError where their joints differ and a body is not known to be
    a person's (see `bodies.alike`).
    """
    if len(clips) < 2:
        raise ClipError(f"Weaving takes two clips or more; {len(clips)} given")
    trimmed = [close.trimmed(clip, matching.trim) for clip in clips]
    left_out = [entry for t in trimmed for entry in t.left_out]
    # A clip that is declared cyclic but is none is no cycle here; one whose ends meet is, declared or not.
    may_be_cycles = matching.ends in ("auto", "cyclic")
    endings = [closing.guessed(t.clip) if may_be_cycles or t.clip.cyclic else None for t in trimmed]
    counts = repeated.counts([t.clip for t in trimmed], endings) if matching.ends == "auto" else []
    marked, corrected = _as_cycles(trimmed, endings if may_be_cycles and cyclic else [None] * len(trimmed))
    for k, count in enumerate(counts):
        if count > 1:
            marked[k], said = repeated.closed(trimmed[k].clip, endings[k], count)
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
        _nearly([t.clip for t in trimmed], endings),
    )


def _nearly(clips: Sequence[Clip], endings: Sequence[Closing | None]) -> tuple[tuple[str, float], ...]:
    """Return the names of clips beside cycles whose ends nearly meet, and their gaps (m); gestures are not meant to."""
    if not any(ending is not None and ending.kind for ending in endings):
        return ()
    return tuple(
        (clip.name, ending.gap)
        for clip, ending in zip(clips, endings, strict=True)
        if ending is not None and not (ending.kind or clip.cyclic) and ending.gap <= NEARLY * clip.skeleton.height
        if not closing.is_gesture(clip)
    )


def _as_cycles(trimmed: Sequence[trim.Trimmed], endings: Sequence[Closing | None]) -> tuple[list[Clip], list[str]]:
    """Return clips marked as the cycles that they are, and what was corrected of them.

    Ends that do not quite meet are made to, and missing last keys added, where all clips are cycles then.
    """
    known = [(t.clip, ending) for t, ending in zip(trimmed, endings, strict=True)]
    if all(ending is not None and ending.kind for _, ending in known):
        corrected = [sentence for clip, ending in known if ending for sentence in close.correction(clip.name, ending)]
        return [close.as_cycle(clip, ending) for clip, ending in known], corrected
    exact = [ending is not None and ending.kind == closing.EXACT for _, ending in known]
    pairs = zip(known, exact, strict=True)
    return [clip if clip.cyclic == closes else replace(clip, cyclic=closes) for (clip, _), closes in pairs], []


def _step(given: Clip, ready: Clip) -> float:
    """Return how many frames of a given clip one frame of the prepared clip is."""
    if given.cyclic and given.rate != ready.rate:
        return (len(given) - 1) / (len(ready) - 1)
    return given.rate / ready.rate


def _like(clips: Sequence[Clip], reference: Clip) -> tuple[list[Clip], tuple[Carried, ...]]:
    """Return the clips on the reference's skeleton and rate, and how clips of other joints were carried there."""
    body = reference.skeleton
    brought = [(clip, None) if clip.skeleton is body else alike.like(clip, reference) for clip in clips]
    ready = [_at_rate(clip, reference.rate) for clip, _ in brought]
    return ready, tuple(carried for _, carried in brought if carried is not None)


def _at_rate(clip: Clip, rate: float) -> Clip:
    return cycles.to_rate(clip, rate) if clip.cyclic else resample.to_rate(clip, rate)
