"""A key on every frame of each bone: of bones that controls move, or of the controls themselves in Blender."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import Choice, declaration, option
from ...recipes.base import Recipe


@declaration
class Bake(Recipe):
    """Give a clip a key on every frame; it moves as before."""

    verb = "bake"
    label = "Bake"
    tooltip = "Make an action that keys on every frame the bones which controls move, or controls that move the bones"
    least = most = 1
    of_action = True
    summary = "give a clip a key on every frame"

    onto: str = option(
        "bones",
        "What gets the keys in Blender; files have bones alone",
        choices=(
            Choice("bones", "Deform Bones", "The bones as they are seen, for engines and exported skeletons"),
            Choice("controls", "Controls", "The controls of a rig, so that its bones go where the action keys them"),
        ),
    )
    bones: str = option(
        "deform",
        "Which bones get keys",
        choices=(
            Choice("deform", "Deforming", "Those that deform meshes, and a root bone above them that moves"),
            Choice("all", "", "All that the armature has, controls and helpers too"),
        ),
        only_for=("onto", ("bones",)),
    )

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} baked"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        return [f"  {report['bake']['joints']} joints have a key on each of {report['frames']} frames"]
