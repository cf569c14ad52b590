"""Re-time a clip to a reference.

Method: Time registration.
"""

from collections.abc import Sequence

from ...options import declaration
from ...recipes.base import Recipe
from ...recipes.matching import Matching


@declaration
class Synchronise(Recipe, Matching):
    """Re-time the second clip so that it moves in step with the first."""

    verb = "sync"
    takes_partners = True
    label = "Re-time to Reference"
    tooltip = "Make a copy of the other ticked action that steps when the reference does"
    summary = "re-time a clip to another: sync A B gives B in time with A"

    def result_name(self, names: Sequence[str]) -> str:
        if len(names) != 2 or self.reference not in ("1", "2"):
            return super().result_name(names)
        reference = int(self.reference) - 1
        return f"{names[1 - reference]} in time with {names[reference]}"
