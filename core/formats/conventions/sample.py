"""Sample poses of a clip: positions and speeds of the joints that reveal a body's conventions.

Positions are in the file's own axes, in body heights.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...motion import kinematics
from ...motion.clip import Clip
from ...motion.quat import Array

FRAMES = 24  # sampled poses, evenly spread over a clip
STEP_SECONDS = 1.0 / 30.0  # between two poses used to compute a speed
LEG_SHARE = 0.49  # length of a leg as a share of the body height (see `Skeleton.height`)
TELLING = ("hips", "chest", "neck", "head")
LIMBS = ("thigh", "shin", "foot", "toe", "upper_arm", "forearm", "hand")


@dataclass(frozen=True, eq=False)
class PoseSample:
    """Poses of a clip for finding its conventions.

    places (F, R, 3) : of the joints with a role, in body heights
    velocities (F, R, 3) : of these joints, body heights a second
    rest (R, 3) : their positions in the rest pose
    column : of each role among the R joints
    size : the body height in the file's unit
    """

    places: Array
    velocities: Array
    rest: Array
    column: Mapping[str, int]
    size: float

    def of(self, role: str) -> Array:
        """Return the positions (F, 3) of the joint of a role."""
        return self.places[:, self.column[role]]

    def columns(self, *parts: str) -> list[int]:
        """Return the columns of some body parts, on both sides for paired parts."""
        roles = [role for part in parts for role in (part, f"{part}.L", f"{part}.R")]
        return [self.column[role] for role in roles if role in self.column]

    @cached_property
    def speeds(self) -> Array:
        """Speeds (F, R) of the joints, body heights a second."""
        return np.asarray(np.linalg.norm(self.velocities, axis=2))


def sample_poses(clip: Clip, roles: Mapping[str, int]) -> PoseSample | None:
    """Return poses of a clip, or None for a body with unknown hips or legs.

    roles : joint index by role; the legs may end with the shin
    """
    known = [role for role in roles if role in TELLING or role.partition(".")[0] in LIMBS]
    if not {"hips", "thigh.L", "thigh.R", "shin.L", "shin.R"} <= set(known):
        return None
    joints = [roles[role] for role in known]
    column = {role: k for k, role in enumerate(known)}
    first, later = _spread_frames(clip)
    posed = clip.take_frames(np.concatenate([first, later]))
    places = kinematics.kept_of(posed, joints)[1][:, joints]
    size = _leg_length(places[0], column) / LEG_SHARE
    if not size > 0.0 or not np.isfinite(places).all():
        return None
    places = places / size
    seconds = np.maximum(later - first, 1)[:, None, None] / clip.rate
    velocities = (places[len(first) :] - places[: len(first)]) / seconds
    return PoseSample(places[: len(first)], velocities, clip.skeleton.rest[1][joints] / size, column, size)


def _spread_frames(clip: Clip) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return frames spread over a clip, and for each a second frame for computing its speed."""
    step = max(1, round(STEP_SECONDS * clip.rate))
    last = max(len(clip) - 1 - step, 0)
    first = np.unique(np.linspace(0, last, FRAMES).astype(np.int64))
    return first, np.minimum(first + step, len(clip) - 1)


def _leg_length(places: Array, column: Mapping[str, int]) -> float:
    """Return the length of the longer leg in one pose: from hip joint to ankle, or twice the thigh without ankles."""
    lengths = []
    for side in "LR":
        thigh, shin = places[column[f"thigh.{side}"]], places[column[f"shin.{side}"]]
        foot = column.get(f"foot.{side}")
        upper = float(np.linalg.norm(shin - thigh))
        lengths.append(upper + (upper if foot is None else float(np.linalg.norm(places[foot] - shin))))
    return max(lengths)
