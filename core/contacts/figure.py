"""Palms, parts of the body, and the chest in all frames of a clip, for contacts of hands.

Method: Contacts of hands.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..motion import kinematics, quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import parts
from .parts import Part


@dataclass(frozen=True, eq=False)
class Figure:
    """A body in F frames.

    turned (F, J, 4), points (F, P, 3) : rotations and positions in the world, joints, then tips
    palms (F, 3) : by side, of the arms whose joints are known
    parts : by name, such as "trunk" and "thigh.L"
    """

    skeleton: Skeleton
    turned: Array
    points: Array
    palms: Mapping[str, Array]
    parts: Mapping[str, Part]

    def __len__(self) -> int:
        return len(self.points)

    @property
    def chest(self) -> int:
        """The joint in whose frame hands are followed."""
        roles = self.skeleton.roles
        return roles.get("chest", roles.get("spine", roles.get("hips", 0)))

    @cached_property
    def ends(self) -> Mapping[str, Array]:
        """The places (F, 3) of palms, balls of feet and knees, by "L", "foot.L", "knee.L" and those of the right."""
        roles, found = self.skeleton.roles, dict(self.palms)
        for side in self.palms:
            if parts.find_limb(self.skeleton, f"foot.{side}") is not None:
                found[f"foot.{side}"] = self.points[:, roles.get(f"toe.{side}", roles[f"foot.{side}"])]
                found[f"knee.{side}"] = self.points[:, roles[f"shin.{side}"]]
        return found

    def part(self, name: str) -> Part:
        """Return a part of the body, or a joint as a part without size."""
        if name in self.parts:
            return self.parts[name]
        place = self.points[:, self.skeleton.index(name)]
        return Part(place, place, (1.0, 1.0))

    def has_part(self, name: str) -> bool:
        """Return whether a part or a joint is known."""
        return name in self.parts or name in self.skeleton.names

    def joint_of(self, part: str) -> int:
        """Return the joint that turns with a part, or the joint of that name."""
        if part == "trunk":
            return self.chest
        return self.skeleton.roles[part] if part in self.skeleton.roles else self.skeleton.index(part)

    def in_chest(self, places: Array) -> Array:
        """Return places (F, 3) in the frame of the chest."""
        chest = self.chest
        return np.asarray(quat.rotate(quat.inv(self.turned[:, chest]), places - self.points[:, chest]))

    def in_part(self, part: str, places: Array) -> Array:
        """Return places (F, 3) from the low end of a part, in the frame of its joint."""
        away = places - self.part(part).low
        return np.asarray(quat.rotate(quat.inv(self.turned[:, self.joint_of(part)]), away))

    def measure_bend(self, side: str) -> Array:
        """Return the bend (F,) of an elbow, radians."""
        return parts.measure_bend(self.skeleton, self.points, side)

    def measure_slant(self, part: str) -> Array:
        """Return the angle (F,) of a part from the vertical, radians."""
        line = self.parts[part].high - self.parts[part].low
        return np.asarray(np.arctan2(np.linalg.norm(line[:, :2], axis=1), np.abs(line[:, 2])))

    def take_frames(self, frames: NDArray[np.int64]) -> "Figure":
        """Return the body in some frames."""
        taken = {name: Part(part.low[frames], part.high[frames], part.sizes) for name, part in self.parts.items()}
        palms = {side: palm[frames] for side, palm in self.palms.items()}
        return Figure(self.skeleton, self.turned[frames], self.points[frames], palms, taken)


def figure_of(clip: Clip, palms: Mapping[str, Array] | None = None) -> Figure:
    """Return the body of a clip in all its frames; without palms for a body without hands.

    palms (F, 3) : vectors from the wrists to the palms, by side; by default as `parts.palm_offset` finds them

    Example:
        >>> from action_loom.core.contacts import figure
        >>> from action_loom.core.demo_character import actions
        >>> found = figure.figure_of(actions.walk(cycles=1))
        >>> sorted(found.palms), sorted(found.parts)[-3:]
        (['L', 'R'], ['trunk', 'upper_arm.L', 'upper_arm.R'])
    """
    skeleton = clip.skeleton
    turned, points = kinematics.get_cached_pose(clip)
    two_legged = not skeleton.has_many_legs
    sides = [side for side in "LR" if two_legged and parts.find_limb(skeleton, side) is not None]
    if palms is None:
        palms = {side: parts.palm_offset(clip, side, turned) for side in sides}
    places = {side: points[:, skeleton.roles[f"hand.{side}"]] + palms[side] for side in sides}
    return Figure(skeleton, turned, points, places, parts.find_parts(skeleton, points, places))
