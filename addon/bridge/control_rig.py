"""Read rigs that Rigify has generated: the body that the controls move, and which control moves what.

Names are not trusted alone. They give the control of each bone; then a copy of the rig is posed once at random, and
every bone must end where the pose has it. This finds and names what an artist has changed.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import bpy
import numpy as np
from mathutils import Matrix

from ...core.errors import RigError, some
from ...core.motion import quat
from ...core.motion.quat import Array
from ..ground.blender_types import armature_data, present
from . import evaluated_action, rig
from .controls import NONE, Controls
from .rig import Rig, Still
from .stage import on_stage

# Custom properties by name, and the value at which a control follows its parent only.
_SETTINGS = {"IK_FK": 1.0, "FK_limb_follow": 0.0, "neck_follow": 1.0, "head_follow": 1.0, "torso_parent": 1.0}
_TAIL = re.compile(r"((\.\d+)?(\.[LR])?(\.\d+)?)$")
_GENERATED = re.compile(r"(ORG|DEF|MCH)-")  # bones that no artist moves
_SAME = 1e-4  # of the body's height: tolerance for places
_SAME_TURN = 0.05  # degrees: tolerance for rotations
_NEEDED = ("hips", "chest", "thigh.L", "thigh.R", "shin.L", "shin.R", "foot.L", "foot.R")
_INVERSE = {"IK", "SPLINE_IK"}


def is_generated(armature: bpy.types.Object) -> bool:
    """Return whether Rigify has generated an armature: it leaves `rig_id` and "ORG-" bones."""
    data = armature_data(armature)
    return data.get("rig_id") is not None and any(bone.name.startswith("ORG-") for bone in data.bones)


def body_of(
    armature: bpy.types.Object,
    *,
    moving_object: bool = False,
    still: Callable[[Sequence[str]], dict[str, Still]] | None = None,
) -> Rig:
    """Return the body of an armature: all its bones (see `rig.read`), or those that a Rigify rig's controls move.

    The bones of a Rigify body have the names of the deforming bones; its `controls` are set, and `clip_on_controls`
    reads and writes it. Raises RigError naming what a generated rig lacks, or which control does not work as expected.
    """
    if not is_generated(armature):
        return rig.read(armature, moving_object=moving_object, still=still)
    every = rig.read(armature, moving_object=moving_object)
    found = _controls_by_bone(armature)
    left_out: list[str] = []
    while True:
        body = _body(armature, every, found)
        body, wrong = _tried(armature, replace(body, controls=_controls(armature, body, found)))
        if not wrong:
            break
        for bone, why in wrong.items():
            if bone in _needed(body):
                raise RigError(why)
        # Bones without a role, a tail for example, keep their own keys.
        gone = {_bare(bone) for bone in _with_below(body, wrong)}
        left_out += sorted(gone)
        found = {bone: control for bone, control in found.items() if bone not in gone}
    note = f"{armature.name}: no clip can move {some(left_out)}, whose controls are not known" if left_out else ""
    return replace(body, note=". ".join(filter(None, (body.note, note))))


def body_or_bones(
    armature: bpy.types.Object,
    *,
    moving_object: bool = False,
    still: Callable[[Sequence[str]], dict[str, Still]] | None = None,
) -> Rig:
    """Return the body of an armature as `body_of` does, or all its bones where the controls are not known.

    For actions that the armature has already: a result keys what they key, so it shows on any rig. The rig's note
    gives the reason for reading all bones.
    """
    try:
        return body_of(armature, moving_object=moving_object, still=still)
    except RigError as error:
        if not is_generated(armature):
            raise
        bones = rig.read(armature, moving_object=moving_object, still=still)
        return replace(bones, note=". ".join(filter(None, (bones.note, f"All its bones are read: {error}"))))


def refuse_unknown(armature: bpy.types.Object, body: Rig) -> None:
    """Raise RigError for a body that can't play a clip, because unknown controls pose more than half of its roles.

    Inverse kinematics does not count: without it, keys pose the legs.
    """
    if body.controls is not None:
        return
    roles = {body.skeleton.names[joint]: role for role, joint in body.skeleton.roles.items()}
    posed = {name: why for name, why in _posed_by(armature).items() if name in roles}
    if 2 * len(posed) <= len(roles):
        return
    what = some([f"{name} ({roles[name]}) by {why}" for name, why in sorted(posed.items())])
    raise RigError(
        f"{armature.name} is driven by controls that are not Rigify's: of its body {what}. Keys on its bones would not"
        " show: put the clip on an armature with the same bones and without constraints, and let this rig follow that"
    )


def _posed_by(armature: bpy.types.Object) -> dict[str, str]:
    """Describe what poses each bone that has drivers, or constraints other than limits and inverse kinematics."""
    hidden = evaluated_action.posed_by_others(armature)
    found: dict[str, str] = {}
    for bone in present(armature.pose).bones:
        if bone.name not in hidden:
            continue
        for one in bone.constraints:
            if one.enabled and one.type not in _INVERSE:
                target = getattr(one, "subtarget", "") or getattr(getattr(one, "target", None), "name", "")
                found.setdefault(bone.name, f"{one.name}{f' to {target}' if target else ''}")
        if not bone.constraints:
            found[bone.name] = "a driver"
    return found


# --- which control turns which bone ---------------------------------------------------------------------------------


def _controls_by_bone(armature: bpy.types.Object) -> dict[str, str]:
    """Return the control of each bone, by the bone's name without prefix: {"thigh.L": "thigh_fk.L"}."""
    bones = armature_data(armature).bones
    found: dict[str, str] = {}
    head = _head(armature)
    face = {bone.name for bone in bones[f"ORG-{head}"].children_recursive} if head else set()
    for bone in bones:
        name = bone.name.removeprefix("ORG-")
        if name == bone.name or bone.name in face:
            continue
        control = next((one for one in (_TAIL.sub(r"_fk\1", name, count=1), name) if one in bones), None)
        if control is not None:
            found[name] = control
    if head:
        found[head] = "head"
    if "neck" in bones:
        place = bones["neck"].head_local
        size = bones["neck"].length
        at = [bone for bone in bones if bone.name.startswith("ORG-") and (bone.head_local - place).length < 0.01 * size]
        found |= {bone.name.removeprefix("ORG-"): "neck" for bone in at if bone.name[4:] not in found}
    missing = [name for name in ("root", "torso", "head") if name not in bones]
    if missing or not found:
        raise RigError(
            f"{armature.name} was generated by Rigify, but has no control {some(missing)}: only rigs with the spine and"
            " head of Rigify's human are known"
        )
    return found


def _head(armature: bpy.types.Object) -> str:
    """Return the bone, without its prefix, that the head control poses; "" for none."""
    for bone in present(armature.pose).bones:
        copied = {getattr(one, "subtarget", "") for one in bone.constraints if one.type == "COPY_TRANSFORMS"}
        if bone.name.startswith("ORG-") and "head" in copied:
            return bone.name.removeprefix("ORG-")
    return ""


def _deforming(armature: bpy.types.Object, name: str) -> str:
    return f"DEF-{name}" if f"DEF-{name}" in armature_data(armature).bones else f"ORG-{name}"


def _bare(bone: str) -> str:
    return _GENERATED.sub("", bone, count=1)


def _body(armature: bpy.types.Object, every: Rig, found: dict[str, str]) -> Rig:
    """Return the bones that controls turn as a body below the root, parented as the deforming bones are."""
    bones = armature_data(armature).bones
    above: dict[str, str] = {}
    for name in found:
        chain = [_bare(b.name) for b in bones[_deforming(armature, name)].parent_recursive if _generated(b.name)]
        above[name] = next((one for one in chain if one in found and one != name), "")
    order = [""]
    while len(order) <= len(found):
        more = [name for name in found if name not in order and above[name] in order]
        if not more:
            raise RigError(f"{armature.name}: its deforming bones hang on each other: generate it anew")
        order += more
    names = [_deforming(armature, name) if name else "root" for name in order]
    parents = [-1, *(order.index(above[name]) for name in order[1:])]
    lengths = [bones[f"ORG-{_bare(name)}"].length if name != "root" else 0.0 for name in names]
    body = rig.part(every, names, parents, lengths)
    lacking = [role for role in _NEEDED if role not in body.skeleton.roles]
    if lacking:
        raise RigError(f"{armature.name} was generated by Rigify, but no control is known of its {some(lacking)}")
    return body


def _generated(name: str) -> bool:
    return _GENERATED.match(name) is not None


# --- how they hang on each other ------------------------------------------------------------------------------------


def rest_of(armature: bpy.types.Object, names: Sequence[str]) -> Array:
    """Return the rest matrices (B, 4, 4) of bones in the armature's space."""
    bones = armature_data(armature).bones
    return np.array([bones[name].matrix_local for name in names], dtype=np.float64)


def _controls(armature: bpy.types.Object, body: Rig, found: dict[str, str]) -> Controls:
    """Return the controls of a body, from their names and parents."""
    pose = present(armature.pose).bones
    bones = {_bare(name) if name != "root" else "root": k for k, name in enumerate(body.bones)}
    turns = {"root": "root", **{control: name for name, control in found.items()}}
    turns["torso"] = _bare(body.skeleton.names[body.skeleton.roles["hips"]])
    names = tuple(turns)
    carriers, at_rest = [], set()
    for name in names:
        carrier, others = _carrier(pose[name], names, bones)
        carriers.append(bones["root"] if carrier == NONE and name != "root" else carrier)
        at_rest |= others - set(names)
    joints = np.array([bones[turns[name]] for name in names], dtype=np.int64)
    rest, own = rest_of(armature, body.bones), rest_of(armature, names)
    every = np.concatenate([rest, own, np.eye(4)[None]])
    torso = names.index("torso")
    hanging = [k for k, carrier in enumerate(carriers) if carrier == len(body.bones) + torso]
    if not hanging:
        raise RigError(f"{armature.name}: no control of its spine hangs on torso: generate it with Rigify's own spine")
    both = list(zip(names, joints.tolist(), strict=True))
    seen = tuple(f"ORG-{_bare(name)}" if name != "root" else "root" for name in body.bones)
    settings = {
        (bone.name, name): value for bone in pose for name, value in _SETTINGS.items() if bone.get(name) is not None
    }
    return Controls(
        names=names,
        modes=tuple(pose[name].rotation_mode for name in names),
        idle=tuple(sorted(at_rest)),
        seen=seen,
        seen_from=np.linalg.inv(rest_of(armature, seen)) @ rest,
        rides=_rides(armature, body),
        movable=np.array([not _connected(pose[name]) and not _connected(pose[seen[joint]]) for name, joint in both]),
        joints=joints,
        offsets=np.linalg.inv(rest[joints]) @ own,
        carriers=np.array(carriers, dtype=np.int64),
        held=np.linalg.inv(every[carriers]) @ own,
        torso=torso,
        pivot=hanging[0],
        settings=settings,
    )


def _connected(bone: bpy.types.PoseBone) -> bool:
    """Return whether a bone stays at its parent's tail, whatever its keys and constraints do."""
    return bone.bone.use_connect and bone.parent is not None


def _carrier(control: bpy.types.PoseBone, names: tuple[str, ...], bones: dict[str, int]) -> tuple[int, set[str]]:
    """Return the control's nearest parent in the body or among the controls, and the controls that move bones between.

    The parent is an index as in `Controls.carriers`.
    """
    others: set[str] = set()
    for bone in control.parent_recursive:
        if bone.name in names:
            return len(bones) + names.index(bone.name), others
        if bone.name[:4] in ("ORG-", "DEF-") and _bare(bone.name) in bones:
            return bones[_bare(bone.name)], others
        targets = {getattr(one, "subtarget", "") for one in bone.constraints}
        others |= {name for name in targets if name and not _generated(name)}
    return NONE, others


def _rides(armature: bpy.types.Object, body: Rig) -> dict[str, str]:
    """Return the bone of the body that each other deforming bone is part of or hangs on."""
    bones = armature_data(armature).bones
    known = {_bare(name): name for name in body.bones}
    found = {}
    for bone in bones:
        if bone.use_deform and bone.name not in body.bones:
            chain = [
                re.sub(r"(\.[LR])\.\d+$", r"\1", _bare(bone.name)),
                *(_bare(b.name) for b in bone.parent_recursive),
            ]
            found[bone.name] = next((known[name] for name in chain if name in known), "root")
    return found


# --- whether it is so -----------------------------------------------------------------------------------------------


def _needed(body: Rig) -> set[str]:
    """Return the bones that play roles, and all bones above them."""
    skeleton, found = body.skeleton, set[str]()
    for joint in skeleton.roles.values():
        while joint >= 0 and skeleton.names[joint] not in found:
            found.add(skeleton.names[joint])
            joint = int(skeleton.parents[joint])
    return found


def _with_below(body: Rig, bones: Iterable[str]) -> list[str]:
    below = body.skeleton.with_below([body.skeleton.index(bone) for bone in bones])
    return [name for name, one in zip(body.skeleton.names, below, strict=True) if one]


def _tried(armature: bpy.types.Object, body: Rig) -> tuple[Rig, dict[str, str]]:
    """Pose a copy of the rig at random; return the body with `seen` corrected, and an error by bone that is wrong.

    Wrong are controls that are not where they should be, and bones that are not where their control should put them.
    """
    controls = body.controls
    assert isinstance(controls, Controls)
    rest = rest_of(armature, body.bones)
    wanted = _by_chance(body, rest)
    basis = controls.basis(wanted[None], rest)[0][0]
    scene = bpy.context.scene
    assert scene is not None
    with on_stage(scene, armature, None, None, body) as (stage, copies):
        pose = present(copies[armature].pose).bones
        for (bone, name), value in controls.settings.items():
            pose[bone][name] = type(pose[bone][name])(value)
        for name, own in zip(controls.names, basis, strict=True):
            pose[name].matrix_basis = Matrix(own.tolist())
        stage.frame_set(stage.frame_current)
        seen = present(copies[armature].evaluated_get(present(stage.view_layers[0].depsgraph)).pose).bones
        shown = np.array([seen[name].matrix for name in controls.names], dtype=np.float64)
        bones = np.array([seen[name].matrix for name in controls.seen], dtype=np.float64)
    stand = controls.wanted(wanted[None], rest)[0]
    height = body.skeleton.height / float(body.units[-1])
    wrong: dict[str, str] = {}
    for k in controls.outwards(len(rest)):
        far, turned = _apart(shown[k], stand[k])
        if far > _SAME * height or turned > _SAME_TURN:
            wrong.setdefault(body.bones[controls.joints[k]], _refusal(armature, controls, k, far / height, turned))
    bones = bones @ controls.seen_from
    sources, seen_from = list(controls.seen), controls.seen_from.copy()
    by_joint = {int(joint): k for k, joint in enumerate(controls.joints) if k != controls.torso}
    for joint, name in enumerate(body.bones):
        far, turned = _apart(bones[joint], wanted[joint])
        if far > _SAME * height:
            why = (
                f"{armature.name}: {name} is {100.0 * far / height:.2g} % of the body's height from where its control"
                f" {controls.names[by_joint[joint]]} puts it: generate the rig anew, or take back what was changed"
            )
            wrong.setdefault(name, why)
        if turned > _SAME_TURN:  # the lower spine's ORG bones turn with the bone below: read the control instead
            sources[joint] = controls.names[by_joint[joint]]
            seen_from[joint] = np.linalg.inv(controls.offsets[by_joint[joint]])
    return replace(body, controls=replace(controls, seen=tuple(sources), seen_from=seen_from)), wrong


def _by_chance(body: Rig, rest: Array) -> Array:
    """Return a random pose (B, 4, 4) of a body in the armature's space, the same every time."""
    rng = np.random.default_rng(7)
    skip = int(body.moving_object)
    parents = body.skeleton.parents[skip:] - skip
    out = rest.copy()
    for joint in range(len(rest)):
        turn = np.eye(4)
        turn[:3, :3] = quat.to_matrix(quat.exp(rng.uniform(-0.3, 0.3, 3)))
        parent = int(parents[joint])
        out[joint] = (out[parent] @ np.linalg.inv(rest[parent]) @ rest[joint] if parent >= 0 else rest[joint]) @ turn
    out[:, 2, 3] += 0.1 * body.skeleton.height / float(body.units[-1])
    return out


def _apart(one: Array, other: Array) -> tuple[float, float]:
    """Return the distance between two matrices, and the degrees between their axes."""
    axes = [each[:3, :3] / np.linalg.norm(each[:3, :3], axis=0) for each in (one, other)]
    turn = float(np.linalg.norm(axes[0] - axes[1], axis=0).max())
    return float(np.linalg.norm(one[:3, 3] - other[:3, 3])), float(np.degrees(2.0 * np.arcsin(min(0.5 * turn, 1.0))))


def _refusal(armature: bpy.types.Object, controls: Controls, k: int, share: float, turned: float) -> str:
    pose = present(armature.pose).bones
    chain = [pose[controls.names[k]]]
    for bone in chain[0].parent_recursive:
        if bone.name in controls.names or bone.name.startswith(("ORG-", "DEF-")):
            break
        chain.append(bone)
    reasons = [f"{one.name} on {bone.name}" for bone in chain for one in bone.constraints if one.enabled]
    because = f" ({some(reasons)})" if reasons else ""
    return (
        f"{armature.name}: its control {chain[0].name} does not go where Rigify's would ({100.0 * share:.2g} % of the"
        f" body's height and {turned:.2g}° away){because}."
        " Rigs like Rigify's human are known: take back what was changed, or generate it anew"
    )
