"""Read AMC motion files as clips, with skeletons from ASF files."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import amc_text, asf, motion_file, plain_text
from .amc_text import AmcFrames
from .asf import AsfSkeleton
from .conventions import settling
from .motion_file import ASKED, ASSUMED, STATED, Finding, MotionFile, Reading

RATE = 120.0  # frames per second of the CMU database, the source of nearly all AMC files
_INCH = 0.0254
_NO_RATE = f"AMC files have no frame rate: {RATE:g} was taken (option file_rate)"
LARGEST_RADIANS = 3.5  # a body that moves by fewer degrees must have its angles in radians
LARGEST_DEGREES = 4.0 * np.pi  # angles in radians above two turns must be degrees


def read_file(path: str | os.PathLike[str], reading: Reading) -> MotionFile:
    """Read an AMC file and the ASF file of its skeleton; see `motion_file.read`."""
    data = plain_text.content(path, "AMC")
    beside = motion_file.skeleton_of(path, reading.skeleton)
    assert beside is not None
    skeleton = asf.read(beside)
    frames = amc_text.parse(path, data, skeleton)
    rate, count = reading.rate or frames.rate or RATE, len(frames.values)
    by = ASKED if reading.rate else STATED if frames.rate else ASSUMED
    found = Finding("rate", f"{rate:g}", by)
    every = reading.every(rate)
    frames = replace(frames, values=frames.values[::every])
    settled = to_clip(Path(path).stem, skeleton, frames, rate / every, reading, found)
    turned = tuple(any(one.startswith("r") for one in free) for free in skeleton.freedom)
    return MotionFile(
        str(path),
        settled.clip,
        settled.convention,
        turned,
        skeleton=beside,
        findings=settled.findings,
        notes=((_NO_RATE,) if by == ASSUMED else ()) + _angle_notes(Path(path).stem, skeleton, frames),
        frames=count,
        rate=rate,
    )


def _angle_notes(name: str, skeleton: AsfSkeleton, frames: AmcFrames) -> tuple[str, ...]:
    """Return a sentence if the angles seem to be in the other unit."""
    turning = [column for column, one in enumerate(sum(skeleton.freedom, ())) if one.startswith("r")]
    angles = frames.values[:, turning]
    if not angles.size or len(angles) < 2:
        return ()
    degrees = skeleton.degrees if frames.degrees is None else frames.degrees
    largest, moves = float(np.abs(angles).max()), float(np.ptp(angles, axis=0).max()) > 0.1
    if (degrees and (not moves or largest > LARGEST_RADIANS)) or (not degrees and largest < LARGEST_DEGREES):
        return ()
    unit, other = ("degrees", ":RADIANS") if degrees else ("radians", ":DEGREES")
    return (f"{name}: its angles reach {largest:.1f} {unit}; if that is wrong, add the line {other} to the file",)


def to_clip(
    name: str, skeleton: AsfSkeleton, frames: AmcFrames, rate: float, reading: Reading, found: Finding
) -> settling.Settled:
    """Return frames of a skeleton as a clip in metres, Z up, with the convention of the file.

    A joint's rotation is C·R·C⁻¹: C is its axis, R rotates about x, y and z in the order of its degrees of freedom, the
    first one first. It is at the end of its parent's bone. The unit is stated: the ASF file's `length` of them make an
    inch.
    found : how the rate was found
    Source: M. Schafer, Acclaim Skeleton File Definition 1.10 (1995); the database's own FAQ for the inch.
    """
    parents = skeleton.parents
    offsets = np.where((parents >= 0)[:, None], skeleton.bones[parents], 0.0)
    leaves = ~np.isin(np.arange(len(parents)), parents)
    tips = np.where(leaves[:, None], skeleton.bones, 0.0)
    body = Skeleton(skeleton.names, parents, offsets, np.tile(quat.IDENTITY, (len(parents), 1)), tips)
    degrees = skeleton.degrees if frames.degrees is None else frames.degrees
    rotations = _rotations(skeleton, frames.values, degrees)
    translations = np.zeros((len(frames.values), len(parents), 3))
    for column, one in enumerate(skeleton.freedom[0]):
        if one.startswith("t"):
            translations[:, 0, "xyz".index(one[1])] = frames.values[:, column]
    stated = _INCH / skeleton.length if skeleton.length else 0.0
    clip = Clip(name, body, rate, rotations, translations)
    return settling.settle(clip, reading, stated_metres=stated, rate=found)


def _rotations(skeleton: AsfSkeleton, values: Array, degrees: bool) -> Array:
    """Return the rotations (F, J, 4) of all joints; joints with the same degrees of freedom are computed together."""
    rotations = np.tile(quat.IDENTITY, (len(values), len(skeleton.names), 1))
    first = np.cumsum([0, *map(len, skeleton.freedom)])
    groups: dict[tuple[str, ...], list[int]] = {}
    for joint, free in enumerate(skeleton.freedom):
        groups.setdefault(free, []).append(joint)
    for free, joints in groups.items():
        turns = [(k, one[1].upper()) for k, one in enumerate(free) if one.startswith("r")]
        if turns:
            rotations[:, joints] = _compose_turns(values, [first[joints] + k for k, _ in turns], turns, degrees)
    return quat.mul(quat.mul(skeleton.axes, rotations), quat.inv(skeleton.axes))


def _compose_turns(values: Array, columns: Sequence[Array], turns: Sequence[tuple[int, str]], degrees: bool) -> Array:
    """Return rotations about fixed axes; the first rotation is the rightmost factor of the product."""
    angles = np.stack([values[:, column] for column in reversed(columns)], axis=-1)
    return quat.from_euler(np.radians(angles) if degrees else angles, "".join(axis for _, axis in reversed(turns)))
