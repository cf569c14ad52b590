"""Options of every verb that registers clips (methods: Pose distance; Time registration)."""

import re

from ..errors import OptionError
from ..options import HIDDEN, JOINTS, MODE, RARE, Choice, Declared, declaration, option
from .metrics import ROWS

MOST_SLOPE = 32  # the largest slope limit that can be asked for
_METRICS = (Choice("auto", description="What suits best"), *(Choice(row.name, "", row.about) for row in ROWS))


@declaration
class Matching(Declared):
    """Which frames of clips may correspond, and how poses are compared."""

    metric: str = option(
        "auto",
        "How poses are compared: by joint positions, by how the body moves, or by joint rotations",
        choices=_METRICS,
    )
    window: float = option(
        0.042,
        "Time on each side of a frame that is compared with it",
        minimum=0.0,
        maximum=1.0,
        unit=" s",
        usual=(0.0, 0.25),
    )
    joints: str = option(
        "all",
        "Which joints are compared: all, lower, upper, or comma-separated names, each with a factor if wanted"
        " (LeftFoot=2, RightFoot)",
        shown=RARE,
        pick=JOINTS,
    )
    align_height: bool = option(
        False, "Let points be compared at any height", shown=RARE, only_for=("metric", ("points",))
    )
    power: int = option(
        2,
        "Whether angles count as they are (1) or squared (2)",
        minimum=1,
        maximum=2,
        shown=RARE,
        only_for=("metric", ("angles",)),
    )
    slope: int = option(
        0,
        "At most how many frames in a row one clip may wait for the other; 0 is 3, raised to 6 where needed,"
        " -1 is no limit",
        minimum=-1,
        maximum=MOST_SLOPE,
        usual=(-1, 8),
        zero="as needed",
    )
    band: float = option(
        0.0,
        "How far from even time the clips may be matched, as a share of the re-timed one; 0 is any far",
        minimum=0.0,
        maximum=1.0,
        shown=RARE,
        zero="any far",
    )
    ends: str = option(
        "auto",
        "Whether first and last frames are forced together, the best matching stretch is taken, or both are cycles",
        choices=(
            Choice("auto", "", "As suits the actions: cycles round the circle, others whole where they match"),
            Choice("pinned", "", "First frame to first, last to last: for clips that were cut to correspond"),
            Choice("open", "", "Only the stretch that matches best: for long takes of which a part corresponds"),
            Choice("cyclic", "", "All are cycles, which may begin at different steps"),
        ),
        shown=MODE,
    )
    open_end_penalty: float = option(
        2.5,
        "With open ends: larger keeps more of the clips, smaller matches better",
        minimum=1.0,
        maximum=10.0,
        only_for=("ends", ("auto", "open")),
        label="End Penalty",  # what the sidebar has room for
        aliases=("keep",),
    )
    smoothing: str = option(
        "spline",
        "How the registration curve is smoothed",
        choices=(
            Choice("spline", "", "A smooth curve: steps are slowed and hurried gently"),
            Choice("average", "", "Averaged over the time that Radius says"),
            Choice("none", "", "As it was found: time may stutter"),
        ),
    )
    radius: float = option(
        0.042,
        "Time on each side that the smoothing average takes in",
        minimum=0.0,
        maximum=1.0,
        unit=" s",
        usual=(0.0, 0.25),
        shown=RARE,
        only_for=("smoothing", ("average",)),
    )
    reference: str = option(
        "1",
        "The clip whose time, body and place the result takes: its number, medoid or longest",
        shown=HIDDEN,  # a mark in the list of sources
    )
    trim: bool = option(True, "Leave out calibration poses and jumps in the first and last 0.1 s", shown=RARE)

    def reference_index(self, count: int) -> int | None:
        """Return the index of the reference among so many clips, None where the clips decide it (medoid, longest).

        Raises OptionError for a text that names none of them.
        """
        if self.reference in ("medoid", "longest"):
            return None
        if not re.fullmatch(r"[0-9]{1,9}", self.reference) or not 1 <= int(self.reference) <= count:
            raise OptionError(
                f"reference is {self.reference!r}, but must be medoid, longest or a clip from 1 to {count}"
            )
        return int(self.reference) - 1
