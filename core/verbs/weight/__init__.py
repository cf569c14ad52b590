"""Let a clip's flights fall as real ones do (methods: Weight)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import Choice, declaration, option
from ...recipes.base import Recipe


@declaration
class Weight(Recipe):
    """Let jumps and runs fall as real ones do: by their height or by their duration."""

    verb = "weight"
    label = "Weight"
    tooltip = "Make jumps fall as real ones; take-offs and landings stay in place"
    least = most = 1
    of_action = True
    summary = "let jumps and runs fall as real ones do"

    strength: float = option(1.0, "How far flights change: 0 not at all, 1 to a real fall", minimum=0.0, maximum=1.0)
    change: str = option(
        "height",
        "What of a jump changes",
        choices=(
            Choice("height"),
            Choice("duration"),
        ),
    )

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} weighted"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["weight"]
        off = sum(one["verdict"] == "off" for one in own["flights"])
        found = [f"  {len(own['flights'])} flights, {off} of them off"]
        for one in own["repairs"]:
            if not one["left"]:
                how = f"{one['raised_cm']:+.0f} cm" if one["raised_cm"] else f"{one['seconds']:.2f} s"
                before, after = one["fall"]
                fall = f"{before:.1f} m/s² → {'no flight' if after is None else f'{after:.1f} m/s²'}"
                found.append(f"  from frame {one['first']:.0f} to {one['last']:.0f}: {fall}, {how}")
        return found
