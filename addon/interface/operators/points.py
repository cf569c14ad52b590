"""Import files of 3D points, through the file browser, by dropping them, or from a script."""

from typing import TYPE_CHECKING

import bpy

from ....core.options import declared_options
from ....core.points import registry
from ....core.progress import Progress
from ....core.recipes.points import FromPoints
from ...ground import formats, option_properties, registrar, steps
from ...ground.blender_types import DrawContext, OperatorReturn, present, scene_of
from .background import ImportOperator

if TYPE_CHECKING:
    from ...services.files.import_points import Given, Made

_SHOWN = tuple(name for name in declared_options(FromPoints) if name != "character")  # the armature is the character


@option_properties.with_options(FromPoints)
class ACTION_LOOM_OT_import_points(ImportOperator, bpy.types.Operator):
    bl_idname = "action_loom.import_points"
    bl_label = "Import Points"
    bl_description = FromPoints.tooltip
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        if self.chosen:
            return super().invoke(context, event)
        return self.ask(context, self.bl_label, tuple(registry.POINT_FORMATS), here=True, limbs="FK")

    def draw(self, _context: bpy.types.Context) -> None:
        layout = present(self.layout)
        layout.use_property_split = True
        layout.use_property_decorate = False
        for name in ("onto", *(("here", "limbs") if self.onto != "NEW" else ()), *_SHOWN):
            layout.prop(self, name)

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[Given]":
        from ...services.files import import_points  # numpy is loaded at first use, not when Blender starts

        options = FromPoints(**option_properties.values_of(self, FromPoints))
        limbs = option_properties.choice_of(self, "limbs")
        paths = formats.chosen_paths(self)
        return import_points.given_in_steps(context, paths, options, self.onto, limbs, here=self.here)

    @staticmethod
    def compute(inputs: "Given", progress: Progress) -> "Made":
        from ...services.files import import_points

        return import_points.fit_points(inputs, progress)

    def ready(self, context: bpy.types.Context, inputs: "Given", made: "Made") -> "steps.Steps[None]":
        from ...services.files import import_motion

        yield from import_motion.solve_in_steps(inputs.scene, made)

    def finish(self, context: bpy.types.Context, inputs: "Given", made: "Made") -> OperatorReturn:
        from ...services.files import import_motion, imported_motion
        from ...services.preview import measured_points

        imported = import_motion.write_actions(context, inputs.scene, made)
        measured_points.keep_all(scene_of(context), made.onto, made.alone, imported.actions, imported.made)
        for note in imported.refused:
            self.report({"WARNING"}, note)
        imported_motion.take_in(
            context, imported, select=True, match_rate=False, fit_range=len(bpy.data.actions) == 1, play=self.chosen
        )
        for sentence in filter(None, (*imported.notes, imported.beside)):
            self.report({"INFO"}, sentence)
        return {"FINISHED"}


class ACTION_LOOM_FH_points(bpy.types.FileHandler):
    bl_idname = "ACTION_LOOM_FH_points"
    bl_label = "Points"
    bl_import_operator = "action_loom.import_points"
    bl_file_extensions = ";".join(registry.POINT_FORMATS)

    @classmethod
    def poll_drop(cls, context: DrawContext) -> bool:
        area = present(context).area
        return area is not None and area.type == "VIEW_3D"


def register() -> None:
    registrar.add_classes((ACTION_LOOM_OT_import_points, ACTION_LOOM_FH_points))
