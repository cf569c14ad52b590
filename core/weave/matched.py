"""Clips made ready and synchronised: what every verb on several clips begins with, and what can be kept."""

from collections.abc import Sequence
from dataclasses import dataclass

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


def match(
    clips: Sequence[Clip], matching: Matching, progress: Progress = SILENT, *, cyclic: bool = True
) -> Matched:
    """Return clips of two or more, ready and synchronised; `cyclic` says whether cycles may be taken as such.

    Raises LoomError kinds for clips that can't be brought together or synchronised.
    """
    ready = prepare.together(clips, matching, progress.part(0.0, 0.3), cyclic=cyclic)
    registered = registration.register(ready.clips, ready.reference, matching, progress.part(0.3, 1.0))
    return Matched(ready, registered, cyclic)
