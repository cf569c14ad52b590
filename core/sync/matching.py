"""How clips are matched: the options of everything that synchronises. Standard library only, like `recipes`."""

from dataclasses import dataclass

from ..options import Declared, option


@dataclass(frozen=True, kw_only=True)
class Matching(Declared):
    """Which frames of clips may correspond, and what makes them alike (methods 2 and 3)."""

    metric: str = option(
        "auto",
        "How poses are compared: by joint positions, by how the body moves, or by joint rotations",
        choices=("auto", "points", "motion", "angles", "chordal"),
    )
    window: float = option(
        0.042, "Time on each side of a frame that is compared with it", minimum=0.0, maximum=1.0, unit=" s"
    )
    joints: str = option(
        "all",
        "Which joints are compared: all, lower, upper, or names apart by commas, each with a factor if wanted"
        " (LeftFoot=2, RightFoot)",
    )
    align_height: bool = option(False, "Let points be compared at any height (metric points)")
    power: int = option(
        2, "Whether angles count as they are (1) or squared (2) (metric angles)", minimum=1, maximum=2
    )
    slope: int = option(
        0,
        "At most how many frames in a row one clip may wait for the other; 0 is 3, raised to 6 where needed,"
        " -1 is no limit",
        minimum=-1,
        maximum=32,
    )
    band: float = option(
        0.0,
        "How far from even time the clips may be matched, as a share of the re-timed one; 0 is any far",
        minimum=0.0,
        maximum=1.0,
    )
    ends: str = option(
        "auto",
        "Whether first and last frames are forced together, the best matching stretch is taken, or both are cycles",
        choices=("auto", "pinned", "open", "cyclic"),
    )
    keep: float = option(
        2.5, "With open ends: larger keeps more of the clips, smaller matches better", minimum=1.0, maximum=10.0
    )
    smoothing: str = option(
        "spline", "How the registration curve is smoothed", choices=("spline", "average", "none")
    )
    radius: float = option(
        0.042, "Time on each side that the smoothing average takes in", minimum=0.0, maximum=1.0, unit=" s"
    )
    reference: str = option("1", "The clip whose time, body and place the result takes: its number, medoid or longest")
    trim: bool = option(True, "Leave out calibration poses and jumps in the first and last 0.1 s")
