"""Choose the carrier of a clip's travel (methods: Mirror, placement, root motion)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import Choice, declaration, option
from ...recipes.base import Recipe

_TAKES = ("onto", ("root", "object"))


@declaration
class Root(Recipe):
    """Move the travel of a clip to its root bone, its hips or its object; the body stays where it is in the world."""

    verb = "root"
    label = "Root Motion"
    tooltip = "Put the travel on the root bone, the hips or the object"
    least = most = 1
    of_action = True
    summary = "put the travel of a clip onto its root bone, or onto its hips"

    onto: str = option(
        "root",
        "Which bone carries the travel",
        choices=(
            Choice("root", "Root Bone", "The topmost bone above the hips; the hips keep the sway"),
            Choice("hips", "", "The hips; all above them stands still"),
            Choice("object", "", "The armature object; in a file, only if it moves there"),
        ),
    )
    smooth: float = option(
        0.3,
        "Smoothing time (Gaussian); 0 is exactly under the hips",
        bounds=(0.0, 5.0),
        unit=" s",
        usual=(0.0, 1.0),
        zero="exactly under the hips",
        only_for=_TAKES,
    )
    turn: bool = option(True, "Let it face as the body does; off, turns stay on the hips", only_for=_TAKES)
    height: bool = option(
        False, "Let it go up and down with the body; off, jumps and stairs stay on the hips", only_for=_TAKES
    )

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} on {self.onto}"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["root"]
        way = "{:.2f} → {:.2f} m".format(*own["travel_m"])
        away = "{:.1f} cm from over it, {:.1f} at most".format(*own["from_hips_cm"])
        found = [f"  {own['joint']} goes {way}, hips {away}"]
        if None not in own["acceleration_m_s2"]:
            found.append("  its sharpest acceleration {:.1f} → {:.1f} m/s²".format(*own["acceleration_m_s2"]))
        return found
