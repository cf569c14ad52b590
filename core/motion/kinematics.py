"""Forward kinematics, for all frames at once (methods: Skeleton, clip, forward kinematics)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .. import jit
from . import inheritance, quat
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton

SAME = 1e-12  # of quaternions, or m; by so much a joint is not moved that is computed from the world
DEEP = 300  # joints in a row, from which on the compiler pays: no body has them, but chains and cloth have


def world(clip: Clip) -> tuple[Array, Array]:
    """Return world rotations (F, J, 4) and positions (F, J, 3) of all joints of a clip.

    The rotation of a joint that is stretched or sheared is that of its axes.
    """
    if _plain(clip):
        return forward(clip.skeleton, clip.rotations, clip.translations)
    linear, positions = matrices(clip)
    return _axes(linear), positions


def world_of(clip: Clip, joints: Sequence[int]) -> tuple[Array, Array]:
    """Return what `world` gives, for some joints; the others, but for those above them, are zero."""
    if not _plain(clip):
        return world(clip)
    chosen = np.zeros(len(clip.skeleton), dtype=bool)
    for joint in joints:
        above = joint
        while above >= 0:
            chosen[above] = True
            above = int(clip.skeleton.parents[above])
    return _forward(clip.skeleton, np.flatnonzero(chosen), clip.rotations, clip.translations)


def points(clip: Clip) -> Array:
    """Return the world positions (F, P, 3) of all joints, then of the tips of the leaf bones."""
    if _plain(clip):
        return posed(clip)[1]
    return _stretched_points(clip.skeleton, *matrices(clip))


def posed(clip: Clip) -> tuple[Array, Array]:
    """Return the rotations of `world` and the positions of `points`, worked out once for both."""
    if not _plain(clip):
        linear, positions = matrices(clip)
        return _axes(linear), _stretched_points(clip.skeleton, linear, positions)
    rotations, positions = forward(clip.skeleton, clip.rotations, clip.translations)
    tipped = clip.skeleton.tipped
    reach = quat.rotate(rotations[:, tipped], clip.skeleton.tips[tipped])
    return rotations, np.concatenate([positions, positions[:, tipped] + reach], axis=1)


def _axes(linear: Array) -> Array:
    lengths = np.linalg.norm(linear, axis=-2, keepdims=True)
    return quat.from_matrix(linear / np.where(lengths > 0.0, lengths, 1.0))


def _stretched_points(skeleton: Skeleton, linear: Array, positions: Array) -> Array:
    tipped = skeleton.tipped
    reach = np.einsum("fpij,pj->fpi", linear[:, tipped], skeleton.tips[tipped])
    return np.concatenate([positions, positions[:, tipped] + reach], axis=1)


def _plain(clip: Clip) -> bool:
    return clip.scales is None and clip.skeleton.inheritance is None


def forward(skeleton: Skeleton, rotations: Array, translations: Array) -> tuple[Array, Array]:
    """Return world rotations (F, J, 4) and positions (F, J, 3) of joints that inherit all, without scale.

    rotations (F, J, 4) and translations (F, J, 3) are about the rest pose:
    M = M_parent · T(offset) · R(orient) · T(translation) · R(rotation).
    """
    return _forward(skeleton, np.arange(len(skeleton)), rotations, translations)


def _forward(
    skeleton: Skeleton, joints: NDArray[np.int64], rotations: Array, translations: Array
) -> tuple[Array, Array]:
    """What `forward` gives, for some joints and those above them in order; the others are zero."""
    arrays = (skeleton.offsets, skeleton.orients, rotations, translations)
    ready = (np.require(values, np.float64, ["C", "W"]) for values in arrays)
    parents = np.require(skeleton.parents, np.int64, ["C", "W"])
    kernels = jit.kernels if len(skeleton.levels) > DEEP else jit.at_hand
    found: tuple[Array, Array] = kernels(__package__).forward(joints, parents, *ready)
    return found


def matrices(clip: Clip) -> tuple[Array, Array]:
    """Return the linear parts (F, J, 3, 3) and places (F, J, 3) of all joints, with scales and bone settings."""
    basis = quat.to_matrix(clip.rotations)
    if clip.scales is not None:
        basis = basis * clip.scales[:, :, None, :]
    linear, places = np.empty_like(basis), np.empty_like(clip.translations)
    frames = Frames(clip.skeleton, linear, places)
    for joint in range(len(clip.skeleton)):
        linear[:, joint], places[:, joint] = frames.frame_of(joint).apply(basis[:, joint], clip.translations[:, joint])
    return linear, places


def local(skeleton: Skeleton, linear: Array, places: Array) -> tuple[Array, Array, Array]:
    """Return rotations (F, J, 4), translations and scales (F, J, 3) of joints that stand at given world matrices.

    linear (F, J, 3, 3) and places (F, J, 3), as `matrices` gives them. Every joint is where it was; shear that a
    joint has of its own (a stretched bone's) is lost.
    """
    rotations = np.empty((*places.shape[:2], 4))
    translations, scales = np.empty_like(places), np.empty_like(places)
    # What the joints below see is the joint as it comes out again, without its shear.
    rebuilt = np.empty_like(linear)
    frames = Frames(skeleton, rebuilt, places)
    for joint in range(len(skeleton)):
        frame = frames.frame_of(joint)
        basis = np.linalg.solve(frame.turning, frame.unstretched(linear[:, joint]))
        scales[:, joint] = np.linalg.norm(basis, axis=-2)
        rotations[:, joint] = quat.from_matrix(basis / np.maximum(scales[:, joint, None, :], 1e-12))
        translations[:, joint] = frame.location_of(places[:, joint])
        straight = quat.to_matrix(rotations[:, joint]) * scales[:, joint, None, :]
        rebuilt[:, joint], _ = frame.apply(straight, translations[:, joint])
    return rotations, translations, scales


def standing_at(clip: Clip, linear: Array, places: Array) -> Clip:
    """Return the clip with its joints at given world matrices, as `matrices` gives them.

    Scales are as they were; so is, to the bit, what a joint does that stands to the others as before.
    """
    rotations, translations, _ = local(clip.skeleton, linear, places)
    rotations = quat.same_side(rotations, clip.rotations)
    kept = np.abs(rotations - clip.rotations).max(axis=(0, 2)) < SAME
    rotations[:, kept] = clip.rotations[:, kept]
    kept = np.abs(translations - clip.translations).max(axis=(0, 2)) < SAME
    translations[:, kept] = clip.translations[:, kept]
    return replace(clip, rotations=rotations, translations=translations)


class Frames:
    """The frames in which joints turn and move, given the linear parts and places of the joints above them.

    linear (F, J, 3, 3) and places (F, J, 3) are read as they are filled, parents before children.
    """

    def __init__(self, skeleton: Skeleton, linear: Array, places: Array) -> None:
        self._skeleton, self._linear, self._places = skeleton, linear, places
        self._local = quat.to_matrix(skeleton.orients)
        self._rules = skeleton.inheritance or _everything(len(skeleton))
        self._rest = quat.to_matrix(skeleton.rest[0])

    def frame_of(self, joint: int) -> inheritance.Frame:
        """Return the frame of one joint, all above it being known."""
        skeleton, rules = self._skeleton, self._rules
        parent = int(skeleton.parents[joint])
        at_rest, offset = self._local[joint], skeleton.offsets[joint]
        frames = len(self._linear)
        if parent < 0:
            still = np.broadcast_to(np.eye(3), (frames, 3, 3))
            frame = inheritance.root_frame(at_rest, offset, still, np.zeros((frames, 3)), True)
            if rules.location[joint] or (rules.moving_space and joint == 0):
                return frame
            space = np.broadcast_to(quat.to_matrix(rules.space), (frames, 3, 3))
            return inheritance.Frame(frame.turning, space, frame.origin)
        if rules.moving_space and parent == 0:
            space, origin = self._linear[:, 0], self._places[:, 0]
            return inheritance.root_frame(at_rest, offset, space, origin, bool(rules.location[joint]))
        parent_rest = np.broadcast_to(self._rest[parent], (frames, 3, 3))
        if rules.moving_space:
            # What does not inherit rotation still turns with the armature object.
            parent_rest = self._linear[:, 0] @ self._rest[0].T @ parent_rest
        return inheritance.child_frame(
            self._linear[:, parent],
            self._places[:, parent],
            parent_rest,
            at_rest,
            offset,
            bool(rules.rotation[joint]),
            rules.scale[joint],
            bool(rules.location[joint]),
        )


def _everything(count: int) -> inheritance.Inheritance:
    true = np.ones(count, dtype=bool)
    return inheritance.Inheritance(true, ("FULL",) * count, true, quat.IDENTITY)
