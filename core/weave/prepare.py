"""Clips as they come, made ready to be woven: good ends, one skeleton, one rate."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ClipError
from ..motion import resample, retarget, trim
from ..motion.clip import Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..sync import registration
from ..sync.matching import Matching


@dataclass(frozen=True, eq=False)
class Prepared:
    """The clips on the reference's skeleton and rate, its index, and the frames that were left out.

    firsts and scales tell which frame of the clip as given a frame k is: first + k · scale.
    """

    clips: tuple[Clip, ...]
    reference: int
    dropped: list[dict[str, Any]]
    firsts: tuple[int, ...]
    scales: tuple[float, ...]

    def given_frames(self, clip: int, frames: Array) -> Array:
        """Return frames of a prepared clip as frames of the clip that was given."""
        return self.firsts[clip] + frames * self.scales[clip]


def together(clips: Sequence[Clip], matching: Matching, progress: Progress = SILENT) -> Prepared:
    """Bring clips of two or more onto the skeleton and rate of the reference that `matching` names.

    Raises ClipError for fewer than two clips and SkeletonError where their joints differ.
    """
    if len(clips) < 2:
        raise ClipError(f"Weaving takes two clips or more; {len(clips)} given")
    trimmed = [trim.ends(clip) if matching.trim else trim.Trimmed(clip, 0, 0) for clip in clips]
    clips = [t.clip for t in trimmed]
    reference = registration.choose_reference(_like(clips, clips[0]), matching, progress)
    return Prepared(
        tuple(_like(clips, clips[reference])),
        reference,
        [
            {"clip": t.clip.name, "first": t.first, "last": t.last, "why": "calibration pose or jump"}
            for t in trimmed
            if t.first or t.last
        ],
        tuple(t.first for t in trimmed),
        tuple(clip.rate / clips[reference].rate for clip in clips),
    )


def _like(clips: Sequence[Clip], reference: Clip) -> list[Clip]:
    return [resample.to_rate(retarget.onto(clip, reference.skeleton), reference.rate) for clip in clips]
