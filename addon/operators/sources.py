"""Filling the list of sources."""

from typing import Any

import bpy

from .. import properties
from . import common


class ACTION_LOOM_OT_add_sources(bpy.types.Operator):
    bl_idname = "action_loom.add_sources"
    bl_label = "Add All Actions"
    bl_description = "List every action that moves bones of the active armature"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_armature(cls, context)

    def execute(self, context: Any) -> set[str]:
        armature, settings = context.object, context.scene.action_loom
        rig = properties.rig_of(context.scene, armature)
        if rig is None:
            rig = settings.rigs.add()
            rig.armature = armature
        for k in reversed(range(len(rig.sources))):
            if rig.sources[k].action is None:
                rig.sources.remove(k)
        listed = {source.action for source in rig.sources}
        found = [a for a in bpy.data.actions if a not in listed and moves(a, armature)]
        ticked = sum(source.use for source in rig.sources)
        for action in found:
            source = rig.sources.add()
            # Two are enough to begin with; all of an armature's actions in one blend are seldom what is wanted.
            source.action, source.use = action, ticked < 2
            ticked += source.use
        self.report({"INFO"}, f"{len(found)} actions of {armature.name} added")
        return {"FINISHED"}


def moves(action: Any, armature: Any) -> bool:
    """Say whether an action has curves for bones of an armature."""
    from ..bridge import curves  # numpy is loaded at first use, not when Blender starts

    slots = curves.suitable_slots(action) if hasattr(action, "slots") else [None]
    bones = armature.data.bones
    return any(target.bone in bones for slot in slots for target in curves.transforms(curves.of(action, slot)))


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_OT_add_sources,))
