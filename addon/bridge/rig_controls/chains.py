"""Find the controls of appendages of the body: fingers, tails, ears, a jaw."""

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import bpy
import numpy as np

from ....core.motion.quat import Array
from ...ground.blender_types import armature_data
from . import body, limbs, response
from .found import Part
from .graph import HOOK, Graph
from .limbs import Rig, State
from .probe import Move, Probe

Asks = Generator[tuple[State, dict[str, Move]], Array, Part]
_BESIDE = 0.1  # of a limb bone's length: a bone that begins nearer to the limb bone is a piece of it
_BEYOND = 0.98  # of a limb bone's length: a bone that begins further along it is a child at its tip


def candidates(armature: bpy.types.Object, depends: Graph, deform: Sequence[str], parts: Sequence[Part]) -> list[Part]:
    """Return chains of deforming bones outside the body's parts, without controls; each ends where it branches.

    Pieces of limbs, which twist with them, are left out, and so are chains without a parent in any part.
    """
    of_body = [bone for part in parts for _, bone in part.bones]
    pieces = _pieces(armature, parts)
    free = [name for name in deform if name not in of_body and name not in pieces and not _is_left_out(depends, name)]
    names = (*of_body, *free)
    above = body.parents(armature, depends, names)
    hang = {name: names[above[k]] if above[k] >= 0 else "" for k, name in enumerate(names) if name in free}
    hang |= _from_the_tip(armature, hang)
    free = [name for name in free if _is_carried(name, hang, of_body)]
    out = []
    for first in free:
        beside = [name for name in free if hang[name] == hang[first]]
        if hang[first] in free and len(beside) == 1:
            continue
        chain = [first]
        while len(after := [name for name in free if hang[name] == chain[-1]]) == 1:
            chain += after
        out.append(Part(f"Chain {first}", tuple((f"bone {name}", name) for name in chain), hangs_on=hang[first]))
    return out


def _from_the_tip(armature: bpy.types.Object, hang: Mapping[str, str]) -> dict[str, str]:
    """Return corrected parents for tails whose bones point at the body: each bone's parent is the next one nearer to
    it.

    Rigify's animals have such tails, although their controls run from the body outwards.
    """
    bones, out = armature_data(armature).bones, dict[str, str]()
    for first in (name for name, above in hang.items() if above and above not in hang):
        run, after = [first], [first]
        while len(after) == 1:
            here = bones[run[-1]]
            after = [name for name, above in hang.items() if above == here.name and _goes_on(here, bones[name])]
            run += after if len(after) == 1 else []
        carrier, last = bones[hang[first]], bones[run[-1]]
        if after or len(run) < 2:
            continue
        place = np.array(carrier.matrix_local, dtype=np.float64)
        ends = (np.array(end) for end in (bones[first].head_local, last.tail_local))
        far = [response.bone_distance(place, carrier.length, end) for end in ends]
        if far[1] < _BESIDE * last.length and far[0] > 0.5 * sum(bones[name].length for name in run):
            out |= dict(zip(run[::-1], [hang[first], *run[:0:-1]], strict=True))
    return out


def _goes_on(one: bpy.types.Bone, other: bpy.types.Bone) -> bool:
    """Return whether a bone begins at the end of another one."""
    return (other.head_local - one.tail_local).length < 1e-3 * one.length


def _is_turned_round(probe: Probe, part: Part) -> bool:
    """Return whether the bones of a chain point at its parent."""
    if len(part.bones) < 2:
        return False
    one, next_one = (probe.bones[bone].bone for _, bone in part.bones[:2])
    return (next_one.tail_local - one.head_local).length < (next_one.head_local - one.tail_local).length


def beyond(hung: Sequence[Part], parts: Sequence[Part]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the bones of a hand's only chain, each with a role, by the name of the arm."""
    found = {}
    for part in (part for part in parts if "arm" in part.name):
        role, hand = part.bones[-1]
        own = [one for one in hung if one.hangs_on == hand]
        if len(own) == 1 and role.startswith("hand"):
            side = role.partition(".")[2]
            found[part.name] = tuple((f"hand+{k}.{side}", bone) for k, (_, bone) in enumerate(own[0].bones, 1))
    return found


def _pieces(armature: bpy.types.Object, parts: Sequence[Part]) -> set[str]:
    """Return the deforming bones that begin along the bones of arms and legs and bend and twist with these."""
    bones = armature_data(armature).bones
    found: set[str] = set()
    for part in parts:
        if part.name == "Trunk":
            continue
        heads = [np.array(bones[bone].head_local) for _, bone in part.bones]
        for here, there in pairwise(heads):
            length = max(float(np.linalg.norm(there - here)), 1e-9)
            for bone in bones:
                along = float((np.array(bone.head_local) - here) @ (there - here)) / length**2
                beside = float(np.linalg.norm(np.array(bone.head_local) - here - along * (there - here)))
                if -1e-3 <= along < _BEYOND and beside < _BESIDE * length:
                    found.add(bone.name)
    return found


def _is_left_out(depends: Graph, name: str) -> bool:
    """Return whether a bone can't be used: broken, driven, in a dependency cycle, or moved by a curve."""
    above = depends.count_steps(name).keys()
    bent = any(edge.how in (HOOK, "SPLINE_IK") for one in above for edge in depends.edges[one])
    return bool(bent or above & depends.broken.keys() or above & depends.driven or depends.circle(name))


def _is_carried(name: str, hang: Mapping[str, str], of_body: Collection[str]) -> bool:
    """Return whether a bone is connected to the body through other free bones."""
    while name in hang and name not in of_body:
        name = hang[name]
    return name in of_body


def carried_chains(probe: Probe, controls: Collection[str], chains: Sequence[Part]) -> list[Part]:
    """Return the chains whose first bone keeps its place on its parent, whichever control moves the parent.

    They need not rotate with the parent: some tails stay upright by themselves.
    """
    before = probe.neutral
    step = 0.02 * float(np.ptp(before[:, :3, 3], axis=0).max())
    after = probe.pose(dict.fromkeys(controls, (response.TURN, step * response.STEP)))
    found = []
    for part in chains:
        k, first = probe.index[part.hangs_on], probe.index[part.bones[0][1]]
        end = np.eye(4)
        end[1, 3] = probe.bones[part.bones[0][1]].bone.length if _is_turned_round(probe, part) else 0.0
        expected = response.moved_by(before[k], after[k]) @ before[first] @ end
        found += [] if response.has_head_moved(expected, after[first] @ end, step) else [part]
    return found


def own(depends: Graph, chains: Sequence[Part], of_body: Collection[str]) -> dict[str, set[str]]:
    """Return each chain's dependencies, by its name, without dependencies of the body or of independent chains."""
    shared = depends.count_steps(*of_body).keys()
    above = {part.name: set(depends.count_steps(*(bone for _, bone in part.bones))) for part in chains}
    carriers = _carriers(chains)
    return {
        name: mine - shared - set[str]().union(*(above[other] for other in above if name not in carriers[other]))
        for name, mine in above.items()
    }


def _carriers(chains: Sequence[Part]) -> dict[str, set[str]]:
    """Return, by the name of each chain, the names of the chain and of all chains between it and the body."""
    of = {bone: part for part in chains for _, bone in part.bones}
    found: dict[str, set[str]] = {}
    for part in chains:
        one: Part | None = part
        found[part.name] = set()
        while one is not None:
            found[part.name].add(one.name)
            one = of.get(one.hangs_on)
    return found


def search(rig: Rig, part: Part, own: set[str]) -> Asks:
    """Find the controls that turn and move each bone of a chain; a generator of poses, which receives the bones'
    matrices.

    Bones without a control of their own are left out.
    """
    names = rig.outermost(own & rig.keyable)[::-1]  # prefer a bone's own control to one that carries more
    joints = [rig.at(bone) for _, bone in part.bones]
    step = 0.1 * sum(rig.probe.bones[bone].bone.length for _, bone in part.bones)
    before = yield {}, {}
    fk = yield from limbs.turning(rig, part.bones, joints, names, {}, before, step, limb=True)
    bones = tuple((role, bone) for role, bone in part.bones if role in dict(fk))
    moving = []
    for (_, control), (_, bone) in zip(fk, bones, strict=True):
        pair = [rig.at(control), rig.at(bone)]
        after = yield {}, {control: (np.zeros(3), step * response.STEP)}
        moving += [control] if response.taken_along(before[pair], after[pair], step) else []
    return replace(part, bones=bones, fk=fk, moving=tuple(moving))
