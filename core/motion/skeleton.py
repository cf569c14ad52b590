"""The rest pose: joint names, parents, and rest transforms relative to the parent."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..errors import SkeletonError
from . import quat, role_shapes
from . import roles as body_roles
from .arrays import kernel_argument, read_only
from .inheritance import Inheritance
from .quat import Array

OBJECT = " (object)"  # suffix of the first joint's name if it is the object that carries all bones
DEEP = 300  # joints in a chain; more than any body has, exceeded only by chains and cloth
LEAST_OF_REACH = 0.2  # of the body's longest chain of bones; legs that give a smaller height are folded at rest


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A rest pose of J joints, parents before children; metres, Z up. Its arrays are read-only.

    names : J different strings
    parents (J,) : index of the parent, −1 for a root; several roots are allowed
    offsets (J, 3) : position of the joint in its parent's frame
    orients (J, 4) : the joint's own rest frame in its parent's frame
    tips (J, 3) : end of a leaf bone in the joint's frame, zero if it has none
    roles : joint index of each body role; if empty, roles are found (see `roles.find`)
    roles_by : how each role was found, if more than names and rest pose were used
    leg_count : number of legs that the motion shows, 0 if only the rest pose is known
    leaders : joints to which others are attached, if known beyond the clips at hand (see `bodies.attachments`)
    legs : of a body with four legs or more that names do not tell, by the foot's name, the joints of each leg that
        bend, from thigh to ankle, and the ball (see `leg_chains`)
    followers : joints below the body that are not part of it, such as props, with everything below them
    inheritance : bone settings, unless every joint inherits everything from its parent (see `inheritance`)

    Raises SkeletonError for arrays of wrong shapes or types, values that are not numbers, zero joints, duplicate names,
    and children before their parents.
    """

    names: tuple[str, ...]
    parents: NDArray[np.int64]
    offsets: Array
    orients: Array
    tips: Array
    roles: dict[str, int] = field(default_factory=dict)
    inheritance: Inheritance | None = None
    roles_by: dict[str, str] = field(default_factory=dict)
    leg_count: int = 0
    leaders: dict[int, int] = field(default_factory=dict)
    followers: frozenset[int] = frozenset()
    legs: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("offsets", "orients", "tips"):
            object.__setattr__(self, name, read_only(np.asarray(getattr(self, name), dtype=np.float64)))
        object.__setattr__(self, "parents", read_only(self.parents))
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
        """Joints grouped by depth, roots first."""
        depths: list[int] = []
        for parent in self.parents.tolist():
            depths.append(0 if parent < 0 else depths[parent] + 1)
        order = np.argsort(depths, kind="stable")
        return tuple(np.split(order, np.cumsum(np.bincount(depths))[:-1]))

    @cached_property
    def rest(self) -> tuple[Array, Array]:
        """World rotations (J, 4) and positions (J, 3) of the rest pose; nothing is stretched in it."""
        if len(self.levels) > DEEP:
            still = np.tile(quat.IDENTITY, (1, len(self), 1)), np.zeros((1, len(self), 3))
            every = np.arange(len(self), dtype=np.int64)
            arrays = map(kernel_argument, (self.offsets, self.orients, *still))
            kernel = jit.kernels(__package__).forward
            return tuple(values[0] for values in kernel(every, kernel_argument(self.parents, np.int64), *arrays, 0))
        rotations, positions = self.orients.copy(), self.offsets.copy()
        for joints in self.levels[1:]:
            above = rotations[self.parents[joints]]
            rotations[joints] = quat.mul(above, self.orients[joints])
            positions[joints] = positions[self.parents[joints]] + quat.rotate(above, self.offsets[joints])
        return rotations, positions

    @cached_property
    def tipped(self) -> NDArray[np.int64]:
        """Joints with a tip."""
        return np.flatnonzero(np.any(self.tips != 0.0, axis=1))

    @cached_property
    def point_weights(self) -> Array:
        """Weights (P,) of the points of the body, joints, then tips: half the length of the adjacent bones.

        Their sum is 1 (methods: Pose distance). Points outside the body (a root bone, feet targets) have weight 0. All
        weights are equal if the bones have no length.
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
        """Whether each joint (J,) is the hips or below them; true for all if the hips are not known."""
        if "hips" not in self.roles:
            return np.ones(len(self), dtype=bool)
        return self.with_below([self.roles["hips"]])

    @cached_property
    def body(self) -> NDArray[np.bool_]:
        """Whether each joint (J,) is part of the body: below the hips, or with a role elsewhere, or below such a joint.

        Feet whose parent is a root thus belong to the body, and so do legs whose parent is the hips' parent.
        """
        if "hips" not in self.roles:
            return self.below_hips
        carriers = body_roles.ancestors(self.roles["hips"], self.parents)
        body = self.below_hips | self.with_below([joint for joint in self.roles.values() if joint not in carriers])
        return np.asarray(body & ~self.with_below(list(self.followers)))

    @cached_property
    def bearers(self) -> NDArray[np.int64]:
        """The joint of the body above each joint (J,) of it; −1 for other joints.

        This is its parent or, if the parent is not part of the body, the joint whose role precedes its own.
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
        """Whether the hands are front feet, according to the motion or else the rest pose."""
        return self.leg_count == 4 or role_shapes.stands_on_four(self.roles, self.rest[1])

    @property
    def has_many_legs(self) -> bool:
        """Whether the body is known to have four legs or more."""
        return self.four_footed or bool(self.legs)

    @property
    def roles_found_by(self) -> dict[str, str]:
        """How each role was found (see `roles.found_by`); HAND for a joint chosen by the user."""
        if self.roles_by:
            return {role: self.roles_by.get(role, body_roles.HAND) for role in self.roles}
        found = body_roles.find(self.names, self.parents, self.rest[1])
        how = body_roles.found_by(self.names, self.parents, self.rest[1])
        return {role: how[role] if found.get(role) == j else body_roles.HAND for role, j in self.roles.items()}

    @cached_property
    def leg_length(self) -> float:
        """Mean length of the legs, thigh and shin, metres; 0 if no legs are known."""
        places, legs = self.rest[1], []
        for side in "LR":
            joints = [self.roles.get(f"{role}.{side}") for role in ("thigh", "shin", "foot")]
            known = [places[joint] for joint in joints if joint is not None]
            if len(known) == 3:
                # Use distances, not offsets: in generated rigs the shin is not a child of the thigh.
                legs.append(np.linalg.norm(np.diff(known, axis=0), axis=1).sum())
        return float(np.mean(legs)) if legs else 0.0

    @cached_property
    def height(self) -> float:
        """Height of the standing body, metres: the leg length over 0.49, or the longest chain of bones.

        Rest poses can't be measured for this, because many sit or raise their arms. Some rigs fold the legs at rest and
        stretch them in actions, so implausibly short legs are ignored.
        """
        reach, tall = self._longest_chain, self.leg_length / 0.49
        return tall if tall > LEAST_OF_REACH * reach else reach

    @property
    def _longest_chain(self) -> float:
        """Length of the longest chain of bones, metres; only of the body if its legs are known."""
        reach = np.zeros(len(self))
        counts = self.body if self.leg_length > 0.0 else np.ones(len(self), dtype=bool)
        for joint, parent in enumerate(self.parents):
            if parent >= 0 and counts[parent]:
                reach[joint] = reach[parent] + np.linalg.norm(self.offsets[joint])
        return float(np.max((reach + np.linalg.norm(self.tips, axis=1))[counts]))

    def with_below(self, joints: Sequence[int]) -> NDArray[np.bool_]:
        """Return whether each joint (J,) is one of `joints` or below one of them."""
        chosen = np.zeros(len(self), dtype=bool)
        chosen[list(joints)] = True
        for joint, parent in enumerate(self.parents):
            chosen[joint] |= parent >= 0 and chosen[parent]
        return chosen

    def index(self, name: str) -> int:
        """Return the index of the joint with a name; raises SkeletonError if there is none."""
        try:
            return self._places[name]
        except KeyError:
            raise SkeletonError(f"There is no joint named {name!r}") from None

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: joint for joint, name in enumerate(self.names)}
