"""Read the body moved by the controls of any rig: its deforming bones, and the controls found for them.

Rigify's human is read by `control_rig`, which knows its forward kinematics exactly; all other rigs are read here.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import bpy
import numpy as np

from ...core.cache import Cache
from ...core.errors import RigError
from ..ground import kept_values, memory
from ..ground.blender_types import armature_data, present
from . import control_rig, rig
from .controls import FoundControls
from .rig import Rig, Still
from .rig_controls import Part, RigControls, body, find, graph, limits
from .rig_controls.graph import PARENT, Graph

_STRAIGHT = 1e-4  # of a leg's length: a leg shorter by less counts as straight; this is a bend of 1.6 degrees
_CHOSEN = "action_loom_controls"
_KNOWN: Cache[str, RigControls] = memory.cache(16)  # searches take up to seconds
_FOLLOWING: Cache[str, bool] = memory.cache(64)


def body_of(
    armature: bpy.types.Object,
    *,
    moving_object: bool = False,
    still: Callable[[Sequence[str]], dict[str, Still]] | None = None,
) -> Rig:
    """Return the body of an armature: all its bones (see `rig.read`), or the bones moved by its controls.

    If controls move the bones, `Rig.controls` lists them, and `clip_on_controls` reads and writes the clips. Raises
    RigError with the reason if no control is known that moves the body.
    """
    if control_rig.is_generated(armature):
        try:
            return control_rig.body_of(armature, moving_object=moving_object, still=still)
        except RigError:
            pass  # Rigify's animals
    depends = graph.read(armature)
    if not _follows_others(armature, depends):
        return rig.read(armature, moving_object=moving_object, still=still)
    found = controls_of(armature)
    if _moves_itself(found):
        return rig.read(armature, moving_object=moving_object, still=still)
    wrong = [part.note for part in found.parts if part.note]
    if len(wrong) == len(found.parts):
        raise RigError(f"{armature.name}: no control is known that moves its body. {found.notes[0]}")
    if 2 * len(wrong) > len(found.parts):
        first, _, _ = wrong[0].partition(";")
        raise RigError(f"{armature.name}: {len(wrong)} of {len(found.parts)} parts can't be keyed. {first}")
    return _body(armature, rig.read(armature, moving_object=moving_object), found, depends)


def body_or_bones(
    armature: bpy.types.Object,
    *,
    moving_object: bool = False,
    still: Callable[[Sequence[str]], dict[str, Still]] | None = None,
) -> Rig:
    """Return the body of an armature like `body_of`, or all its bones if the controls are unknown.

    This is for existing actions of the armature, whose results key the same bones. The rig's note gives the reason for
    reading all bones.
    """
    try:
        return body_of(armature, moving_object=moving_object, still=still)
    except RigError as error:
        bones = rig.read(armature, moving_object=moving_object, still=still)
        return replace(bones, note=". ".join(filter(None, (bones.note, f"All its bones are read: {error}"))))


def controls_of(armature: bpy.types.Object) -> RigControls:
    """Return the controls of an armature, cached until the rig changes; controls chosen by hand take precedence."""
    found = _KNOWN.made(state(armature), lambda: find(armature))
    return _replace_controls(found, chosen_controls(armature))


def is_known(armature: bpy.types.Object) -> bool:
    """Return whether an armature lacks controls, or they were searched for after the last change of the rig."""
    return not has_controls(armature) or state(armature) in _KNOWN


def has_controls(armature: bpy.types.Object) -> bool:
    """Return whether controls move the body of an armature, by its constraints and drivers alone."""
    return control_rig.is_generated(armature) or _follows_others(armature, graph.read(armature))


def found_roles(armature: bpy.types.Object) -> dict[str, str]:
    """Detect the bone of each role, without the roles chosen by hand; on a control rig these are deforming bones."""
    depends = graph.read(armature)
    if not _follows_others(armature, depends):
        return rig.found_roles(armature)
    roles, chosen = body.roles(armature, depends, body.deforming(armature)), rig.chosen_roles(armature)
    return {role: bone for role, bone in roles.items() if role not in chosen}


def forget(armature: bpy.types.Object) -> None:
    """Forget the controls found on an armature, and those chosen by hand; raises RigError for a linked armature."""
    set_chosen(armature, {})
    _KNOWN.clear()


def rows_of(found: RigControls) -> dict[str, str]:
    """Return controls as table rows by function: "Left leg, IK", "Trunk, spine", "Root"."""
    rows = {"Root": found.root, "Torso": found.torso}
    for part in found.every:
        rows |= {f"{part.name}, {role}": control for role, control in part.fk}
        rows |= {f"{part.name}, IK": part.ik, f"{part.name}, Pole": part.pole} if part.ik else {}
        rows |= {f"{part.name}, IK {role}": control for role, control in part.tips}
        rows |= {f"{part.name}, Roll": part.roll} if part.roll else {}
    return rows


def chosen_controls(armature: bpy.types.Object) -> dict[str, str]:
    """Return the controls chosen by hand, by the rows of the table."""
    chosen = kept_values.read_value(armature, _CHOSEN)
    return {str(row): str(bone) for row, bone in chosen.items()} if isinstance(chosen, dict) else {}


def set_chosen(armature: bpy.types.Object, chosen: dict[str, str]) -> None:
    """Keep controls chosen by hand on an armature; raises RigError for a linked one, and for a bone it has not."""
    if armature.library is not None:
        raise RigError(f"{armature.name} is linked: make a library override of it first")
    for row, bone in chosen.items():
        if bone and bone not in armature_data(armature).bones:
            raise RigError(f"{armature.name} has no bone {bone!r} for its {row}")
    kept_values.keep(armature, _CHOSEN, dict(chosen))


def _replace_controls(found: RigControls, chosen: dict[str, str]) -> RigControls:
    """Replace detected controls with the ones chosen by hand."""
    if not chosen:
        return found
    return replace(
        found,
        root=chosen.get("Root", found.root),
        torso=chosen.get("Torso", found.torso),
        parts=tuple(_chosen_part(part, chosen) for part in found.parts),
        chains=tuple(_chosen_part(part, chosen) for part in found.chains),
    )


def _chosen_part(part: Part, chosen: dict[str, str]) -> Part:
    fk = tuple((role, chosen.get(f"{part.name}, {role}", control)) for role, control in part.fk)
    tips = tuple((role, chosen.get(f"{part.name}, IK {role}", control)) for role, control in part.tips)
    ik, pole = (chosen.get(f"{part.name}, {kind}", one) for kind, one in (("IK", part.ik), ("Pole", part.pole)))
    fk, tips = (tuple(pair for pair in pairs if pair[1]) for pairs in (fk, tips))
    pole, roll = (one if ik else "" for one in (pole, chosen.get(f"{part.name}, Roll", part.roll)))
    return replace(part, fk=fk, tips=tips, ik=ik, pole=pole, roll=roll)


def state(armature: bpy.types.Object) -> str:
    """Return a hash of everything that determines the controls: bones, constraints, drivers, meshes, chosen roles."""
    digest = hashlib.blake2b(digest_size=16)
    switched = graph.switched_constraints(armature)
    for bone in present(armature.pose).bones:
        own, parent = bone.bone, bone.parent.name if bone.parent is not None else ""
        plain = [bone.name, parent, own.use_deform, own.hide, bone.rotation_mode, bone.custom_shape is not None]
        plain += [*body.locks(bone, "location"), *body.locks(bone, "rotation"), own.use_local_location]
        plain += [getattr(bone, f"{what}_{axis}") for what in ("use_ik_limit", "ik_min", "ik_max") for axis in "xyz"]
        digest.update(repr(plain).encode())
        digest.update(np.array(own.matrix_local, dtype=np.float32).tobytes())
        for one in bone.constraints:
            target = getattr(getattr(one, "target", None), "name", "")
            names = [one.name, one.type, target, getattr(one, "subtarget", ""), getattr(one, "pole_subtarget", "")]
            # Constraints switched by drivers or keys are found in either state, so a switch must not change the hash.
            on = (bone.name, one.name) in switched or (one.enabled and one.influence > 0.0)
            digest.update(repr([*names, on]).encode())
    data = armature.animation_data
    drivers = [] if data is None else [(one.data_path, present(one.driver).expression) for one in data.drivers]
    wearing = [
        one.name
        for one in bpy.data.objects
        if any(isinstance(m, bpy.types.ArmatureModifier) and m.object == armature for m in one.modifiers)
    ]
    drivers += [(path, "") for path in sorted(graph.keyed_properties(armature))]
    digest.update(repr([armature.session_uid, drivers, wearing, rig.chosen_roles(armature)]).encode())
    return digest.hexdigest()


def _follows_others(armature: bpy.types.Object, depends: Graph) -> bool:
    """Return whether a bone with a role, or a dependency of it, follows another bone that is not its parent."""
    following = {bone for bone, edges in depends.edges.items() if any(edge.how != PARENT for edge in edges)}
    moved = following | depends.driven | depends.broken.keys()
    if not moved:
        return False

    def follows() -> bool:
        roles = body.roles(armature, depends, body.deforming(armature))  # this reads the vertex weights of meshes
        return not moved.isdisjoint(depends.count_steps(*roles.values()))

    return _FOLLOWING.made(state(armature), follows)


def _moves_itself(found: RigControls) -> bool:
    """Return whether every bone of the body is its own control, so that its own keys are enough."""
    own = {bone for part in found.parts for _, bone in part.bones}
    return (
        not any(part.note or part.ik or part.switches or part.settings for part in found.parts)
        and all(dict(part.bones)[role] == control for part in found.parts for role, control in part.fk)
        and found.torso in own | {""}
    )


def _body(armature: bpy.types.Object, every: Rig, found: RigControls, depends: Graph) -> Rig:
    """Return the bones of the parts as a body, below the control of the whole rig."""
    bones = armature_data(armature).bones
    playing = {role: bone for part in found.parts for role, bone in part.bones if _is_posed(part, role)}
    more = [bone for part in found.chains for _, bone in part.bones]
    of_parts, hang = body.body_bones(armature, depends, playing, more)
    for part in found.chains:  # tails may be connected at their tips
        line = [of_parts.index(bone) for bone in (part.hangs_on, *(bone for _, bone in part.bones)) if bone in of_parts]
        hang[line[1:]] = line[:-1]
    names = [found.root] if found.root and found.root not in of_parts else []
    top = len(names) - 1
    parents = [-1] * len(names)
    waiting = list(range(len(of_parts)))
    while waiting:  # parents first
        k = next(k for k in waiting if hang[k] not in waiting)
        parents.append(names.index(of_parts[hang[k]]) if hang[k] >= 0 else top)
        names.append(of_parts[k])
        waiting.remove(k)
    out = rig.part(every, names, parents, [bones[name].length for name in names])
    skip = int(every.moving_object)
    roles = {role: skip + names.index(bone) for role, bone in playing.items() if role in rig.ROLES}
    out = replace(out, skeleton=replace(out.skeleton, roles=roles), note=_note(armature, every, found))
    return replace(out, controls=_controls(armature, out, found, depends))


def _is_posed(part: Part, role: str) -> bool:
    """Return whether a bone has its own pose; trunk bones between two roles, without controls, follow their parent."""
    return role in rig.ROLES or bool(part.note) or role == part.end or role in dict(part.fk)


def _note(armature: bpy.types.Object, every: Rig, found: RigControls) -> str:
    return ". ".join(filter(None, (every.note, *(f"{armature.name}: {note}" for note in found.notes))))


def _controls(armature: bpy.types.Object, out: Rig, found: RigControls, depends: Graph) -> FoundControls:
    pose = present(armature.pose).bones
    above = frozenset(depends.count_steps(*out.bones))
    names = tuple(bone.name for bone in pose if bone.name in found.controls)
    roles = {role: bone for part in found.every for role, bone in part.bones}
    idle = sorted((body.keyable(armature, roles) & above) - set(names))
    place = set(out.bones)
    rides = {}
    for bone in armature_data(armature).bones:
        if bone.use_deform and bone.name not in place:
            rides[bone.name] = next((b.name for b in bone.parent_recursive if b.name in place), out.bones[0])
    return FoundControls(
        names=names,
        modes=tuple(pose[name].rotation_mode for name in names),
        idle=tuple(idle),
        seen=out.bones,
        seen_from=np.tile(np.eye(4), (len(out.bones), 1, 1)),
        rides=rides,
        found=found,
        above=above,
        beside=frozenset(depends.count_steps(*rides)) - above,
        reach=_reach(armature, found),
    )


def _reach(armature: bpy.types.Object, found: RigControls) -> dict[tuple[str, str], float]:
    """Return the maximal length of legs that cannot be fully straight, on FK and on IK (see `FoundControls`)."""
    sound = [part for part in found.parts if part.name.endswith("leg") and len(part.bones) > 2 and not part.note]
    ways = [(part, kind) for part in sound for kind in ("fk", "ik") if (part.ik if kind == "ik" else part.has_fk)]
    every = {(part.name, kind): limits.reach(armature, part, inverse=kind == "ik") for part, kind in ways}
    return {which: share for which, share in every.items() if share < 1.0 - _STRAIGHT}


def refuse_unknown(armature: bpy.types.Object, known: Rig) -> None:
    """Raise RigError if a body can't play a clip because the controls of most of it are unknown."""
    control_rig.refuse_unknown(armature, known)
