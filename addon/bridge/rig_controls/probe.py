"""Pose a copy of a rig and see where its bones go; the rig itself, its scene and the undo steps stay as they are."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ....core.motion import quat
from ....core.motion.quat import Array
from ...ground.blender_types import present
from ..stage import on_stage

Move = tuple[Array, Array]  # a rotation vector (3,) about the bone's own head and axes, and a step (3,) of the armature


class Probe:
    """A copy of a rig that is posed; matrices (B, 4, 4) are the bones' in the armature's space, in the rig's order."""

    def __init__(self, stage: bpy.types.Scene, copy: bpy.types.Object, controls: set[str]) -> None:
        self.stage, self.copy = stage, copy
        self.bones = present(copy.pose).bones
        self.index = {bone.name: k for k, bone in enumerate(self.bones)}
        self.evaluations = 0
        for name in controls:
            self.bones[name].matrix_basis.identity()
        self._set: dict[str, float] = {}
        self._buffer = np.empty(16 * len(self.bones), dtype=np.float32)
        self._switched = True
        self.neutral = self._seen()

    def value(self, path: str) -> float:
        """Return a property's value."""
        return value(self.copy, path)

    def original(self, path: str) -> float:
        """Return a property's value before anything was set."""
        return self._set.get(path, self.value(path))

    def switch(self, settings: Mapping[str, float]) -> None:
        """Set properties by path, and those set before back to what they were."""
        before = {path: value for path, value in self._set.items() if path not in settings}
        self._set |= {path: self.value(path) for path in settings if path not in self._set}
        for path, value in (before | dict(settings)).items():
            if self.value(path) != value:
                assign(self.copy, path, value)
                self._switched = True
        self._set = {path: value for path, value in self._set.items() if path in settings}

    def pose(self, moves: Mapping[str, Move]) -> Array:
        """Return the bones with some controls moved; they are put back afterwards."""
        for name, (turn, step) in moves.items():
            local = np.eye(4)
            local[:3, :3] = quat.to_matrix(quat.exp(np.asarray(turn, dtype=np.float64)))
            local[:3, 3] = np.linalg.solve(self.neutral[self.index[name], :3, :3], step)
            self.bones[name].matrix_basis = Matrix(local.tolist())
        seen = self._seen()
        for name in moves:
            self.bones[name].matrix_basis.identity()
        return seen

    def _seen(self) -> Array:
        self.evaluations += 1
        layer = self.stage.view_layers[0]
        if self._switched:
            self.copy.update_tag()
            self.stage.frame_set(self.stage.frame_current)
            self._switched = False
        layer.update()
        shown = present(self.copy.evaluated_get(present(layer.depsgraph)).pose).bones
        shown.foreach_get("matrix", self._buffer)
        return self._buffer.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)


@contextmanager
def on_copy(armature: bpy.types.Object, controls: set[str]) -> Iterator[Probe]:
    """Yield a copy of a rig with its controls at rest, in a temporary scene that is removed with it afterwards."""
    scene = present(bpy.context.scene)
    with on_stage(scene, armature, None, None, None) as (stage, copies):
        yield Probe(stage, copies[armature], controls)


def value(owner: bpy.types.Object, path: str) -> float:
    """Return a property's value by its path: of a choice its number, which is what is keyed."""
    holder, bracket, key = path.rpartition("[")
    if bracket and path.endswith('"]'):
        group: Any = owner.path_resolve(holder) if holder else owner
        return float(group[key[1:-2]])
    found: Any = owner.path_resolve(path)
    return float(found)


def assign(owner: bpy.types.Object, path: str, value: float) -> None:
    """Set a property by its path: a custom one keeps its type."""
    holder, bracket, key = path.rpartition("[")
    if bracket and path.endswith('"]'):
        group: Any = owner.path_resolve(holder) if holder else owner
        name = key[1:-2]
        group[name] = type(group[name])(value)
        return
    holder, _, name = path.rpartition(".")
    setattr(owner.path_resolve(holder), name, value)
