"""Remove a pose that an action goes through, or go to it."""

import dataclasses
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError
from ...ground import registrar, steps
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import contact_rows, target_armature
from . import polls, reports
from .background import BackgroundOperator
from .reports import EachResult

if TYPE_CHECKING:
    from ....core.weave.results import Result
    from ...services.weaving.reading import Inputs


class ACTION_LOOM_OT_remove_pose(polls.OnAction, BackgroundOperator, bpy.types.Operator):
    bl_idname = "action_loom.remove_pose"
    bl_label = "Remove"
    bl_description = "Remove the active row"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    # of the scene, at which the pose is
    frame: bpy.props.IntProperty(options={"HIDDEN"})

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[Inputs]":
        from ....core.verbs import Warp
        from ...services.poses import spread_poses
        from ...services.results import rebuilding

        armature = present(target_armature.armature(context))
        action = present(contact_rows.action_of(armature))
        frames = [frame for frame, _ in spread_poses.poses_in(action)]
        if self.frame not in frames:
            raise LoomError(f"{action.name} goes through no pose that was spread from frame {self.frame}")
        if len(frames) == 1:
            raise LoomError(f"{action.name} has no other pose: take the action that it was made of instead")
        again = rebuilding.inputs_of(action, overwrite_edits=False)
        assert isinstance(again.recipe, Warp)
        gone = self.frame - round(action.curve_frame_range[0])
        kept = tuple(row for row in again.recipe.corrections if row[0] != gone)
        self._into = action.session_uid
        inputs = yield from rebuilding.read_again_in_steps(scene_of(context), armature, again)
        return dataclasses.replace(inputs, recipe=dataclasses.replace(again.recipe, corrections=kept))

    def ready(self, context: bpy.types.Context, inputs: "Inputs", made: "Result") -> "steps.Steps[None]":
        from ...services.weaving import writing

        yield from writing.ready_in_steps(context, inputs, made)

    def finish(self, context: bpy.types.Context, inputs: "Inputs", made: Any) -> OperatorReturn:
        from ...services.results import rebuilding
        from ...services.weaving import writing

        written = writing.write(context, inputs, made, into=rebuilding.place_of(self._into))
        reports.report_results(self, context, [EachResult(inputs, made, written)])
        return {"FINISHED"}


class ACTION_LOOM_OT_go_to_frame(polls.OnShownArmature, bpy.types.Operator):
    bl_idname = "action_loom.go_to_frame"
    bl_label = "Go to Frame"
    bl_description = "Go to this frame, to see or change its pose"
    bl_options = {"REGISTER", "INTERNAL"}

    # of the scene
    frame: bpy.props.IntProperty(options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        scene_of(context).frame_set(self.frame)
        return {"FINISHED"}


register = registrar.registration((ACTION_LOOM_OT_remove_pose, ACTION_LOOM_OT_go_to_frame))
