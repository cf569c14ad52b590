"""Ask for a motion by its measures: speed, turn, length of steps.

Method: Asking by measures.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ...errors import OptionError
from ...options import HIDDEN, RARE, declaration, option
from ...recipes.ask import AskOptions
from ...recipes.base import Recipe
from ...recipes.planting import PlantOptions


@declaration
class Ask(Recipe, PlantOptions, AskOptions):
    """Blend strides of several clips so that the result is as fast, and turns as much, as asked."""

    verb = "ask"
    label = "Parametric"
    tooltip = "Make an action with the speed and turn you ask for out of the ticked ones"
    mode = "Parametric"
    intent = "Mix"
    summary = "blend strides of clips so that speed, turn and steps are as asked for"
    least = 1
    reference_first = True
    takes_partners = True
    with_partner: ClassVar = {"basis": "clips"}  # other walks lack one

    speed: float = option(0.0, "How fast it goes", bounds=(0.0, 100.0), unit=" m/s", usual=(0.0, 6.0), zero="any")
    turn: float = option(
        0.0,
        "How fast it turns to the left; 0 goes straight on",
        bounds=(-720.0, 720.0),
        unit="°/s",
        usual=(-90.0, 90.0),
    )
    any_turn: bool = option(False, "Let it turn as it likes", shown=RARE)
    step: float = option(0.0, "How long each step is", bounds=(0.0, 20.0), unit=" m", usual=(0.0, 2.0), zero="any")
    also: str = option(
        "",
        "Other measures to ask for: lift 0.12, bounce 0.05 (leg lengths), lean 8 (degrees)",
        shown=RARE,
    )
    strides: int = option(1, "Number of strides; a single one is a loop", bounds=(1, 1000), usual=(1, 20))
    over_time: tuple[tuple[float, ...], ...] = option(
        (),
        "Speed and turn that change on the way: rows of a time (s), the speed (m/s) and the turn (degrees a second)",
        bounds=(-1e6, 1e6),
        table=True,
        from_file=True,
        shown=HIDDEN,  # a table
    )

    path: tuple[tuple[float, ...], ...] = option(
        (),
        "A path to walk along, which tells the turn: rows of x and y on the ground, metres",
        bounds=(-1e6, 1e6),
        table=True,
        from_file=True,
        shown=HIDDEN,  # a curve object
    )

    def asked(self) -> dict[str, float]:
        """Return the measures of `also` by name; raises OptionError for parts that are not a measure and a number."""
        found = {}
        for part in filter(None, (part.strip() for part in self.also.split(","))):
            name, _, number = part.replace("=", " ").partition(" ")
            try:
                found[name] = float(number)
            except ValueError:
                raise OptionError(f"also has {part!r}, but each part is a measure and a number: lift 0.12") from None
        return found

    def result_name(self, names: Sequence[str]) -> str:
        asked = [f"at {self.speed:.3g}"] if self.speed else []
        asked += [f"turning {self.turn:+.3g}"] if self.turn else []
        asked += [f"stepping {self.step:.3g}"] if self.step else []
        clips = " + ".join(names) if len(names) < 4 else f"{names[0]} + {len(names) - 1} more"
        return f"{clips} {' '.join(asked) or 'as asked'}"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        from ...style.measures import UNITS

        own = report["ask"]
        shares = sorted(zip(own["weights"], report["names"], strict=True), key=lambda pair: -pair[0])
        return [
            *(
                f"  {name}: asked {value:.3g}, got {own['got'][name]:.3g} {UNITS[name]}"
                for name, value in own["asked"].items()
            ),
            "  of " + ", ".join(f"{share:.0%} {name}" for share, name in shares if share > 0.0),
            *([f"  {own['off_path_cm']:.1f} cm off a path of {own['path_m']:.1f} m"] if "path_m" in own else []),
        ]
