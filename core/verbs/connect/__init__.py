"""Connect clips, one after the other (methods: Connecting two clips)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import FRAME, RARE, Choice, declaration, option
from ...recipes.base import Recipe
from ...recipes.planting import PlantOptions
from ...recipes.travel import TravelOptions


@declaration
class Connect(Recipe, PlantOptions, TravelOptions):
    """Play clips one after the other, each entered where it is nearest to the frame at which the last one is left."""

    verb = "connect"
    label = "Connect"
    tooltip = "Make an action that plays the ticked ones one after the other, in the order of the list"
    mode = "Connect"
    mode_tooltip = "One after the other, without a seam"
    intent = "Chain"
    summary = "play clips one after the other, without a seam"

    method: str = option(
        "ease",
        "How the seam is mended; auto tries all and takes what measures best",
        choices=(
            Choice("auto", "", "Try all and take what measures best; takes longer"),
            Choice("ease", "", "One fades into the other while both play on: good for most, and keeps feet still"),
            Choice(
                "inertial", "", "The jump dies away after the seam: for clips too short to overlap, and sudden changes"
            ),
            Choice(
                "lagrange",
                "Polynomial",
                "A short stretch is drawn anew through points on both sides: very smooth, may float",
            ),
            Choice("spline", "", "A short stretch is drawn anew, gentler than the polynomial: very smooth, may float"),
            Choice(
                "registered", "In Step", "Both are blended in step while they overlap: for gaits of different speeds"
            ),
        ),
    )
    facing: str = option(
        "auto",
        "How a clip stands to the one before it",
        choices=(
            Choice("auto", "", "As made where one of them stays on the spot and they fit so, else matched"),
            Choice("matched", "", "Turned and moved to where its pose is nearest"),
            Choice("as_made", "As Made", "As it was made, moved along where the one before has gone"),
        ),
    )
    length: float = option(
        0.0,
        "How long the mending takes; 0 is what suits the method",
        minimum=0.0,
        maximum=5.0,
        unit=" s",
        usual=(0.0, 1.5),
        zero="as suits the method",
        shown=RARE,
    )
    candidate: int = option(
        0,
        "Which of the transitions found is taken, counted from 0",
        minimum=0,
        maximum=11,
        shown=RARE,
    )
    from_frame: int = option(
        -1,
        "Frame at which the first clip is left, counted from 0; -1 finds it",
        minimum=-1,
        pick=FRAME,
        zero="is found",
        shown=RARE,
    )
    to_frame: int = option(
        -1,
        "Frame at which the second clip is entered, counted from 0; -1 finds it",
        minimum=-1,
        pick=FRAME,
        zero="is found",
        shown=RARE,
    )
    by_correlation: bool = option(
        False,
        "Let lagrange and spline choose how much is led through anew by how alike both sides are",
        shown=RARE,
    )
    anywhere: bool = option(False, "Look for the transition in all of both clips, not only near end and start")
    trim: bool = option(True, "Leave out calibration poses and jumps in the first and last 0.1 s", shown=RARE)

    def result_name(self, names: Sequence[str]) -> str:
        return " > ".join(names)

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["connect"]
        return [
            f"  left at frame {seam['from_frame']} for frame {seam['to_frame']},"
            f" {100.0 * seam['distance']:.1f} cm apart, mended by {seam['method']}"
            for seam in own.get("joints", [own])
        ]
