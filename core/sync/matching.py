"""How clips are matched: the options of everything that synchronises. Standard library only, like `recipes`."""

from dataclasses import dataclass

from ..options import Declared, option


@dataclass(frozen=True, kw_only=True)
class Matching(Declared):
    """Which frames of clips may correspond, and what makes them alike (methods 2 and 3)."""

    metric: str = option(
        "auto",
        "How poses are compared: by joint positions, or by how the body moves",
        choices=("auto", "points", "motion"),
    )
    window: float = option(
        0.042, "Time on each side of a frame that is compared with it", minimum=0.0, maximum=1.0, unit=" s"
    )
    slope: int = option(
        0,
        "At most how many frames in a row one clip may wait for the other; 0 is 3, raised to 6 where needed",
        minimum=0,
        maximum=32,
    )
    ends: str = option(
        "auto",
        "Whether first and last frames are forced together or the best matching stretch is taken",
        choices=("auto", "pinned", "open"),
    )
    keep: float = option(
        2.5, "With open ends: larger keeps more of the clips, smaller matches better", minimum=1.0, maximum=10.0
    )
    smoothing: str = option("spline", "How the registration curve is smoothed", choices=("spline", "none"))
    reference: str = option("1", "The clip whose time, body and place the result takes: its number, medoid or longest")
    trim: bool = option(True, "Leave out calibration poses and jumps in the first and last 0.1 s")
