"""Benchmarks of BVH reading, compared with other libraries; `importing` compares with Blender's importer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from action_loom.core.formats import bvh, motion_file
from action_loom.core.formats.bvh_text import BvhMotion
from action_loom.core.motion.quat import Array
from line import Case, Line, Rival, Target, later
from material import Material

ROUNDING = 1e-5  # degrees and lengths; some libraries use single precision


def lines() -> list[Line]:
    return [
        Line("bvh", "read a BVH file", Target(8.0), _read),
        Line("clip", "read a BVH file as a clip, its conventions found in its motion", Target(20.0), _read_clip),
    ]


def _read(material: Material) -> Case:
    path = material.files[0]
    values = bvh.read(path).values
    return Case(
        lambda: bvh.read(path),
        {"pymotion": later(_pymotion, path), "pybvh": later(_pybvh, path), "bvhio": later(_bvhio, path)},
        moved=float(path.stat().st_size + values.nbytes),
    )


def _read_clip(material: Material) -> Case:
    path = material.files[0]
    return Case(lambda: motion_file.read(path), moved=float(path.stat().st_size))


def _against(values: Callable[[Any], Array]) -> Callable[[BvhMotion, Any], float]:
    return lambda ours, theirs: float(np.abs(ours.values - values(theirs)).max())


def _pymotion(path: Path) -> Rival:
    from pymotion.io.bvh import BVH

    def work() -> dict[str, Array]:
        found = BVH()
        found.load(str(path))
        return found.data

    return Rival(work, _against(lambda data: _in_columns(data["positions"][:, 0], data["rotations"])), ROUNDING)


def _pybvh(path: Path) -> Rival:
    import pybvh

    return Rival(
        lambda: pybvh.read_bvh_file(str(path)),
        _against(lambda found: _in_columns(found.root_pos, np.degrees(found.joint_angles))),
        ROUNDING,
    )


def _in_columns(root: Array, angles: Array) -> Array:
    """Return values in the column order of the files: root position, then three angles of each joint."""
    return np.concatenate([root, angles.reshape(len(angles), -1)], axis=1)


def _bvhio(path: Path) -> Rival:
    import bvhio

    def apart(ours: BvhMotion, theirs: Any) -> float:
        clip, _ = bvh.to_clip(ours, unit="m", up="z")  # neither scaled nor turned
        joints = [joint for joint, _, _ in theirs.Root.layout()]
        frames = range(0, len(clip), 97)
        found = np.array([[tuple(joint.Keyframes[k].Rotation) for joint in joints] for k in frames])
        cosine = np.abs((found * clip.rotations[list(frames)]).sum(axis=-1))
        return float(np.degrees(2.0 * np.arccos(np.minimum(cosine, 1.0))).max())

    return Rival(lambda: bvhio.readAsBvh(str(path)), apart, 0.1)
