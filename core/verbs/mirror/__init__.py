"""Mirror a clip: left and right change places (methods: Mirror, placement, root motion)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import declaration, option
from ...recipes.base import Recipe


@declaration
class Mirror(Recipe):
    """Exchange left and right of a clip."""

    verb = "mirror"
    takes_partners = True
    label = "Mirror"
    tooltip = "Make an action with left and right exchanged"
    least = most = 1
    of_action = True
    summary = "let left and right of a clip change places"

    keep_start: bool = option(
        True,
        "Begin and face as the action does; off reflects it in the middle of the rest pose",
    )
    half_cycle: bool = option(
        False,
        "For a loop: begin half a cycle later, so that the same foot steps first",
    )

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} mirrored"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["mirror"]
        alone = f", {len(own['alone'])} joints reflected in themselves" if own["alone"] else ""
        return [f"  {own['pairs']} pairs of joints have changed places{alone}"]
