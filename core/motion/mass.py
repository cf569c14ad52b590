"""Centres of mass of a body and of its trunk, by a published table.

[Ae] measured 215 male and 80 female athletes of 18 to 24 years from photographs. The men's values are used for every
body, because a skeleton does not tell its sex. Shank, foot and hand were confirmed in other works that cite the table.
All other values are only confirmed by their sums: the parts make up 100 % of a body, the halves make up the trunk.
Children are not covered, because the values for them (Yokoi, Shibukawa & Ae 1986: 18 groups of ages 3 to 15) were not
available.

Method: Splicing upper body onto locomotion.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import SkeletonError
from . import kinematics, quat, roles
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton

KNUCKLES = 0.5  # position on the line from the wrist to the finger tips at which the hand of the table ends
# Each part has two point masses at this distance from its centre of mass.
LIMB_APART = 0.3  # of the length of a limb
TRUNK_APART = 0.057  # of the body height
ANKLE = 0.75  # of the line from the toe tip to the heel, which the table uses but skeletons lack


@dataclass(frozen=True)
class Segment:
    """A part of the body.

    mass : its share of the body mass
    centre : its centre of mass, as a share of the line from its upper end to its lower end
    """

    mass: float
    centre: float


@dataclass(frozen=True, kw_only=True)
class Table:
    """The parts of a body; one of each pair. The head extends from its top to the ear, a foot from toe to heel."""

    head: Segment
    trunk: Segment
    upper_trunk: Segment  # from the base of the neck to the lower end of the ribs
    lower_trunk: Segment  # from there to the middle of the hips
    upper_arm: Segment
    forearm: Segment
    hand: Segment
    thigh: Segment
    shank: Segment
    foot: Segment

    @property
    def ribs(self) -> float:
        """The lower end of the ribs, as a share of the trunk from its upper end.

        The table lacks it. It is chosen so that the common centre of both halves is the centre of the whole trunk.
        """
        upper, lower = self.upper_trunk, self.lower_trunk
        above = self.trunk.mass * self.trunk.centre - lower.mass * lower.centre
        return above / (upper.mass * upper.centre + lower.mass * (1.0 - lower.centre))


MEN = Table(
    head=Segment(0.069, 0.821),
    trunk=Segment(0.489, 0.493),
    upper_trunk=Segment(0.302, 0.428),
    lower_trunk=Segment(0.187, 0.609),
    upper_arm=Segment(0.027, 0.529),
    forearm=Segment(0.016, 0.415),
    hand=Segment(0.006, 0.891),
    thigh=Segment(0.110, 0.475),
    shank=Segment(0.051, 0.406),
    foot=Segment(0.011, 0.595),
)


def centre_of_mass(clip: Clip) -> Array:
    """Return the centre of mass of a body in each frame (F, 3), metres; raises as `shares` does.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import mass
        >>> centre = mass.centre_of_mass(actions.wave())
        >>> centre.shape, round(float(centre[0, 2]), 2)
        ((109, 3), 0.97)
    """
    return np.einsum("p,fpk->fk", shares(clip.skeleton), kinematics.points(clip))


def shares(skeleton: Skeleton) -> Array:
    """Return the centre of mass as weights (P,) of the points returned by `kinematics.points`: joints, then tips.

    The weights add up to 1. An unknown hand or foot is placed at the end of its limb, a head without a tip at its
    joint. Raises SkeletonError, naming the parts, for bodies with an unknown neck, head, arm or leg, and for
    four-footed bodies (methods: Splicing upper body onto locomotion).

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import mass
        >>> round(float(mass.shares(body.skeleton()).sum()), 6)
        1.0
    """
    _refuse(skeleton)
    masses, centres = _parts(skeleton)
    return masses @ centres


def point_masses(skeleton: Skeleton) -> tuple[Array, Array]:
    """Return masses (S,) that turn as the body does, and their places as weights (S, P) of joints and tips.

    Each part is two points, 0.3 of its length to each side of its centre; the trunk's two points lie across. Raises
    as `shares` does.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import mass
        >>> masses, places = mass.point_masses(body.skeleton())
        >>> places.shape, round(float(masses.sum()), 6)
        ((30, 26), 1.0)
    """
    _refuse(skeleton)
    masses, centres = _parts(skeleton)
    ends, apart = _Ends(skeleton), np.zeros_like(centres)
    for half, part in enumerate(("upper_arm", "thigh")):
        left, right = (skeleton.roles[f"{part}.{side}"] for side in "LR")
        places = skeleton.rest[1]
        wide = float(np.linalg.norm(places[left] - places[right]))
        apart[half] = TRUNK_APART * skeleton.height / wide * (ends.joint(left) - ends.joint(right)) if wide > 0 else 0.0
    for row in range(2, len(centres)):
        ordered = np.flatnonzero(centres[row])
        if len(ordered) == 2:
            apart[row, ordered] = LIMB_APART, -LIMB_APART
    return np.concatenate([masses, masses]) / 2.0, np.concatenate([centres + apart, centres - apart])


def trunk(skeleton: Skeleton) -> Array:
    """Return the centre of mass of the trunk as weights (1, J) of joint positions, so that it bends with the spine.

    Raises SkeletonError for a body whose neck, spine or thighs are not known.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import mass
        >>> figure = body.skeleton()
        >>> centre = mass.trunk(figure) @ figure.rest[1]  # at rest
        >>> centre[:, 2].round(2).tolist()
        [1.19]
    """
    return _find_spine_points(skeleton, _spine(skeleton), [MEN.trunk.centre])


def trunk_halves(skeleton: Skeleton) -> Array:
    """Return the centres of mass of the upper and the lower trunk as weights (2, J) of joint positions.

    Raises as `trunk` does.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import mass
        >>> figure = body.skeleton()
        >>> (mass.trunk_halves(figure) @ figure.rest[1])[:, 2].round(2).tolist()
        [1.3, 1.0]
    """
    ribs = MEN.ribs
    lower = ribs + MEN.lower_trunk.centre * (1.0 - ribs)
    return _find_spine_points(skeleton, _spine(skeleton), [ribs * MEN.upper_trunk.centre, lower])


def _refuse(skeleton: Skeleton) -> None:
    """Raise SkeletonError for a body that the table does not describe."""
    if skeleton.four_footed:
        raise SkeletonError("The centre of mass is that of people: this body stands on four feet")
    needed = ["head", *(f"{part}.{side}" for part in ("upper_arm", "forearm", "thigh", "shin") for side in "LR")]
    missing = [role for role in needed if role not in skeleton.roles]
    if missing:
        raise SkeletonError(f"No joint plays the part of {', '.join(missing)}")


def _parts(skeleton: Skeleton) -> tuple[Array, Array]:
    """Return the masses (S,) of all parts, and their centres as weights (S, P) of joints and tips."""
    ends, known = _Ends(skeleton), skeleton.roles
    halves = np.pad(trunk_halves(skeleton), ((0, 0), (0, len(skeleton.tipped))))
    head = ends.joint(known["head"])
    parts = [(MEN.upper_trunk, halves[0]), (MEN.lower_trunk, halves[1])]
    parts.append((MEN.head, _between(ends.beyond(known["head"], head), head, MEN.head.centre)))
    for side in "LR":
        upper_arm, forearm, thigh, shin = (
            ends.joint(known[f"{part}.{side}"]) for part in ("upper_arm", "forearm", "thigh", "shin")
        )
        wrist, knuckles = ends.hand(side)
        ankle, toe = ends.foot(side)
        bones = (
            (MEN.upper_arm, upper_arm, forearm),
            (MEN.forearm, forearm, wrist),
            (MEN.hand, wrist, knuckles),
            (MEN.thigh, thigh, shin),
            (MEN.shank, shin, ankle),
        )
        parts += [(part, _between(upper, lower, part.centre)) for part, upper, lower in bones]
        parts.append((MEN.foot, _between(toe, ankle, MEN.foot.centre / ANKLE)))
    return np.array([part.mass for part, _ in parts]), np.stack([centre for _, centre in parts])


def _between(upper: Array, lower: Array, share: float) -> Array:
    return upper + share * (lower - upper)


class _Ends:
    """The ends of the parts of a body, as weights (P,) of its joints and tips."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        self._rows = np.eye(len(skeleton) + len(skeleton.tipped))
        rotations, places = skeleton.rest
        tips = quat.rotate(rotations[skeleton.tipped], skeleton.tips[skeleton.tipped])
        self._places = np.concatenate([places, places[skeleton.tipped] + tips])
        # the joint of each point; for a tip, its bone's
        self._joints = np.concatenate([np.arange(len(skeleton)), skeleton.tipped])

    def joint(self, joint: int) -> Array:
        return np.asarray(self._rows[joint])

    def beyond(self, joint: int, otherwise: Array) -> Array:
        """Return the point below a joint farthest from it at rest, or `otherwise` if there is none."""
        below = self._skeleton.with_below([joint])[self._joints]
        below[joint] = False
        away = np.where(below, np.linalg.norm(self._places - self._places[joint], axis=1), 0.0)
        return np.asarray(self._rows[np.argmax(away)]) if away.any() else otherwise

    def hand(self, side: str) -> tuple[Array, Array]:
        """Return the wrist and the knuckles, the same point where no hand is known."""
        wrist, hand = self._last(f"forearm.{side}", f"hand.{side}")
        return wrist, wrist if hand is None else _between(wrist, self.beyond(hand, wrist), KNUCKLES)

    def foot(self, side: str) -> tuple[Array, Array]:
        """Return the ankle and the tip of the toe, the same point where no foot is known."""
        ankle, foot = self._last(f"shin.{side}", f"foot.{side}")
        return ankle, ankle if foot is None else self.beyond(foot, ankle)

    def _last(self, role: str, after: str) -> tuple[Array, int | None]:
        """Return the end of a limb and the joint there.

        Without a joint of the role `after`, the limb ends at the tip of its bone, without a joint.
        """
        known = self._skeleton.roles
        if after in known:
            return self.joint(known[after]), known[after]
        itself = self.joint(known[role])
        end = self.beyond(known[role], itself)
        if end is itself:
            name = self._skeleton.names[known[role]]
            raise SkeletonError(f"Where {name} ends is not known: nothing hangs on it, and no joint is its {after}")
        return end, None


def _spine(skeleton: Skeleton) -> list[int]:
    """Return the joints from the base of the neck down to the lowest one of the spine."""
    known = skeleton.roles
    missing = [role for role in ("neck", "spine", "thigh.L", "thigh.R") if role not in known]
    if missing:
        raise SkeletonError(f"No joint plays the part of {', '.join(missing)}")
    below = [int(known["neck"]), *roles.ancestors(known["neck"], skeleton.parents)]
    if known["spine"] not in below:
        neck, spine = skeleton.names[known["neck"]], skeleton.names[known["spine"]]
        raise SkeletonError(f"{neck} does not hang on {spine}: correct the parts of the body")
    return below[: below.index(known["spine"]) + 1]


def _find_spine_points(skeleton: Skeleton, spine: list[int], at: list[float]) -> Array:
    """Return points at given shares of the rest length of the spine, down to the middle of the thighs."""
    stations = np.zeros((len(spine) + 1, len(skeleton)))
    stations[np.arange(len(spine)), spine] = 1.0
    stations[-1, [skeleton.roles["thigh.L"], skeleton.roles["thigh.R"]]] = 0.5
    steps = np.linalg.norm(np.diff(stations @ skeleton.rest[1], axis=0), axis=1)
    gone = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
    return np.stack([np.interp(at, gone, column) for column in stations.T], axis=1)
