"""Options of every verb that registers clips (methods: Pose distance; Time registration)."""

import re

from ..errors import OptionError
from ..options import HIDDEN, JOINTS, MODE, RARE, Choice, Declared, constant, declaration, option
from .metrics import METRICS

MOST_SLOPE = 32  # the largest slope limit that can be asked for
_METRICS: list[Choice] = []  # a list, because other packages can add metrics


def _list_metrics(_changed: str = "") -> None:
    added = (Choice(row.name, "", row.about) for row in METRICS.values())
    _METRICS[:] = [Choice("auto", description="What suits best"), *added]


_list_metrics()
METRICS.listeners.append(_list_metrics)


@declaration
class Matching(Declared):
    """Which frames of clips may correspond, and how poses are compared."""

    metric: str = option(
        "auto",
        "How poses are compared",
        choices=_METRICS,
    )
    window: float = option(
        0.042,
        "Time on each side of a frame that is compared with it",
        bounds=(0.0, 1.0),
        unit=" s",
        usual=(0.0, 0.25),
    )
    joints: str = option(
        "all",
        "Joints to compare: all, lower, upper, or comma-separated names, also with a factor (LeftFoot=2, RightFoot)",
        shown=RARE,
        pick=JOINTS,
    )
    align_height: bool = option(
        False, "Let points be compared at any height", shown=RARE, only_for=("metric", ("points",))
    )
    point_weights: str = option(
        "bones",
        "How much each point counts",
        choices=(
            Choice("bones", "", "By the length of its bones"),
            Choice("equal", "", "All alike, so fingers count much"),
        ),
        shown=RARE,
        only_for=("metric", ("points",)),
    )
    power: int = constant(2)
    slope: int = option(
        0,
        "Frames in a row that one clip may wait for the other; 0 is 3, or up to 6 where needed, -1 is no limit",
        bounds=(-1, MOST_SLOPE),
        usual=(-1, 8),
        zero="as needed",
    )
    band: float = option(
        0.0,
        "How far from even time clips may be matched, as a share of the re-timed one; 0 is any",
        bounds=(0.0, 1.0),
        shown=RARE,
        zero="any far",
    )
    ends: str = option(
        "auto",
        "How the clips' ends are matched",
        choices=(
            Choice("auto", "", "As suits the clips"),
            Choice("pinned", "", "First to first, last to last, for clips cut to correspond"),
            Choice("open", "", "Only the part that matches best, for long takes"),
            Choice("cyclic", "", "All are cycles, which may begin at different steps"),
        ),
        shown=MODE,
    )
    open_end_penalty: float = option(
        2.5,
        "Larger keeps more of the clips, smaller matches better",
        bounds=(1.0, 10.0),
        only_for=("ends", ("auto", "open")),
        label="End Penalty",  # short enough for the sidebar
        aliases=("keep",),
    )
    smoothing: str = option(
        "spline",
        "How the registration curve is smoothed",
        choices=(
            Choice("spline", "", "A smooth curve"),
            Choice("average", "", "Averaged over Radius"),
            Choice("none", "", "As found: time may stutter"),
        ),
    )
    radius: float = option(
        0.042,
        "Time on each side to average",
        bounds=(0.0, 1.0),
        unit=" s",
        usual=(0.0, 0.25),
        shown=RARE,
        only_for=("smoothing", ("average",)),
    )
    reference: str = option(
        "1",
        "The clip that gives timing, body and place: its number, medoid or longest",
        shown=HIDDEN,  # a mark in the list of sources
    )
    trim: bool = option(True, "Remove calibration poses, and jumps in the first and last 0.1 s", shown=RARE)

    def reference_index(self, count: int) -> int | None:
        """Return the index of the reference among `count` clips, None if the clips decide it (medoid, longest).

        Raises OptionError for an invalid reference.
        """
        if self.reference in ("medoid", "longest"):
            return None
        if not re.fullmatch(r"[0-9]{1,9}", self.reference) or not 1 <= int(self.reference) <= count:
            raise OptionError(
                f"reference is {self.reference!r}, but must be medoid, longest or a clip from 1 to {count}"
            )
        return int(self.reference) - 1
