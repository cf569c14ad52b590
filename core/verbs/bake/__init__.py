"""Bake a key on every frame: of the bones that controls move, or in Blender of the controls themselves."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import Choice, declaration, option
from ...recipes.base import Recipe


@declaration
class Bake(Recipe):
    """Give a clip a key on every frame; it moves as before."""

    verb = "bake"
    label = "Bake"
    tooltip = "Key every frame: of the bones as they are seen, or of the controls that move them"
    least = most = 1
    of_action = True
    summary = "give a clip a key on every frame"

    onto: str = option(
        "bones",
        "What gets the keys",
        choices=(
            Choice("bones", "Deform Bones", "The bones as they are seen, for engines"),
            Choice("controls", "Controls", "The rig's controls, so that bones go where the action has them"),
        ),
    )
    bones: str = option(
        "deform",
        "Which bones get keys",
        choices=(
            Choice("deform", "Deforming", "Those that deform meshes, and a moving root bone above them"),
            Choice("all", "", "All, with controls and helpers"),
        ),
        only_for=("onto", ("bones",)),
    )

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} baked"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        return [f"  {report['bake']['joints']} joints have a key on each of {report['frames']} frames"]
