"""Where a body goes on the ground and which way it faces: its heading frame (methods: N-way blending)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import SkeletonError
from . import kinematics, quat
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton

UNTURNED = 1e-9  # radians; who is turned by less is only moved
TURNS_ALONG = 1e-7  # of directions, and of the body's height; joints farther off could not be turned with the rest
HEADING_SIGMA = 0.25  # s; from 0.1 to 0.5 blends come out the same, 1 s lags behind turns


def travelling_joint(skeleton: Skeleton) -> int:
    """Return the joint whose place is the body's place: the hips where they are known, else the first root."""
    return skeleton.roles.get("hips", 0)


def heading_source(skeleton: Skeleton) -> str:
    """Say what tells which way a body faces: its "thighs", else its travelling joint, by name."""
    if "thigh.L" in skeleton.roles and "thigh.R" in skeleton.roles:
        return "thighs"
    return skeleton.names[travelling_joint(skeleton)]


def raw_heading(skeleton: Skeleton, rotations: Array, positions: Array) -> Array:
    """Return the facing direction (F,) on the ground per frame, radians about Z, continuous.

    From world rotations (F, J, 4) and positions (F, J, 3). The left-to-right line of the thighs is
    the x axis of someone who faces +y, and that of the upper arms, by as much as it turns away from where it is at
    rest, counts as much: stances stand askew, and so do torsos, but seldom both. A body without legs is turned by
    the yaw of its travelling joint.
    """
    arms = _across(skeleton, positions, "upper_arm")
    thighs = _across(skeleton, positions, "thigh")
    if arms is None or thighs is None:
        return raw_pelvis_heading(skeleton, rotations, positions)
    return np.unwrap(np.angle(thighs + arms * np.exp(1j * _askew(skeleton))))


def raw_pelvis_heading(skeleton: Skeleton, rotations: Array, positions: Array) -> Array:
    """Return which way the line of the thighs faces (F,), as `raw_heading` does without the arms."""
    thighs = _across(skeleton, positions, "thigh")
    if thighs is not None:
        return np.unwrap(np.angle(thighs))
    joint = travelling_joint(skeleton)
    rest_rotations, _ = skeleton.rest
    return np.unwrap(quat.yaw(quat.mul(rotations[:, joint], quat.inv(rest_rotations[joint]))))


def rest_heading(skeleton: Skeleton) -> float:
    """Return which way a body faces in its rest pose, radians about Z."""
    rotations, positions = skeleton.rest
    return float(raw_heading(skeleton, rotations[None], positions[None])[0])


def _across(skeleton: Skeleton, positions: Array, part: str) -> NDArray[np.complex128] | None:
    """The left-to-right line (F,) of a part of the body on the ground, 1 long where it is level; None if unknown."""
    left, right = (skeleton.roles.get(f"{part}.{side}") for side in "LR")
    if left is None or right is None:
        return None
    line = positions[:, right] - positions[:, left]
    return np.asarray(line[:, :2] @ np.array([1.0, 1j]) / np.maximum(np.linalg.norm(line, axis=1), 1e-12))


def _askew(skeleton: Skeleton) -> float:
    """How far the line of the thighs is turned from that of the upper arms at rest, radians."""
    rest = skeleton.rest[1][None]
    thighs, arms = _across(skeleton, rest, "thigh"), _across(skeleton, rest, "upper_arm")
    return 0.0 if thighs is None or arms is None else float(np.angle(thighs[0]) - np.angle(arms[0]))


def heading_joints(skeleton: Skeleton) -> list[int]:
    """Return the joints that tell where a body is and which way it faces."""
    roles = [f"{part}.{side}" for part in ("thigh", "upper_arm") for side in "LR"]
    return [travelling_joint(skeleton), *(skeleton.roles[role] for role in roles if role in skeleton.roles)]


def heading(clip: Clip, sigma: float = HEADING_SIGMA) -> Array:
    """Return the smoothed facing direction (F,) of a clip, radians about Z; sigma in seconds."""
    return smooth(ground_frames(clip)[1], sigma * clip.rate)


def pelvis_heading(clip: Clip, sigma: float) -> Array:
    """Return the smoothed facing direction (F,) of a clip's pelvis, radians about Z; sigma in seconds.

    What the arms do has no part in it: for comparing poses by some joints, and for trunks that are changed.
    """
    return smooth(raw_pelvis_heading(clip.skeleton, *kinematics.world(clip)), sigma * clip.rate)


def ground_frames(clip: Clip) -> tuple[Array, Array]:
    """Return where a body is on the ground (F, 2) and the unsmoothed facing (F,): equal poses give equal ones."""
    skeleton = clip.skeleton
    rotations, positions = kinematics.world_of(clip, heading_joints(skeleton))
    return positions[:, travelling_joint(skeleton), :2], raw_heading(skeleton, rotations, positions)


def smooth(values: Array, sigma: float) -> Array:
    """Low-pass samples (F, ...) with a Gaussian of `sigma` frames, without delay; ends by odd reflection."""
    reach = min(int(np.ceil(4.0 * sigma)), len(values) - 1)
    if reach < 1:
        return values.copy()
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    head = 2.0 * values[:1] - values[reach:0:-1]
    tail = 2.0 * values[-1:] - values[-2 : -reach - 2 : -1]
    padded = np.concatenate([head, values, tail]).reshape(len(values) + 2 * reach, -1)
    out = np.empty((len(values), padded.shape[1]))
    for column in range(padded.shape[1]):
        out[:, column] = np.convolve(padded[:, column], kernel, mode="valid")
    return out.reshape(values.shape)


def increments(ground: Array, facing: Array) -> Array:
    """Return the steps (F−1, 3) of a ground frame as SE(2) logarithms (to the right, ahead, turn).

    ground (F, 2) metres, facing (F,) radians; `integrate` is the inverse. Steps can be averaged, which paths and
    angles cannot: a left and a right turn at equal weights go straight on ([Zheng]; methods: N-way blending).
    """
    step = _turned(np.diff(ground, axis=0), -facing[:-1])
    turn = np.diff(facing)
    half = 0.5 * turn
    # Inverse of the left Jacobian of SE(2): half·cot(half) on the diagonal, ±half beside it.
    safe = np.where(np.abs(half) < 1e-8, 1.0, half)
    diagonal = np.where(np.abs(half) < 1e-8, 1.0 - half * half / 3.0, safe / np.tan(safe))
    ahead = diagonal * step[:, 0] + half * step[:, 1]
    aside = -half * step[:, 0] + diagonal * step[:, 1]
    return np.stack([ahead, aside, turn], axis=1)


def integrate(steps: Array, start: Array, facing: float) -> tuple[Array, Array]:
    """Return ground (F, 2) and facing (F,) of the walk that takes these steps (F−1, 3) from a start (2,)."""
    turn = steps[:, 2]
    sine = np.sinc(turn / np.pi)  # sin(turn)/turn
    versine = np.sin(0.5 * turn) * np.sinc(0.5 * turn / np.pi)  # (1 − cos(turn))/turn, without its cancellation
    local = np.stack([sine * steps[:, 0] - versine * steps[:, 1], versine * steps[:, 0] + sine * steps[:, 1]], axis=1)
    angles = np.concatenate([[facing], facing + np.cumsum(turn)])
    moved = np.cumsum(_turned(local, angles[:-1]), axis=0)
    return np.concatenate([start[None], start + moved]), angles


def moved_together(ground: Array, facing: Array, frame: int, place: Array, direction: float) -> tuple[Array, Array]:
    """Return a walk (F, 2), (F,) turned and moved as a whole so that it is at a place, facing a way, in one frame."""
    turn = direction - facing[frame]
    return place + _turned(ground - ground[frame], np.full(len(ground), turn)), facing + turn


def _turned(vectors: Array, angles: Array) -> Array:
    c, s = np.cos(angles), np.sin(angles)
    return np.stack([c * vectors[..., 0] - s * vectors[..., 1], s * vectors[..., 0] + c * vectors[..., 1]], axis=-1)


def path_length(ground: Array) -> float:
    """Return the length of a ground path (F, 2) in metres."""
    return float(np.linalg.norm(np.diff(ground, axis=0), axis=1).sum())


def beginning_at(clip: Clip, place: Array, facing: float, frame: int = 0) -> Clip:
    """Return the clip turned and moved on the ground so that it is at a place (2,), facing a way (radians).

    In one frame, the first if none is given. Raises SkeletonError as `placed` does.
    """
    ground, raw = ground_frames(clip)
    turn = facing - smooth(raw, HEADING_SIGMA * clip.rate)[frame]
    return placed(clip, float(turn), place - _turned(ground[frame], np.array(turn)))


def placed(clip: Clip, turn: float | Array, shift: NDArray[np.float64]) -> Clip:
    """Return the clip turned about the vertical through the origin (radians), then moved by (2,) or (3,) metres.

    Turns (F,) and shifts (F, 2 or 3) may also be those of every frame. Raises SkeletonError for bodies whose joints
    do not turn with their parents, but are stretched along with them.
    """
    lift = np.asarray(shift, dtype=np.float64)
    if lift.shape[-1] == 2:
        lift = np.concatenate([lift, np.zeros((*lift.shape[:-1], 1))], axis=-1)
    skeleton, rules = clip.skeleton, clip.skeleton.inheritance
    if rules is not None and not rules.moving_space:
        return _shifted(clip, lift) if np.abs(turn).max() <= UNTURNED else _turned_as_it_stands(clip, turn, lift)
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


def _shifted(clip: Clip, lift: Array) -> Clip:
    """The clip moved by (3,) or (F, 3), whatever its joints inherit: all of them are where their parents take them."""
    skeleton, rules = clip.skeleton, clip.skeleton.inheritance
    assert rules is not None
    translations = clip.translations.copy()
    for root in np.flatnonzero(skeleton.parents < 0):
        space = skeleton.orients[root] if rules.location[root] else rules.space
        translations[:, root] += quat.rotate(quat.inv(space), lift)
    return replace(clip, translations=translations)


def _turned_as_it_stands(clip: Clip, turn: float | Array, lift: Array) -> Clip:
    """The clip turned and moved where joints do not inherit all: those that do not turn along are turned themselves."""
    linear, places = kinematics.matrices(clip)
    turning = np.broadcast_to(quat.about_axis("Z", np.asarray(turn)), (len(clip), 4))[:, None]
    linear = quat.to_matrix(turning) @ linear
    places = quat.rotate(turning, places) + np.broadcast_to(lift, (len(clip), 3))[:, None]
    made = kinematics.standing_at(clip, linear, places)
    found, there = kinematics.matrices(made)
    away = np.abs(found - linear).max(axis=(0, 2, 3)) + np.abs(there - places).max(axis=(0, 2)) / clip.skeleton.height
    if away.max() > TURNS_ALONG:
        joint = clip.skeleton.names[int(np.argmax(away > TURNS_ALONG))]
        raise SkeletonError(
            f"{clip.name}: {joint!r} does not inherit all of its parent, whose scale stretches it, so it can't be"
            " turned with the rest: let it inherit rotation, or take the scale off its parent"
        )
    return made
