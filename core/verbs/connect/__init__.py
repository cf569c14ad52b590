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
    takes_partners = True
    label = "Connect"
    tooltip = "Play the ticked actions one after the other, in the order of the list"
    mode = "Connect"
    intent = "Chain"
    summary = "play clips one after the other, without a seam"

    method: str = option(
        "ease",
        "How the seam is smoothed",
        choices=(
            Choice("auto", "", "Try all and take the best; slower"),
            Choice("ease", "", "One fades into the other while both play on: good for most"),
            Choice("inertial", "", "The jump dies away after the seam: for short clips and sudden changes"),
            Choice(
                "lagrange",
                "Polynomial",
                "Drawn anew across the seam: very smooth, may float",
            ),
            Choice("spline", "", "Like Polynomial, but gentler"),
            Choice("registered", "In Step", "Blended in step: for gaits of different speeds"),
        ),
    )
    facing: str = option(
        "auto",
        "Where a clip goes on from the one before it",
        choices=(
            Choice("auto", "", "As made if that fits, else matched"),
            Choice("matched", "", "Turned and moved to fit its pose"),
            Choice("as_made", "As Made", "As it was made, moved along with the one before"),
        ),
    )
    length: float = option(
        0.0,
        "How long the smoothing takes; 0 is as suits the method",
        bounds=(0.0, 5.0),
        unit=" s",
        usual=(0.0, 1.5),
        zero="as suits the method",
        shown=RARE,
    )
    candidate: int = option(
        0,
        "Which of the transitions found to use, from 0",
        bounds=(0, 11),
        shown=RARE,
    )
    from_frame: int = option(
        -1,
        "Frame to leave the first clip at, from 0; -1 finds it",
        minimum=-1,
        pick=FRAME,
        zero="is found",
        shown=RARE,
    )
    to_frame: int = option(
        -1,
        "Frame to enter the second clip at, from 0; -1 finds it",
        minimum=-1,
        pick=FRAME,
        zero="is found",
        shown=RARE,
    )
    seams: tuple[tuple[float, ...], ...] = option(
        (),
        "Of several seams: rows of the frame to leave a clip at and the frame to enter the next at; -1 finds it",
        minimum=-1.0,
        table=True,
        shown=RARE,
    )
    by_correlation: bool = option(
        False,
        "Let Polynomial and Spline choose their length, up to Length, by how alike both sides are",
        shown=RARE,
        only_for=("method", ("auto", "lagrange", "spline")),
    )
    anywhere: bool = option(False, "Search all of both clips, not only near end and start")
    trim: bool = option(True, "Remove calibration poses, and jumps in the first and last 0.1 s", shown=RARE)

    def result_name(self, names: Sequence[str]) -> str:
        return " > ".join(names)

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["connect"]
        lines = []
        for seam in own.get("joints", [own]):
            lines.append(
                f"  left at frame {seam['from_frame']} for frame {seam['to_frame']},"
                f" {100.0 * seam['distance']:.1f} cm apart, mended by {seam['method']}"
            )
            if latest := seam.get("latest"):
                lines.append(
                    f"  a seam from {latest['from_frame']} to {latest['to_frame']}, {100.0 * latest['distance']:.1f} cm"
                    f" apart, leaves out {latest['seconds']:.1f} s less"
                )
        return lines
