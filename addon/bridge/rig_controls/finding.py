"""Find a rig's controls from its constraints and from test poses of a copy (methods: Body roles and retargeting)."""

import time
from collections.abc import Generator, Mapping
from dataclasses import replace
from itertools import pairwise

import bpy
import numpy as np

from ....core.errors import RigError
from ....core.motion.quat import Array
from ...ground.blender_types import present
from . import body, chains, graph, limbs, response
from .found import Drive, Part, RigControls, Setting
from .graph import PARENT, POLE, Graph
from .limbs import Rig
from .probe import Move, Probe, on_copy

ITSELF = "ITSELF"
_SIDES = {"L": "Left", "R": "Right"}


def find(armature: bpy.types.Object) -> RigControls:
    """Return the controls of an armature, without changing the armature, the scene, the selection or the undo steps.

    Raises RigError for an armature without bones.
    """
    began = time.perf_counter()
    if armature.pose is None or not armature.pose.bones:
        raise RigError(f"{armature.name} has no bones")
    depends = graph.read(armature)
    deform = body.deforming(armature)
    roles = body.roles(armature, depends, deform)
    parts = _parts(roles, body.trunk(armature, depends, roles))
    wrong = {part.name: _describe_fault(depends, part) for part in parts}
    keyable = body.keyable(armature, roles)
    hung = chains.candidates(armature, depends, deform, parts)
    beyond = chains.beyond(hung, parts)
    own = _own(depends, [replace(part, bones=(*part.bones, *beyond.get(part.name, ()))) for part in parts])
    with on_copy(armature, depends, keyable, {bone for part in (*parts, *hung) for _, bone in part.bones}) as probe:
        rig = Rig(probe, depends, keyable, roles)
        sound = [part for part in parts if not wrong[part.name]]
        limbed = [part for part in sound if len(part.bones) > 2]
        found = _search_together(
            probe, {p.name: limbs.search(rig, p, own[p.name], beyond.get(p.name, ())) for p in limbed}
        )
        root, torso = "", ""
        if parts and not wrong["Trunk"]:
            found["Trunk"], root, torso = _trunk(rig, parts[0], list(found.values()))
        parts = [found.get(part.name, part) for part in parts]
        hung = _chains(rig, hung, parts, torso)
    done = [_movable(armature, part) for part in parts]
    done = [replace(part, note=wrong[part.name] or _note(armature, depends, part)) for part in done]
    # A partly broken part is not keyed at all.
    done = [Part(part.name, part.bones, note=part.note) if part.note else part for part in done]
    drives = tuple(_drive(depends, keyable, name, [*done, *hung]) for name in deform)
    seconds = round(time.perf_counter() - began, 3)
    return RigControls(armature.name, deform, drives, root, torso, tuple(done), tuple(hung), seconds)


def _parts(roles: Mapping[str, str], trunk: Mapping[str, str]) -> list[Part]:
    """Return the trunk and the limbs whose bones are known, without controls."""
    parts = [Part("Trunk", tuple(trunk.items()))]
    for limb, chain in (("arm", body.ARMS), ("leg", body.LEGS)):
        for side, word in _SIDES.items():
            bones = tuple((f"{role}.{side}", roles[f"{role}.{side}"]) for role in chain if f"{role}.{side}" in roles)
            if bones:
                parts.append(Part(f"{word} {limb}", bones))
    return parts


def _own(depends: Graph, parts: list[Part]) -> dict[str, set[str]]:
    """Return each part's dependencies, without those shared with other parts."""
    above = {part.name: set(depends.count_steps(*(bone for _, bone in part.bones))) for part in parts}
    return {
        name: mine - set[str]().union(*(theirs for other, theirs in above.items() if other != name))
        for name, mine in above.items()
    }


def _search_together(probe: Probe, searches: dict[str, limbs.Asks]) -> dict[str, Part]:
    """Run the searches of several limbs, which depend on different controls, with the same evaluations."""
    done: dict[str, Part] = {}
    asked = {name: next(search) for name, search in searches.items()}
    while asked:
        settings: dict[str, float] = {}
        moves: dict[str, Move] = {}
        turn = []
        for name, (state, move) in asked.items():
            if all(settings.get(path, value) == value for path, value in state.items()):
                settings |= state
                moves |= move
                turn.append(name)
        probe.switch(settings)
        seen = probe.pose(moves)
        for name in turn:
            try:
                asked[name] = searches[name].send(seen)
            except StopIteration as end:
                done[name] = end.value
                del asked[name]
    probe.switch({})
    return done


def _trunk(rig: Rig, part: Part, limbs_found: list[Part]) -> tuple[Part, str, str]:
    """Return the trunk with the control of each bone, the control of the whole rig, and the control of the trunk."""
    above = rig.graph.count_steps(*(bone for _, bone in part.bones))
    names = rig.outermost(above.keys() & rig.keyable)
    step = 0.1 * float(np.ptp(rig.probe.neutral[[rig.at(b) for b in rig.roles.values()], :3, 3], axis=0).max())
    every = [rig.at(bone) for bone in rig.roles.values()]
    search = limbs.turning(rig, part.bones, every, names, {}, rig.probe.neutral, step)
    fk = _alone(rig.probe, search)
    carriers = _carriers(rig, part, names, step)
    # A control that carries the whole trunk is not the control of a single bone, except the lowest.
    fk = tuple((role, control) for role, control in fk if control not in carriers or role == part.bones[0][0])
    torso = _bearer(rig, carriers, limbs_found, step)
    root = carriers[0] if len(carriers) > 1 else ""
    return replace(part, fk=fk, moving=_moving(rig, part, dict(fk), step)), root, torso


def _bearer(rig: Rig, carriers: list[str], parts: list[Part], step: float) -> str:
    """Return the innermost control below the root that carries the trunk and the largest number of limbs on FK.

    MMD's waist turns only the trunk: its legs keep their direction, so they would twist by the body's full rotation.
    """
    parts, carriers = [part for part in parts if part.has_fk], carriers[1:] or carriers
    if len(carriers) < 2:
        return next(iter(carriers), "")
    rig.probe.switch({switch.path: switch.fk for part in parts for switch in part.switches})
    before, borne = rig.probe.pose({}), dict[str, int]()
    for name in reversed(carriers):
        after = rig.probe.pose({name: (response.TURN, step * response.STEP)})
        k, first = rig.at(name), [rig.at(part.bones[0][1]) for part in parts]
        move = response.moved_by(before[k], after[k])
        borne[name] = sum(response.follows(move, before[j], after[j], step) for j in first)
    rig.probe.switch({})
    return max(borne, key=lambda name: borne[name])


def _moving(rig: Rig, part: Part, fk: Mapping[str, str], step: float) -> tuple[str, ...]:
    """Return the controls that can, and must, place their bones at the end of a lower bone without a control."""
    upwards = [(role, bone) for role, bone in part.bones if not role.startswith(("clavicle", body.BEHIND))]
    after = [two for one, two in pairwise(upwards) if one[0] not in fk and one[1] != two[1]]
    found = []
    for control, bone in [(fk[role], bone) for role, bone in after if role in fk]:
        pair, move = [rig.at(control), rig.at(bone)], {control: (np.zeros(3), step * response.STEP)}
        found += [control] if response.taken_along(rig.probe.neutral[pair], rig.probe.pose(move)[pair], step) else []
    return tuple(found)


def _chains(rig: Rig, hung: list[Part], parts: list[Part], torso: str) -> list[Part]:
    """Return the chains for which controls were found, with their controls."""
    movers = {torso} - {""}
    movers = movers.union(*(part.controls for part in parts))
    of_body = [bone for part in parts for _, bone in part.bones]
    hung = [part for part in hung if not any(bone in of_body for _, bone in part.bones)]
    hung = chains.carried_chains(rig.probe, movers, hung)
    own = chains.own(rig.graph, hung, of_body)
    found = _search_together(rig.probe, {part.name: chains.search(rig, part, own[part.name]) for part in hung})
    return [found[part.name] for part in hung if found[part.name].fk]


def _alone(
    probe: Probe, search: Generator[tuple[limbs.State, dict[str, Move]], Array, tuple[tuple[str, str], ...]]
) -> tuple[tuple[str, str], ...]:
    _, moves = next(search)
    while True:
        try:
            _, moves = search.send(probe.pose(moves))
        except StopIteration as end:
            return end.value


def _carriers(rig: Rig, part: Part, names: list[str], step: float) -> list[str]:
    """Return the controls that carry the whole trunk when they move, outermost first."""
    bones = [rig.at(bone) for _, bone in part.bones]
    before, found = rig.probe.neutral, []
    for name in names:
        after = rig.probe.pose({name: (np.zeros(3), step * response.STEP)})
        k = rig.at(name)
        move = response.moved_by(before[k], after[k])
        gone = float(np.linalg.norm(after[k, :3, 3] - before[k, :3, 3])) > 0.3 * step
        if gone and all(response.rigid(move, before[j], after[j], step) for j in bones):
            found.append(name)
    return found


# --- parts that can't be solved --------------------------------------------------------------------------------------


def _describe_fault(depends: Graph, part: Part) -> str:
    """Return the reason for leaving a part alone, in one sentence, or ""."""
    bones = [bone for _, bone in part.bones]
    circle = depends.circle(*bones)
    if circle:
        return f"{part.name}: its bones depend on each other in a circle ({' > '.join(circle[:4])}); keyed as it is"
    above = depends.count_steps(*bones)
    wrong = min((name for name in depends.broken if name in above), key=lambda name: above[name], default="")
    return f"{part.name}: {depends.broken[wrong]}; keyed as it is" if wrong else ""


def _movable(armature: bpy.types.Object, part: Part) -> Part:
    """Return a part without its IK control if this is locked, provided that the part can be keyed on FK."""
    bones = present(armature.pose).bones
    if not part.ik or not any(body.locks(bones[part.ik], "location")):
        return part
    if not part.has_fk or _find_locked(armature, part):
        return part
    settings = tuple(Setting(switch.path, switch.fk) for switch in part.switches)
    return replace(part, ik="", pole="", end="", turns_end=False, tips=(), switches=(), settings=settings)


def _find_locked(armature: bpy.types.Object, part: Part) -> str:
    """Return the first FK control that can't turn, or ""."""
    bones = present(armature.pose).bones
    return next((control for _, control in part.fk if all(body.locks(bones[control], "rotation"))), "")


def _note(armature: bpy.types.Object, depends: Graph, part: Part) -> str:
    """Return the reason why a part can't be solved, in one sentence, or ""."""
    bones = present(armature.pose).bones
    if part.ik and any(body.locks(bones[part.ik], "location")):
        return f"{part.name}: the location of {part.ik} is locked; keyed as it is"
    locked = _find_locked(armature, part)
    if locked:
        return f"{part.name}: the rotation of {locked} is locked; keyed as it is"
    roles = [role for role, _ in part.bones]
    if part.name == "Trunk" and part.fk:
        return ""
    side = part.name[0]
    every = body.ARMS if "arm" in part.name else body.LEGS
    unknown = [f"{role}.{side}" for role in every[:3] if f"{role}.{side}" not in roles]
    if part.name != "Trunk" and unknown:
        return f"{part.name}: no bone is known as its {' and '.join(unknown)}; keyed as it is"
    if part.ik or part.has_fk:
        return ""
    turned = {role for role, _ in part.fk}
    lacking = next((bone for role, bone in part.bones if role not in turned), "")
    if not lacking:
        return f"{part.name}: no bone is known; keyed as it is"
    above = depends.count_steps(lacking)
    scripted = next((name for name in above if name in depends.driven), "")
    if scripted:
        return f"{part.name}: {scripted} is driven by a script; keyed as it is"
    return f"{part.name}: no control was found that moves {lacking}; keyed as it is"


# --- every bone -----------------------------------------------------------------------------------------------------


def _drive(depends: Graph, keyable: set[str], name: str, parts: list[Part]) -> Drive:
    """Return the control that drives a bone: as measured with test poses, or as constraints and parents suggest."""
    seen = {bone: dict(part.fk).get(role, part.ik) for part in parts for role, bone in part.bones}
    how = next((edge.how for edge in depends.edges[name] if edge.how not in (PARENT, POLE)), ITSELF)
    if seen.get(name):
        return Drive(name, seen[name], ITSELF if seen[name] == name else how, confirmed=True)
    if how == ITSELF and name in keyable:
        return Drive(name, name, ITSELF)
    nearest = min(
        ((steps, one) for one, steps in depends.count_steps(name).items() if one in keyable and one != name),
        default=(0, ""),
    )[1]
    return Drive(name, nearest, PARENT if how == ITSELF else how)
