"""The bones that deform a rig's mesh, the roles that they play, and the bones that an artist may key."""

from collections.abc import Collection, Mapping
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.motion import roles as body_roles
from ...ground.blender_types import armature_data, present
from .. import rig
from .graph import PARENT, POLE, Graph

LEGS, ARMS = ("thigh", "shin", "foot", "toe"), ("upper_arm", "forearm", "hand")
BEHIND = "hips-"  # roles of bones behind the hips, such as the first of a tail
TRUNK = (*body_roles.TRUNK, "clavicle.L", "clavicle.R")
_VERTICES = 20000  # looked at of each mesh
_SAME = 0.002  # of the rig's size: bones in the same place
_AIMS = (PARENT, POLE, "IK", "STRETCH_TO", "DAMPED_TRACK")  # constraints that do not place a bone at their target
_REACHES = ("STRETCH_TO", "DAMPED_TRACK", "TRACK_TO", "LOCKED_TRACK")  # constraints that aim a bone at their target
_SHAPES = 3  # bones with custom shapes; fewer of them are ignored


def deforming(armature: bpy.types.Object) -> tuple[str, ...]:
    """Return the deforming bones with weights in a mesh on the armature, or all deforming bones if none has weights."""
    may = [bone.name for bone in armature_data(armature).bones if bone.use_deform]
    follows: set[str] = set()
    for one in bpy.data.objects:
        if any(isinstance(m, bpy.types.ArmatureModifier) and m.object == armature for m in one.modifiers):
            follows |= _list_weighted_groups(one)
    return tuple(name for name in may if name in follows) or tuple(may)


def _list_weighted_groups(one: bpy.types.Object) -> set[str]:
    """Return the names of the vertex groups in which some vertex of a mesh has a weight."""
    if not isinstance(one.data, bpy.types.Mesh):
        return set()
    vertices = one.data.vertices
    found: set[int] = set()
    for k in range(0, len(vertices), 1 + len(vertices) // _VERTICES):
        found.update(group.group for group in vertices[k].groups if group.weight > 0.0)
    return {group.name for group in one.vertex_groups if group.index in found}


def roles(armature: bpy.types.Object, graph: Graph, deform: tuple[str, ...]) -> dict[str, str]:
    """Return the deforming bone of each role; roles chosen by the artist take precedence."""
    bones = armature_data(armature).bones
    names = tuple(bone.name for bone in bones if bone.use_deform)
    above = parents(armature, graph, names)
    places = np.array([bones[name].head_local for name in names], dtype=np.float64).reshape(-1, 3)
    found = {role: names[k] for role, k in body_roles.find(names, above, places).items()} if names else {}
    size = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
    for role in sorted(found, key=_from_the_trunk):
        if found[role] not in deform:
            inner = found.get(_inner(role), "")
            found[role] = _follower(bones, graph, found[role], inner, deform, size)
    chosen = {role: bone for role, bone in rig.chosen_roles(armature).items() if bone == "" or bone in bones}
    return {role: bone for role, bone in (found | chosen).items() if bone}


def trunk(armature: bpy.types.Object, graph: Graph, known: Mapping[str, str]) -> dict[str, str]:
    """Return the bones of the trunk by role, from the hips upwards; bones between two roles are "spine+1" and so on.

    The spine need not be a child of the hips: both may be children of a torso bone, which then belongs to neither.
    """
    names = tuple(bone.name for bone in armature_data(armature).bones if bone.use_deform)
    above = parents(armature, graph, names)
    chain = _chain(names, above, known.get("head", ""))
    hips = _hips(armature, chain, known, names, above)
    carriers = set(_chain(names, above, hips)[1:])
    known = {**known, "hips": hips} if hips else known
    of = {bone: role for role, bone in known.items() if role in body_roles.TRUNK}
    out: dict[str, str] = {"hips": hips} if hips else {}
    below, count = "hips" if hips in chain else "", 0
    for bone in reversed(chain[: chain.index(hips)] if hips in chain else chain):
        if bone in carriers:  # hips and spine share this parent
            continue
        below, count = (of[bone], 0) if bone in of else (below, count + 1)
        if below:
            out[f"{below}+{count}" if count else below] = bone
    out |= {role: known[role] for role in TRUNK if role in known and role not in out}
    return out | {
        f"{BEHIND}{k}": bone for k, bone in enumerate(_list_ancestors_behind(armature, graph, names, above, hips), 1)
    }


def _list_ancestors_behind(
    armature: bpy.types.Object, graph: Graph, names: tuple[str, ...], above: NDArray[np.int64], hips: str
) -> list[str]:
    """Return the ancestors of the hips by hierarchy only: their ends touch, but no constraint of the hips needs them.

    The spines of Rigify's animals begin behind the hips, with a tail.
    """
    bones, found = armature_data(armature).bones, list[str]()
    if not hips or not any(_poses(one) for one in present(armature.pose).bones[hips].constraints):
        return []
    needed = graph.count_steps(*(edge.source for edge in graph.edges[hips] if edge.how != PARENT))
    below = hips
    for bone in _chain(names, above, hips)[1:]:
        if bone in needed or (bones[bone].tail_local - bones[below].head_local).length > 1e-3 * bones[bone].length:
            break
        found.append(bone)
        below = bone
    return found


def _chain(names: tuple[str, ...], above: NDArray[np.int64], bone: str) -> list[str]:
    """Return a bone and its ancestors among some bones, upwards; [] for a bone outside them."""
    chain = []
    joint = names.index(bone) if bone in names else -1
    while joint >= 0:
        chain.append(names[joint])
        joint = int(above[joint])
    return chain


def _hips(
    armature: bpy.types.Object,
    chain: list[str],
    known: Mapping[str, str],
    names: tuple[str, ...],
    above: NDArray[np.int64],
) -> str:
    """Return the bone of the hips: the known one, or one without a role at its place that carries head and legs."""
    bones, hips = armature_data(armature).bones, known.get("hips", "")
    legs = [_chain(names, above, known.get(f"thigh.{side}", ""))[1:] for side in "LR"]
    if not hips or hips in chain or any(hips in leg for leg in legs):
        return hips
    near = 0.1 * bones[hips].length
    free = [name for name in chain if name not in known.values()]
    there = [name for name in free if (bones[name].head_local - bones[hips].head_local).length < near]
    return next((name for name in there if any(name in leg for leg in legs)), hips)


def _from_the_trunk(role: str) -> int:
    """Return a number by which roles of a limb are sorted from the trunk outwards."""
    part = role.partition(".")[0]
    return next((limb.index(part) for limb in (LEGS, ARMS) if part in limb), -1)


def _inner(role: str) -> str:
    """Return the previous role in a limb, nearer to the trunk; "" for the first."""
    part, dot, side = role.partition(".")
    limb = next((limb for limb in (LEGS, ARMS) if part in limb[1:]), ())
    return limb[limb.index(part) - 1] + dot + side if limb else ""


def _follower(
    bones: bpy.types.ArmatureBones, graph: Graph, name: str, inner: str, deform: tuple[str, ...], size: float
) -> str:
    """Return the deforming bone that replaces a bone without weights and follows it; the bone itself if there is none.

    inner : the previous bone in its limb, "" for none
    """
    one = bones[name]
    for other in deform:
        near = (bones[other].head_local - one.head_local).length < _SAME * size
        if near and name in graph.count_steps(other):
            return other
    # Toe bones with weights may be placed differently, such as MMD's 足先EX beside つま先.
    hung = [child.name for child in bones[inner].children if child.name in deform] if inner in deform else []
    return hung[0] if len(hung) == 1 else name


def parents(armature: bpy.types.Object, graph: Graph, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the parents (J,) within a set of bones: the nearest ancestor, or a bone that copies it."""
    place = {name: k for k, name in enumerate(names)}
    copies: dict[str, str] = {}
    for name in names:
        for edge in graph.edges[name]:
            if edge.how not in _AIMS and edge.source not in place:
                copies.setdefault(edge.source, name)
        for carrier in _carriers_in_place(armature_data(armature).bones[name], place):
            copies.setdefault(carrier, name)
    for name in names:
        for along in _lain_along(armature, graph, name):
            copies.setdefault(along, name)
    for name in names:
        for original in _originals(armature, graph, name):
            if original not in place:
                copies.setdefault(original, name)
    bones = present(armature.pose).bones
    out = np.full(len(names), -1, dtype=np.int64)
    for k, name in enumerate(names):
        above = bones[name].parent
        out[k] = place.get(above.name, -1) if above is not None else -1
    for k, name in enumerate(names):
        if out[k] >= 0:
            continue
        # A bone without a parent in the set may copy a bone that has one.
        copied = [e.source for e in graph.edges[name] if e.how not in _AIMS]
        for start in (bones[name].parent, *(bones[source].parent for source in copied)):
            below = {other for j, other in enumerate(names) if _hangs(out, j, k)}
            nearest = _nearest(bones, start, graph, place, copies, below)
            if nearest:
                out[k] = place[nearest]
                break
    return _insert_stretched(armature, graph, names, out)


def _insert_stretched(
    armature: bpy.types.Object, graph: Graph, names: tuple[str, ...], above: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return parents (J,), with bones stretched from one bone to another inserted between them."""
    bones, out = armature_data(armature).bones, above.copy()
    for k, name in enumerate(names):
        own = bones[name]
        near = 1e-3 * own.length
        reached = {edge.source for edge in graph.edges[name] if edge.how in _REACHES}
        for j, other in enumerate(names):
            there = (bones[other].head_local - own.tail_local).length < near
            between = j != k and out[j] != k and not _hangs(out, k, j) and (out[j] < 0 or _hangs(out, k, int(out[j])))
            if there and between and not reached.isdisjoint({other, *_carriers_in_place(bones[other], ())}):
                out[j] = k
    return out


def _carriers_in_place(bone: bpy.types.Bone, known: Collection[str]) -> list[str]:
    """Return a bone's ancestors at the same place that have only this bone (or copies of it) as a child there."""
    near, found, above = 1e-3 * bone.length, list[str](), bone.parent
    while above is not None and above.name not in known and (bone.head_local - above.head_local).length < near:
        beside = [child for child in above.children if (child.head_local - bone.head_local).length < near]
        if found and len(beside) > 1:
            break
        found.append(above.name)
        above = above.parent
    return found


def _lain_along(armature: bpy.types.Object, graph: Graph, name: str) -> list[str]:
    """Return the bones that coincide with a bone and carry the target towards which it is stretched."""
    bones = armature_data(armature).bones
    own = bones[name]
    near, found = 1e-3 * own.length, []
    for edge in graph.edges[name]:
        for above in bones[edge.source].parent_recursive if edge.how in _REACHES else ():
            same = (above.head_local - own.head_local).length < near and (
                above.tail_local - own.tail_local
            ).length < near
            found += [above.name] if same and above.name != name else []
    return found


def body_bones(
    armature: bpy.types.Object, graph: Graph, bones: Mapping[str, str], more: Collection[str] = ()
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the bones of a body, given by role, then further bones below them, and the parents (J,) of all.

    The bones of a limb form a chain, whichever bones pose them; a bone without a parent in the set gets one by its
    role.
    """
    names = tuple(dict.fromkeys((*bones.values(), *more)))
    out = parents(armature, graph, names)
    joints = {role: names.index(bone) for role, bone in bones.items()}
    behind = [joint for role, joint in joints.items() if role.startswith(BEHIND)]
    if behind:
        out[joints["hips"]] = out[behind[-1]]
        out[behind] = [joints["hips"], *behind[:-1]]
    for role, joint in sorted(joints.items(), key=lambda one: _from_the_trunk(one[0])):
        inner = joints.get(_inner(role))
        above = _find_joint_below(role, joints) if inner is None and out[joint] < 0 else inner
        if above is not None and not _hangs(out, above, joint):
            out[joint] = above
    return names, out


def _find_joint_below(role: str, joints: Mapping[str, int]) -> int | None:
    """Return the joint of the previous role of the trunk, also for a limb's first role; None for hips."""
    base, _, number = role.partition("+")
    before = {one.partition("+")[0]: joint for one, joint in joints.items()}  # the last joint between two roles
    if number:
        return joints.get(f"{base}+{int(number) - 1}", joints.get(base))
    return body_roles.before(role, before)


def _originals(armature: bpy.types.Object, graph: Graph, name: str) -> list[str]:
    """Return the bones at a bone's own place that it copies indirectly, including their parents there."""
    bones = armature_data(armature).bones
    found = [name]
    for one in found:  # grows during the loop
        for edge in graph.edges[one]:
            copied = edge.how in (PARENT, "COPY_TRANSFORMS", "TRANSFORM", "ARMATURE") and (one, edge.how) != (
                name,
                PARENT,
            )
            here = (bones[edge.source].head_local - bones[name].head_local).length < 1e-3 * bones[name].length
            found += [edge.source] if copied and here and edge.source not in found else []
    return found[1:]


def _nearest(
    bones: Any, bone: Any, graph: Graph, place: Mapping[str, int], copies: Mapping[str, str], below: set[str]
) -> str:
    """Return the first bone of the set, or copy of one, on the way up from a bone, except descendants; "" for none."""
    seen: set[str] = set()
    while bone is not None and bone.name not in seen:
        seen.add(bone.name)
        nearest = bone.name if bone.name in place else copies.get(bone.name, "")
        if nearest and nearest not in below:
            return nearest
        follows = [edge.source for edge in graph.edges[bone.name] if edge.how not in (PARENT, POLE)]
        above = bone.parent.name if bone.parent is not None else next(iter(follows), "")
        bone = bones.get(above) if above else None
    return ""


def _hangs(above_of: NDArray[np.int64], joint: int, above: int) -> bool:
    while joint >= 0:
        if joint == above:
            return True
        joint = int(above_of[joint])
    return False


def keyable(armature: bpy.types.Object, played: Mapping[str, str]) -> set[str]:
    """Return the bones that an artist may key: bones with custom shapes, and unconstrained deforming bones."""
    bones = present(armature.pose).bones
    free = {bone.name for bone in bones if not any(_poses(one) for one in bone.constraints)}
    shaped = {bone.name for bone in bones if bone.custom_shape is not None}
    own = {name for name in played.values() if name in free}
    if len(shaped) >= _SHAPES:
        own -= {name for name in own - shaped if _is_skin(bones[name], shaped, set(played.values()))}
        return shaped | {name for name in own if not all(locks(bones[name], "rotation"))}
    return own | {name for name in free if _is_visible(bones[name].bone)}


def _is_skin(bone: bpy.types.PoseBone, shaped: set[str], played: set[str]) -> bool:
    """Return whether a bone only serves the mesh: a copy of its parent control, or a leaf at the control's head."""
    one, above = bone.bone, bone.parent
    if above is None or above.name not in shaped or above.bone.use_deform:
        return False
    near = 1e-3 * one.length
    ends = [(above.bone.head_local, above.bone.tail_local), (above.bone.tail_local, above.bone.head_local)]
    if any((one.head_local - a).length < near and (one.tail_local - b).length < near for a, b in ends):
        return True
    carries = any(child.name in played for child in bone.children_recursive)
    return (one.head_local - above.bone.head_local).length < near and not carries


def _is_visible(bone: bpy.types.Bone) -> bool:
    groups = bone.collections
    return not bone.hide and (not groups or any(group.is_visible_effectively for group in groups))


def _poses(one: bpy.types.Constraint) -> bool:
    """Return whether a constraint replaces the keys of its bone."""
    return one.enabled and one.type in ("COPY_TRANSFORMS", "ACTION", "TRANSFORM") and one.influence > 0.0


def locks(bone: Any, channels: str) -> list[bool]:
    """Return which of a pose bone's channels, "location" or "rotation", are locked."""
    return list(getattr(bone, f"lock_{channels}"))
