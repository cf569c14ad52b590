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

    strength: float = option(1.0, "How far: 0 is not at all, 1 all the way", minimum=0.0, maximum=1.0)
    change: str = option(
        "height",
        "What of a jump changes",
        choices=(
            Choice("height"),
            Choice("duration"),
        ),
    )
    level_spin: bool = option(False, "Let the body turn evenly in flight")
    balance: bool = option(False, "Shift standing bodies back over their feet")

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
        turns = [f"spin of frame {each['first']:.0f}: turned by {each['turned']:.1f}°" for each in own["spins"]]
        moves = [f"stance of frame {each['first']:.0f}: moved by {each['moved_cm']:.1f} cm" for each in own["stances"]]
        return [*found, *(f"  {line}" for line in (*turns, *moves))]
