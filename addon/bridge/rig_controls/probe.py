"""Pose a copy of a rig and measure its bones, without changing the rig, its scene or the undo steps."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from ....core.motion import quat, rotation_modes
from ....core.motion.quat import Array
from ...ground.blender_types import SlottedAction, present
from .. import curves, property_paths
from ..stage import on_stage
from .graph import Graph

Move = tuple[Array, Array]  # a rotation vector (3,) about the bone's own head and axes, and a step (3,) of the armature


class Probe:
    """A copy of a rig to pose; matrices (B, 4, 4) are the bones' in the armature's space, in the rig's order."""

    def __init__(
        self, stage: bpy.types.Scene, copy: bpy.types.Object, controls: set[str], played: SlottedAction
    ) -> None:
        self.stage, self.copy = stage, copy
        self.bones = present(copy.pose).bones
        self.index = {bone.name: k for k, bone in enumerate(self.bones)}
        self.evaluations = 0
        # Keys are used because Blender copies an object again whenever its properties are set, which takes most of the
        # time.
        self._action, holder = played[0], curves.holder_of(*played)
        self._keys = {name: _keys(holder, self.bones[name]) for name in sorted(controls)}
        self._at_rest = {name: [point.co[1] for point in points] for name, points in self._keys.items()}
        self._set: dict[str, float] = {}
        self._buffer = np.empty(16 * len(self.bones), dtype=np.float32)
        self._switched = True
        self.neutral = self._read_matrices()

    def value(self, path: str) -> float:
        """Return a property's value."""
        return property_paths.value(self.copy, path)

    def original(self, path: str) -> float:
        """Return a property's value before anything was set."""
        return self._set.get(path, self.value(path))

    def switch(self, settings: Mapping[str, float]) -> None:
        """Set properties by path, and restore all others."""
        before = {path: value for path, value in self._set.items() if path not in settings}
        self._set |= {path: self.value(path) for path in settings if path not in self._set}
        for path, value in (before | dict(settings)).items():
            if self.value(path) != value:
                property_paths.assign(self.copy, path, value)
                self._switched = True
        self._set = {path: value for path, value in self._set.items() if path in settings}

    def pose(self, moves: Mapping[str, Move]) -> Array:
        """Return the bones with some controls moved; the controls are restored afterwards."""
        for name, (turn, step) in moves.items():
            local = np.eye(4)
            local[:3, :3] = quat.to_matrix(quat.exp(np.asarray(turn, dtype=np.float64)))
            local[:3, 3] = np.linalg.solve(self.neutral[self.index[name], :3, :3], step)
            turns = rotation_modes.from_quaternion(
                quat.from_matrix(local[None, :3, :3]), self.bones[name].rotation_mode
            )
            self._key(name, [*local[:3, 3], *turns[0]])
        seen = self._read_matrices()
        for name in moves:
            self._key(name, self._at_rest[name])
        return seen

    def _key(self, name: str, values: Sequence[float]) -> None:
        for point, value in zip(self._keys[name], values, strict=True):
            point.co[1] = value

    def _read_matrices(self) -> Array:
        self.evaluations += 1
        if self._switched:
            self.copy.update_tag()
            self._switched = False
        self._action.update_tag()
        self.stage.frame_set(self.stage.frame_current)
        depsgraph = present(self.stage.view_layers[0].depsgraph)
        present(self.copy.evaluated_get(depsgraph).pose).bones.foreach_get("matrix", self._buffer)
        return self._buffer.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)


def _keys(holder: Any, bone: Any) -> list[bpy.types.Keyframe]:
    """Return new keys of a bone at rest: of its location, then of its rotation."""
    turn = rotation_modes.from_quaternion(quat.IDENTITY[None], bone.rotation_mode)[0]
    found = []
    for kind, values in (("location", (0.0, 0.0, 0.0)), (rotation_modes.property_of(bone.rotation_mode), turn)):
        for k, value in enumerate(values):
            points = holder.fcurves.new(curves.path_of(curves.Target(bone.name, kind)), index=k).keyframe_points
            points.add(1)
            points[0].co = 1.0, value
            found.append(points[0])
    return found


@contextmanager
def on_copy(armature: bpy.types.Object, graph: Graph, controls: set[str], bones: Collection[str]) -> Iterator[Probe]:
    """Yield a copy of a rig with its controls at rest, in a temporary scene; both are removed afterwards.

    Only `bones` and their dependencies are evaluated correctly and can be posed.
    """
    with copy_rig(armature, graph, controls, bones) as (stage, copy, played):
        yield Probe(stage, copy, controls & graph.count_steps(*bones).keys(), played)


@contextmanager
def copy_rig(
    armature: bpy.types.Object,
    graph: Graph,
    rest: Collection[str],
    wanted: Collection[str],
    settings: Mapping[str, float] | None = None,
) -> Iterator[tuple[bpy.types.Scene, bpy.types.Object, SlottedAction]]:
    """Yield a scene, a copy of a rig in it, and an empty action that the copy plays; all are removed afterwards.

    rest : bones at rest; wanted : bones to evaluate correctly, with their dependencies
    settings : values of properties, by path
    """
    scene = present(bpy.context.scene)
    played = curves.new_action("Action Loom", armature)
    try:
        with on_stage(scene, armature, *played, None, settings=settings) as (stage, copies):
            copy = copies[armature]
            for name in rest:
                present(copy.pose).bones[name].matrix_basis.identity()
            _strip(copy, graph, wanted)
            yield stage, copy, played
    finally:
        bpy.data.actions.remove(played[0])


def _strip(copy: bpy.types.Object, graph: Graph, wanted: Collection[str]) -> None:
    """Remove the constraints of bones that nothing wanted depends on."""
    needed = graph.find_dependencies(*wanted, *graph.read_by_drivers)
    for bone in present(copy.pose).bones:
        if bone.name not in needed:
            for one in list(bone.constraints):
                bone.constraints.remove(one)
