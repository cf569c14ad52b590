"""Clear the preview; Weave's own operator makes it, with `preview` set."""

import bpy

from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import properties, target_armature
from ...services.preview import previews
from . import polls


class ACTION_LOOM_OT_clear_preview(bpy.types.Operator):
    bl_idname = "action_loom.clear_preview"
    bl_label = "Clear Preview"
    bl_description = "Hide the ghost"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_armature(cls, context, changes=False) and polls.poll_unless(
            cls, previews.of(present(target_armature.armature(context)).session_uid) is None, "Nothing is previewed"
        )

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        properties.settings_of(scene_of(context)).solo = False
        previews.keep(present(target_armature.armature(context)).session_uid, None)
        return {"FINISHED"}


register = registrar.registration((ACTION_LOOM_OT_clear_preview,))
