"""Which points of a body are its feet: the ball and the ankle of each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import quat
from .skeleton import Skeleton

# Where the tip of a foot can be its ball: its distance in shins, and the cosine of its direction to the front.
LONGEST_FOOT = 0.6
AHEAD = 0.5


@dataclass(frozen=True, eq=False)
class Footing:
    """The balls (…, S) of feet on the ground, as x + iy, and where they stand."""

    balls: NDArray[np.complex128]
    stands: NDArray[np.bool_]

    def at(self, frames: NDArray[np.int64]) -> "Footing":
        """Return the feet at some frames of those there are."""
        return Footing(self.balls[frames], self.stands[frames])


def balls_and_ankles(skeleton: Skeleton) -> dict[str, tuple[int, int]]:
    """Return which points are ball and ankle of each foot.

    The ball is the toe joint, else the foot's tip where it can be one, else the ankle; of a leg that ends with its
    shin, as a box figure's, it is the shin's end.
    """
    roles = skeleton.roles
    end = {int(joint): len(skeleton) + k for k, joint in enumerate(skeleton.tipped)}
    found = {}
    for side in "LR":
        thigh, shin, foot, toe = (roles.get(f"{role}.{side}") for role in ("thigh", "shin", "foot", "toe"))
        ankle = toe if foot is None else foot
        if ankle is None and thigh is not None and shin in end:
            ankle = end[shin]
        if ankle is not None:
            ball = end[ankle] if foot in end and _tip_is_ball(skeleton, side) else ankle
            found[side] = (ball if toe is None else toe, ankle)
    if skeleton.four_footed:
        found |= {f"front {side}": (roles[f"hand.{side}"], roles[f"hand.{side}"]) for side in "LR"}
    return found


def _tip_is_ball(skeleton: Skeleton, side: str) -> bool:
    """Say whether the tip of a foot is where a ball is: ahead of the ankle, and not as far as a shin is long.

    Captured bodies have their toes there. Files of characters have no tips: what importers make up is no foot.
    """
    roles, (rotations, places) = skeleton.roles, skeleton.rest
    if not {"thigh.L", "thigh.R", f"shin.{side}"} <= set(roles):
        return False
    foot = roles[f"foot.{side}"]
    tip = quat.rotate(rotations[foot], skeleton.tips[foot])
    across = places[roles["thigh.R"]] - places[roles["thigh.L"]]
    front = np.array([-across[1], across[0], 0.0])
    length = float(np.linalg.norm(tip))
    shin = float(np.linalg.norm(places[foot] - places[roles[f"shin.{side}"]]))
    return length < LONGEST_FOOT * shin and float(tip @ front) > AHEAD * length * float(np.linalg.norm(front))
