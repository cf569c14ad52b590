"""Parts of clips on a command line and in job files: CLIP[FIRST:LAST], in frames or, as 2.5s, in seconds."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..errors import OptionError

if TYPE_CHECKING:
    from ..motion.clip import Clip

METAVAR = "[FIRST:LAST]"
HELP = f"with {METAVAR} a part of it: frames, or seconds as 2.5s"
_BOUND = r"(?:\d+|\d+(?:\.\d+)?s)?"
_CUT = re.compile(rf"(.+)\[({_BOUND}):({_BOUND})\]", re.DOTALL)


class Cut(NamedTuple):
    """A clip and its first and last frame as text, "" for the clip's own; seconds count from its first frame.

    >>> split("walk.bvh[2.5s:300]")
    Cut(clip='walk.bvh', first='2.5s', last='300')
    >>> split("walk.bvh")
    Cut(clip='walk.bvh', first='', last='')
    """

    clip: str
    first: str
    last: str

    @property
    def part(self) -> str:
        """The part as a short text, "" for the whole clip."""
        return f"{self.first or 'start'}-{self.last or 'end'}" if self.first or self.last else ""


def split(text: str) -> Cut:
    """Return the clip and the bounds given in a text."""
    found = _CUT.fullmatch(text)
    return Cut(text, "", "") if found is None else Cut(*found.groups())


def frames(text: str, clip: "Clip", begin: int = 0) -> tuple[int, int]:
    """Return the first and last frame of the part of a clip given in a text, counted from 0; raises OptionError.

    begin : the user's number of the clip's first frame, 0 in files
    """
    cut, end = split(text), len(clip) - 1
    first = frame(cut.first, begin, clip.rate) - begin if cut.first else 0
    last = frame(cut.last, begin, clip.rate) - begin if cut.last else end
    if not 0 <= first < last <= end:
        seconds = f"{end / clip.rate:.2f} s"
        raise OptionError(
            f"{text}: {clip.name} has frames {begin} to {begin + end} ({seconds}); name a first and a later last one"
        )
    return first, last


def part_of(text: str, clip: "Clip") -> "Clip":
    """Return the part of a file's clip given in a text, named after its frames; raises OptionError."""
    if not split(text).part:
        return clip
    first, last = frames(text, clip)
    return replace(clip.cut(first, last + 1), name=f"{clip.name} {first}-{last}")


def frame(bound: str, begin: int, rate: float) -> int:
    """Return the frame of a bound in the user's numbering: a frame, or seconds from the first one, `begin`."""
    return begin + round(float(bound[:-1]) * rate) if bound.endswith("s") else int(bound)
