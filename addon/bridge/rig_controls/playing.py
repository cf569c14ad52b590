"""Evaluate keys of controls on a copy of a rig, without changing the rig, its scene or the undo steps.

The copy plays an action, because Blender copies an object again whenever its properties are set, which takes four times
longer than evaluating a frame. Bones without influence on the result lose their constraints, and constant drivers are
removed.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.motion import quat, rotation_modes
from ....core.motion.quat import Array
from ...ground.blender_types import present
from .. import curves
from .graph import Graph
from .lightening import lighten
from .probe import copy_rig


@dataclass(frozen=True)
class Stand:
    """The state of a copy while keys are evaluated: controls at rest, property values, and the bones to read."""

    rest: frozenset[str]
    values: Mapping[str, float]
    seen: tuple[str, ...]


class Player:
    """A copy of a rig that plays keys; matrices (B, 4, 4) are of the bones to read, in the armature's space."""

    def __init__(
        self, stage: bpy.types.Scene, copy: bpy.types.Object, holder: Any, seen: tuple[str, ...], frames: int
    ) -> None:
        self.bones = present(copy.pose).bones
        self.index = {name: k for k, name in enumerate(seen)}
        self.evaluations = 0
        self._stage, self._copy, self._holder, self._frames = stage, copy, holder, frames
        self._order = [self.bones.find(name) for name in seen]
        self._points: dict[tuple[str, str], list[bpy.types.FCurveKeyframePoints]] = {}
        self._buffer = np.empty(16 * len(self.bones), dtype=np.float32)
        self.rest = self.show({}, np.zeros(1, dtype=np.int64))[0]

    def show(self, basis: Mapping[str, Array], rows: NDArray[np.int64]) -> Array:
        """Return the bones (R, B, 4, 4) on some frames, given transforms (F, 4, 4) of controls in their own axes."""
        for name, own in basis.items():
            mode = self.bones[name].rotation_mode
            turns = rotation_modes.from_quaternion(quat.normalize(quat.from_matrix(own[:, :3, :3])), mode)
            self._key(name, rotation_modes.property_of(mode), turns)
            self._key(name, "location", own[:, :3, 3])
        if basis:
            present(present(self._copy.animation_data).action).update_tag()
        return np.stack([self._at(frame) for frame in rows.tolist()])

    def _key(self, name: str, kind: str, values: Array) -> None:
        keys = np.empty((self._frames, 2), dtype=np.float32)
        keys[:, 0] = np.arange(self._frames)
        for k, points in enumerate(self._points_of(name, kind, values.shape[1])):
            keys[:, 1] = values[:, k]
            points.foreach_set("co", keys.ravel())

    def _points_of(self, name: str, kind: str, count: int) -> "list[bpy.types.FCurveKeyframePoints]":
        if (name, kind) not in self._points:
            path = curves.path_of(curves.Target(name, kind))
            made = [self._holder.fcurves.new(path, index=k).keyframe_points for k in range(count)]
            for points in made:
                points.add(self._frames)
                points.foreach_set("interpolation", np.zeros(self._frames, dtype=np.int32))  # constant, without handles
            self._points[name, kind] = made
        return self._points[name, kind]

    def _at(self, frame: int) -> Array:
        self.evaluations += 1
        self._stage.frame_set(frame)
        depsgraph = present(self._stage.view_layers[0].depsgraph)
        present(self._copy.evaluated_get(depsgraph).pose).bones.foreach_get("matrix", self._buffer)
        seen = self._buffer.reshape(-1, 4, 4)[self._order]
        return seen.transpose(0, 2, 1).astype(np.float64)


@contextmanager
def playing(armature: bpy.types.Object, graph: Graph, stand: Stand, frames: int) -> Iterator[Player]:
    """Yield a copy of a rig in a temporary scene; both are removed afterwards."""
    wanted = {*stand.seen, *stand.rest}
    with copy_rig(armature, graph, stand.rest, wanted, stand.values) as (stage, copy, played):
        lighten(stage, copy, armature)
        yield Player(stage, copy, curves.holder_of(*played), stand.seen, frames)
