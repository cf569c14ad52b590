"""Looping: one cycle that repeats, out of a clip that repeats itself (methods 6)."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..options import RARE, option
from .base import Recipe


@dataclass(frozen=True, kw_only=True)
class Loop(Recipe):
    """Make one cycle that repeats without a seam out of a clip that repeats itself."""

    verb = "loop"
    label = "Loop"
    tooltip = "Make one cycle that repeats without a seam out of the ticked action"
    mode = "Loop"
    mode_tooltip = "One cycle that repeats, of a single action"
    least = most = 1
    summary = "make one cycle without a seam out of a clip that repeats itself"

    finder: str = option(
        "cycle",
        "How the cycle is found: each stretch against the one after it, or by autocorrelation",
        choices=("cycle", "autocorrelation"),
        shown=RARE,
    )
    start: int = option(0, "First frame of the cycle, counted from 0, where its length is given", minimum=0, shown=RARE)
    length: int = option(0, "Frames of the cycle; 0 finds it", minimum=0, shown=RARE)
    whole: str = option(
        "auto",
        "Whether the clip is one cycle as it is, from its first frame to its last; auto sees whether its ends meet",
        choices=("auto", "yes", "no"),
    )
    half: bool = option(
        False, "The clip is half a cycle, such as one step: its image in a mirror follows", label="Mirrored Half"
    )
    method: str = option(
        "ease",
        "How the seam is closed; auto tries all and takes what measures best",
        choices=("auto", "ease", "offset", "lagrange", "spline"),
    )
    in_place: bool = option(False, "Stay on the spot instead of going on over the ground")
    straighten: str = option(
        "auto",
        "Whether the cycle goes straight on; auto does if it turns by 8 degrees or less",
        choices=("auto", "yes", "no"),
    )
    phase: float = option(
        0.0, "Where in the cycle the result begins, as a share of it", minimum=0.0, maximum=1.0, shown=RARE
    )
    repeat: int = option(1, "How many cycles the result has", minimum=1, maximum=1000)
    trim: bool = option(True, "Leave out calibration poses and jumps in the first and last 0.1 s", shown=RARE)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} loop"
