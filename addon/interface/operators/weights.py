"""Key the current weights at the current frame, or remove their keys."""

import bpy

from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import properties, target_armature
from . import polls


class ACTION_LOOM_OT_key_weights(bpy.types.Operator):
    bl_idname = "action_loom.key_weights"
    bl_label = "Key Weights"
    bl_description = (
        "Key the ticked actions' weights at the current frame; the Graph Editor shows the keys of the scene"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_ticked(cls, context, 2)

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.weights import weights_over_time

        scene = scene_of(context)
        rig = properties.rig_of(scene, target_armature.armature(context))
        weights_over_time.key(scene, rig)
        frames = ", ".join(f"{frame:g}" for frame in weights_over_time.keyed_frames(scene, rig))
        self.report({"INFO"}, f"Weights are keyed at frames {frames}")
        return {"FINISHED"}


class ACTION_LOOM_OT_clear_weight_keys(bpy.types.Operator):
    bl_idname = "action_loom.clear_weight_keys"
    bl_label = "Clear Weight Keys"
    bl_description = "Remove all keys of the weights, and keep their values now"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        from ...services.weights import weights_over_time

        if not polls.poll_armature(cls, context):
            return False
        if not weights_over_time.keyed_frames(
            scene_of(context), properties.rig_of(scene_of(context), target_armature.armature(context))
        ):
            cls.poll_message_set("No weight of the ticked sources is keyed")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.weights import weights_over_time

        weights_over_time.clear(
            scene_of(context), properties.rig_of(scene_of(context), present(target_armature.armature(context)))
        )
        return {"FINISHED"}


register = registrar.registration((ACTION_LOOM_OT_key_weights, ACTION_LOOM_OT_clear_weight_keys))
