"""Pin the tab to an armature, add a curve to walk along, and show a whole message."""

import textwrap
from typing import Any

import bpy

from ....core.errors import RigError
from ...ground import registrar
from ...ground.blender_types import OperatorReturn, find_named, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import properties, target_armature
from . import polls

LENGTH = 6.0  # body heights, length of a new curve
SWING = 0.3  # body heights, its sideways swing: a character without turns can follow it
WIDE = 60  # letters of a line of a whole message


class ACTION_LOOM_OT_pin_armature(bpy.types.Operator):
    bl_idname = "action_loom.pin_armature"
    bl_label = "Pin Armature"
    bl_description = "Pin the tab to this armature, or follow the active one again"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    # its name; none to follow the active one
    armature: bpy.props.StringProperty(options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        chosen = find_named(scene_of(context).objects, self.armature) if self.armature else None
        if self.armature and (chosen is None or chosen.type != "ARMATURE"):
            self.report({"ERROR"}, f"There is no object named {self.armature!r}")
            return {"CANCELLED"}
        properties.pin_to(scene_of(context), chosen)
        return {"FINISHED"}


class ACTION_LOOM_OT_new_curve(bpy.types.Operator):
    bl_idname = "action_loom.new_curve"
    bl_label = "New Curve"
    bl_description = "Add a curve in front of the armature to walk along and to edit"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_armature(cls, context, changes=False) and polls.poll_unless(
            cls,
            not present(context.layer_collection).is_visible,
            "The active collection is hidden: show it, or make another one active",
        )

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...bridge import rig

        armature, scene = present(target_armature.armature(context)), scene_of(context)
        try:
            body = rig.read(armature)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        height = body.skeleton.height / body.world_metres
        begin = armature.matrix_world.translation
        data = bpy.data.curves.new("Path", "CURVE")
        data.dimensions = "3D"
        spline = data.splines.new("BEZIER")
        ahead = [0.0, LENGTH / 3.0, 2.0 * LENGTH / 3.0, LENGTH]
        spline.bezier_points.add(len(ahead) - 1)
        for point, along, side in zip(spline.bezier_points, ahead, (0.0, SWING, -SWING, 0.0), strict=True):
            point.co = (begin.x + side * height, begin.y - along * height, begin.z)
            point.handle_left_type = point.handle_right_type = "AUTO"
        curve = bpy.data.objects.new("Path", data)
        present(context.collection).objects.link(curve)
        properties.settings_of(scene).curve = curve
        if context.mode == "OBJECT":
            for one in list(present(context.selected_objects)):
                one.select_set(False)
            curve.select_set(True)
            present(context.view_layer).objects.active = curve
        self.report({"INFO"}, f"{curve.name} added; the walk begins at its first point")
        return {"FINISHED"}


class ACTION_LOOM_OT_read_message(bpy.types.Operator):
    bl_idname = "action_loom.read_message"
    bl_label = "Show the whole message"
    bl_description = bl_label
    bl_options = {"INTERNAL"}

    text: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def description(cls, _context: bpy.types.Context, asked: Any) -> str:
        return _in_lines(asked.text)

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        whole = _in_lines(self.text)

        def draw(popup: Any, _context: bpy.types.Context) -> None:
            for line in (one for part in whole.splitlines() for one in textwrap.wrap(part, WIDE)):
                popup.layout.label(text=line, translate=False)

        if not bpy.app.background:
            present(context.window_manager).popup_menu(draw)
        return {"FINISHED"}


def _in_lines(text: str) -> str:
    return "\n".join(map(translate_text, text.splitlines()))


register = registrar.registration((ACTION_LOOM_OT_pin_armature, ACTION_LOOM_OT_new_curve, ACTION_LOOM_OT_read_message))
