"""Choose the stretch and the share of Fill for each gap; move poses in time to the suggested frames."""

from typing import Any

import bpy

from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import properties, target_armature
from ...services.poses import fill_gaps
from . import polls, reports


class _OnGap(polls.OnShownArmature):
    """An operator on a row of Fill."""

    bl_options = {"REGISTER", "UNDO"}

    # keyed frame before the gap, from 0
    gap: bpy.props.IntProperty(min=0)

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        settings = properties.settings_of(scene_of(context))
        shown = fill_gaps.rows(settings, present(target_armature.armature(context)))
        row = next((one for one in shown if one.key == self.gap), None)
        if row is None:
            self.report({"ERROR"}, "Preview Fill first: its gaps are then listed")
            return {"CANCELLED"}
        self.change(settings, row)
        return {"FINISHED"}

    def change(self, settings: Any, row: fill_gaps.Gap) -> None:
        raise NotImplementedError


class ACTION_LOOM_OT_next_stretch(_OnGap, bpy.types.Operator):
    bl_idname = "action_loom.next_stretch"
    bl_label = "Next Stretch"
    bl_description = "Fill this gap with the next stretch that was found"

    # how many stretches on
    step: bpy.props.IntProperty(default=1, min=-8, max=8, options={"HIDDEN"})

    def change(self, settings: Any, row: fill_gaps.Gap) -> None:
        if row.found:
            fill_gaps.lock(settings, row.key, row.found[(row.candidate + self.step) % len(row.found)])


class ACTION_LOOM_OT_lock_stretch(_OnGap, bpy.types.Operator):
    bl_idname = "action_loom.lock_stretch"
    bl_label = "Lock Stretch"
    bl_description = "Keep this stretch, whatever else is ticked; again: let Fill choose"

    def change(self, settings: Any, row: fill_gaps.Gap) -> None:
        if row.found:
            fill_gaps.lock(settings, row.key, () if row.locked else row.found[row.candidate])


class ACTION_LOOM_OT_whole_stretch(_OnGap, bpy.types.Operator):
    bl_idname = "action_loom.whole_stretch"
    bl_label = "Whole Stretch"
    bl_description = "Use all of this stretch, however little alike it is; again: by likeness"

    def change(self, settings: Any, row: fill_gaps.Gap) -> None:
        fill_gaps.share(settings, row.key, fill_gaps.AUTO if row.whole else 1.0)


class ACTION_LOOM_OT_clear_gaps(polls.OnShownArmature, bpy.types.Operator):
    bl_idname = "action_loom.clear_gaps"
    bl_label = "Clear Choices"
    bl_description = "Let Fill choose for all gaps again"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        settings = properties.settings_of(scene_of(context))
        settings.fill.gaps = settings.fill.locked = ""
        return {"FINISHED"}


class ACTION_LOOM_OT_move_poses(polls.OnAction, bpy.types.Operator):
    bl_idname = "action_loom.move_poses"
    bl_label = "Move Poses"
    bl_description = "Move the poses of the action in time as suggested; keys between go along"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        moves = fill_gaps.timing(present(target_armature.armature(context)))
        if moves is None:
            cls.poll_message_set("Preview Fill with Suggest Timing first")
        elif all(frame == to for frame, to in moves):
            cls.poll_message_set("No pose would move")
        else:
            return True
        return False

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        settings = properties.settings_of(scene_of(context))
        fill_gaps.move(settings, present(target_armature.armature(context)))
        return {"FINISHED"}


register = registrar.registration(
    (
        ACTION_LOOM_OT_next_stretch,
        ACTION_LOOM_OT_lock_stretch,
        ACTION_LOOM_OT_whole_stretch,
        ACTION_LOOM_OT_clear_gaps,
        ACTION_LOOM_OT_move_poses,
    )
)
