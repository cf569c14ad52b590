"""Export an action with its character through Blender's glTF or FBX exporter, and verify the file.

The file is written to a temporary folder, read back, and moved to its place if it matches the evaluated action.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import bpy
import numpy as np

from ....core.errors import LoomError
from ....core.motion import kinematics
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ...bridge import curves, mesh, rates, unkeyed_pose, worn_slots
from ...bridge.stage import each_frame, on_stage
from ...ground.blender_types import present, scene_of
from ..results import undone_poses
from . import model_files

WRITABLE = (".glb", ".fbx")
LATE = 0.1  # frames by which the file's duration may differ
NEAR = 1e-3  # share of the body's height by which a joint may differ without a message
CHECKED = 5  # number of compared frames
_ALONE = bpy.app.version >= (4, 5)


def export(
    context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action, path: Path, *, deform_only: bool
) -> list[str]:
    """Write an action with its armature and the meshes bound to it; return messages for the user.

    The scene temporarily has the action's own rate, so that the file plays at the original speed. Raises LoomError
    without writing a file if Blender can't export it or reads back another motion.
    """
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".action_loom") as folder:
        made = Path(folder) / path.name
        with _alone(context, armature, action) as (rate, frames):
            write(made, action.name, deform_only=deform_only)
            seconds = float(frames[-1] - frames[0]) / rate
            units = scene_of(context).unit_settings.scale_length if path.suffix.lower() == ".fbx" else 1.0
        seen = _places_on_copy(context, armature, action, frames, units)
        if not made.is_file():
            raise LoomError(f"{path.name}: Blender's exporter wrote no file")
        notes = _cut(action, rate)
        notes += check_file(model_files.read(context, str(made)), path.name, seconds, seen, armature)
        os.replace(made, path)
    return notes


def _places_on_copy(
    context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action, frames: Array, metres: float
) -> dict[float, dict[str, Array]]:
    """Return bone positions like `evaluate_heads`, of an action on a copy of the armature in a separate scene."""
    found, slot, unkeyed = {}, curves.choose_slot(action, armature), unkeyed_pose.find_unkeyed(armature)
    with on_stage(scene_of(context), armature, action, slot, None) as (stage, copies):
        unkeyed_pose.put(copies[armature], unkeyed)
        rows = np.round(np.linspace(0, len(frames) - 1, CHECKED)).astype(int)
        for row, now in zip(rows.tolist(), each_frame(stage, frames[rows]), strict=True):
            seen = copies[armature].evaluated_get(now)
            heads = {one.name: metres * np.array(seen.matrix_world @ one.head) for one in present(seen.pose).bones}
            found[row / (len(frames) - 1)] = heads
    return found


def _cut(action: bpy.types.Action, rate: float) -> list[str]:
    """Return a message about an action that ends between frames, since exporters write whole frames."""
    first, last = action.frame_range[:]
    seconds = (round(last) - round(first) - (last - first)) / rate
    if abs(seconds) * rate < LATE:
        return []
    return [f"{action.name} ends between frames: its file ends {1000.0 * abs(seconds):.0f} ms off"]


@contextmanager
def stage_export(
    context: bpy.types.Context, armature: bpy.types.Object
) -> Iterator[dict[curves.Target, tuple[float, ...]]]:
    """Select only an armature and its meshes, in Object Mode, without time stretching and without a leftover pose.

    Yields the values of properties that an action may not key. Afterwards selection, mode, the scene's rate, range,
    frame and name, and the pose and action of the armature are restored.
    """
    scene, layer = scene_of(context), present(context.view_layer)
    layer.update()  # it may refer to removed objects
    data, render = present(armature.animation_data), scene.render
    selected, active, mode = [one for one in layer.objects if one.select_get()], layer.objects.active, context.mode
    playing, slot = data.action, getattr(data, "action_slot", None)
    before = render.fps, render.fps_base, scene.frame_start, scene.frame_end, scene.use_preview_range, data.use_nla
    stretching, unkeyed = (render.frame_map_old, render.frame_map_new), unkeyed_pose.find_unkeyed(armature)
    now, name, posed = scene.frame_current, scene.name, undone_poses.poses_of(armature)
    if mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    try:
        scene.use_preview_range = False
        together = {armature, *hanging(armature, scene)}
        for one in layer.objects:
            one.select_set(one in together)
        layer.objects.active = armature
        render.frame_map_old = render.frame_map_new = 100
        unkeyed_pose.put(armature, unkeyed)
        with worn_slots.keep_meshes(armature):
            yield unkeyed
    finally:
        render.frame_map_old, render.frame_map_new = stretching
        if playing != data.action:
            data.action = playing
            if slot is not None:
                data.action_slot = slot
        render.fps, render.fps_base, scene.frame_start, scene.frame_end, scene.use_preview_range, data.use_nla = before
        scene.name = name
        for one in layer.objects:
            one.select_set(one in selected)
        layer.objects.active = active
        scene.frame_set(now)
        undone_poses.give(armature, posed)
        if mode == "POSE":
            bpy.ops.object.mode_set(mode="POSE")


def play_at(scene: bpy.types.Scene, rate: float, first: int, last: int) -> None:
    """Set a scene's frame rate and range."""
    scene.render.fps, scene.render.fps_base = max(round(rate), 1), max(round(rate), 1) / rate
    scene.frame_start, scene.frame_end = first, last


@contextmanager
def _alone(
    context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action
) -> Iterator[tuple[float, Array]]:
    """Play only the action on the armature, and give the scene its rate and range; yields rate and frames."""
    scene, data = scene_of(context), present(armature.animation_data)
    first, last = (round(frame) for frame in action.frame_range[:])
    rate = rates.rate_of(action) or rates.of_scene(scene)
    with stage_export(context, armature), _end_on_frames(action, first, last):
        play_at(scene, rate, first, max(last, first + 1))
        data.use_nla = False
        if not _ALONE:
            scene.name = action.name  # the exporter names the animation of a whole scene so
        worn_slots.play_alone(armature, action)
        if data.action != action:
            curves.assign(armature, action, curves.choose_slot(action, armature))
        yield rate, np.arange(first, max(last, first + 1) + 1, dtype=np.float64)


@contextmanager
def _end_on_frames(action: bpy.types.Action, first: int, last: int) -> Iterator[None]:
    """Let an action that ends between frames end on one, because the glTF exporter would drop its last part."""
    if action.frame_range[:] == (first, last):
        yield
        return
    before = action.frame_start, action.frame_end, action.use_frame_range
    action.use_frame_range, action.frame_start, action.frame_end = True, first, max(last, first + 1)
    try:
        yield
    finally:
        action.frame_start, action.frame_end, action.use_frame_range = before


def hanging(armature: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    seen = [one for one in scene.objects if one.visible_get()]
    return [*mesh.skinned_objects(armature, seen), *mesh.on_bones(armature, seen)]


def write(
    path: Path,
    name: str,
    *,
    deform_only: bool,
    gltf: Mapping[str, Any] = MappingProxyType({}),
    fbx: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Export the selection with Blender's exporter for the file type; raises LoomError if it fails or is missing.

    name : of the animation in the file; gltf, fbx : further options of the exporter of that type
    """
    ours: Any = bpy.ops
    try:
        if path.suffix.lower() == ".fbx":
            how: dict[str, Any] = {
                "filepath": str(path),
                "use_selection": True,
                "add_leaf_bones": False,
                "use_armature_deform_only": deform_only,
                "bake_anim_use_all_actions": False,
                "bake_anim_use_nla_strips": False,
                "bake_anim_simplify_factor": 0.0,
            }
            ours.export_scene.fbx(**(how | dict(fbx)))
        else:
            how = {
                "filepath": str(path),
                "export_format": "GLB",
                "use_selection": True,
                "export_def_bones": deform_only,
                # Before 4.5 the exporter would merge the active action with muted NLA strips.
                "export_animation_mode": "ACTIVE_ACTIONS" if _ALONE else "SCENE",
                "export_anim_scene_split_object": False,
                "export_nla_strips_merged_animation_name": name,
                "export_anim_slide_to_zero": True,
                "export_optimize_animation_size": False,
            }
            ours.export_scene.gltf(**(how | dict(gltf)))
    except AttributeError:
        why = f"enable the extension that exports {path.suffix} in Blender's preferences"
        raise LoomError(f"{path.name}: {why}") from None
    except RuntimeError as error:
        raise LoomError(f"{path.name}: Blender can't export it ({str(error).splitlines()[-1]})") from None


def evaluate_heads(
    context: bpy.types.Context, armature: bpy.types.Object, frames: Array, metres: float
) -> dict[float, dict[str, Array]]:
    """Return the evaluated positions of bone heads in some frames, metres, by the elapsed share of the range.

    metres : in a unit of the scene, as used by the exporter
    """
    scene, found = scene_of(context), {}
    for place in np.round(np.linspace(0, len(frames) - 1, CHECKED)).astype(int).tolist():
        scene.frame_set(int(frames[place]))
        bones = present(armature.pose).bones
        heads = {one.name: metres * np.array(armature.matrix_world @ one.head) for one in bones}
        found[place / (len(frames) - 1)] = heads
    return found


def check_file(
    clips: list[Clip], name: str, seconds: float, shown: dict[float, dict[str, Array]], armature: bpy.types.Object
) -> list[str]:
    """Return messages about a file that was read back; raises LoomError if it differs from the evaluated action."""
    if len(clips) != 1:
        raise LoomError(f"{name}: {len(clips)} animations were read back where one was written: nothing was kept")
    (clip,) = clips
    found = (len(clip) - 1) / clip.rate
    if abs(found - seconds) > LATE / clip.rate + 0.5 / clip.rate:
        raise LoomError(f"{name}: it plays for {found:.2f} s where the action takes {seconds:.2f} s: nothing was kept")
    places = kinematics.world(clip)[1]
    off, worst = 0.0, ""
    for share, heads in shown.items():
        at = places[round(share * (len(clip) - 1))]
        for joint in set(heads) & set(clip.skeleton.names):
            distance = float(np.linalg.norm(at[clip.skeleton.index(joint)] - heads[joint]))
            if distance > off:
                off, worst = distance, joint
    if off > NEAR * clip.skeleton.height:
        return [f"{name}: {worst} of {armature.name} is up to {1000.0 * off:.1f} mm elsewhere when it is read back"]
    return []
