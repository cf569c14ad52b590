"""Change the style of a clip by sliders learned from examples.

Method: Style.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from ...options import RARE, Choice, constant, declaration, option
from ...recipes.base import Recipe
from ...recipes.planting import PlantOptions
from ...recipes.style import FACTORS, NAMED, SLIDERS, StyleOptions, renamed_in

_OF_COMPONENTS = (*(f"factor_{number + 1}" for number in range(FACTORS)), "individuality", "variation")


def _slider(sentence: str, label: str = "") -> float:
    amount: float = option(0.0, sentence, bounds=(-6.0, 6.0), usual=(-3.0, 3.0), label=label)
    return amount


def _factor() -> float:
    factor: float = option(
        1.0,
        "Amount of this component, the first of which is the largest; -3 is reversed",
        bounds=(-10.0, 10.0),
        usual=(-3.0, 3.0),
        shown=RARE,
    )
    return factor


@declaration
class Restyle(Recipe, PlantOptions, StyleOptions):
    """Give a clip more or less of what the examples differ in; 1 is their standard deviation."""

    verb = "restyle"
    takes_partners = True
    label = "Restyle"
    tooltip = "Change the manner of the reference: longer strides, more swing, somebody else's lean"
    mode = "Style"
    intent = "Vary"
    least = 1
    reference_first = True
    summary = "change how a clip is done, by sliders learnt from others (of the same action)"

    stride: float = _slider("Longer strides; 1 is one usual difference between the examples")
    cadence: float = _slider("More steps a minute")
    speed: float = _slider("Faster, with fitting stride and cadence")
    bounce: float = _slider("Hips go up and down more")
    swing: float = _slider("Arms swing more", "Arm Swing")
    lean: float = _slider("Lean forward more")
    elbows: float = _slider("Bend the elbows more")
    width: float = _slider("Feet farther apart", "Step Width")
    lift: float = _slider("Lift the feet more", "Foot Lift")
    goes_along: str = option(
        "natural",
        "What changes along with a slider",
        choices=(
            Choice("natural", "", "What changes with it in the examples: longer strides swing the arms"),
            Choice("only", "Only This", "Nothing else that has a slider"),
        ),
        needs=SLIDERS,
    )
    exact: bool = constant(True)
    toward: str = option(
        "", "Towards tired, happy, old, proud or sneaky, a person, or a label: anna, mood=sad", shown=RARE
    )
    toward_amount: float = option(
        1.0,
        "How far: 0 is not at all, 1 all the way",
        bounds=(-3.0, 3.0),
        usual=(-1.0, 2.0),
        shown=RARE,
        needs=("toward",),
    )
    components: str = option(
        "apart",
        "Which components are used",
        choices=(
            Choice("apart", "", "Posture and movement, each by itself"),
            Choice("together", "", "Both at once"),
            Choice("source", "About Rest", "About the rest pose; the first is the mean motion"),
        ),
        shown=RARE,
        needs=_OF_COMPONENTS,
    )
    factor_1: float = _factor()
    factor_2: float = _factor()
    factor_3: float = _factor()
    factor_4: float = _factor()
    factor_5: float = _factor()
    factor_6: float = _factor()
    own_speed: float = option(1.0, "Amount of its own speed", bounds=(-3.0, 5.0), usual=(-1.0, 3.0), shown=RARE)
    individuality: float = option(
        1.0,
        "Amount of what no component explains",
        bounds=(-3.0, 5.0),
        usual=(0.0, 2.0),
        shown=RARE,
    )
    variation: int = option(0, "Number of a random variation; 0 is none", minimum=0, zero="none")
    variation_amount: float = constant(1.0)

    @property
    def factors(self) -> tuple[float, ...]:
        """Factors of the largest components, in order."""
        return self.factor_1, self.factor_2, self.factor_3, self.factor_4, self.factor_5, self.factor_6

    def with_names(self, names: Mapping[str, str]) -> Self:
        """Return the recipe with clip names replaced, including those in its table of labels."""
        return replace(self, labels=renamed_in(self.labels, names))

    @classmethod
    def label_of(cls, count: int) -> str:
        return f"Restyle {count} Actions"

    def result_name(self, names: Sequence[str]) -> str:
        if self.toward.strip() in NAMED:
            return f"{names[0]} {self.toward.strip()}"
        return f"{names[0]} variation {self.variation}" if self.variation else f"{names[0]} restyled"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        from ...style.measures import UNITS

        own = report["style"]
        return [
            f"  {name}: asked {each['asked']:+.2f}, from {each['before']:+.2f} to {each['after']:+.2f}"
            f" ({each['measure_before']:.3g} to {each['measure_after']:.3g} {UNITS[name]})"
            for name, each in own["sliders"].items()
        ]
