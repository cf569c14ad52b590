"""Learn a style from clips: how people differ in the same action.

Method: Style.
"""

from collections.abc import Sequence

from ...options import declaration
from ...recipes.base import Recipe, graph_name
from ...recipes.style import StyleOptions


@declaration
class FitStyle(Recipe, StyleOptions):
    """Learn how people differ in an action that they all do."""

    verb = "style"
    label = "Learn Style"
    tooltip = "Learn how the ticked actions differ, and show it; nothing is changed"
    least = 2
    summary = "learn from clips of one action how they differ"

    def result_name(self, names: Sequence[str]) -> str:
        return graph_name(names)
