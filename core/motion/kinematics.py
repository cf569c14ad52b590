"""Forward kinematics, for all frames at once (methods: Skeleton, clip, forward kinematics)."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .. import jit
from . import blocks, inheritance, quat
from .arrays import kernel_argument
from .clip import Clip
from .quat import Array
from .skeleton import DEEP, Skeleton

# Quaternion components, or metres: joints with a smaller difference after a round trip through the world did not move.
SAME = 1e-12
SHEARED = 1e-5  # cosine between axes; Blender's single-precision results are closer to orthogonal
# Joints × frames of cached poses, 60 bytes each. A verb requests the poses of a clip up to ten times.
KEPT_POSES = 1_500_000
MOST_KEPT = 10_000_000  # cache size while a verb works

_working = 0  # number of verbs at work
_kept: WeakKeyDictionary[Clip, tuple[Array, Array]] = WeakKeyDictionary()  # in order of last use
_lock = Lock()


def world(clip: Clip) -> tuple[Array, Array]:
    """Return world rotations (F, J, 4) and positions (F, J, 3) of all joints of a clip.

    For a stretched or sheared joint, the rotation is the one of its axes.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk()
        >>> rotations, positions = kinematics.world(walk)
        >>> rotations.shape, positions.shape
        ((97, 21, 4), (97, 21, 3))
        >>> positions[0, walk.skeleton.index("head")].round(2).tolist()
        [-0.01, -0.04, 1.46]
    """
    rotations, places = get_cached_pose(clip)
    return rotations.copy(), places[:, : len(clip.skeleton)].copy()


def world_of(clip: Clip, joints: Sequence[int]) -> tuple[Array, Array]:
    """Return rotations and positions as `world` does, valid only for some joints and their ancestors.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk()
        >>> hand = walk.skeleton.index("hand.L")
        >>> bool((kinematics.world_of(walk, [hand])[1][:, hand] == kinematics.world(walk)[1][:, hand]).all())
        True
    """
    rotations, positions = kept_of(clip, joints)
    return (rotations, positions) if rotations.flags.writeable else (rotations.copy(), positions.copy())


def kept_of(clip: Clip, joints: Sequence[int]) -> tuple[Array, Array]:
    """Return the result of `world_of` without a copy; the arrays may be read-only.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> kinematics.kept_of(actions.walk(), [0])[1].shape
        (97, 21, 3)
    """
    if not _plain(clip) or clip in _kept or len(clip.skeleton.levels) > DEEP:
        rotations, places = get_cached_pose(clip)
        return rotations, places[:, : len(clip.skeleton)]
    chosen = np.zeros(len(clip.skeleton), dtype=bool)
    for joint in joints:
        above = joint
        while above >= 0:
            chosen[above] = True
            above = int(clip.skeleton.parents[above])
    return _forward(clip.skeleton, np.flatnonzero(chosen), clip.rotations, clip.translations)


def points(clip: Clip) -> Array:
    """Return the world positions (F, P, 3) of all joints, then of the tips of the leaf bones, metres.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> kinematics.points(actions.walk()).shape  # 21 joints; tips of the head, of hands and of toes
        (97, 26, 3)
    """
    return get_cached_pose(clip)[1].copy()


def lines(skeleton: Skeleton, *, skip_first: bool = False) -> NDArray[np.int64]:
    """Return pairs (L, 2) of connected points: each joint with its parent, and with its tip.

    skip_first : whether joint 0 is not a bone

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import kinematics
        >>> kinematics.lines(body.skeleton())[:2].tolist()
        [[0, 1], [1, 2]]
    """
    hanging = [(int(above), joint) for joint, above in enumerate(skeleton.parents) if above >= int(skip_first)]
    tips = [(int(joint), len(skeleton) + k) for k, joint in enumerate(skeleton.tipped)]
    return np.array(hanging + tips, dtype=np.int64)


def pose_clip(clip: Clip) -> tuple[Array, Array]:
    """Return the rotations of `world` and the positions of `points`, computed together.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> rotations, points = kinematics.pose_clip(actions.walk())
        >>> rotations.shape, points.shape
        ((97, 21, 4), (97, 26, 3))
    """
    rotations, places = get_cached_pose(clip)
    return rotations.copy(), places.copy()


def get_cached_pose(clip: Clip, *, keep: bool = True) -> tuple[Array, Array]:
    """Return the result of `pose_clip` as cached read-only arrays.

    keep : whether the clip will be requested again, so that it may displace others from the cache

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk()
        >>> kinematics.get_cached_pose(walk)[1] is kinematics.get_cached_pose(walk)[1]
        True
    """
    with _lock:
        pose = _kept.pop(clip, None)
        if pose is not None:
            _kept[clip] = pose
            return pose
    pose = _compute_pose(clip)
    for array in pose:
        array.flags.writeable = False
    if keep:
        with _lock:
            _kept[clip] = pose
            _drop(MOST_KEPT if _working else KEPT_POSES)
    return pose


@contextmanager
def keeping() -> Iterator[None]:
    """Enlarge the pose cache while a verb requests the same poses repeatedly.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> with kinematics.keeping():
        ...     kinematics.get_cached_pose(actions.walk())[1].shape
        (97, 26, 3)
    """
    global _working
    with _lock:
        _working += 1
    try:
        yield
    finally:
        with _lock:
            _working -= 1
            if not _working:
                _drop(KEPT_POSES)


def _drop(most: int) -> None:
    """Drop the least recently used poses until at most `most` remain."""
    poses = {other: rotations.size // 4 for other, (rotations, _) in _kept.items()}
    excess = sum(poses.values()) - most
    for other, count in poses.items():
        if excess > 0:
            del _kept[other]
            excess -= count


def _compute_pose(clip: Clip) -> tuple[Array, Array]:
    if not _plain(clip):
        linear, positions = matrices(clip)
        return _axes(linear), _stretched_points(clip.skeleton, linear, positions)
    skeleton = clip.skeleton
    tipped, joints = skeleton.tipped, len(skeleton)
    every = np.arange(joints, dtype=np.int64)
    rotations, points = _forward(skeleton, every, clip.rotations, clip.translations, len(tipped))
    for some in blocks.slices(len(clip), 4 * len(tipped)):
        reach = quat.rotate(rotations[some, tipped], skeleton.tips[tipped])
        np.add(points[some, tipped], reach, out=points[some, joints:])
    return rotations, points


def _axes(linear: Array) -> Array:
    lengths = np.linalg.norm(linear, axis=-2, keepdims=True)
    return quat.from_matrix(linear / np.where(lengths > 0.0, lengths, 1.0))


def _stretched_points(skeleton: Skeleton, linear: Array, positions: Array) -> Array:
    tipped = skeleton.tipped
    reach = np.einsum("fpij,pj->fpi", linear[:, tipped], skeleton.tips[tipped])
    return np.concatenate([positions, positions[:, tipped] + reach], axis=1)


def _plain(clip: Clip) -> bool:
    """Return whether rotations and positions are enough: no scales, and joints inherit everything from parents."""
    return clip.scales is None and clip.skeleton.inheritance is None


def forward(skeleton: Skeleton, rotations: Array, translations: Array) -> tuple[Array, Array]:
    """Return world rotations (F, J, 4) and positions (F, J, 3) of joints that inherit everything, without scale.

    rotations (F, J, 4) and translations (F, J, 3) are relative to the rest pose:
    M = M_parent · T(offset) · R(orient) · T(translation) · R(rotation).
    """
    return _forward(skeleton, np.arange(len(skeleton)), rotations, translations)


def _forward(
    skeleton: Skeleton, joints: NDArray[np.int64], rotations: Array, translations: Array, more: int = 0
) -> tuple[Array, Array]:
    """Return the result of `forward` for some joints and their ancestors, parents first; the other entries are zero.

    more : number of additional points to append to the positions, as zeros
    """
    arrays = (skeleton.offsets, skeleton.orients, rotations, translations)
    ready = map(kernel_argument, arrays)
    parents = kernel_argument(skeleton.parents, np.int64)
    # Long chains are worth waiting for the compiler. The engines differ by rounding, so long chains always use the
    # same.
    kernels = jit.kernels if len(skeleton.levels) > DEEP else jit.at_hand
    posed: tuple[Array, Array] = kernels(__package__).forward(joints, parents, *ready, more)
    return posed


def matrices(clip: Clip) -> tuple[Array, Array]:
    """Return the linear parts (F, J, 3, 3) and positions (F, J, 3) of all joints, with scales and bone settings.

    Example:
        >>> from dataclasses import replace
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk(cycles=1)
        >>> scales = np.ones(walk.translations.shape)
        >>> scales[:, 0] = 0.5  # the hips are scaled; all below them inherits that
        >>> linear, places = kinematics.matrices(replace(walk, scales=scales))
        >>> np.linalg.norm(linear[0, walk.skeleton.index("head")], axis=0).round(3).tolist()
        [0.5, 0.5, 0.5]
    """
    basis = quat.to_matrix(clip.rotations)
    if clip.scales is not None:
        basis = basis * clip.scales[:, :, None, :]
    linear, places = np.empty_like(basis), np.empty_like(clip.translations)
    frames = Frames(clip.skeleton, linear, places)
    for joint in range(len(clip.skeleton)):
        linear[:, joint], places[:, joint] = frames.frame_of(joint).apply(basis[:, joint], clip.translations[:, joint])
    return linear, places


def local(
    skeleton: Skeleton, linear: Array, places: Array, resting: Collection[int] = (), signs: Array | None = None
) -> tuple[Array, Array, Array]:
    """Return the rotations (F, J, 4), translations and scales (F, J, 3) of joints with given world matrices.

    linear (F, J, 3, 3) and places (F, J, 3) : as returned by `matrices`; this is its inverse
    resting : joints to put at rest regardless of their matrices; their children still match their own matrices
    signs (F, J, 3) : of the scales, by default positive, because matrices do not show which axes are reversed

    Positions are kept. A joint's own shear (of a stretched bone) is lost, but the direction of its y axis is kept,
    because Blender's bones point along y, so their tips do not move.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk(cycles=1)
        >>> rotations, translations, scales = kinematics.local(walk.skeleton, *kinematics.matrices(walk))
        >>> bool(abs(translations - walk.translations).max() < 1e-9)
        True
    """
    rotations = np.empty((*places.shape[:2], 4))
    translations, scales = np.empty_like(places), np.empty_like(places)
    # Children are relative to the joint as rebuilt, without its shear.
    rebuilt = np.empty_like(linear)
    places = places.copy() if resting else places
    frames = Frames(skeleton, rebuilt, places)
    for joint in range(len(skeleton)):
        frame = frames.frame_of(joint)
        if joint in resting:
            rotations[:, joint], translations[:, joint], scales[:, joint] = quat.IDENTITY, 0.0, 1.0
            still = np.broadcast_to(np.eye(3), linear[:, joint].shape)
            rebuilt[:, joint], places[:, joint] = frame.apply(still, translations[:, joint])
            continue
        basis = inheritance.solve(frame.turning, frame.undo_stretch(linear[:, joint]))
        if signs is not None:
            basis = basis * signs[:, joint, None, :]
        scales[:, joint] = np.linalg.norm(basis, axis=-2)
        rotations[:, joint] = quat.from_matrix(_upright(basis / np.maximum(scales[:, joint, None, :], 1e-12)))
        translations[:, joint] = frame.location_of(places[:, joint])
        if signs is not None:
            scales[:, joint] *= signs[:, joint]
        straight = quat.to_matrix(rotations[:, joint]) * scales[:, joint, None, :]
        rebuilt[:, joint], _ = frame.apply(straight, translations[:, joint])
    return rotations, translations, scales


def _upright(axes: Array) -> Array:
    """Return orthogonal unit axes (F, 3, 3); for sheared axes y is kept, and x and z are changed equally."""
    x, y, z = np.moveaxis(axes, -1, 0)
    if max(float(np.abs((a * b).sum(axis=-1)).max(initial=0.0)) for a, b in ((x, y), (y, z), (z, x))) < SHEARED:
        return axes
    around = x - (x * y).sum(axis=-1, keepdims=True) * y
    around /= np.maximum(np.linalg.norm(around, axis=-1, keepdims=True), 1e-12)
    other = np.cross(y, z)
    around += other / np.maximum(np.linalg.norm(other, axis=-1, keepdims=True), 1e-12)
    around /= np.maximum(np.linalg.norm(around, axis=-1, keepdims=True), 1e-12)
    return np.stack([around, y, np.cross(around, y)], axis=-1)


def standing_at(clip: Clip, linear: Array, places: Array) -> Clip:
    """Return the clip with its joints at given world matrices, as returned by `matrices`.

    Scales are unchanged. A joint whose pose relative to its parent does not change keeps its rotations and translations
    bit for bit.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk(cycles=1)
        >>> linear, places = kinematics.matrices(walk)
        >>> raised = kinematics.standing_at(walk, linear, places + [0.0, 0.0, 0.2])  # 20 cm
        >>> bool((raised.translations[:, 1:] == walk.translations[:, 1:]).all())  # only the hips moved
        True
    """
    signs = None if clip.scales is None else np.where(clip.scales < 0.0, -1.0, 1.0)
    rotations, translations, _ = local(clip.skeleton, linear, places, signs=signs)
    rotations = quat.same_side(rotations, clip.rotations)
    kept = np.abs(rotations - clip.rotations).max(axis=(0, 2)) < SAME
    rotations[:, kept] = clip.rotations[:, kept]
    kept = np.abs(translations - clip.translations).max(axis=(0, 2)) < SAME
    translations[:, kept] = clip.translations[:, kept]
    return replace(clip, rotations=rotations, translations=translations)


class Frames:
    """The frames in which joints turn and move, given the linear parts and positions of their parents.

    linear (F, J, 3, 3) and places (F, J, 3) are arrays filled by the caller, parents before children: a joint's frame
    is computed from its parent's entries.
    """

    def __init__(self, skeleton: Skeleton, linear: Array, places: Array) -> None:
        self._skeleton, self._linear, self._places = skeleton, linear, places
        self._local = quat.to_matrix(skeleton.orients)
        self._rules = skeleton.inheritance or _everything(len(skeleton))
        self._rest = quat.to_matrix(skeleton.rest[0])

    def frame_of(self, joint: int) -> inheritance.Frame:
        """Return the frame of one joint; the entries of all its ancestors must be filled."""
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
            # A joint without inherited rotation still turns with the armature object.
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
    """Return settings with which all joints inherit everything."""
    true = np.ones(count, dtype=bool)
    return inheritance.Inheritance(true, ("FULL",) * count, true, quat.IDENTITY)
