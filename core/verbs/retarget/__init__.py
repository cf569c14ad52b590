"""Retarget a clip to the body of another (methods: Body roles and retargeting)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import RARE, declaration, option
from ...recipes.base import Recipe
from ...recipes.planting import PlantOptions, hands_option

_POSES = (
    "Rest pose for retargeting: auto, rest, or a frame from 0; auto takes the most upright frame if nobody can stand"
    " in the rest pose"
)

_HOW = {
    "role": "role",
    "spine": "their place in the spine",
    "finger": "finger",
    "name": "name",
    "follows": "the hips",
    "between": "the trunk on both sides of them",
}


@declaration
class Retarget(Recipe, PlantOptions):
    """Put a clip on the body of another, whose joints, rest pose and proportions may differ."""

    verb = "retarget"
    label = "Retarget"
    tooltip = "Put the other ticked action on the body of the reference"
    least = most = 2
    reference_first = True
    like = "the clip on whose body it is put; of its motion nothing is used"
    summary = "put clips on the body of another: retarget WALK --like OTHER"

    rest: str = option("auto", _POSES, shown=RARE)
    body_rest: str = option("auto", _POSES, shown=RARE)
    keep_hands: str = hands_option("auto")  # earlier versions kept contacts while they carried
    trim: bool = option(True, "Remove calibration poses, and jumps in the first and last 0.1 s", shown=RARE)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{names[1]} on {names[0]}" if len(names) == 2 else super().result_name(names)

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["retarget"]
        joints, off = own["joints"], own["limbs_off_degrees"]
        matched = ", ".join(f"{len(names)} by {_HOW[how]}" for how, names in joints.items() if names and how in _HOW)
        poses = " and ".join(dict.fromkeys((own["rest"], own["body_rest"])))
        return [
            f"  legs × {own['scale']:.2f}, against {poses}; limbs off {max(off.values(), default=0.0):.2f}° at most",
            f"  joints: {matched}, {len(joints['rest'])} at rest",
        ]
