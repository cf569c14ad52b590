"""The points of a body that are its feet: ball and ankle of each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import quat
from .quat import Array
from .skeleton import Skeleton

# Conditions under which the tip of a foot is its ball.
LONGEST_FOOT = 0.6  # shin lengths: largest distance from the ankle
UPRIGHT = 0.94  # cosine: a leg is upright at rest if thigh and shin are within 20° of the vertical
AHEAD = 0.5  # cosine between its direction and the front: within 60°


@dataclass(frozen=True, eq=False)
class Footing:
    """Positions of the balls of feet on the ground, and their contacts.

    balls (…, S) : positions as x + iy
    stands (…, S) : whether each is in contact
    """

    balls: NDArray[np.complex128]
    stands: NDArray[np.bool_]

    def at(self, frames: NDArray[np.int64]) -> "Footing":
        """Return the feet at some of the frames."""
        return Footing(self.balls[frames], self.stands[frames])


def balls_and_ankles(skeleton: Skeleton) -> dict[str, tuple[int, int]]:
    """Return the point indices (see `kinematics.points`) of ball and ankle of each foot, by the foot's name.

    Feet are "L" and "R", for bodies with four legs also "front L" and "front R", with more also "middle …" and
    "second …". The ball is the toe joint, or the tip of the foot if plausible, or the ankle. For a leg that ends with
    its shin, as in a box figure, both are the end of the shin. Unknown feet are omitted.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import feet
        >>> figure = body.skeleton()
        >>> {foot: [figure.names[point] for point in pair] for foot, pair in feet.balls_and_ankles(figure).items()}
        {'L': ['toe.L', 'foot.L'], 'R': ['toe.R', 'foot.R']}
    """
    end = {int(joint): len(skeleton) + k for k, joint in enumerate(skeleton.tipped)}
    if skeleton.legs:
        ends = [(leg[-1], leg[-2]) if len(leg) > 2 else (end[leg[1]], end[leg[1]]) for leg in skeleton.legs.values()]
        return dict(zip(skeleton.legs, ends, strict=True))
    roles = skeleton.roles
    feet = {}
    for side in "LR":
        thigh, shin, foot, toe = (roles.get(f"{role}.{side}") for role in ("thigh", "shin", "foot", "toe"))
        ankle = toe if foot is None else foot
        if ankle is None and thigh is not None and shin in end:
            ankle = end[shin]
        if ankle is not None:
            ball = end[ankle] if foot in end and _tip_is_ball(skeleton, side) else ankle
            feet[side] = (ball if toe is None else toe, ankle)
    if skeleton.four_footed:
        feet |= {f"front {side}": (roles[f"hand.{side}"], roles[f"hand.{side}"]) for side in "LR"}
    return feet


def soles(skeleton: Skeleton) -> dict[str, list[int]]:
    """Return the points of each foot: its ball, its ankle, and their bone tips.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import feet
        >>> {foot: len(points) for foot, points in feet.soles(body.skeleton()).items()}
        {'L': 3, 'R': 3}
    """
    end = {int(joint): len(skeleton) + k for k, joint in enumerate(skeleton.tipped)}
    return {
        foot: sorted({*pair, *(end[point] for point in pair if point in end)})
        for foot, pair in balls_and_ankles(skeleton).items()
    }


def lows(skeleton: Skeleton, points: Array) -> Array:
    """Return the height (F, N) of the lower of ball and ankle of each foot, in the order of `balls_and_ankles`.

    points (F, P, 3) : as `kinematics.points` returns them

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import feet, kinematics
        >>> walk = actions.walk(cycles=1)
        >>> feet.lows(walk.skeleton, kinematics.points(walk)).min(axis=0).round(2).tolist()
        [0.02, 0.02]
    """
    pairs = np.array(list(balls_and_ankles(skeleton).values()), dtype=np.int64).reshape(-1, 2)
    return np.asarray(points[:, pairs, 2].min(axis=2))


def _tip_is_ball(skeleton: Skeleton, side: str) -> bool:
    """Return whether a foot's tip can be its ball: in front of the ankle at rest, within LONGEST_FOOT shins.

    Captured bodies have their toes there. Character files have no tips, and tips invented by importers are implausible.
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
    bones = np.diff(places[[roles[f"{part}.{side}"] for part in ("thigh", "shin", "foot")]], axis=0)
    # The front of the foot can't be checked if the leg is not upright at rest.
    stands = bool((-bones[:, 2] > UPRIGHT * np.linalg.norm(bones, axis=1)).all())
    ahead = not stands or float(tip @ front) > AHEAD * length * float(np.linalg.norm(front))
    return 0.0 < length < LONGEST_FOOT * shin and ahead
