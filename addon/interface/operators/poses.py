"""The poses that an action goes through: taken out again, or gone to."""

import dataclasses
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import contact_rows, target_armature
from ...services.poses import spread_poses
from . import base
from .background import BackgroundOperator

if TYPE_CHECKING:
    from ...services.weaving import reading


class ACTION_LOOM_OT_remove_pose(BackgroundOperator, bpy.types.Operator):
    bl_idname = "action_loom.remove_pose"
    bl_label = "Remove Pose"
    bl_description = "Let the action not go through this pose any more: it is made anew without"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    frame: bpy.props.IntProperty(name="Frame", description="Of the scene, at which the pose is")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return base.poll_action(cls, context)

    def from_panel(self, context: bpy.types.Context) -> None:
        """Nothing: the button says which frame."""

    def ask(self, context: bpy.types.Context) -> "tuple[Request, reading.Read, Recipe]":
        from ....core.verbs import Warp
        from ...services.results import rebuilding
        from ...services.weaving import reading

        armature = present(target_armature.armature(context))
        action = present(contact_rows.action_of(armature))
        frames = [frame for frame, _ in spread_poses.poses_in(action)]
        if self.frame not in frames:
            raise LoomError(f"{action.name} goes through no pose that was spread from frame {self.frame}")
        if len(frames) == 1:
            raise LoomError(f"{action.name} has no other pose: take the action that it was made of instead")
        again = rebuilding.inputs_of(action, overwrite_edits=False)
        recipe = again.recipe
        assert isinstance(recipe, Warp)
        gone = self.frame - round(action.curve_frame_range[0])
        kept = tuple(row for row in recipe.corrections if row[0] != gone)
        self._into = action.session_uid
        read = reading.read_actions(scene_of(context), armature, again.made_of, again.request, recipe)
        return again.request, read, dataclasses.replace(recipe, corrections=kept)

    def finish(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: Any
    ) -> OperatorReturn:
        from ...model import storage
        from ...services.weaving import writing

        action = writing.found(bpy.data.actions, self._into, "The result")
        into = action, storage.find_slot(action, storage.of_result(action).slot)
        written = writing.write(context, request, read, recipe, made, into=into)
        base.report_result(self, context, read, recipe, written, made)
        return {"FINISHED"}


class ACTION_LOOM_OT_go_to_pose(bpy.types.Operator):
    bl_idname = "action_loom.go_to_pose"
    bl_label = "Go to Pose"
    bl_description = "Go to the frame of this pose, to make it anew"
    bl_options = {"REGISTER", "INTERNAL"}

    frame: bpy.props.IntProperty(name="Frame", description="Of the scene")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return base.poll_armature(cls, context, changes=False)

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        scene_of(context).frame_set(self.frame)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_OT_remove_pose, ACTION_LOOM_OT_go_to_pose))
