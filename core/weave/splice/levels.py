"""Choose the points compared where an action is entered: the legs, and a part of the trunk.

Figure 1 of [Nomura]: a wider threshold includes less of the trunk.

Method: Splicing upper body onto locomotion.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...errors import OptionError
from ...motion import kinematics, mass
from ...motion.clip import Clip
from ...motion.quat import Array
from ...motion.skeleton import Skeleton
from ...sync import joint_weights

TRUNK_SHARE = 0.3  # weight of the trunk, of 1 for legs and trunk; with more, standing and walking would be similar


@dataclass(frozen=True)
class Level:
    """The trunk points compared besides the legs, and the mean distance (m) below which they give a splice point."""

    name: str
    threshold: float
    points: Callable[[Skeleton], Array]


def _shoulders(skeleton: Skeleton) -> Array:
    """Return both halves of the trunk and both shoulders as weights (4, J) of joint positions."""
    return np.concatenate([mass.trunk_halves(skeleton), _arms(skeleton)])


def _arms(skeleton: Skeleton) -> Array:
    missing = [role for role in ("upper_arm.L", "upper_arm.R") if role not in skeleton.roles]
    if missing:
        raise OptionError(f"No joint plays the part of {', '.join(missing)}")
    return np.eye(len(skeleton))[[skeleton.roles["upper_arm.L"], skeleton.roles["upper_arm.R"]]]


LEVELS = (
    Level("shoulders", 0.06, _shoulders),
    Level("trunk halves", 0.09, mass.trunk_halves),
    Level("trunk", 0.13, mass.trunk),
)


def list_levels(threshold: float) -> list[tuple[Level, float]]:
    """Return the levels to try for a threshold (m), and the distance up to which each gives a splice point.

    The last one is the first level at least as wide as the threshold; a larger threshold widens the widest level.
    """
    wide = [level.threshold >= threshold for level in LEVELS]
    tried = LEVELS[: wide.index(True) + 1] if any(wide) else LEVELS
    last = tried[-1]
    return [(level, threshold if level is last else level.threshold) for level in tried]


def cloud(clip: Clip, level: Level) -> tuple[Array, Array]:
    """Return points (F, P, 3) of the legs and the trunk, and their weights (P,) with sum 1."""
    legs = joint_weights.point_weights(clip.skeleton, "lower")
    places = kinematics.points(clip)
    shares = level.points(clip.skeleton)
    of_trunk = np.einsum("pj,fjk->fpk", shares, places[:, : len(clip.skeleton)])
    chosen = legs > 0.0
    weights = np.concatenate([(1.0 - TRUNK_SHARE) * legs[chosen], np.full(len(shares), TRUNK_SHARE / len(shares))])
    return np.concatenate([places[:, chosen], of_trunk], axis=1), weights
