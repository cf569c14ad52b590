"""Fill an option from the scene instead of typing: joints, a clip and its frame, or a frame."""

import math
from typing import Any

import bpy

from ....core.errors import LoomError
from ....core.options import FRAME, JOINTS, PLACE, SHOWN, Option, declared_options
from ....core.verbs import KeyPoses, Walk
from ...ground import option_properties, registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import frame_conversion, lists, properties, target_armature
from . import polls, reports

_SELECTED = ("SELECTED", "Selected Bones", "The bones selected in Pose Mode, with all below them")
_COMPARED = [
    ("all", "Whole Body", "Compare all joints"),
    ("lower", "Legs and Hips", "Compare the lower body only: steps count, arms do not"),
    ("upper", "Upper Body", "Compare trunk, arms and head only"),
    ("SELECTED", "Selected Bones", "The bones selected in Pose Mode, with all below them"),
]
_UPPER = [("", "Automatic", "From the lowest joint of the spine on"), _SELECTED]


def _items(chosen: Any, _context: Any) -> list[tuple[str, str, str]]:
    return _COMPARED if chosen.option == "joints" else _UPPER


class _Pick(polls.OnShownArmature):
    """An operator that fills one option of the panel's settings."""

    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    # of the panel's settings
    group: bpy.props.StringProperty(options={"HIDDEN"})
    # that is filled
    option: bpy.props.StringProperty(options={"HIDDEN"})

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        settings = properties.settings_of(scene_of(context))
        setattr(getattr(settings, self.group), self._about().name, self.value(context))
        return {"FINISHED"}

    def _about(self) -> Option:
        known = (
            {}
            if self.group not in properties.GROUPS
            else {o.name: o for o in properties.shown_options(self.group, *SHOWN)}
        )
        if self.option not in known or known[self.option].pick not in self.kinds:
            raise LoomError(f"There is no option {self.group}.{self.option} to be picked so")
        return known[self.option]

    kinds: tuple[str, ...] = ()

    def value(self, context: bpy.types.Context) -> Any:
        """Return the option's new value; raises LoomError if the scene does not provide one."""
        raise NotImplementedError


class ACTION_LOOM_OT_pick_joints(_Pick, bpy.types.Operator):
    bl_idname = "action_loom.pick_joints"
    bl_label = "Choose Joints"
    bl_description = "Choose joints from a list or from the selected bones"
    kinds = (JOINTS,)

    what: bpy.props.EnumProperty(name="Joints", items=_items)

    def value(self, context: bpy.types.Context) -> str:
        if self.what != "SELECTED":
            return str(self.what)
        armature = target_armature.armature(context)
        chosen = [bone.name for bone in context.selected_pose_bones or () if bone.id_data == armature]
        if not chosen:
            raise LoomError(f"Select bones of {present(armature).name} in Pose Mode first")
        return ", ".join(chosen)


class ACTION_LOOM_OT_pick_frame(_Pick, bpy.types.Operator):
    bl_idname = "action_loom.pick_frame"
    bl_label = "Take Current Frame"
    bl_description = "Use the current frame of the action that plays"
    kinds = (PLACE, FRAME)

    def value(self, context: bpy.types.Context) -> Any:
        armature, scene = present(target_armature.armature(context)), scene_of(context)
        rig, about = properties.rig_of(scene, armature), self._about()
        if about.pick == FRAME:
            line = frame_conversion.source_of(rig, self.group, self.option)
            if line is None:
                raise LoomError("Tick the action of this frame first")
            return frame_conversion.shown_line(rig, armature, scene.frame_current, line=line)[1]
        if not lists.first_ticked(rig, 1):
            raise LoomError("Tick the action of this frame first")
        line, frame = frame_conversion.shown_line(rig, armature, scene.frame_current)
        return f"{line.action.name_full}:{frame}"


class _Poses(polls.OnShownArmature):
    """An operator on the rows of Key Poses."""

    bl_options = {"REGISTER", "UNDO"}


class ACTION_LOOM_OT_pick_pose(_Poses, bpy.types.Operator):
    bl_idname = "action_loom.pick_pose"
    bl_label = "Pick Pose"
    bl_description = "Add the current pose of the action that plays as the next pose"

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        scene, armature = scene_of(context), present(target_armature.armature(context))
        rig, settings = properties.rig_of(scene, armature), properties.settings_of(scene)
        if not lists.first_ticked(rig, 1):
            raise LoomError("Tick the action of this frame first")
        line, frame = frame_conversion.shown_line(rig, armature, scene.frame_current)
        recipe = Walk if settings.mode == Walk.verb else KeyPoses
        number, interval = lists.in_order(rig, recipe).index(line) + 1, settings.key_poses.interval
        if recipe is Walk:
            group, about = settings.walk, declared_options(Walk)["poses"]
            rows = about.checked(group.poses)
            when = rows[-1][0] + interval if rows else 0.0
            group.poses = about.as_text((*rows, (when, float(number), float(frame))))
        else:
            group, about = settings.key_poses, declared_options(KeyPoses)["poses"]
            rows = about.checked(group.poses)
            when = rows[-1][2] + rows[-1][3] + option_properties.round_floats(interval) if rows else 0.0
            group.poses = about.as_text((*rows, (float(number), float(frame), when, 0.0)))
        self.report({"INFO"}, f"Pose {len(rows) + 1}: frame {scene.frame_current} of {line.action.name}, at {when:g} s")
        return {"FINISHED"}


class ACTION_LOOM_OT_clear_poses(_Poses, bpy.types.Operator):
    bl_idname = "action_loom.clear_poses"
    bl_label = "Clear Poses"
    bl_description = "Clear the picked poses"

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        settings = properties.settings_of(scene_of(context))
        if settings.mode == Walk.verb:
            settings.walk.poses = ""
        else:
            settings.key_poses.poses = ""
        return {"FINISHED"}


class ACTION_LOOM_OT_place_from_cursor(polls.OnShownArmature, bpy.types.Operator):
    bl_idname = "action_loom.place_from_cursor"
    bl_label = "From 3D Cursor"
    bl_description = "Take place and facing from the 3D cursor: it faces along its y axis"
    bl_options = {"REGISTER", "UNDO"}

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...bridge import rig
        from ...services.weaving import writing

        body = rig.read(present(target_armature.armature(context)))
        place, heading = writing.cursor_place(scene_of(context).cursor, body)
        settings = properties.settings_of(scene_of(context)).place
        settings.where, settings.face = "at", "way"
        settings.x, settings.y, settings.facing = float(place[0]), float(place[1]), math.degrees(heading)
        return {"FINISHED"}


register = registrar.registration(
    (
        ACTION_LOOM_OT_pick_joints,
        ACTION_LOOM_OT_pick_frame,
        ACTION_LOOM_OT_pick_pose,
        ACTION_LOOM_OT_clear_poses,
        ACTION_LOOM_OT_place_from_cursor,
    )
)
