"""The dependencies between a rig's bones: by parents, constraints and the drivers of constraints."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy

from ...ground.blender_types import armature_data, present
from .. import curves
from . import drivers

POLE, PARENT, HOOK = "POLE", "PARENT", "HOOK"
_OF_BONE = re.compile(r'pose\.bones\["(.+?)"\]\.(location|rotation_\w+)$')


class Edge(NamedTuple):
    """The bone that another depends on, and how: a constraint's type, POLE, PARENT or HOOK."""

    source: str
    how: str


@dataclass(frozen=True)
class Graph:
    """The dependencies of bones.

    edges : the dependencies of each bone
    broken : the reason why a bone can't be trusted, by bone
    driven : bones whose location or rotation a driver sets
    properties : paths of properties on the armature that drive constraints, with the bones that have these
    set_by_drivers : paths of constraint properties with drivers
    read_by_drivers : bones whose pose drivers read
    inverse : (bone, constraint's name) of each inverse kinematics in use, or switched by a driver or by keys
    solved : the bones that solvers on a bone turn
    """

    edges: dict[str, tuple[Edge, ...]]
    broken: dict[str, str]
    driven: frozenset[str]
    properties: dict[str, frozenset[str]]
    set_by_drivers: frozenset[str]
    read_by_drivers: frozenset[str]
    inverse: tuple[tuple[str, str], ...]
    solved: dict[str, frozenset[str]]

    def find_dependencies(self, *bones: str) -> set[str]:
        """Return everything that determines the place of some bones: their dependencies, and bones with solvers that
        turn them.

        The parent of Rigify's paws is turned only by the solver of a neighbouring bone.
        """
        found = set(self.count_steps(*bones))
        while more := {owner for owner, turned in self.solved.items() if owner not in found and turned & found}:
            found |= self.count_steps(*more).keys()
        return found

    def count_steps(self, *bones: str) -> dict[str, int]:
        """Return all dependencies of some bones, themselves included, with the number of steps to each."""
        steps: dict[str, int] = {}
        level, depth = [bone for bone in bones if bone], 0
        while level:
            steps |= dict.fromkeys(level, depth)
            depth += 1
            level = list(dict.fromkeys(e.source for b in level for e in self.edges.get(b, ()) if e.source not in steps))
        return steps

    def circle(self, *bones: str) -> list[str]:
        """Return bones in a dependency cycle among the dependencies of some bones; [] if there are none."""
        done: set[str] = set()
        for bone in bones:
            path, waiting = [bone], [iter(self.edges.get(bone, ()))]
            while path:
                edge = next(waiting[-1], None)
                if edge is None:
                    done.add(path.pop())
                    waiting.pop()
                elif edge.source in path:
                    return [*path[path.index(edge.source) :], edge.source]
                elif edge.source not in done:
                    path.append(edge.source)
                    waiting.append(iter(self.edges.get(edge.source, ())))
        return []


def read(armature: bpy.types.Object) -> Graph:
    """Read the dependencies of an armature's bones."""
    bones = present(armature.pose).bones
    paths, properties, driven = _drivers(armature)
    by = switched_constraints(armature)
    edges: dict[str, list[Edge]] = {
        bone.name: [Edge(bone.parent.name, PARENT)] if bone.parent is not None else [] for bone in bones
    }
    broken = drivers.unreadable(armature)
    inverse = []
    solved: dict[str, frozenset[str]] = {}
    for bone in bones:
        for one in _constraints(bone):
            on = (one.enabled and one.influence > 0.0) or (bone.name, one.name) in by
            if not on or one.type.startswith(drivers.LIMITS):
                continue
            found, why = _sources(armature, bone, one)
            if why:
                broken.setdefault(bone.name, why)
            moved = [bone.name]
            if one.type in ("IK", "SPLINE_IK"):
                inverse += [(bone.name, one.name)] if one.type == "IK" else []
                above = [each.name for each in bone.parent_recursive]
                moved += above[: max(one.chain_count - 1, 0)] if one.chain_count else above
                solved[bone.name] = solved.get(bone.name, frozenset()).union(moved)
            for name in moved:
                edges[name] += [edge for edge in found if edge.source not in moved]
    return Graph(
        {name: tuple(dict.fromkeys(each)) for name, each in edges.items()},
        broken,
        frozenset(driven),
        {path: frozenset(names) for path, names in properties.items()},
        frozenset(paths),
        frozenset(_read_by_drivers(armature)),
        tuple(inverse),
        solved,
    )


def switched_constraints(armature: bpy.types.Object) -> set[tuple[str, str]]:
    """Return the constraints, by bone and name, that drivers or the armature's action switch."""
    data = armature.animation_data
    paths = [curve.data_path for curve in data.drivers] if data is not None else []
    return {
        (match[1], match[2])
        for match in map(drivers.OF_CONSTRAINT.match, {*paths, *keyed_properties(armature)})
        if match
    }


def keyed_properties(armature: bpy.types.Object) -> set[str]:
    """Return paths of the constraint properties that the armature's action keys."""
    data = armature.animation_data
    if data is None or data.action is None:
        return set()
    slot = getattr(data, "action_slot", None)
    if slot is None and hasattr(data.action, "slots"):
        return set()
    every = curves.curves_of(data.action, slot)
    return {curve.data_path for curve in every if drivers.OF_CONSTRAINT.match(curve.data_path)}


def _drivers(armature: bpy.types.Object) -> tuple[set[str], dict[str, set[str]], set[str]]:
    """Return paths of driven constraint properties, the properties driving them by path, and driven bones."""
    paths: set[str] = set()
    properties: dict[str, set[str]] = {}
    driven: set[str] = set()
    for curve in armature.animation_data.drivers if armature.animation_data is not None else ():
        moved = _OF_BONE.match(curve.data_path)
        if moved:
            driven.add(moved[1])
        match = drivers.OF_CONSTRAINT.match(curve.data_path)
        if not match:
            continue
        paths.add(curve.data_path)
        lost = drivers.lost_properties(armature, curve.driver)
        for variable in present(curve.driver).variables:
            for target in variable.targets:
                switches = variable.type == "SINGLE_PROP" and target.id == armature and not lost
                if switches and drivers.PROPERTY.match(target.data_path):
                    properties.setdefault(target.data_path, set()).add(match[1])
    return paths, properties, driven


def _read_by_drivers(armature: bpy.types.Object) -> set[str]:
    """Return the bones whose evaluated pose drivers read."""
    found = set()
    for owner in (armature, armature_data(armature)):
        for curve in owner.animation_data.drivers if owner.animation_data is not None else ():
            for variable in present(curve.driver).variables:
                found |= {target.bone_target for target in variable.targets if target.id == armature}
    return found & set(present(armature.pose).bones.keys())


def _sources(armature: bpy.types.Object, bone: bpy.types.PoseBone, one: Any) -> tuple[list[Edge], str]:
    """Return the targets of a constraint, and a description of an error or ""."""
    found, why = [], ""
    for target, name, how in _targets(one):
        if target is None:
            why = f"the constraint {one.name} on {bone.name} has lost its target"
        elif target == armature:
            if name in present(armature.pose).bones:
                found.append(Edge(name, how))
            elif name:
                why = f"the constraint {one.name} on {bone.name} follows the bone {name}, which is gone"
            else:
                why = f"the constraint {one.name} on {bone.name} names no bone to follow"
        elif target.parent == armature and target.parent_type == "BONE":
            found.append(Edge(target.parent_bone, how))
        else:
            hooks = [h for h in target.modifiers if isinstance(h, bpy.types.HookModifier) and h.object == armature]
            hooks = [hook for hook in hooks if hook.subtarget]
            found += [Edge(hook.subtarget, HOOK) for hook in hooks]
            if not hooks:
                why = f"the constraint {one.name} on {bone.name} follows {target.name}, which is not part of this rig"
    return found, why


def _constraints(bone: bpy.types.PoseBone) -> list[Any]:
    """Return a bone's constraints; untyped, because each type has different members that the stubs lack."""
    return list(bone.constraints)


def _targets(one: Any) -> Iterator[tuple[bpy.types.Object | None, str, str]]:
    """Yield the objects and bones that a constraint follows, and the kind of dependency."""
    if one.type == "ARMATURE":
        for each in one.targets:
            yield each.target, each.subtarget, one.type
    elif one.type == "IK":
        if one.use_tail or one.target is not None:
            yield one.target, one.subtarget, one.type
        if one.pole_target is not None:
            yield one.pole_target, one.pole_subtarget, POLE
    elif hasattr(one, "target"):
        yield one.target, getattr(one, "subtarget", ""), one.type
