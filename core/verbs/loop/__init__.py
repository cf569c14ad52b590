"""Loop: one cycle without a seam out of a clip that repeats itself (methods: Loops)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import FRAME, RARE, Choice, declaration, option
from ...recipes.base import Recipe
from ...recipes.planting import PlantOptions


@declaration
class Loop(Recipe, PlantOptions):
    """Make one cycle that repeats without a seam out of a clip that repeats itself."""

    verb = "loop"
    label = "Loop"
    tooltip = (
        "Make one cycle that repeats without a seam out of each ticked action; with several, one is looked for in each,"
        " and a cycle that was chosen is used for its own action alone"
    )
    mode = "Loop"
    mode_tooltip = "One cycle that repeats, of each ticked action"
    intent = "Loop"
    least = most = 1
    summary = "make one cycle without a seam out of a clip that repeats itself"

    finder: str = option(
        "cycle",
        "How the cycle is found: each stretch against the one after it, or by autocorrelation",
        choices=(
            Choice("cycle", "", "Each stretch is held against the one after it: finds gaits, and gestures that repeat"),
            Choice("autocorrelation", "", "By how regularly joints swing: for even motion, such as a steady walk"),
        ),
        shown=RARE,
    )
    start: int = option(
        0, "First frame of the cycle, counted from 0, where its length is given", minimum=0, pick=FRAME, shown=RARE
    )
    length: int = option(0, "Frames of the cycle; 0 finds it", minimum=0, zero="is found", shown=RARE)
    whole: str = option(
        "auto",
        "Whether the clip is one cycle as it is, from its first frame to its last; auto sees whether its ends meet",
        choices=(
            Choice("auto", "", "Take the whole clip if its ends meet, else look for a cycle in it"),
            Choice("yes", "", "Take the whole clip, whatever its ends are like: for game cycles"),
            Choice("no", "", "Look for a cycle in it: for captured takes"),
        ),
        label="Whole Clip",
    )
    half: bool = option(
        False, "The clip is half a cycle, such as one step: its image in a mirror follows", label="Mirrored Half"
    )
    method: str = option(
        "ease",
        "How the seam is closed; auto tries all and takes what measures best",
        choices=(
            Choice("auto", "", "Try all and take what measures best; takes longer"),
            Choice("ease", "", "The end fades into what comes before the start: good for most"),
            Choice(
                "offset",
                "",
                "What is left between the ends is spread over the cycle: where nothing lies before or after it",
            ),
            Choice(
                "lagrange", "Polynomial", "The seam is drawn anew through points on both sides: very smooth, may float"
            ),
            Choice("spline", "", "The seam is drawn anew, gentler than the polynomial: very smooth, may float"),
        ),
    )
    in_place: bool = option(False, "Stay on the spot instead of going on over the ground")
    straighten: str = option(
        "auto",
        "Whether the cycle goes straight on; auto does if it turns by 8 degrees or less",
        choices=(
            Choice("auto", "", "Let it go straight on if it hardly turns"),
            Choice("yes", "", "Let it go straight on, however it turned"),
            Choice("no", "", "Let it turn as it did: a circle of many cycles"),
        ),
    )
    phase: float = option(
        0.0, "Where in the cycle the result begins, as a share of it", minimum=0.0, maximum=1.0, shown=RARE
    )
    repeat: int = option(1, "How many cycles the result has", minimum=1, maximum=1000, usual=(1, 20))
    trim: bool = option(True, "Leave out calibration poses and jumps in the first and last 0.1 s", shown=RARE)

    @classmethod
    def label_of(cls, count: int) -> str:
        return f"Loop {count} Actions"

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} loop"

    def without_effect(self, report: Mapping[str, Any]) -> list[str]:
        """Return a sentence on each option that was given and had no effect, from a result's report."""
        whole = report["loop"]["closing"] is not None
        unused = {
            "start": "it is for a length that is given" if self.start and not self.length else "",
            "method": "the clip is one cycle as it is" if whole and self.method != "ease" else "",
            "finder": "no cycle was looked for" if (whole or self.length) and self.finder != "cycle" else "",
        }
        return [
            *super().without_effect(report),
            *(f"{name} had no effect: {why}" for name, why in unused.items() if why),
        ]

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["loop"]
        score = "set by hand" if own["score"] is None else f"score {own['score']:.2f}"
        turn = (
            "straight on" if own["straightened"] or not own["turn_degrees"] else f"{own['turn_degrees']:.1f}° a cycle"
        )
        seconds = own["length"] / report["rate"]
        return [
            f"  cycle from frame {own['start']} over {own['length']} frames ({seconds:.2f} s), {score}",
            f"  seam closed by {own['method']}, {own['travel_m']:.2f} m a cycle, {turn}",
        ]
