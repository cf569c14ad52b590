"""Root trajectory and heading: a body's position on the ground and its facing (methods: N-way blending)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import SkeletonError
from . import kinematics, quat
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton

UNTURNED = 1e-9  # radians; for a smaller turn a clip is only translated
TURNS_ALONG = 1e-7  # of directions, and of body height: largest error for joints to be turned with the others
NEUTRAL = np.radians(5.0)  # largest angle between the lines of thighs and upper arms in a neutral rest pose
# direction components of leg bones in a neutral rest pose: least down, largest forward or backward
DOWN, AHEAD = 0.8, 0.17
HEADING_SIGMA = 0.25  # s; blends do not change between 0.1 and 0.5 s, and 1 s lags behind turns


def travelling_joint(skeleton: Skeleton) -> int:
    """Return the joint that represents the body's position: the hips if known, or the first root.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import root_motion
        >>> body.skeleton().names[root_motion.travelling_joint(body.skeleton())]
        'hips'
    """
    return skeleton.roles.get("hips", 0)


def heading_source(skeleton: Skeleton) -> str:
    """Return the source of a body's heading: "thighs", or the name of its travelling joint.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import root_motion
        >>> root_motion.heading_source(body.skeleton())
        'thighs'
    """
    if "thigh.L" in skeleton.roles and "thigh.R" in skeleton.roles:
        return "thighs"
    return skeleton.names[travelling_joint(skeleton)]


def raw_heading(skeleton: Skeleton, rotations: Array, positions: Array) -> Array:
    """Return the facing direction (F,) on the ground in each frame, radians about Z, continuous; 0 faces +y.

    rotations (F, J, 4), positions (F, J, 3) : of joints in the world

    It is the mean of two left-to-right lines, through the thighs and through the upper arms, because in many stances
    either the legs or the torso are turned, but seldom both. A deviation of the arms in a neutral rest pose is
    subtracted. Without upper arms only the thighs are used, and without legs the yaw of the travelling joint.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics, root_motion
        >>> left = actions.turn_left()
        >>> facing = root_motion.raw_heading(left.skeleton, *kinematics.world(left))
        >>> round(float(np.degrees(facing[-1] - facing[0])))
        90
    """
    arms = _across(skeleton, positions, "upper_arm")
    thighs = _across(skeleton, positions, "thigh")
    if arms is None or thighs is None:
        return raw_pelvis_heading(skeleton, rotations, positions)
    return np.unwrap(np.angle(thighs + arms * np.exp(1j * _askew(skeleton))))


def raw_pelvis_heading(skeleton: Skeleton, rotations: Array, positions: Array) -> Array:
    """Return the facing direction (F,) from the line of the thighs, as `raw_heading` does without the arms.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics, root_motion
        >>> walk = actions.walk()
        >>> facing = root_motion.raw_pelvis_heading(walk.skeleton, *kinematics.world(walk))
        >>> round(float(np.degrees(np.ptp(facing))))  # the pelvis turns by 7° to either side
        14
    """
    thighs = _across(skeleton, positions, "thigh")
    if thighs is not None:
        return np.unwrap(np.angle(thighs))
    joint = travelling_joint(skeleton)
    rest_rotations, _ = skeleton.rest
    return np.unwrap(quat.yaw(quat.mul(rotations[:, joint], quat.inv(rest_rotations[joint]))))


def rest_heading(skeleton: Skeleton) -> float:
    """Return the facing direction of a body in its rest pose, radians about Z.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import root_motion
        >>> round(abs(np.degrees(root_motion.rest_heading(body.skeleton()))))  # the figure faces −Y
        180
    """
    rotations, positions = skeleton.rest
    return float(raw_heading(skeleton, rotations[None], positions[None])[0])


def _across(skeleton: Skeleton, positions: Array, part: str) -> NDArray[np.complex128] | None:
    """Return the left-to-right line (F,) of a role on the ground, as x + iy; None if a side is not known.

    Its length is 1 if horizontal, and less if tilted, because a tilted line indicates the heading less reliably.
    """
    left, right = (skeleton.roles.get(f"{part}.{side}") for side in "LR")
    if left is None or right is None:
        return None
    line = positions[:, right] - positions[:, left]
    return np.asarray(line[:, :2] @ np.array([1.0, 1j]) / np.maximum(np.linalg.norm(line, axis=1), 1e-12))


def _askew(skeleton: Skeleton) -> float:
    """Return the angle from the line of the upper arms to the line of the thighs in a neutral rest pose, radians.

    Captured bodies have up to 3°. Lying rest poses, or poses with a leg forward or back, are not neutral and give 0.
    """
    rest = skeleton.rest[1][None]
    thighs, arms = _across(skeleton, rest, "thigh"), _across(skeleton, rest, "upper_arm")
    if thighs is None or arms is None or not _stands_straight(skeleton, rest[0], thighs[0] * 1j):
        return 0.0
    angle = float(np.angle(thighs[0] * np.conj(arms[0])))
    return angle if abs(angle) <= NEUTRAL else 0.0


def _stands_straight(skeleton: Skeleton, places: Array, front: complex) -> bool:
    """Return whether the bones of both legs point down, and neither forward nor back; places (J, 3), Z up."""
    for side in "LR":
        joints = [skeleton.roles.get(f"{part}.{side}") for part in ("thigh", "shin", "foot")]
        bones = np.diff([places[joint] for joint in joints if joint is not None], axis=0)
        lengths = np.linalg.norm(bones, axis=1) if len(bones) else np.zeros(0)
        ahead = np.abs(bones[:, 0] * front.real + bones[:, 1] * front.imag) if len(bones) else lengths
        if not len(bones) or (-bones[:, 2] < DOWN * lengths).any() or (ahead > AHEAD * lengths).any():
            return False
    return True


def heading_joints(skeleton: Skeleton) -> list[int]:
    """Return the joints from which position and heading are computed.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import root_motion
        >>> figure = body.skeleton()
        >>> [figure.names[joint] for joint in root_motion.heading_joints(figure)]
        ['hips', 'thigh.L', 'thigh.R', 'upper_arm.L', 'upper_arm.R']
    """
    roles = [f"{part}.{side}" for part in ("thigh", "upper_arm") for side in "LR"]
    return [travelling_joint(skeleton), *(skeleton.roles[role] for role in roles if role in skeleton.roles)]


def heading(clip: Clip, sigma: float = HEADING_SIGMA) -> Array:
    """Return the smoothed facing direction (F,) of a clip, radians about Z; sigma in seconds.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> facing = root_motion.heading(actions.turn_right())
        >>> round(float(np.degrees(facing[-1] - facing[0])))
        -90
    """
    return smooth(ground_frames(clip)[1], sigma * clip.rate)


def pelvis_heading(clip: Clip, sigma: float) -> Array:
    """Return the smoothed facing direction (F,) of a clip's pelvis, radians about Z; sigma in seconds.

    It ignores the arms, and is meant for comparing poses by some joints, and for changing the trunk.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> facing = root_motion.pelvis_heading(actions.turn_left(), sigma=0.5)
        >>> bool(np.degrees(facing[-1] - facing[0]) > 70.0)
        True
    """
    return smooth(raw_pelvis_heading(clip.skeleton, *kinematics.get_cached_pose(clip)), sigma * clip.rate)


def ground_frames(clip: Clip) -> tuple[Array, Array]:
    """Return the positions (F, 2) of a body on the ground and its facing directions (F,), radians.

    Facing is not smoothed, so that equal poses have equal ground frames.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> ground, facing = root_motion.ground_frames(actions.walk())
        >>> abs(ground[-1] - ground[0]).round(2).tolist()
        [0.0, 4.16]
    """
    skeleton = clip.skeleton
    rotations, positions = kinematics.kept_of(clip, heading_joints(skeleton))
    return positions[:, travelling_joint(skeleton), :2], raw_heading(skeleton, rotations, positions)


def smooth(values: Array, sigma: float, *, repeats: bool = False) -> Array:
    """Return samples (F, ...) smoothed by a Gaussian of `sigma` frames, without delay; ends by odd reflection.

    Odd reflection (about the end sample itself) preserves straight lines.
    repeats : whether the samples are periodic; then the ends are smoothed around the cycle

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import root_motion
        >>> root_motion.smooth(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 2.0).round(3).tolist()
        [1.0, 2.0, 3.0, 4.0, 5.0]
        >>> root_motion.smooth(np.eye(21)[10], 1.0)[9:12].round(3).tolist()
        [0.242, 0.399, 0.242]
    """
    if repeats:
        return smooth(np.concatenate([values] * 3), sigma)[len(values) : 2 * len(values)]
    kernel = smoothing(sigma, len(values))
    reach = len(kernel) // 2
    if reach < 1:
        return values.copy()
    head = 2.0 * values[:1] - values[reach:0:-1]
    tail = 2.0 * values[-1:] - values[-2 : -reach - 2 : -1]
    padded = np.concatenate([head, values, tail]).reshape(len(values) + 2 * reach, -1)
    out = np.empty((len(values), padded.shape[1]))
    for column in range(padded.shape[1]):
        out[:, column] = np.convolve(padded[:, column], kernel, mode="valid")
    return out.reshape(values.shape)


def smoothing(sigma: float, count: int) -> Array:
    """Return the Gaussian weights (2R+1,) that `smooth` uses for `count` samples, with R neighbours on each side.

    Example:
        >>> from action_loom.core.motion import root_motion
        >>> root_motion.smoothing(0.5, 20).round(3).tolist()
        [0.0, 0.106, 0.787, 0.106, 0.0]
    """
    # Beyond 4 σ a Gaussian is negligible.
    reach = min(int(np.ceil(4.0 * sigma)), count - 1)
    if reach < 1:
        return np.ones(1)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return np.asarray(kernel / kernel.sum())


def increments(ground: Array, facing: Array) -> Array:
    """Return the steps (F−1, 3) of a ground frame as logarithms of SE(2): right, forward, turn.

    ground (F, 2) metres, facing (F,) radians; `integrate` is the inverse. Unlike paths and angles, steps can be
    averaged: the mean of a left and a right turn is straight ([Zheng]; methods: N-way blending).

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> steps = root_motion.increments(*root_motion.ground_frames(actions.walk()))
        >>> steps.shape, round(float(steps[:, 1].mean() * 30.0), 2)  # metres a second ahead
        ((96, 3), 1.3)
    """
    step = _turn_vectors(np.diff(ground, axis=0), -facing[:-1])
    turn = np.diff(facing)
    half = 0.5 * turn
    # Inverse of the left Jacobian of SE(2): half·cot(half) on the diagonal, ±half beside it.
    safe = np.where(np.abs(half) < 1e-8, 1.0, half)
    diagonal = np.where(np.abs(half) < 1e-8, 1.0 - half * half / 3.0, safe / np.tan(safe))
    ahead = diagonal * step[:, 0] + half * step[:, 1]
    aside = -half * step[:, 0] + diagonal * step[:, 1]
    return np.stack([ahead, aside, turn], axis=1)


def integrate(steps: Array, start: Array, facing: float) -> tuple[Array, Array]:
    """Return the positions (F, 2) and facing directions (F,) of a trajectory of steps (F−1, 3) from a start (2,).

    steps : as returned by `increments`; facing : in the first frame, radians

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import root_motion
        >>> steps = np.tile([0.0, 0.1, 0.0], (10, 1))  # ten steps of 10 cm straight ahead
        >>> ground, facing = root_motion.integrate(steps, np.array([2.0, 0.0]), 0.0)
        >>> ground[-1].round(3).tolist()
        [2.0, 1.0]
    """
    turn = steps[:, 2]
    sine = np.sinc(turn / np.pi)  # sin(turn)/turn
    versine = np.sin(0.5 * turn) * np.sinc(0.5 * turn / np.pi)  # (1 − cos(turn))/turn, without its cancellation
    local = np.stack([sine * steps[:, 0] - versine * steps[:, 1], versine * steps[:, 0] + sine * steps[:, 1]], axis=1)
    angles = np.concatenate([[facing], facing + np.cumsum(turn)])
    moved = np.cumsum(_turn_vectors(local, angles[:-1]), axis=0)
    return np.concatenate([start[None], start + moved]), angles


def moved_together(ground: Array, facing: Array, frame: int, place: Array, direction: float) -> tuple[Array, Array]:
    """Return a trajectory, positions (F, 2) and facing (F,), turned and moved as a whole.

    At `frame` it is at a given position (2,) and facing direction (radians).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import root_motion
        >>> ground, facing = np.array([[0.0, 0.0], [0.0, 3.0]]), np.zeros(2)  # 3 m along +y
        >>> ground, facing = root_motion.moved_together(ground, facing, 1, np.array([5.0, 5.0]), np.pi)
        >>> ground.round(3).tolist()
        [[5.0, 8.0], [5.0, 5.0]]
    """
    turn = direction - facing[frame]
    return place + _turn_vectors(ground - ground[frame], np.full(len(ground), turn)), facing + turn


def _turn_vectors(vectors: Array, angles: Array) -> Array:
    """Return vectors (..., 2) turned by angles (...)."""
    c, s = np.cos(angles), np.sin(angles)
    return np.stack([c * vectors[..., 0] - s * vectors[..., 1], s * vectors[..., 0] + c * vectors[..., 1]], axis=-1)


def path_length(ground: Array) -> float:
    """Return the length of a ground path (F, 2), metres.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> ground, _ = root_motion.ground_frames(actions.walk())
        >>> round(root_motion.path_length(ground), 2)
        4.17
    """
    return float(np.linalg.norm(np.diff(ground, axis=0), axis=1).sum())


def beginning_at(clip: Clip, place: Array, facing: float, frame: int = 0) -> Clip:
    """Return the clip turned and moved on the ground to a position (2,) and facing (radians) in one frame.

    The frame is the first by default. Facing is smoothed as in `heading`. Raises SkeletonError as `place_clip` does.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> walk = root_motion.beginning_at(actions.walk(), np.array([1.0, 2.0]), 0.0)  # along +y
        >>> root_motion.ground_frames(walk)[0][[0, -1]].round(2).tolist()
        [[1.0, 2.0], [1.0, 6.16]]
    """
    ground, raw = ground_frames(clip)
    turn = facing - smooth(raw, HEADING_SIGMA * clip.rate)[frame]
    return place_clip(clip, float(turn), place - _turn_vectors(ground[frame], np.array(turn)))


def place_clip(clip: Clip, turn: float | Array, shift: NDArray[np.float64]) -> Clip:
    """Return the clip turned about the vertical through the origin (radians), then moved by (2,) or (3,) metres.

    Each frame may have its own turn (F,) and shift (F, 2 or 3). Raises SkeletonError for bodies with joints that do not
    turn with their parents but are stretched with them.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics, root_motion
        >>> walk = actions.walk()
        >>> moved = root_motion.place_clip(walk, 0.0, np.array([0.0, 0.0, 0.5]))
        >>> (kinematics.points(moved) - kinematics.points(walk))[..., 2].mean().round(3).tolist()
        0.5
    """
    lift = np.asarray(shift, dtype=np.float64)
    if lift.shape[-1] == 2:
        lift = np.concatenate([lift, np.zeros((*lift.shape[:-1], 1))], axis=-1)
    skeleton, rules = clip.skeleton, clip.skeleton.inheritance
    if rules is not None and not rules.moving_space:
        return _shift_clip(clip, lift) if np.abs(turn).max() <= UNTURNED else _turned_as_it_stands(clip, turn, lift)
    turning = quat.about_axis("Z", np.asarray(turn))
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    for root in np.flatnonzero(skeleton.parents < 0):
        orient, offset = skeleton.orients[root], skeleton.offsets[root]
        world = offset + quat.rotate(orient, clip.translations[:, root])
        world = quat.rotate(turning, world) + lift
        translations[:, root] = quat.rotate(quat.inv(orient), world - offset)
        local = quat.mul(quat.mul(quat.inv(orient), turning), orient)
        rotations[:, root] = quat.mul(local, clip.rotations[:, root])
    return replace(clip, rotations=rotations, translations=translations)


def _shift_clip(clip: Clip, lift: Array) -> Clip:
    """Return the clip moved by (3,) or (F, 3) metres, for any inheritance: positions always follow the parents."""
    skeleton, rules = clip.skeleton, clip.skeleton.inheritance
    assert rules is not None
    translations = clip.translations.copy()
    for root in np.flatnonzero(skeleton.parents < 0):
        space = skeleton.orients[root] if rules.location[root] else rules.space
        translations[:, root] += quat.rotate(quat.inv(space), lift)
    return replace(clip, translations=translations)


def _turned_as_it_stands(clip: Clip, turn: float | Array, lift: Array) -> Clip:
    """Return the clip turned and moved for joints without full inheritance from their parents.

    Joints that do not turn with their parents are turned themselves.
    """
    linear, places = kinematics.matrices(clip)
    turning = np.broadcast_to(quat.about_axis("Z", np.asarray(turn)), (len(clip), 4))[:, None]
    linear = quat.to_matrix(turning) @ linear
    places = quat.rotate(turning, places) + np.broadcast_to(lift, (len(clip), 3))[:, None]
    turned = kinematics.standing_at(clip, linear, places)
    now, there = kinematics.matrices(turned)
    away = np.abs(now - linear).max(axis=(0, 2, 3)) + np.abs(there - places).max(axis=(0, 2)) / clip.skeleton.height
    if away.max() > TURNS_ALONG:
        joint = clip.skeleton.names[int(np.argmax(away > TURNS_ALONG))]
        raise SkeletonError(
            f"{clip.name}: {joint!r} does not inherit all of its parent, whose scale stretches it, so it can't be"
            " turned with the rest: let it inherit rotation, or take the scale off its parent"
        )
    return turned
