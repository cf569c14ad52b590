"""The result of filling between keyed poses."""

from dataclasses import dataclass

from ...inbetween.fill import Done, Library
from ...motion.clip import Clip
from ...weave.results import Result


@dataclass(frozen=True, eq=False)
class FillResult(Result):
    """A clip with filled gaps between keyed poses.

    before : the original clip; keys : its keyed frames; done : the fill of each gap; library : its source
    """

    before: Clip
    keys: tuple[int, ...]
    done: Done
    library: Library
