"""Build a motion graph: clips are connected where their motion is similar.

Method: Motion graph.
"""

from collections.abc import Sequence

from ...options import declaration
from ...recipes.base import Recipe, graph_name
from ...recipes.graph import GraphOptions


@declaration
class BuildGraph(Recipe, GraphOptions):
    """Connect clips where they are alike to a motion graph that has walks of any length."""

    verb = "graph"
    label = "Build Graph"
    tooltip = "Connect the ticked actions where they are alike, and show it; nothing is changed"
    least = 1
    summary = "connect clips where they are alike"

    def result_name(self, names: Sequence[str]) -> str:
        return graph_name(names)
