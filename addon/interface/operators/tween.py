"""Pose bones between two poses of the action, or beyond, without keys, for Spread Pose."""

from typing import Any

import bpy

from ....core.errors import no_frame
from ....core.recipes.reading import Request, Source
from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import contact_rows, properties, target_armature
from . import polls, reports


class ACTION_LOOM_OT_tween(polls.OnAction, bpy.types.Operator):
    bl_idname = "action_loom.tween"
    bl_label = "Tween Pose"
    bl_description = (
        "Pose the selected bones (or all) between two frames of the action, or beyond them; nothing is keyed"
        " until you press Spread Pose"
    )
    bl_options = {"REGISTER", "UNDO"}

    share: bpy.props.FloatProperty(
        name="Share",
        description="Share of the later pose; below 0 and above 1 go beyond",
        default=0.5,
        min=-4.0,
        max=5.0,
        soft_min=-0.5,
        soft_max=1.5,
    )
    first: bpy.props.IntProperty(name="From Frame", description="Whose pose is an end", options={"SKIP_SAVE"})
    second: bpy.props.IntProperty(name="To Frame", description="Whose pose is an end", options={"SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        return self.execute(context)

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        self._pose(context)
        return {"FINISHED"}

    def _pose(self, context: bpy.types.Context) -> None:
        from ....core.edit import key_poses
        from ...bridge import pose_now
        from ...services.weaving import on_controls, reading

        armature = present(target_armature.armature(context))
        action = present(contact_rows.action_of(armature))
        read = reading.read(context, armature, Request(sources=(Source(name=action.name_full),)))
        clip, start = read.clips[0], round(read.sources[0].first_frame)
        if not self.properties.is_property_set("first"):
            self._choose_frames(context, start, start + len(clip) - 1)
        ends = []
        for frame in (self.first, self.second):
            if not start <= frame < start + len(clip):
                raise no_frame(action.name, frame, start, start + len(clip) - 1)
            ends.append(clip.cut(frame - start, frame - start + 1))
        pose = key_poses.between(ends[0], ends[1], self.share)
        bones = present(armature.pose).bones
        chosen = [bone.name for bone in _list_selected(context, armature)] or [bone.name for bone in bones]
        if read.body.controls is None:
            pose_now.put(armature, read.body, pose, frozenset(chosen))
            return
        keys, _ = on_controls.keys(armature, pose, read.body, on_controls.as_source(read))
        pose_now.put_controls(armature, keys, frozenset(chosen))

    def _choose_frames(self, context: bpy.types.Context, start: int, last: int) -> None:
        """Set the two frames at the distance of Spread Pose from the current frame."""
        scene = scene_of(context)
        render = scene.render
        reach = max(round(properties.settings_of(scene).warp.reach * render.fps / render.fps_base), 1)
        self.first, self.second = (min(max(scene.frame_current + way, start), last) for way in (-reach, reach))


def _list_selected(context: bpy.types.Context, armature: bpy.types.Object) -> list[Any]:
    chosen = context.selected_pose_bones if armature.mode == "POSE" else None
    return [bone for bone in chosen or () if bone.id_data == armature]


register = registrar.registration((ACTION_LOOM_OT_tween,))
