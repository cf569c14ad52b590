"""Drive a character with its own actions: motion matching to a control signal over time.

Method: Drive.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import HIDDEN, RARE, declaration, option
from ...recipes.base import Recipe, check_count, graph_name
from ...recipes.drive import DriveOptions
from ...recipes.planting import PlantOptions


@declaration
class Drive(Recipe, PlantOptions, DriveOptions):
    """Drive a character through wishes over time, with its own actions."""

    verb = "drive"
    label = "Drive Again"
    tooltip = "Steer the character, or drive the wishes of the last drive again, with the ticked actions"
    mode = "Drive"
    intent = "Path"
    others = "more clips to drive with, such as those of a set"
    summary = "drive a character through wishes over time, with its own clips"
    takes_partners = True

    moves_well: float = option(
        0.2, "Smaller answers at once, larger moves better", bounds=(0.0, 1.0), usual=(0.0, 1.0), label="Smoothness"
    )
    upper_body_only: bool = option(
        False,
        "Drive the upper body over an action whose legs and way stay: in Blender the one that plays, else the first"
        " clip",
    )
    along_line: bool = option(
        False,
        "Keep to the line that was driven as Follow does, planned ahead: nearer, but at no times, and without stands",
        label="Settle Along the Line",
        only_for=("upper_body_only", (False,)),
    )
    wishes: tuple[tuple[float, ...], ...] = option(
        (),
        "What is wished: rows of time (s), velocity along x and y (m/s) and, in degrees, where to face (from 1000 on:"
        " along the way); each holds until the next, and the last one says when it ends",
        bounds=(-1e6, 1e6),
        table=True,
        from_file=True,
        shown=HIDDEN,  # written by a recorded drive
    )
    places: tuple[tuple[float, ...], ...] = option(
        (),
        "Instead of wishes, where to be when: rows of x, y (m) and time (s)",
        bounds=(-1e6, 1e6),
        table=True,
        from_file=True,
        shown=HIDDEN,
    )
    start: tuple[tuple[float, ...], ...] = option(
        (),
        "Where it begins: one row of x, y (m) and the direction that it faces (degrees); without one at the origin,"
        " facing +y",
        bounds=(-1e6, 1e6),
        table=True,
        shown=HIDDEN,
    )

    ground: tuple[tuple[float, ...], ...] = option(
        (),
        "What it walks on: triangles, rows of x, y and height of three corners (m over the floor of the clips), or an"
        " OBJ file, Y up; where none is, and where a step is over a quarter of its height, that floor",
        bounds=(-1e6, 1e6),
        table=True,
        from_file=True,
        shown=HIDDEN,
    )

    crowd: tuple[tuple[float, ...], ...] = option(
        (),
        "Where others begin that go the same way and keep clear of it: rows of x, y (m) and direction (degrees)",
        bounds=(-1e6, 1e6),
        table=True,
        shown=HIDDEN,
    )
    which: int = option(
        0,
        "Which body of the crowd the result is, by its row; without a crowd, whose variety it has",
        bounds=(0, 50),
        zero="the first one",
        shown=HIDDEN,
    )
    variety: float = option(
        1.0,
        "How far others of a crowd with the same actions move as other people do: with the same steps, a little later",
        bounds=(0.0, 3.0),
        usual=(0.0, 2.0),
        shown=RARE,
        needs=("which",),
    )

    @classmethod
    def check_count(cls, count: int) -> None:
        """Raise ClipError without a clip; the work counts the clips of the library, too."""
        check_count(cls.label, count, 1, None)

    def result_name(self, names: Sequence[str]) -> str:
        if self.upper_body_only and len(names) > 1:
            return f"{graph_name(names[1:])} driven on {names[0]}"
        return f"{graph_name(names)} driven"

    def prepared_of(self, clips: Sequence[Any]) -> list[Any]:
        """Return the clips to search: all, or all but the first if that one only provides the legs."""
        return list(clips[1:] if self.upper_body_only else clips)

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["drive"]
        lines = [
            f"  {own['length']:.1f} m, {own['jumps']} jumps, {100.0 * own['rms']:.1f} cm off the wish (RMS),"
            f" {own['facing_95']:.1f}° in facing (95 %)"
        ]
        if "variety" in own:
            lines.append(
                f"  its poses are {100.0 * own['variety']:.1f} cm from those of the first body (mean of points)"
            )
        if "along" in own:
            lines.append(
                f"  settled along {own['along']['length']:.1f} m: {100.0 * own['along']['rms']:.1f} cm off (RMS)"
            )
        if "ground" in own:
            on = own["ground"]
            off = f"feet {100.0 * on['off']:.1f} cm off it, at most {100.0 * on['off_most']:.1f}"
            off = off if on["stances"] else "no foot is known to stand on it"
            lines.append(f"  ground from {on['lowest']:.2f} to {on['highest']:.2f} m, {off}")
        return lines
