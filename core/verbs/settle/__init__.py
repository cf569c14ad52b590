"""Pull a clip towards similar motion of its character in other clips (methods: Fill)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import HIDDEN, RARE, declaration, option
from ...recipes.base import Recipe


@declaration
class Settle(Recipe):
    """Pull the first clip towards the motion of the others, where it is alike."""

    verb = "settle"
    label = "Settle"
    tooltip = "Pull the action towards how the character moves in the ticked ones, where they are alike"
    least = 2
    of_action = True
    others = "the clips whose motion it is pulled towards"
    summary = "pull a clip towards how its character moves in others: settle ROUGH --from TAKES"

    strength: float = option(
        0.5,
        "How far it goes: 0 is not at all, 1 all the way, as far as they are alike",
        bounds=(0.0, 1.0),
    )
    kept_frames: tuple[tuple[float, ...], ...] = option(
        (),
        "Frames that stay as they are, from 0",
        bounds=(0.0, 1e9),
        table=True,
        shown=HIDDEN,
    )
    keep_contacts: bool = option(True, "Keep standing feet in place")
    trim: bool = option(True, "Remove calibration poses, and jumps in the first and last 0.1 s", shown=RARE)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{names[0]} settled" if names else "settled"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["settle"]
        return [
            f"  pulled {own['pulled']:.0%} of the way on the mean, {own['frames']:.0%} of frames by more than half of"
            f" the strength; joints moved by {own['moved_cm'][0]:.1f} cm, {own['moved_cm'][1]:.1f} at most"
        ]
