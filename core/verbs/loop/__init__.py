"""Loop: one seamless cycle from a clip that repeats itself (methods: Loops)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import FRAME, RARE, Choice, declaration, option
from ...recipes.base import Recipe
from ...recipes.planting import PlantOptions


@declaration
class Loop(Recipe, PlantOptions):
    """Make one cycle that repeats without a seam out of a clip that repeats itself."""

    verb = "loop"
    takes_partners = True
    label = "Loop"
    tooltip = "Make a seamless loop of each ticked action"
    mode = "Loop"
    intent = "Loop"
    least = most = 1
    summary = "make one cycle without a seam out of a clip that repeats itself"

    finder: str = option(
        "cycle",
        "How the cycle is found",
        choices=(
            Choice("cycle", "", "Compares each part with the next: for gaits and repeated gestures"),
            Choice("autocorrelation", "", "By how regularly joints swing: for even motion"),
        ),
        shown=RARE,
    )
    start: int = option(
        0, "First frame of the cycle, from 0, if its length is given", minimum=0, pick=FRAME, shown=RARE
    )
    length: int = option(0, "Frames of the cycle; 0 finds it", minimum=0, zero="is found", shown=RARE)
    whole: str = option(
        "auto",
        "Whether the whole clip is one cycle",
        choices=(
            Choice("auto", "", "If its ends meet; else a cycle is searched"),
            Choice("yes", "", "In any case, for game cycles"),
            Choice("no", "", "Search for a cycle, for captured takes"),
        ),
        label="Whole Clip",
    )
    half: bool = option(
        False, "The clip is half a cycle, such as one step; its mirror image follows", label="Mirrored Half"
    )
    method: str = option(
        "ease",
        "How the seam is smoothed",
        choices=(
            Choice("auto", "", "Try all and take the best; slower"),
            Choice("ease", "", "The end fades into what comes before the start: good for most"),
            Choice(
                "offset",
                "",
                "The gap is spread over the cycle: if nothing lies before or after it",
            ),
            Choice("lagrange", "Polynomial", "Drawn anew across the seam: very smooth, may float"),
            Choice("spline", "", "Like Polynomial, but gentler"),
        ),
    )
    in_place: bool = option(False, "Stay on the spot")
    straighten: str = option(
        "auto",
        "Whether the cycle goes straight on",
        choices=(
            Choice("auto", "", "If it turns by 8 degrees or less"),
            Choice("yes", "", "However much it turned"),
            Choice("no", "", "Let it turn as it did"),
        ),
    )
    phase: float = option(0.0, "Where in the cycle the result begins, 0 to 1", bounds=(0.0, 1.0), shown=RARE)
    repeat: int = option(1, "How many cycles the result has", bounds=(1, 1000), usual=(1, 20))
    trim: bool = option(True, "Remove calibration poses, and jumps in the first and last 0.1 s", shown=RARE)

    @classmethod
    def label_of(cls, count: int) -> str:
        return f"Loop {count} Actions"

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} loop"

    def without_effect(self, report: Mapping[str, Any]) -> list[str]:
        """Return a sentence for each option without effect, from a result's report."""
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
