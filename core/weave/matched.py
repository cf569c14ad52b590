"""Clips made ready and synchronised: what every verb on several clips begins with, and what can be kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..check import quality
from ..motion.clip import Clip
from ..progress import SILENT, Progress
from ..sync import registration
from ..sync.matching import Matching
from ..sync.registered import Registration
from . import prepare
from .prepare import Prepared


@dataclass(frozen=True, eq=False)
class Matched:
    """Clips on one skeleton and rate, and their registration; the same for any weights.

    cyclic : whether cycles were to be taken as such
    """

    prepared: Prepared
    registration: Registration
    cyclic: bool

    @cached_property
    def quality(self) -> tuple[dict[str, Any], ...]:
        """The measures of each clip over the stretch that all have; worked out once, whatever the weights."""
        registered = self.registration
        ends = registered.frames(registered.grid[[0, -1]])
        stretches = [
            clip if registered.cyclic else clip.cut(int(first), int(last) + 1)
            for clip, (first, last) in zip(self.prepared.clips, ends, strict=True)
        ]
        return tuple(quality.measure(stretch) for stretch in stretches)


def match(
    clips: Sequence[Clip], matching: Matching, progress: Progress = SILENT, *, cyclic: bool = True
) -> Matched:
    """Return clips of two or more, ready and synchronised; `cyclic` says whether cycles may be taken as such.

    Raises LoomError kinds for clips that can't be brought together or synchronised.
    """
    ready = prepare.together(clips, matching, progress.part(0.0, 0.3), cyclic=cyclic)
    registered = registration.register(ready.clips, ready.reference, matching, progress.part(0.3, 1.0))
    return Matched(ready, registered, cyclic)
