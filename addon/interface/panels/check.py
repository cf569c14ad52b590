"""Show, bone by bone, whether our computed rig matches Blender's."""

import bpy

from ...ground import registrar
from ...ground.blender_types import present, scene_of
from ...model import properties, target_armature
from . import SidebarPanel, draw_manual, draw_text

ROWS = 8  # worst bones that are shown


class ACTION_LOOM_PT_check(SidebarPanel, bpy.types.Panel):
    bl_label = "Check"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return target_armature.of_tab(context) is not None and properties.settings_of(scene_of(context)).experts

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        draw_manual(self.layout, "check")

    def draw(self, context: bpy.types.Context) -> None:
        from ...services.sources import rig_checks

        armature = present(target_armature.of_tab(context))
        layout = self.layout_for(armature)
        layout.operator("action_loom.check", icon="VIEWZOOM")
        data = armature.animation_data
        action = None if data is None else data.action
        found = None if action is None else rig_checks.of(armature.session_uid, action.name)
        if found is None:
            return
        draw_text(layout, context, found.summary, "CHECKMARK" if found.same else "ERROR")
        column = layout.column(align=True)
        for bone in found.bones[:ROWS]:
            row = column.row(align=True)
            select = row.operator("action_loom.select_bone", text=bone.bone, icon="BONE_DATA", translate=False)
            present(select).bone = bone.bone
            row.label(text=f"{_millimetres(bone.metres)}, {bone.degrees:.2f}°")
        for mesh in found.meshes:
            text = mesh.refused or f"{mesh.mesh}: {_millimetres(mesh.metres)}"
            if mesh.left_out:
                text += f", without {', '.join(mesh.left_out)}"
            draw_text(layout, context, text, "MESH_DATA")
        for note in found.notes:
            draw_text(layout, context, note, "INFO")


def _millimetres(metres: float) -> str:
    return f"{1000.0 * metres:.0f} mm" if metres > 0.01 else f"{1000.0 * metres:.3f} mm"


register = registrar.registration((ACTION_LOOM_PT_check,))
