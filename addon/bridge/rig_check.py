"""Compare our bones and skin of an action with Blender's evaluation on some frames.

Method: Skinning.
"""

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...core.errors import LoomError, some
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ...core.skin import skinning
from ...core.weight import compared
from ..ground import steps
from ..ground.blender_types import Slot, armature_data, present
from . import carriers, evaluated_action, mesh, poses, rates, rig, unkeyed_pose
from . import clip as clips
from .mesh import SkinnedMesh
from .shown import ROUNDING
from .stage import bone_matrices, each_frame, on_itself, on_stage, without_other_modifiers

FRAMES = 12  # compared frames, evenly spaced over the action
SOME = 3  # of them evaluated in a step
SAME = 1e-4  # of the body's height: smaller differences are invisible


@dataclass(frozen=True)
class CheckedBone:
    """A bone's largest difference from Blender's evaluation: of its ends (metres, at a frame) and axes (degrees)."""

    bone: str
    metres: float
    degrees: float
    frame: int


@dataclass(frozen=True)
class CheckedMesh:
    """The difference of a mesh's vertices from Blender's (metres, largest and rms), or the reason for not comparing it.

    left_out : modifiers after the armature's, which are not compared
    """

    mesh: str
    metres: float = 0.0
    rms: float = 0.0
    refused: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checked:
    """The result of a check: bones and meshes, the worst first; height of the body in metres."""

    armature: str
    action: str
    frames: tuple[int, ...]
    height: float
    bones: tuple[CheckedBone, ...]
    meshes: tuple[CheckedMesh, ...]
    notes: tuple[str, ...]

    @property
    def share(self) -> float:
        """The largest distance, as a share of the body's height."""
        far = [bone.metres for bone in self.bones] + [mesh.metres for mesh in self.meshes]
        return max(far, default=0.0) / self.height if self.height > 0.0 else max(far, default=0.0)

    @property
    def same(self) -> bool:
        return self.share <= SAME

    @property
    def summary(self) -> str:
        worst = f"{1000.0 * self.share * self.height:.3g} mm"
        if self.same:
            return f"{self.action} is as Blender shows it on {self.armature}: {worst} off at most"
        what = self.bones[0].bone if not self.meshes or self.bones[0].metres >= self.meshes[0].metres else None
        where = f"bone {what}" if what else f"mesh {self.meshes[0].mesh}"
        return f"{self.action} is not as Blender shows it on {self.armature}: {where} is {worst} off"

    def report(self) -> dict[str, Any]:
        return asdict(self) | {"share_of_height": self.share, "same": self.same, "summary": self.summary}


def check_in_steps(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    action: bpy.types.Action,
    slot: Slot,
    objects: list[bpy.types.Object],
) -> steps.Steps[Checked]:
    """Compare our computation of an action with Blender's evaluation, on an armature and the meshes of some objects.

    An armature that plays the action is evaluated itself, with its pose and in its scene; otherwise a copy of it is.
    Nothing remains in Blender between steps. Raises LoomError kinds for unreadable input.
    """
    yield 0.0, f"reading {action.name}"
    present(bpy.context.view_layer).update()  # a script may just have moved something
    moving = clips.moves_object(action, slot)
    body = rig.read(armature, moving_object=moving, still=partial(unkeyed_pose.still_bones, armature))
    first, last = action.frame_range[:]
    body = unkeyed_pose.with_posed(armature, carriers.stand_at(scene, armature, body, (first, last)))
    rate = rates.rate_of(action) or rates.of_scene(scene)
    read = clips.read(armature, action, body, rate, slot)
    chosen = np.unique(np.linspace(0, len(read.frames) - 1, FRAMES).round().astype(int))
    ours, metres, objects_now = poses.bones_and_object(read.clip, body)
    skins, refused = _skins(armature, objects)
    originals = [objects[[one.name for one in objects].index(skin.name)] for skin in skins]
    seen: list[_Seen] = []
    for row in range(0, len(chosen), SOME):
        yield row / len(chosen), "Measuring"
        seen += _evaluate(scene, armature, (action, slot), body, originals, read.frames[chosen[row : row + SOME]])
    frames = tuple(int(read.frames[k]) for k in chosen)
    in_world = objects_now[chosen][:, None] @ ours[chosen]
    order = [present(armature.pose).bones.find(name) for name in body.bones]
    compared = _bones(armature, body, in_world, np.stack([one.bones for one in seen])[:, order], frames)
    found = [
        _mesh(skin, armature, body, ours[chosen], [one.meshes[place] for one in seen], metres[chosen])
        for place, skin in enumerate(skins)
    ]
    meshes = sorted([*found, *refused], key=lambda one: -one.metres)
    falls = _describe_flights(read.clip, float(read.frames[0]))
    notes = (*read.notes, *_notes(armature), *filter(None, (body.note, body.carried)), *falls)
    return Checked(armature.name, action.name, frames, body.skeleton.height, compared, tuple(meshes), notes)


check = steps.at_once(check_in_steps)


class _Seen(NamedTuple):
    """Blender's evaluation of a frame: matrices of bones in the world, and vertices of meshes (see `_vertices`)."""

    bones: Array
    meshes: list[tuple[Array, Array]]


def _evaluate(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    played: tuple[bpy.types.Action, Slot],
    body: rig.Rig,
    originals: list[bpy.types.Object],
    frames: Array,
) -> list[_Seen]:
    """Evaluate an action, on the armature itself if it plays it and is visible, in some frames."""
    action, slot = played
    data = armature.animation_data
    plays = data is not None and (data.action, getattr(data, "action_slot", slot)) == (action, slot)
    if plays and armature.visible_get():
        staged = on_itself(scene, armature, originals)
    else:
        staged = on_stage(scene, armature, action, slot, body, originals)
    found = []
    with staged as (stage, copies):
        for one in originals:
            without_other_modifiers(copies[one], copies[armature])
        for depsgraph in each_frame(stage, frames):
            seen = copies[armature].evaluated_get(depsgraph)
            bones = np.array(seen.matrix_world) @ bone_matrices(seen).astype(np.float64)
            found.append(_Seen(bones, [_vertices(copies[one], copies[armature], depsgraph) for one in originals]))
    return found


def _describe_flights(read: Clip, first: float) -> list[str]:
    """Return a sentence for each flight that falls wrongly, in frames of the scene."""
    found = compared.known_flights(read)
    if found is None:
        return []
    return [found.doubt] if found.doubt else [found.describe(one, first) for one in found.off]


def _skins(armature: bpy.types.Object, objects: list[bpy.types.Object]) -> tuple[list[SkinnedMesh], list[CheckedMesh]]:
    skins, refused = [], []
    for one in mesh.skinned_objects(armature, objects):
        try:
            skins.append(mesh.read(armature, one))
        except LoomError as error:
            refused.append(CheckedMesh(one.name, refused=str(error)))
    return skins, refused


def _vertices(
    copy: bpy.types.Object, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> tuple[Array, Array]:
    """Return the evaluated vertices (V, 3) of a mesh in the armature's space, and the mesh's matrix (4, 4) there."""
    seen = copy.evaluated_get(depsgraph)
    shape = seen.data
    assert isinstance(shape, bpy.types.Mesh)
    found = mesh.coordinates(shape.vertices, "co")
    towards = np.array(armature.evaluated_get(depsgraph).matrix_world.inverted_safe() @ seen.matrix_world)
    return found @ towards[:3, :3].T + towards[:3, 3], towards


def _bones(
    armature: bpy.types.Object, body: rig.Rig, ours: Array, theirs: Array, frames: tuple[int, ...]
) -> tuple[CheckedBone, ...]:
    """Return the differences of bones, whose matrices (F, B, 4, 4) are in the world."""
    lengths = np.array([armature_data(armature).bones[name].length for name in body.bones])
    heads = np.linalg.norm(ours[..., :3, 3] - theirs[..., :3, 3], axis=-1)
    tails = [one[..., :3, 3] + one[..., :3, 1] * lengths[:, None] for one in (ours, theirs)]
    rounding = ROUNDING * np.linalg.norm(theirs[..., :3, 3], axis=-1)
    off = np.maximum(heads, np.linalg.norm(tails[0] - tails[1], axis=-1)) - rounding
    off = body.world_metres * np.maximum(off, 0.0)
    axes = [one[..., :3, :3] / np.linalg.norm(one[..., :3, :3], axis=-2, keepdims=True) for one in (ours, theirs)]
    apart = np.linalg.norm(axes[0] - axes[1], axis=-2).max(axis=-1)  # chord 2 sin(angle / 2) between unit axes
    degrees = np.degrees(2.0 * np.arcsin(np.clip(0.5 * apart, 0.0, 1.0)))
    worst = off.argmax(axis=0)
    checked = [
        CheckedBone(name, float(off[worst[k], k]), float(degrees[:, k].max()), frames[worst[k]])
        for k, name in enumerate(body.bones)
    ]
    return tuple(sorted(checked, key=lambda bone: -bone.metres))


def _mesh(
    skin: SkinnedMesh,
    armature: bpy.types.Object,
    body: rig.Rig,
    ours: Array,
    seen: list[tuple[Array, Array]],
    metres: Array,
) -> CheckedMesh:
    rest = np.array([armature_data(armature).bones[name].matrix_local for name in skin.bones])
    order = [body.bones.index(name) for name in skin.bones]
    far, squares = 0.0, []
    for pose, (vertices, towards), unit in zip(ours[:, order], seen, metres, strict=True):
        if len(vertices) != len(skin.surface):
            return CheckedMesh(skin.name, refused=f"{skin.name} has other vertices while it is played")
        surface = mesh.in_armature(skin, towards)
        if skin.preserve_volume:
            computed, _ = skinning.dual_quaternions(surface, rest, pose)
        else:
            computed, _ = skinning.linear(surface, skinning.moves(rest, pose))
        off = unit * np.linalg.norm(computed - vertices, axis=1)
        far = max(far, float(off.max(initial=0.0)))
        squares.append(float(np.mean(off**2)) if len(off) else 0.0)
    return CheckedMesh(skin.name, far, float(np.sqrt(np.mean(squares))), left_out=skin.later)


def _notes(armature: bpy.types.Object) -> list[str]:
    """Return notes on features of a rig that our kinematics do not model, with remedies."""
    notes = []
    posed_otherwise = sorted(evaluated_action.posed_by_others(armature))
    if posed_otherwise:
        notes.append(
            f"Constraints or drivers pose {some(posed_otherwise)}: turn on Visual, so that actions are read as seen"
        )
    bendy = [bone.name for bone in armature_data(armature).bones if bone.bbone_segments > 1]
    if bendy:
        notes.append(f"Bendy bones ({some(bendy)}) are taken as straight")
    return notes
