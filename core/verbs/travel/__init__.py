"""Root motion: added to an in-place clip, or removed from a travelling one.

Method: Travel from the feet.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import HIDDEN, RARE, Choice, declaration, option
from ...recipes.base import Recipe


@declaration
class Travel(Recipe):
    """Add root motion to a clip that walks on the spot, measured from its standing feet."""

    verb = "travel"
    label = "Add Root Motion"
    tooltip = "Move an action that walks on the spot as fast as its feet ask for"
    least = most = 1
    of_action = True
    summary = "let a clip that walks on the spot travel as its feet say"

    speed: float = option(
        0.0,
        "Average speed; 0 is measured at the feet",
        bounds=(0.0, 100.0),
        unit=" m/s",
        usual=(0.0, 6.0),
        zero="as its feet say",
    )
    direction: str = option(
        "auto",
        "Which way it goes",
        choices=(
            Choice("auto", "", "As measured, but straight ahead, back or aside if within 20 degrees"),
            Choice("measured"),
            Choice("ahead"),
            Choice("back"),
            Choice("left"),
            Choice("right"),
        ),
    )
    angle: float = option(
        0.0,
        "Angle to the left of that direction",
        bounds=(-180.0, 180.0),
        unit="°",
        shown=RARE,
    )
    turn: float = option(
        0.0,
        "Extra turn to the left, in all or a cycle",
        bounds=(-3600.0, 3600.0),
        unit="°",
        usual=(-360.0, 360.0),
    )
    measure_turn: bool = option(False, "Measure at the feet, too, how much it turns on the spot", shown=RARE)
    way: tuple[tuple[float, ...], ...] = option(
        (),
        "The way that was taken off: for each frame its speeds to the right and ahead, metres a second, and its"
        " turning to the left, degrees a second; or the report that has it",
        bounds=(-1e6, 1e6),
        table=True,
        from_file=True,
        shown=HIDDEN,  # written by a report
    )
    trim: bool = option(True, "Remove calibration poses, and jumps in the first and last 0.1 s", shown=RARE)

    @classmethod
    def label_of(cls, count: int) -> str:
        return f"Add Root Motion to {count} Actions"

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} travelling"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        return _figures(report["travel"])


@declaration
class InPlace(Recipe):
    """Remove the root motion of a clip, so that it walks on the spot; it is stored and can be restored exactly."""

    verb = "in_place"
    label = "Remove Root Motion"
    tooltip = "Let an action walk on the spot; Add Root Motion gives its way back"
    least = most = 1
    of_action = True
    summary = "take the travel off a clip, so that it walks on the spot"

    trim: bool = option(True, "Remove calibration poses, and jumps in the first and last 0.1 s", shown=RARE)

    @classmethod
    def label_of(cls, count: int) -> str:
        return f"Remove Root Motion of {count} Actions"

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} in place"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        return _figures(report["in_place"])


def _figures(part: Mapping[str, Any]) -> list[str]:
    a_cycle = " a cycle" if part["cyclic"] else ""
    turn = f", turning {part['turn_degrees']:.0f}°{a_cycle}" if round(part["turn_degrees"]) else ""
    way = f"{part['speed_m_s']:.2f} m/s {part['direction']}, {part['direction_degrees'] + 0.0:.0f}° to the left{turn}"
    feet = part["feet"]
    if feet is None:
        return [f"  {way}; feet unknown"]
    each = ", ".join(f"{name} {speed:.2f}" for name, speed in feet["each_m_s"].items())
    found = [f"  {way}"] if part["direction"] else []
    found += [f"  feet say {each} m/s, one stands {feet['standing']:.0%} of the time"]
    if None not in feet["slide_cm_s"]:
        found.append("  standing feet go {:.1f} → {:.1f} cm/s".format(*feet["slide_cm_s"]))
    return found
