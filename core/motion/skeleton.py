"""The rest pose: names, parents, and where each joint stands in its parent's frame."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import SkeletonError
from . import quat, role_shapes
from . import roles as body_roles
from .inheritance import Inheritance
from .quat import Array

OBJECT = " (object)"  # how the first joint's name ends where that is an object, which carries all the bones
LEAST_OF_REACH = 0.2  # of the body's longest chain of bones; legs that tell a smaller height are folded up


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A rest pose of J joints, parents before children; metres, Z up.

    names : J different strings
    parents (J,) : index of the parent, −1 for a root; several roots are allowed
    offsets (J, 3) : the joint in its parent's frame
    orients (J, 4) : the joint's own rest frame in its parent's frame
    tips (J, 3) : end of a leaf bone in the joint's frame, zero where there is none
    roles : joint index of each body role, found from the names where not given (see `roles`)
    inheritance : bone settings, where not every joint takes over all of its parent (see `inheritance`)
    """

    names: tuple[str, ...]
    parents: NDArray[np.int64]
    offsets: Array
    orients: Array
    tips: Array
    roles: dict[str, int] = field(default_factory=dict)
    inheritance: Inheritance | None = None

    def __post_init__(self) -> None:
        count = len(self.names)
        shapes = (self.parents.shape, self.offsets.shape, self.orients.shape, self.tips.shape)
        if shapes != ((count,), (count, 3), (count, 4), (count, 3)):
            raise SkeletonError(f"A skeleton of {count} joints got arrays of shapes {shapes}")
        if self.parents.dtype.kind != "i":
            raise SkeletonError(f"The parents of joints are whole numbers, not {self.parents.dtype}")
        if count == 0:
            raise SkeletonError("A skeleton needs at least one joint")
        if len(set(self.names)) < count:
            twice = Counter(self.names).most_common(1)[0][0]
            raise SkeletonError(f"The skeleton has two joints named {twice!r}")
        for values, what in ((self.offsets, "offset"), (self.orients, "rest rotation"), (self.tips, "tip")):
            if not np.isfinite(values).all():
                joint = int(np.argwhere(~np.isfinite(values))[0, 0])
                raise SkeletonError(f"The {what} of {self.names[joint]!r} is not a number")
        if np.any(self.parents >= np.arange(count)) or np.any(self.parents < -1):
            raise SkeletonError("Parents must come before their children")
        if not self.roles:
            object.__setattr__(self, "roles", body_roles.find(self.names, self.parents, self.rest[1]))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def levels(self) -> tuple[NDArray[np.int64], ...]:
        """Joints of the same depth together, roots first: what forward kinematics walks."""
        depths: list[int] = []
        for parent in self.parents.tolist():
            depths.append(0 if parent < 0 else depths[parent] + 1)
        order = np.argsort(depths, kind="stable")
        return tuple(np.split(order, np.cumsum(np.bincount(depths))[:-1]))

    @cached_property
    def rest(self) -> tuple[Array, Array]:
        """World rotations (J, 4) and positions (J, 3) of the rest pose, in which nothing is stretched."""
        rotations, positions = self.orients.copy(), self.offsets.copy()
        for joints in self.levels[1:]:
            above = rotations[self.parents[joints]]
            rotations[joints] = quat.mul(above, self.orients[joints])
            positions[joints] = positions[self.parents[joints]] + quat.rotate(above, self.offsets[joints])
        return rotations, positions

    @cached_property
    def tipped(self) -> NDArray[np.int64]:
        """Joints that have a tip."""
        return np.flatnonzero(np.any(self.tips != 0.0, axis=1))

    @cached_property
    def point_weights(self) -> Array:
        """Importance of each point of the body (joints, then tips): half the length of the bones that meet there.

        Sum 1 (methods: Pose distance). What is no part of the body (a root bone, feet targets) does not count.
        A skeleton whose
        bones have no length weighs all points alike.
        """
        hanging = np.flatnonzero(self.bearers >= 0)
        above, places = self.bearers[hanging], self.rest[1]
        own = above == self.parents[hanging]
        bones = np.linalg.norm(np.where(own[:, None], self.offsets[hanging], places[hanging] - places[above]), axis=1)
        weights = np.zeros(len(self) + len(self.tipped))
        weights[hanging] += 0.5 * bones
        np.add.at(weights, above, 0.5 * bones)
        tip = np.linalg.norm(self.tips[self.tipped], axis=1) * self.body[self.tipped]
        weights[self.tipped] += 0.5 * tip
        weights[len(self) :] += 0.5 * tip
        total = weights.sum()
        return weights / total if total > 0.0 else np.full(len(weights), 1.0 / len(weights))

    @cached_property
    def below_hips(self) -> NDArray[np.bool_]:
        """Which joints (J,) are the hips or hang below them; all where the hips are not known."""
        if "hips" not in self.roles:
            return np.ones(len(self), dtype=bool)
        return self.with_below([self.roles["hips"]])

    @cached_property
    def body(self) -> NDArray[np.bool_]:
        """Which joints (J,) are part of the body: below the hips, or what plays a role elsewhere and all below it.

        So feet that hang on a root belong to it, and legs that hang on the hips' parent.
        """
        if "hips" not in self.roles:
            return self.below_hips
        carriers = body_roles.ancestors(self.roles["hips"], self.parents)
        return self.below_hips | self.with_below([joint for joint in self.roles.values() if joint not in carriers])

    @cached_property
    def bearers(self) -> NDArray[np.int64]:
        """The joint (J,) of the body that each joint of it hangs on, −1 for others.

        That is its parent, or where this is no part of the body the joint whose role comes before its own.
        """
        bearers = np.where(self.body & (self.parents >= 0) & self.body[self.parents], self.parents, -1)
        known = {role: joint for role, joint in self.roles.items() if self.body[joint]}
        for role, joint in known.items():
            before = body_roles.before(role, known) if bearers[joint] < 0 else None
            if before is not None:
                bearers[joint] = before
        return bearers

    @cached_property
    def four_footed(self) -> bool:
        """Whether the hands are front feet, as the rest pose tells."""
        return role_shapes.stands_on_four(self.roles, self.rest[1])

    @property
    def roles_found_by(self) -> dict[str, str]:
        """How each role was found (see `roles.found_by`), or that the joint that plays it was chosen by hand."""
        found = body_roles.find(self.names, self.parents, self.rest[1])
        how = body_roles.found_by(self.names, self.parents, self.rest[1])
        return {role: how[role] if found.get(role) == j else body_roles.HAND for role, j in self.roles.items()}

    @cached_property
    def leg_length(self) -> float:
        """Mean length of thigh and shin; 0 where the skeleton has no legs that we know."""
        places, legs = self.rest[1], []
        for side in "LR":
            joints = [self.roles.get(f"{role}.{side}") for role in ("thigh", "shin", "foot")]
            known = [places[joint] for joint in joints if joint is not None]
            if len(known) == 3:
                # From place to place: in a generated rig one does not hang on the other.
                legs.append(np.linalg.norm(np.diff(known, axis=0), axis=1).sum())
        return float(np.mean(legs)) if legs else 0.0

    @cached_property
    def height(self) -> float:
        """Height of the standing body, estimated from the legs (49 % of it), else from all bones.

        Rest poses can't be measured for this: many sit, or have their arms up. Some rigs fold their legs up at rest,
        and actions stretch them: legs of no length tell nothing.
        """
        reach, tall = self._longest_chain, self.leg_length / 0.49
        return tall if tall > LEAST_OF_REACH * reach else reach

    @property
    def _longest_chain(self) -> float:
        """Length of the longest chain of bones; of the body's, where its legs are known."""
        reach = np.zeros(len(self))
        counts = self.body if self.leg_length > 0.0 else np.ones(len(self), dtype=bool)
        for joint, parent in enumerate(self.parents):
            if parent >= 0 and counts[parent]:
                reach[joint] = reach[parent] + np.linalg.norm(self.offsets[joint])
        return float(np.max((reach + np.linalg.norm(self.tips, axis=1))[counts]))

    def with_below(self, joints: Sequence[int]) -> NDArray[np.bool_]:
        """Return which joints (J,) are some, or hang below them."""
        found = np.zeros(len(self), dtype=bool)
        found[list(joints)] = True
        for joint, parent in enumerate(self.parents):
            found[joint] |= parent >= 0 and found[parent]
        return found

    def index(self, name: str) -> int:
        """Return the joint of a name; raises SkeletonError."""
        try:
            return self._places[name]
        except KeyError:
            raise SkeletonError(f"There is no joint named {name!r}") from None

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: joint for joint, name in enumerate(self.names)}
