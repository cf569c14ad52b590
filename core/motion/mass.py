"""Where the centre of mass of a body is, and those of its parts, by a published table.

[Ae] measured 215 men and 80 women, athletes of 18 to 24, from photographs. Shank, foot and hand of men were found again
with others who cite the table. The other figures, and all of the women's, are borne out by their sums alone: the parts
make up 100 % of a body, the halves the trunk. Children (Yokoi, Shibukawa & Ae 1986: 18 groups of ages 3 to 15) are
missed: the figures could not be had.

Method: Splicing upper body onto locomotion.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import SkeletonError
from . import kinematics, quat, roles
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton

KNUCKLES = 0.5  # of the way from wrist to finger tips: there the table's hand ends
ANKLE = 0.75  # of the way from the toe's tip to the heel, which no skeleton has: there the ankle is


@dataclass(frozen=True)
class Segment:
    """Its share of the body's mass, and its centre as a share of the way from its upper to its lower end."""

    mass: float
    centre: float


@dataclass(frozen=True, kw_only=True)
class Table:
    """The parts of a body: limbs are one of a pair; head from its top to the ear, feet from the toe to the heel."""

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
        """Where on the whole trunk the ribs end: so that the halves' common centre is that of the whole."""
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
WOMEN = Table(
    head=Segment(0.075, 0.759),
    trunk=Segment(0.457, 0.506),
    upper_trunk=Segment(0.267, 0.438),
    lower_trunk=Segment(0.190, 0.597),
    upper_arm=Segment(0.026, 0.523),
    forearm=Segment(0.015, 0.423),
    hand=Segment(0.006, 0.908),
    thigh=Segment(0.123, 0.458),
    shank=Segment(0.053, 0.410),
    foot=Segment(0.011, 0.594),
)


def centre_of_mass(clip: Clip, table: Table = MEN) -> Array:
    """Return where the centre of mass of a body is in each frame (F, 3), metres; raises as `shares` does."""
    return np.einsum("p,fpk->fk", shares(clip.skeleton, table), kinematics.points(clip))


def shares(skeleton: Skeleton, table: Table = MEN) -> Array:
    """Return the centre of mass as shares (P,) of the places that `kinematics.points` gives: joints, then tips.

    They add up to 1. A hand or foot that is not known is where the limb ends, a head without a tip at its joint.
    Raises SkeletonError, naming the parts, for bodies whose neck, head, arms or legs are not known, and for those on
    four feet. (methods: Splicing upper body onto locomotion)
    """
    _refuse(skeleton)
    masses, centres = _parts(skeleton, table)
    return masses @ centres


def trunk(skeleton: Skeleton, table: Table = MEN) -> Array:
    """Return the centre of mass of the trunk as shares (1, J) of its joints' places.

    So it bends with the spine. Raises SkeletonError for a body whose neck, hips or thighs are not known.
    """
    return _along(skeleton, _spine(skeleton), [table.trunk.centre])


def trunk_halves(skeleton: Skeleton, table: Table = MEN) -> Array:
    """Return the centres of mass of the upper and the lower trunk as shares (2, J), likewise."""
    ribs = table.ribs
    lower = ribs + table.lower_trunk.centre * (1.0 - ribs)
    return _along(skeleton, _spine(skeleton), [ribs * table.upper_trunk.centre, lower])


def _refuse(skeleton: Skeleton) -> None:
    if skeleton.four_footed:
        raise SkeletonError("The centre of mass is that of people: this body stands on four feet")
    needed = ["head", *(f"{part}.{side}" for part in ("upper_arm", "forearm", "thigh", "shin") for side in "LR")]
    missing = [role for role in needed if role not in skeleton.roles]
    if missing:
        raise SkeletonError(f"The centre of mass is not known, since no joint plays the part of {', '.join(missing)}")


def _parts(skeleton: Skeleton, table: Table) -> tuple[Array, Array]:
    """The masses (S,) of all parts, and their centres as shares (S, P) of joints and tips."""
    ends, known = _Ends(skeleton), skeleton.roles
    halves = np.pad(trunk_halves(skeleton, table), ((0, 0), (0, len(skeleton.tipped))))
    head = ends.joint(known["head"])
    found = [(table.upper_trunk, halves[0]), (table.lower_trunk, halves[1])]
    found.append((table.head, _between(ends.beyond(known["head"], head), head, table.head.centre)))
    for side in "LR":
        upper_arm, forearm, thigh, shin = (
            ends.joint(known[f"{part}.{side}"]) for part in ("upper_arm", "forearm", "thigh", "shin")
        )
        wrist, knuckles = ends.hand(side)
        ankle, toe = ends.foot(side)
        ways = (
            (table.upper_arm, upper_arm, forearm),
            (table.forearm, forearm, wrist),
            (table.hand, wrist, knuckles),
            (table.thigh, thigh, shin),
            (table.shank, shin, ankle),
        )
        found += [(part, _between(upper, lower, part.centre)) for part, upper, lower in ways]
        found.append((table.foot, _between(toe, ankle, table.foot.centre / ANKLE)))
    return np.array([part.mass for part, _ in found]), np.stack([centre for _, centre in found])


def _between(upper: Array, lower: Array, share: float) -> Array:
    return upper + share * (lower - upper)


class _Ends:
    """Where parts of a body begin and end, as shares (P,) of its joints and tips."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        self._rows = np.eye(len(skeleton) + len(skeleton.tipped))
        rotations, places = skeleton.rest
        tips = quat.rotate(rotations[skeleton.tipped], skeleton.tips[skeleton.tipped])
        self._places = np.concatenate([places, places[skeleton.tipped] + tips])
        self._joints = np.concatenate([np.arange(len(skeleton)), skeleton.tipped])  # that points are, or hang on

    def joint(self, joint: int) -> Array:
        return np.asarray(self._rows[joint])

    def beyond(self, joint: int, otherwise: Array) -> Array:
        """The point that hangs on a joint and is farthest from it at rest; another one where nothing does."""
        below = self._skeleton.with_below([joint])[self._joints]
        below[joint] = False
        away = np.where(below, np.linalg.norm(self._places - self._places[joint], axis=1), 0.0)
        return np.asarray(self._rows[np.argmax(away)]) if away.any() else otherwise

    def hand(self, side: str) -> tuple[Array, Array]:
        """The wrist and the knuckles, which are one where no hand is known."""
        wrist, hand = self._last(f"forearm.{side}", f"hand.{side}")
        return wrist, wrist if hand is None else _between(wrist, self.beyond(hand, wrist), KNUCKLES)

    def foot(self, side: str) -> tuple[Array, Array]:
        """The ankle and the tip of the toe, which are one where no foot is known."""
        ankle, foot = self._last(f"shin.{side}", f"foot.{side}")
        return ankle, ankle if foot is None else self.beyond(foot, ankle)

    def _last(self, role: str, after: str) -> tuple[Array, int | None]:
        """Where a limb ends, and the joint there; none where no joint is known to, then it ends where its bone does."""
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
    """The joints from the base of the neck down to the lowest of the spine."""
    known = skeleton.roles
    missing = [role for role in ("neck", "spine", "thigh.L", "thigh.R") if role not in known]
    if missing:
        raise SkeletonError(f"The trunk is not known, since no joint plays the part of {', '.join(missing)}")
    below = [int(known["neck"]), *roles.ancestors(known["neck"], skeleton.parents)]
    if known["spine"] not in below:
        neck, spine = skeleton.names[known["neck"]], skeleton.names[known["spine"]]
        raise SkeletonError(f"{neck} does not hang on {spine}: correct the parts of the body")
    return below[: below.index(known["spine"]) + 1]


def _along(skeleton: Skeleton, spine: list[int], at: list[float]) -> Array:
    """Points at shares of the way along the spine to the middle of the thighs, measured at rest."""
    stations = np.zeros((len(spine) + 1, len(skeleton)))
    stations[np.arange(len(spine)), spine] = 1.0
    stations[-1, [skeleton.roles["thigh.L"], skeleton.roles["thigh.R"]]] = 0.5
    steps = np.linalg.norm(np.diff(stations @ skeleton.rest[1], axis=0), axis=1)
    gone = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
    return np.stack([np.interp(at, gone, column) for column in stations.T], axis=1)
