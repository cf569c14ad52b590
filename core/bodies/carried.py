"""What became of a clip on another body: what was matched how, against which pose, at what scale."""

from dataclasses import dataclass
from typing import Any

from ..errors import SkeletonError, some
from ..motion import roles as body_roles
from ..motion.skeleton import Skeleton
from . import partners
from .partners import Partners
from .rest_frames import RestPose

NEEDED = ("hips", "thigh.L", "thigh.R", "shin.L", "shin.R")


@dataclass(frozen=True, eq=False)
class Carried:
    """How a clip came onto another body.

    clip : its name; source, body : the skeletons; pairs : what every joint got its turn from
    rest, body_rest : the poses that turns are measured against
    scale : how much longer the body's legs are; lift : metres by which it was raised, so that no foot is deeper in the
        floor than the source's
    stretched : whether the clip had scales, which are left out
    """

    clip: str
    source: Skeleton
    body: Skeleton
    pairs: Partners
    rest: RestPose
    body_rest: RestPose
    scale: float
    lift: float
    stretched: bool = False

    def names(self, how: str) -> list[str]:
        """Return the names of the body's joints that got their turn in a way, such as `partners.ROLE`."""
        return [name for name, one in zip(self.body.names, self.pairs.how, strict=True) if one == how]

    @property
    def warnings(self) -> list[str]:
        """What the user should know, a sentence each: rest poses that were replaced, and parts that are not known."""
        sentences = [pose.why for pose in (self.rest, self.body_rest) if pose.why]
        if self.stretched:
            sentences.append(f"{self.clip}: its joints are scaled, which is left out on the other body")
        for one, other, name in (
            (self.source, self.body, self.clip),
            (self.body, self.source, "the body"),
        ):
            lacking = [role for role in other.roles if role not in one.roles and role not in ("spine", "neck")]
            if lacking:
                sentences.append(
                    f"{name}: no joint plays {', '.join(lacking)}, so that part stays as it rests; "
                    f"if it has one, {choose(lacking[0])}"
                )
        return sentences

    @property
    def sentences(self) -> list[str]:
        """What a verb that brings clips together says of it, a sentence each."""
        return [f"{self.clip} has other joints and was put on the reference's body: {self.figures}", *self.warnings]

    @property
    def figures(self) -> str:
        """How many of the body's joints were matched how."""
        by_role, still = len(self.names(partners.ROLE)), len(self.names(partners.REST))
        others = len(self.body) - by_role - still
        return f"{by_role} joints by role, {others} by their place or name, {still} at rest, legs × {self.scale:.2f}"

    @property
    def doubts(self) -> list[str]:
        """What an artist would look at: roles that no name tells of, and joints that nothing moves; a phrase each."""
        notes = []
        for one, whose in ((self.source, "its"), (self.body, "this body's")):
            found = one.roles_found_by
            unsure = [f"{one.names[joint]} as {role}" for role, joint in one.roles.items() if found[role] in _UNSURE]
            if unsure:
                notes.append(f"no name tells of {whose} {some(unsure)}")
        still = self.names(partners.REST)
        return [*notes, f"without partner, so at rest: {some(still)}"] if still else notes

    @property
    def sentence(self) -> str:
        """How it came there: how many joints were matched how, and what to look at."""
        return "; ".join([self.figures, *self.doubts])

    def as_report(self) -> dict[str, Any]:
        """Return what a report says of it."""
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
            "joints": {how: self.names(how) for how in _TOLD},
            "fingers": sorted(self.pairs.fanned),
        }


_UNSURE = (body_roles.HIERARCHY, body_roles.SHAPE)
_TOLD = (
    partners.ROLE,
    partners.SPINE,
    partners.FINGER,
    partners.NAME,
    partners.FOLLOWS,
    partners.BETWEEN,
    partners.REST,
)


def choose(role: str) -> str:
    """Return what an artist does about a role that nothing plays."""
    return f"choose the bone that plays {role} in Body Roles"


def is_a_persons(skeleton: Skeleton) -> bool:
    """Say whether clips go onto a skeleton and come from it: it has two legs, and all of them is known."""
    return not skeleton.four_footed and set(NEEDED) <= set(skeleton.roles)


def refuse(skeleton: Skeleton, name: str) -> None:
    """Raise SkeletonError, naming the body, for one that no clip of a person goes onto or comes from."""
    if skeleton.four_footed:
        raise SkeletonError(f"{name} stands on four feet: clips go from one two-legged body onto another")
    missing = [role for role in NEEDED if role not in skeleton.roles]
    if len(missing) == len(NEEDED) or (len(missing) >= 4 and "hips" not in missing):
        raise SkeletonError(f"{name} has no legs that are known: {choose(missing[-1])}, and the others likewise")
    if missing:
        raise SkeletonError(f"{name}: no joint plays {', '.join(missing)}: {choose(missing[0])}")
