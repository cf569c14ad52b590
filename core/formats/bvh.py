"""BVH motion files: read and write them, convert them to clips and back."""

import itertools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .. import files
from ..errors import SeveralBodiesError, SkeletonError
from ..motion import kinematics, quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import bvh_text
from .bvh_text import BvhMotion
from .conventions import pace, posed_roles, settling
from .motion_file import ASKED, ASSUMED, AUTO, STATED, Convention, Finding, MotionFile, Reading

RATE_ROUNDING = 0.002  # relative tolerance within which a frame time is taken as a rate, see `_with_rate`


def read_file(path: str | os.PathLike[str], reading: Reading) -> MotionFile:
    """Read a BVH file; see `motion_file.read`."""
    motion = _one_body(read(path), reading.body)
    motion, found = _with_rate(motion, reading.rate)
    frames, rate = len(motion.values), motion.rate
    every = reading.every(rate)
    if every > 1:
        motion = replace(motion, values=motion.values[::every], frame_time=repr(every / rate))
    settled = settling.settle(_raw_clip(motion), reading, rate=found)
    turned = tuple(any(channel.endswith("rotation") for channel in channels) for channels in motion.channels)
    return MotionFile(
        str(path),
        settled.clip,
        settled.convention,
        turned,
        motion,
        findings=settled.findings,
        notes=motion.notes,
        frames=frames,
        rate=rate,
    )


def _with_rate(motion: BvhMotion, asked: float) -> tuple[BvhMotion, Finding]:
    """Return a file's contents at the requested rate, and how the rate was found.

    Some exporters write frames per second in place of seconds. No motion has a frame every few seconds.
    """
    if asked:
        return replace(motion, frame_time=repr(1.0 / asked)), Finding("rate", f"{asked:g}", ASKED)
    seconds = float(motion.frame_time)
    rate = min(pace.USUAL_RATES, key=lambda usual: abs(usual - seconds))
    if abs(seconds - rate) > RATE_ROUNDING * rate:
        return motion, Finding("rate", f"{motion.rate:g}", STATED)
    doubt = f"its frame time is {motion.frame_time} s, so {rate:g} frames per second were taken"
    return replace(motion, frame_time=repr(1.0 / rate)), Finding("rate", f"{rate:g}", ASSUMED, doubt)


def _one_body(motion: BvhMotion, asked: str) -> BvhMotion:
    """Return the contents of a file with one of several bodies; roots without legs, such as props, are kept.

    Raises SeveralBodiesError for several bodies if none was chosen, and for an unknown one.
    """
    roots = np.flatnonzero(motion.parents < 0).tolist()
    if len(roots) < 2 and not asked:
        return motion
    root_of = np.arange(len(motion.names))
    for joint, parent in enumerate(motion.parents.tolist()):
        root_of[joint] = joint if parent < 0 else root_of[parent]
    bodies = [root for root in roots if _has_legs(motion, np.flatnonzero(root_of == root))]
    named = [motion.names[root] for root in bodies]
    if (asked or len(named) > 1) and asked not in named:
        raise SeveralBodiesError(motion.path, named)
    others = [root for root in bodies if motion.names[root] != asked] if len(bodies) > 1 else []
    return _with_joints(motion, np.flatnonzero(~np.isin(root_of, others)))


def _has_legs(motion: BvhMotion, joints: NDArray[np.int64]) -> bool:
    """Return whether the joints of one tree include both legs, by name or by shape."""
    return {"thigh.L", "thigh.R"} <= set(posed_roles.find_roles(_raw_clip(_with_joints(motion, joints))))


def _with_joints(motion: BvhMotion, joints: NDArray[np.int64]) -> BvhMotion:
    """Return the contents of a file with some of its joints, which must include their parents."""
    place = {int(joint): k for k, joint in enumerate(joints)}
    first = np.cumsum([0, *map(len, motion.channels)])
    columns = [column for joint in joints for column in range(first[joint], first[joint + 1])]
    return replace(
        motion,
        names=tuple(motion.names[joint] for joint in joints),
        parents=np.array([place.get(int(motion.parents[joint]), -1) for joint in joints], dtype=np.int64),
        offsets=motion.offsets[joints],
        tips=motion.tips[joints],
        channels=tuple(motion.channels[joint] for joint in joints),
        values=np.ascontiguousarray(motion.values[:, columns]),
    )


def compose(clip: Clip, like: MotionFile | None = None, convention: Convention | None = None) -> bytes:
    """Return a clip as the contents of a BVH file; see `motion_file.compose`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import bvh
        >>> bvh.compose(actions.walk(cycles=1)).split(b"\\n")[1]
        b'ROOT hips'
    """
    motion = from_clip(clip, None, convention) if like is None else from_clip(clip, like.layout, like.convention)
    return bvh_text.compose(motion).encode("utf-8")


def read(path: str | os.PathLike[str]) -> BvhMotion:
    """Read a BVH file; raises MotionFileError with the file, the line and the expected text."""
    return bvh_text.parse(path)


def write(motion: BvhMotion, path: str | os.PathLike[str]) -> None:
    """Write a BVH file atomically; raises LoomError if it can't be written."""
    files.write(path, bvh_text.compose(motion).encode("utf-8"))


def to_clip(motion: BvhMotion, *, unit: str = AUTO, up: str = AUTO) -> tuple[Clip, Convention]:
    """Return the clip of a file in metres, Z up, and the convention of the file.

    unit, up : as in `motion_file.read`. A position channel replaces the joint's offset, as in Blender's importer.
    """
    found = Finding("rate", f"{motion.rate:g}", STATED)
    settled = settling.settle(_raw_clip(motion), Reading(unit, up), rate=found)
    return settled.clip, settled.convention


def _raw_clip(motion: BvhMotion) -> Clip:
    """Return a file's contents as a clip in its own unit and axes."""
    names = _unique(motion.names)
    upright = np.tile(quat.IDENTITY, (len(names), 1))
    body = Skeleton(names, motion.parents, motion.offsets, upright, np.nan_to_num(motion.tips))
    rotations, positions = _rotations_and_positions(motion)
    return Clip(Path(motion.path).stem, body, motion.rate, rotations, positions - motion.offsets)


def from_clip(clip: Clip, like: BvhMotion | None = None, convention: Convention | None = None) -> BvhMotion:
    """Return a clip as a BVH motion, with the names, channels, units and axes of `like` if given.

    The default is centimetres, Y up, ZXY rotations, and position channels on roots and on joints with translations.
    Joint frames that are rotated at rest (Blender bones) are straightened, since BVH only has offsets. Raises
    SkeletonError for motion that the channels can't represent.
    """
    clip = _straighten_joints(clip)
    skeleton = clip.skeleton
    convention = convention or Convention("cm", 0.01, "y", False)
    clip = _reorder_joints(clip, _file_order(skeleton.parents) if like is None else _like_order(skeleton, like))
    skeleton = clip.skeleton
    turn = quat.inv(settling.TURNS[convention.up])
    offsets = quat.rotate(turn, skeleton.offsets) / convention.metres
    tips = np.where(skeleton.tips.any(axis=1, keepdims=True), skeleton.tips, np.nan)
    tips = quat.rotate(turn, tips) / convention.metres
    channels = like.channels if like is not None else _default_channels(clip)
    rotations = quat.mul(quat.mul(turn, clip.rotations), quat.inv(turn))
    positions = offsets + quat.rotate(turn, clip.translations) / convention.metres
    fixed = offsets if like is None else like.offsets
    _refuse_lost_movement(skeleton.names, positions - fixed, channels, 1e-4 / convention.metres)
    frame_time = like.frame_time if like is not None and like.rate == clip.rate else f"{1.0 / clip.rate:.10g}"
    return BvhMotion(
        clip.name if like is None else like.path,
        tuple(writable(name) for name in skeleton.names) if like is None else like.names,
        skeleton.parents,
        fixed,
        tips if like is None else like.tips,
        channels,
        frame_time,
        # no −0, whose sign differs between engines
        np.round(_values(skeleton.names, rotations, positions, channels), 7) + 0.0,
    )


def writable(name: str) -> str:
    """Return a name that a BVH file can hold: braces and line ends belong to its grammar.

    Example:
        >>> from action_loom.core.formats import bvh
        >>> bvh.writable("Hand {left}")
        'Hand left'
    """
    return re.sub(r"[{}\s]+", " ", name).strip() or "unnamed"


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with numbers appended to duplicates, as in Blender."""
    taken, seen, out = set(names), set[str](), []
    numbers = {name: itertools.count(1) for name in names}
    for name in names:
        unique = name
        if name in seen:
            unique = next(one for number in numbers[name] if (one := f"{name}.{number:03d}") not in taken)
        seen.add(name)
        taken.add(unique)
        out.append(unique)
    return tuple(out)


def _file_order(parents: NDArray[np.int64]) -> list[int]:
    """Return the joints in file order: every joint before its children, depth first."""
    below: dict[int, list[int]] = {}
    for joint, parent in enumerate(parents.tolist()):
        below.setdefault(parent, []).append(joint)
    order, waiting = [], below.get(-1, [])[::-1]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += below.get(joint, [])[::-1]
    return order


def _like_order(skeleton: Skeleton, like: BvhMotion) -> list[int]:
    names = _unique(like.names)
    if set(names) != set(skeleton.names):
        strange = sorted(set(names) ^ set(skeleton.names))
        raise SkeletonError(f"The clip's joints are not those of {like.path}: {', '.join(strange[:4])}")
    return [skeleton.index(name) for name in names]


def _reorder_joints(clip: Clip, order: list[int]) -> Clip:
    skeleton = clip.skeleton
    if order == list(range(len(skeleton))):
        return clip
    place = {joint: k for k, joint in enumerate(order)}
    parents = np.array([place.get(int(skeleton.parents[joint]), -1) for joint in order], dtype=np.int64)
    sorted_skeleton = Skeleton(
        tuple(skeleton.names[joint] for joint in order),
        parents,
        skeleton.offsets[order],
        skeleton.orients[order],
        skeleton.tips[order],
        {role: place[joint] for role, joint in skeleton.roles.items()},
        leg_count=skeleton.leg_count,
    )
    return Clip(clip.name, sorted_skeleton, clip.rate, clip.rotations[:, order], clip.translations[:, order])


def _rotations_and_positions(motion: BvhMotion) -> tuple[Array, Array]:
    frames, joints = len(motion.values), len(motion.names)
    rotations = np.tile(quat.IDENTITY, (frames, joints, 1))
    positions = np.tile(motion.offsets, (frames, 1, 1))
    for like in _group_channels(motion.channels):
        for axis, columns in like.places.items():
            positions[:, like.joints, "XYZ".index(axis)] = motion.values[:, columns]
        if like.turns:
            angles = np.stack([motion.values[:, columns] for columns in like.turns.values()], axis=-1)
            rotations[:, like.joints] = quat.from_euler(np.radians(angles), "".join(like.turns))
    return rotations, positions


@dataclass(frozen=True)
class _Alike:
    """Joints (J,) with the same channels: by axis the columns (J,) of their values, in file order."""

    joints: NDArray[np.int64]
    places: dict[str, NDArray[np.int64]]
    turns: dict[str, NDArray[np.int64]]


def _group_channels(channels: Sequence[Sequence[str]]) -> list[_Alike]:
    """Return all joints, grouped by channels, because processing thousands of joints one by one is slow."""
    first = np.cumsum([0, *map(len, channels)])
    groups: dict[tuple[str, ...], list[int]] = {}
    for joint, names in enumerate(channels):
        groups.setdefault(tuple(names), []).append(joint)
    found = []
    for names, members in groups.items():
        joints = np.array(members)
        columns = {name.lower(): first[joints] + k for k, name in enumerate(names)}
        kinds = (
            {name[0].upper(): one for name, one in columns.items() if name.endswith(kind)}
            for kind in ("position", "rotation")
        )
        found.append(_Alike(joints, *kinds))
    return found


def _values(names: Sequence[str], rotations: Array, positions: Array, channels: Sequence[Sequence[str]]) -> Array:
    values = np.zeros((len(rotations), sum(len(c) for c in channels)))
    for like in _group_channels(channels):
        for axis, columns in like.places.items():
            values[:, columns] = positions[:, like.joints, "XYZ".index(axis)]
        angles = _angles(rotations[:, like.joints], "".join(like.turns), [names[joint] for joint in like.joints])
        for k, columns in enumerate(like.turns.values()):
            values[:, columns] = np.degrees(angles[..., k])
    return values


def _refuse_lost_movement(
    names: Sequence[str], movement: Array, channels: Sequence[Sequence[str]], tolerance: float
) -> None:
    """Raise SkeletonError for a joint with translations but no channel for them."""
    farthest = np.abs(movement).max(axis=0)
    for like in _group_channels(channels):
        without = ["XYZ".index(axis) for axis in "XYZ" if axis not in like.places]
        lost = like.joints[(farthest[like.joints][:, without] > tolerance).any(axis=1)]
        if len(lost):
            raise SkeletonError(f"Joint {names[lost[0]]!r} moves in its parent, but has no position channels to say so")


def _angles(rotations: Array, axes: str, names: Sequence[str]) -> Array:
    """Return the angles (F, J, n) of rotations (F, J, 4) about n ≤ 3 different axes; raises SkeletonError.

    With fewer than three axes, the error is raised for a joint that also turns about another axis.
    """
    every = axes + "".join(axis for axis in "XYZ" if axis not in axes)
    angles = quat.to_euler(rotations, every)
    if len(axes) == 3:
        return angles
    if len(axes) == 2:
        # Choose the equivalent triple without a turn about the missing axis.
        other = np.stack([angles[..., 0] + np.pi, np.pi - angles[..., 1], angles[..., 2] + np.pi], axis=-1)
        angles = np.where((np.abs(np.cos(angles[0, :, 2]) + 1.0) < 0.5)[:, None], other, angles)
    left_over = np.abs(quat.log(quat.from_euler(angles[..., len(axes) :], every[len(axes) :])))
    strange = np.flatnonzero(left_over.max(axis=(0, 2)) > 1e-4)
    if len(strange):
        name = names[strange[0]]
        raise SkeletonError(f"Joint {name!r} turns about other axes than its channels {', '.join(axes) or 'none'}")
    return angles[..., : len(axes)]


def _default_channels(clip: Clip) -> tuple[tuple[str, ...], ...]:
    place, turn = ("Xposition", "Yposition", "Zposition"), ("Zrotation", "Xrotation", "Yrotation")
    moving = np.abs(clip.translations).max(axis=(0, 2)) > 1e-9
    return tuple(
        place + turn if parent < 0 or moving[joint] else turn for joint, parent in enumerate(clip.skeleton.parents)
    )


def _straighten_joints(clip: Clip) -> Clip:
    """Return the same motion on a skeleton with joint frames aligned with the world at rest.

    If bones are scaled or do not inherit everything, joints get translations to keep their positions, because a file
    can't represent anything else.
    """
    skeleton = clip.skeleton
    plain = clip.scales is None and skeleton.inheritance is None
    if plain and np.allclose(np.abs(skeleton.orients[:, 0]), 1.0, rtol=0.0, atol=1e-12):
        return clip
    rested, places = skeleton.rest
    world, positions = kinematics.world(clip)
    turned = quat.mul(world, quat.inv(rested))
    parents, child = skeleton.parents, skeleton.parents >= 0
    offsets, local, reach = places.copy(), turned.copy(), positions.copy()
    offsets[child] -= places[parents[child]]
    back = quat.inv(turned[:, parents[child]])
    local[:, child] = quat.mul(back, turned[:, child])
    reach[:, child] = quat.rotate(back, positions[:, child] - positions[:, parents[child]])
    straight = Skeleton(
        skeleton.names,
        parents,
        offsets,
        np.tile(quat.IDENTITY, (len(skeleton), 1)),
        quat.rotate(rested, skeleton.tips),
        skeleton.roles,
        leg_count=skeleton.leg_count,
    )
    return Clip(clip.name, straight, clip.rate, local, reach - offsets)
