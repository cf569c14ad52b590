"""Import files of 3D points, through the file browser, by dropping them, or from a script."""

from typing import TYPE_CHECKING

import bpy

from ....core.options import declared_options
from ....core.points import registry
from ....core.progress import Progress
from ....core.recipes.points import FromPoints
from ....core.recipes.result import ResultOptions
from ...ground import formats, last_folders, option_properties, registrar, steps
from ...ground.blender_types import DrawContext, OperatorReturn, present, scene_of
from ...ground.translations.runtime import translate_text
from .background import BackgroundOperator

if TYPE_CHECKING:
    from ...services.files.import_points import Given, Made

_SHOWN = tuple(name for name in declared_options(FromPoints) if name != "character")  # the armature is the character


@option_properties.with_options(FromPoints)
class ACTION_LOOM_OT_import_points(BackgroundOperator, bpy.types.Operator):
    bl_idname = "action_loom.import_points"
    bl_label = "Import Points"
    bl_description = FromPoints.tooltip
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: bpy.props.CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(options={"HIDDEN"})
    onto: bpy.props.EnumProperty(name="Onto", description="Which armature gets the actions", items=formats.ONTO)
    limbs: option_properties.annotation(ResultOptions, "limbs")
    here: bpy.props.BoolProperty(
        name="Where It Stands",
        description="Let what is carried onto a character begin where that stands; on at first in a window",
        default=False,
        options={"SKIP_SAVE"},
    )
    chosen: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})  # the files are chosen, and the options set
    _asking = False

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode not in ("OBJECT", "POSE"):
            cls.poll_message_set("Change to Object Mode first")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        if self.chosen:
            return BackgroundOperator.invoke(self, context, event)
        self._asking = True
        for name, value in (("here", True), ("limbs", "FK")):  # as for captures in motion files
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        manager = present(context.window_manager)
        if self.directory and len(self.files) and self.files[0].name:  # the files were dropped into the view
            return manager.invoke_props_dialog(self, title=translate_text(self.bl_label), confirm_text="Import")
        self.filter_glob = formats.glob(tuple(registry.POINT_FORMATS))
        folder = last_folders.of(last_folders.IMPORTED)
        if folder and not (self.filepath or self.directory):
            self.directory = folder
        manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def draw(self, _context: bpy.types.Context) -> None:
        layout = present(self.layout)
        layout.use_property_split = True
        layout.use_property_decorate = False
        for name in ("onto", *(("here", "limbs") if self.onto != "NEW" else ()), *_SHOWN):
            layout.prop(self, name)

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        if not self._asking or bpy.app.background:
            return BackgroundOperator.execute(self, context)
        last_folders.keep(last_folders.IMPORTED, bpy.path.abspath(self.directory))
        given = self.as_keywords(ignore=("chosen", "files", "filter_glob"))
        self.call_again(files=[{"name": one.name} for one in self.files], chosen=True, **given)
        return {"CANCELLED"}  # the second call is the step of Undo

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
