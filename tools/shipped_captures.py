"""The limbs of a captured clip as Blender's own importer shows them: the judge of imports onto shipped characters."""

from pathlib import Path
from typing import Any

import numpy as np

# The joints at both ends of each limb, by the names of both kinds of files.
JOINTS = {
    "thigh": (("UpLeg", "Leg"), ("Thigh", "Shin")),
    "shin": (("Leg", "Foot"), ("Shin", "Foot")),
    "upper_arm": (("Arm", "ForeArm"), ("Shldr", "ForeArm")),
    "forearm": (("ForeArm", "Hand"), ("ForeArm", "Hand")),
}
SIDES = {"L": ("Left", "l"), "R": ("Right", "r")}
BENT = 0.2  # sine of the bend from which a knee has an axis
OFF, BACKWARDS = 5.0, 8.0  # degrees: of a limb in 95 % of the frames, and of a knee over the source's
STEP = 8  # frames between compared frames
Limbs = dict[str, Any]


class Capture:
    """Unit directions (F, 3) of the limbs of a BVH file in each of its frames, by role."""

    def __init__(self, path: Path) -> None:
        import bpy

        before = set(bpy.data.actions)
        bpy.ops.import_anim.bvh(filepath=str(path), frame_start=1, rotate_mode="NATIVE")
        rig = bpy.context.object
        (action,) = set(bpy.data.actions) - before
        places: list[dict[str, Any]] = []
        for frame in range(1, int(action.frame_range[1]) + 1):
            bpy.context.scene.frame_set(frame)
            places.append({bone.name: np.array(rig.matrix_world @ bone.head) for bone in rig.pose.bones})
        self.limbs: Limbs = {}
        for role, kinds in JOINTS.items():
            for side, names in SIDES.items():
                pairs = [(f"{names[k]}{high}", f"{names[k]}{low}") for k, (high, low) in enumerate(kinds)]
                high, low = next(pair for pair in pairs if set(pair) <= places[0].keys())
                self.limbs[f"{role}.{side}"] = _unit(np.array([at[low] - at[high] for at in places]))
        bpy.data.objects.remove(rig)
        bpy.data.actions.remove(action)

    def faults(self, limbs: Limbs, said: str, most: float = OFF) -> list[str]:
        """Return the faults of limbs (F, 3) on a character that no message names.

        most : degrees by which a limb may be off, more for legs that were planted
        The character may face another way, and lack frames at both ends.
        """
        known = [role for role in limbs if role in self.limbs]
        if not known or "°" in said or "the result is as far off" in said:
            return []
        count, every = len(limbs[known[0]]), len(self.limbs[known[0]])
        last = (count - 1) * STEP + 1
        cuts = [slice(first, first + last, STEP) for first in range(max(1, every - last + 1))]
        turned, cut = min((self._turn(limbs, known, cut) for cut in cuts), key=lambda one: one[2])[:2]
        found = []
        for role in known:
            off = float(np.percentile(_apart(turned[role], self.limbs[role][cut]), 95.0))
            if off > most:
                found.append(f"{role} is {off:.0f}° from the captured one in 5 % of the frames")
        for side in "LR":
            if {f"thigh.{side}", f"shin.{side}"} <= set(known):
                bend = _bent_backwards(turned, {role: way[cut] for role, way in self.limbs.items()}, side)
                if bend > BACKWARDS:
                    found.append(f"the knee {side} bends backwards by {bend:.0f}°")
        return found

    def _turn(self, limbs: Limbs, known: list[str], cut: slice) -> tuple[Limbs, slice, float]:
        """Return the limbs turned about the vertical onto the captured ones, these frames, and the mean angle."""
        ways = [(limbs[role][: len(self.limbs[role][cut])], self.limbs[role][cut]) for role in known]
        ground = [np.concatenate([way[:, 0] + 1j * way[:, 1] for way in each]) for each in zip(*ways, strict=True)]
        turn = np.vdot(ground[0], ground[1])
        c, s = np.cos(np.angle(turn)), np.sin(np.angle(turn))
        matrix = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        turned = {role: way @ matrix for role, way in limbs.items()}
        apart = [_apart(turned[role], self.limbs[role][cut]).mean() for role in known]
        return turned, cut, float(np.mean(apart))


def frames_of(action: Any) -> Any:
    """Return the compared frames of an imported action."""
    return np.arange(action.frame_range[0], action.frame_range[1] + 0.5, STEP)


def _unit(ways: Any) -> Any:
    return ways / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-12)


def _apart(one: Any, other: Any) -> Any:
    count = min(len(one), len(other))
    return np.degrees(np.arccos(np.clip((one[:count] * other[:count]).sum(axis=1), -1.0, 1.0)))


def _bent_backwards(limbs: Limbs, captured: Limbs, side: str) -> float:
    """Return the most degrees by which a knee bends against the captured one, of the nearest frame that bends it."""
    axes = [np.cross(one[f"thigh.{side}"], one[f"shin.{side}"]) for one in (limbs, captured)]
    own, other = (axis[: min(map(len, axes))] for axis in axes)
    sizes = np.linalg.norm(other, axis=1)
    bent = np.flatnonzero(sizes > BENT)
    if not len(bent):
        return 0.0
    nearest = bent[np.abs(np.arange(len(own))[:, None] - bent).argmin(axis=1)]
    along = (own * other[nearest]).sum(axis=1) / sizes[nearest]
    return float(np.degrees(np.arcsin(np.clip(-along.min(), 0.0, 1.0))))
