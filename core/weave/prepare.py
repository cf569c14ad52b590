"""Clips as they come, made ready to be woven: good ends, one skeleton, one rate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import ClipError
from ..motion import cycles, resample, retarget, trim
from ..motion.clip import Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..sync import registration
from ..sync.matching import Matching


@dataclass(frozen=True, eq=False)
class Prepared:
    """The clips on the reference's skeleton and rate, its index, and the frames that were left out.

    firsts and scales tell which frame of the clip as given a frame k is: first + k · scale. unclosed : clips that
    were made to repeat but do not close, and by how much (m).
    """

    clips: tuple[Clip, ...]
    reference: int
    dropped: list[dict[str, Any]]
    firsts: tuple[int, ...]
    scales: tuple[float, ...]
    unclosed: tuple[tuple[str, float], ...] = ()

    def given_frames(self, clip: int, frames: Array) -> Array:
        """Return frames of a prepared clip as frames of the clip that was given."""
        return self.firsts[clip] + frames * self.scales[clip]


def together(
    clips: Sequence[Clip], matching: Matching, progress: Progress = SILENT, *, cyclic: bool = True
) -> Prepared:
    """Bring clips of two or more onto the skeleton and rate of the reference that `matching` names.

    Cycles are marked as such, unless what is made of them can't be `cyclic`; where all are, one of each is enough.
    Raises ClipError for fewer than two clips and SkeletonError where their joints differ.
    """
    if len(clips) < 2:
        raise ClipError(f"Weaving takes two clips or more; {len(clips)} given")
    trimmed = [trim.ends(clip) if matching.trim else trim.Trimmed(clip, 0, 0) for clip in clips]
    dropped = [
        _dropped(t.clip, t.first, t.last, "calibration pose or jump") for t in trimmed if t.first or t.last
    ]
    # What was made to repeat but does not close is no cycle to us; what closes is one whoever made it.
    round_the_circle = cyclic and matching.ends in ("auto", "cyclic")
    marked = [replace(t.clip, cyclic=round_the_circle and cycles.closes(t.clip)) for t in trimmed]
    if all(clip.cyclic for clip in marked):
        single = [_one_cycle(clip) for clip in marked]
        dropped += [
            _dropped(clip, 0, len(clip) - len(one), "one of its cycles is enough")
            for clip, one in zip(marked, single, strict=True)
            if one is not clip
        ]
        marked = single
    reference = registration.choose_reference(_like(marked, marked[0]), matching, progress)
    ready = _like(marked, marked[reference])
    return Prepared(
        tuple(ready),
        reference,
        dropped,
        tuple(t.first for t in trimmed),
        tuple(_scale(clip, same) for clip, same in zip(marked, ready, strict=True)),
        tuple((t.clip.name, cycles.gap(t.clip)) for t in trimmed if t.clip.cyclic and not cycles.closes(t.clip)),
    )


def _dropped(clip: Clip, first: int, last: int, why: str) -> dict[str, Any]:
    return {"clip": clip.name, "first": first, "last": last, "why": why}


def _one_cycle(clip: Clip) -> Clip:
    count = cycles.repeats(clip)
    return clip if count == 1 else replace(clip.cut(0, (len(clip) - 1) // count + 1), cyclic=True)


def _scale(given: Clip, ready: Clip) -> float:
    """Return how many frames of a given clip one of the ready clip is."""
    if given.cyclic and given.rate != ready.rate:
        return (len(given) - 1) / (len(ready) - 1)
    return given.rate / ready.rate


def _like(clips: Sequence[Clip], reference: Clip) -> list[Clip]:
    return [_at_rate(retarget.onto(clip, reference.skeleton), reference.rate) for clip in clips]


def _at_rate(clip: Clip, rate: float) -> Clip:
    return cycles.to_rate(clip, rate) if clip.cyclic else resample.to_rate(clip, rate)
