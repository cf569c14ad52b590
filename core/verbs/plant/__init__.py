"""Plant feet during their contacts (methods: Planted feet)."""

from collections.abc import Sequence

from ...options import declaration, option
from ...recipes.base import Recipe
from ...recipes.planting import SpanOptions


@declaration
class Plant(Recipe, SpanOptions):
    """Let feet that slide stay where they stand: pelvis and legs follow, all else stays as it was."""

    verb = "plant"
    label = "Plant Feet"
    tooltip = "Make an action whose standing feet stay in place; pelvis and legs follow"
    least = most = 1
    of_action = True
    summary = "let feet that slide stay where they stand"

    lift_feet: bool = option(False, "Also take feet out of the ground; stairs and slopes stay")

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} planted"
