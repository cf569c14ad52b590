"""The result of filling between keyed poses."""

from dataclasses import dataclass

from ...between.fill import Done, Library
from ...motion.clip import Clip
from ...weave.results import Result


@dataclass(frozen=True, eq=False)
class FillResult(Result):
    """A clip whose gaps between keyed poses were filled.

    before : the clip as it was; keys : its keyed frames; done : what fills each gap; library : of which it is
    """

    before: Clip
    keys: tuple[int, ...]
    done: Done
    library: Library
