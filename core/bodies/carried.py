"""The report on a retargeted clip: how joints were matched, the rest poses used, and the scale.

Method: Body roles and retargeting.
"""

from dataclasses import dataclass
from typing import Any

from ..errors import SkeletonError, some
from ..motion import roles as body_roles
from ..motion.skeleton import Skeleton
from . import partners
from .partners import Partners
from .rest_frames import RestPose

TURNS = 5.0  # degrees; arms that turn farther to keep their hands clear of the body are reported
NEEDED = ("hips", "thigh.L", "thigh.R", "shin.L", "shin.R")


@dataclass(frozen=True, eq=False)
class Carried:
    """The retargeting of a clip to another body.

    clip : its name; source, body : the skeletons; pairs : the partner of every joint
    rest, body_rest : the poses relative to which rotations are measured
    scale : of the legs; rise, ball_rise : metres that ankles and balls are higher above the sole at rest than the
        source's, scaled
    lift : metres by which the body was raised, so that no foot is deeper in the floor than the source's
    arms_turned : degrees by which arms turned, at most, to keep hands clear of the body
    stretched : whether the clip had scales, which are dropped
    lost_hands : sentences on contacts of hands that are not kept
    """

    clip: str
    source: Skeleton
    body: Skeleton
    pairs: Partners
    rest: RestPose
    body_rest: RestPose
    scale: float
    rise: float
    ball_rise: float
    lift: float
    arms_turned: float = 0.0
    stretched: bool = False
    lost_hands: tuple[str, ...] = ()

    def names(self, how: str) -> list[str]:
        """Return the names of the body's joints matched in one way, such as `partners.ROLE`."""
        return [name for name, matched in zip(self.body.names, self.pairs.how, strict=True) if matched == how]

    @property
    def warnings(self) -> list[str]:
        """Warnings for the user as sentences: replaced rest poses, dropped scales, and unknown roles."""
        sentences = [*(pose.why for pose in (self.rest, self.body_rest) if pose.why), *self.lost_hands]
        if self.stretched:
            sentences.append(f"{self.clip}: the scale of its joints is left out on the other body")
        for one, other, name in (
            (self.source, self.body, self.clip),
            (self.body, self.source, "the body"),
        ):
            lacking = [role for role in other.roles if role not in one.roles and role not in ("spine", "neck")]
            if lacking:
                sentences.append(
                    f"{name}: no joint plays {', '.join(lacking)}, so that part rests;"
                    f" if it has one, {choose(lacking[0])}"
                )
        return sentences

    @property
    def sentences(self) -> list[str]:
        """Sentences for the report of a verb that brings clips onto one body."""
        return [f"{self.clip} was put on the reference's body: {self.figures}", *self.warnings]

    @property
    def figures(self) -> str:
        """A phrase with the numbers of joints matched in each way, and the lift for the feet."""
        by_role, still = len(self.names(partners.ROLE)), len(self.names(partners.REST))
        others = len(self.body) - by_role - still
        figures = (
            f"{by_role} joints matched by role, {others} by place or name, {still} at rest, legs × {self.scale:.2f},"
            f" raised by {100.0 * self.lift:.0f} cm"
        )
        if self.arms_turned > TURNS:
            return f"{figures}, arms turned by up to {self.arms_turned:.0f}° to keep hands clear of the body"
        return figures

    @property
    def doubts(self) -> list[str]:
        """Phrases on points to check: roles found without a name, and joints without motion."""
        notes = []
        for one, whose in ((self.source, "its"), (self.body, "this body's")):
            found = one.roles_found_by
            unsure = [f"{one.names[joint]} as {role}" for role, joint in one.roles.items() if found[role] in _UNSURE]
            if unsure:
                notes.append(f"found without a name: {whose} {some(unsure)}")
        still = self.names(partners.REST)
        return [*notes, f"without partner, so at rest: {some(still)}"] if still else notes

    @property
    def sentence(self) -> str:
        """A sentence with the numbers of joints matched in each way, and points to check."""
        return "; ".join([self.figures, *self.doubts])

    def as_report(self) -> dict[str, Any]:
        """Return the outcome as plain JSON values for a report."""
        own, theirs = self.source.roles_found_by, self.body.roles_found_by
        roles = {
            role: [self.source.names[self.source.roles[role]], own[role], self.body.names[joint], theirs[role]]
            for role, joint in self.body.roles.items()
            if role in self.source.roles
        }
        return {
            "clip": self.clip,
            "scale": round(self.scale, 4),
            "lift_cm": round(100.0 * self.lift, 2),
            "rest": self.rest.name,
            "body_rest": self.body_rest.name,
            "roles": roles,
            "arms_turned": round(self.arms_turned, 2),
            "joints": {how: self.names(how) for how in _REPORTED},
            "fingers": sorted(self.pairs.fanned),
        }


_UNSURE = (body_roles.HIERARCHY, body_roles.SHAPE)
_REPORTED = (
    partners.ROLE,
    partners.SPINE,
    partners.FINGER,
    partners.NAME,
    partners.FOLLOWS,
    partners.BETWEEN,
    partners.REST,
)


def choose(role: str) -> str:
    """Return an instruction for the user about a role without a joint."""
    return f"choose the bone that plays {role} in Body Roles"


def is_a_persons(skeleton: Skeleton) -> bool:
    """Return whether a skeleton can be retargeted by body roles: it has two legs, and all their roles are known.

    Example:
        >>> from action_loom.core.bodies import carried
        >>> from action_loom.core.demo_character import body
        >>> carried.is_a_persons(body.skeleton())
        True
    """
    return not skeleton.four_footed and skeleton.leg_count <= 2 and set(NEEDED) <= set(skeleton.roles)


def refuse(skeleton: Skeleton, name: str) -> None:
    """Raise SkeletonError, naming the body, for a skeleton that can't be retargeted by body roles.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.bodies import carried
        >>> from action_loom.core.demo_character import body
        >>> legs = {role: joint for role, joint in body.skeleton().roles.items() if role != "shin.L"}
        >>> carried.refuse(replace(body.skeleton(), roles=legs), "Rain")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        action_loom.core.errors.SkeletonError: Rain: no joint plays shin.L: choose the bone that plays shin.L...
    """
    legs = 4 if skeleton.four_footed else skeleton.leg_count
    if legs > 2:
        raise SkeletonError(f"{name} has {legs} legs: only two-legged bodies take each other's clips")
    missing = [role for role in NEEDED if role not in skeleton.roles]
    if len(missing) == len(NEEDED) or (len(missing) >= 4 and "hips" not in missing):
        raise SkeletonError(f"{name} has no legs that are known: {choose(missing[-1])}, and the others likewise")
    if missing:
        raise SkeletonError(f"{name}: no joint plays {', '.join(missing)}: {choose(missing[0])}")
