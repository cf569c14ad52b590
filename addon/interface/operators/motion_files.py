"""Import and export motion files, through the file browser or from a script."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError
from ....core.formats import registry
from ....core.progress import Progress
from ....core.recipes.reading import ReadingOptions
from ....core.recipes.result import ResultOptions
from ...ground import formats, option_properties, rates, steps
from ...ground.blender_types import DrawContext, OperatorReturn, present, scene_of
from ...ground.translations.runtime import translated
from ...model import target_armature
from ...services.results import exported_last
from . import polls
from .background import BackgroundOperator

if TYPE_CHECKING:
    from ...services.files.import_motion import Brought, Given

_UNITS = ("m", "dm", "cm", "mm", "inch", "cmu")
_UPS = (("y", "Y", "As in most programs"), ("z", "Z", "As Blender has it"))


def _suggest_units_read(_operator: Any, _context: bpy.types.Context, _text: str) -> list[str]:
    return ["auto", *_UNITS]


def _suggest_units_written(_operator: Any, _context: bpy.types.Context, _text: str) -> list[str]:
    return [*_UNITS]


class ACTION_LOOM_OT_import_motion(BackgroundOperator, bpy.types.Operator):
    bl_idname = "action_loom.import_motion"
    bl_label = "Import Motion Files"
    bl_description = (
        "Import motion files as actions of the active armature if it has their joints, a mesh or controls, else of a"
        " new one"
    )
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: bpy.props.CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default=";".join(f"*{one}" for one in formats.READABLE), options={"HIDDEN"})
    units: bpy.props.StringProperty(
        name="Units",
        description=f"Unit of length in the files: auto, {', '.join(_UNITS)} (5.64 cm), or a number of metres",
        default="auto",
        search=_suggest_units_read,
        search_options={"SUGGESTION"},
    )
    up: bpy.props.EnumProperty(
        name="Up",
        description="The files' upward axis",
        items=[("auto", "Auto", "As the rest pose stands"), *_UPS],
        default="auto",
    )
    skeleton: bpy.props.StringProperty(
        name="Skeleton",
        description="The .asf file for AMC files; if empty, the one beside them",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},
    )
    amc_rate: bpy.props.FloatProperty(
        name="AMC Rate",
        description="Frames per second of AMC files, which have no rate of their own; 0 is 120",
        default=0.0,
        min=0.0,
        max=1000.0,
        soft_max=240.0,
    )
    rate: bpy.props.EnumProperty(
        name="Rate",
        description="What becomes of the files' frames per second",
        items=[
            (
                "KEEP",
                "Keep Every Frame",
                "Each captured frame becomes a frame of the scene; the action remembers its own rate",
            ),
            ("SCENE", "Convert to the Scene's", "The action plays at its original speed in this scene"),
        ],
    )
    onto: bpy.props.EnumProperty(
        name="Onto",
        description="Which armature gets the actions",
        items=[
            (
                "AUTO",
                "Character or New",
                "The active armature if it has the files' joints, moves a mesh or has controls, else a new one",
            ),
            ("ACTIVE", "Active Armature", "The active armature, even if it has other joints"),
            ("NEW", "New Armature", "A new armature with the files' joints"),
        ],
    )
    plant_feet: bpy.props.BoolProperty(
        name="Plant Feet",
        description="Keep standing feet in place when a clip is put on another body",
        default=True,
    )
    mesh: bpy.props.BoolProperty(
        name="With Mesh",
        description="Make a new armature that moves the mesh (.obj) and weights (.weights.txt) beside the file",
        default=False,
        options={"SKIP_SAVE"},
    )
    trim: bpy.props.BoolProperty(
        name="Trim",
        description="Remove a T-pose at the start, and jumps in the first and last 0.1 s",
        default=True,
    )
    limbs: option_properties.annotation(ResultOptions, "limbs")
    new_armature: bpy.props.BoolProperty(  # kept for scripts older than `onto`
        name="New Armature", default=False, options={"HIDDEN", "SKIP_SAVE"}
    )
    select: bpy.props.BoolProperty(name="Select", description="Select the armature and make it active", default=True)
    match_rate: bpy.props.BoolProperty(
        name="Match Scene Rate",
        description="Give the scene the files' frame rate so that they play at their original speed; on by default in"
        " an empty scene",
        default=False,
        options={"SKIP_SAVE"},
    )
    fit_range: bpy.props.BoolProperty(
        name="Fit Scene Range",
        description="Fit the scene's frame range to the imported actions; on by default in an empty scene",
        default=False,
        options={"SKIP_SAVE"},
    )

    here: bpy.props.BoolProperty(
        name="Where It Stands",
        description="Let what is carried onto a character begin where that stands; on at first in a window",
        default=False,
        options={"SKIP_SAVE"},
    )
    play: bpy.props.BoolProperty(
        name="Play",
        description="Play the first imported action",
        default=False,
        options={"SKIP_SAVE"},
    )
    chosen: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})  # the files are chosen, and the options set
    _asking = False
    _carried = _controls = True  # whether files of other bodies go onto the armature, and whether it has controls
    _onto: bpy.types.Object | None = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode not in ("OBJECT", "POSE"):
            cls.poll_message_set("Change to Object or Pose Mode first")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        if self.chosen:
            return BackgroundOperator.invoke(self, context, event)
        self._asking = True
        for name in ("match_rate", "fit_range"):
            if not self.properties.is_property_set(name):
                setattr(self, name, not len(bpy.data.actions))
        # Beside other actions a capture is expected to play as fast as it was, and it has no controls itself.
        for name, value in (("rate", "SCENE"), ("limbs", "FK")):
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        for name in ("here", "play"):
            if not self.properties.is_property_set(name):
                setattr(self, name, True)
        from ...services.files import import_motion

        self._onto, self._carried, self._controls = import_motion.receiver(context)
        manager = present(context.window_manager)
        if self.directory and len(self.files) and self.files[0].name:  # the files were dropped into the view
            title = f"Import {len(self.files)} motion file{'s' * (len(self.files) > 1)}"
            if self._onto is not None and self._carried:
                title = f"Import onto {self._onto.name}"
            return manager.invoke_props_dialog(self, title=translated(title), confirm_text="Import")
        manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = present(self.layout)
        layout.use_property_split = True
        layout.use_property_decorate = False
        if self._onto is not None or not self._asking:
            self._draw_target(layout)
            layout.separator()
        layout.prop(self, "match_rate")
        own = layout.row()
        own.enabled = not self.match_rate
        own.prop(self, "rate")
        for name in ("fit_range", "play", "select"):
            layout.prop(self, name)
        header, body = layout.panel("ACTION_LOOM_import_file", default_closed=True)
        header.label(text="File")
        if body is not None:
            for name in ("mesh", "trim", "units", "up", *(("skeleton", "amc_rate") if self._has_amc() else ())):
                body.prop(self, name)

    def _draw_target(self, layout: bpy.types.UILayout) -> None:
        column = layout.column()
        column.enabled = not self.mesh
        column.prop(self, "onto")
        if self.onto == "ACTIVE" or (self.onto == "AUTO" and self._carried):
            for name in ("here", *(("limbs",) if self._controls else ()), "plant_feet"):
                column.prop(self, name)

    def _has_amc(self) -> bool:
        return any(path.lower().endswith(".amc") for path in self._paths())

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        if not self._asking or bpy.app.background:
            return BackgroundOperator.execute(self, context)
        # The file browser, or the dialog, waits for the operator that opened it: a second call works in the background.
        ours: Any = bpy.ops.action_loom  # type: ignore[attr-defined]  # the stubs know Blender's own only
        given = self.as_keywords(ignore=("chosen", "files", "filter_glob"))
        files = [{"name": one.name} for one in self.files]
        ours.import_motion("INVOKE_DEFAULT", files=files, chosen=True, **given)
        return {"CANCELLED"}  # the second call is the step of Undo

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[Given]":
        from ...services.files import import_motion  # numpy is loaded at first use, not when Blender starts

        reading = import_motion.FileReading(
            self.units,
            self.up,
            self.rate == "SCENE" and not self.match_rate,
            "NEW" if self.new_armature else self.onto,
            bpy.path.abspath(self.skeleton),
            self.amc_rate,
            self.plant_feet,
            self.trim,
            option_properties.choice_of(self, "limbs"),
            self.here,
            self.mesh,
        )
        return import_motion.given_in_steps(context, self._paths(), reading)

    @staticmethod
    def compute(inputs: "Given", progress: Progress) -> "Brought":
        from ...services.files import import_motion

        return import_motion.brought(inputs, progress)

    def ready(self, context: bpy.types.Context, inputs: "Given", made: "Brought") -> "steps.Steps[None]":
        from ...services.files import import_motion

        yield from import_motion.solve_in_steps(inputs, made)

    def finish(self, context: bpy.types.Context, inputs: "Given", made: "Brought") -> OperatorReturn:
        from ...services.files import import_motion, imported_motion

        imported = import_motion.written(context, inputs, made)
        for note in (*imported.refused, *imported.notes):
            self.report({"WARNING"}, note)
        notes = imported_motion.take_in(
            context,
            imported,
            select=self.select,
            match_rate=self.match_rate,
            fit_range=self.fit_range,
            play=self.play,
        )
        for sentence in filter(None, (*imported.retargeted, imported.beside, notes)):
            self.report({"INFO"}, sentence)
        for armature, actions in imported.actions.items():
            which = "the new armature " if armature in imported.made else ""
            self.report({"INFO"}, f"{_counted(actions)} of {which}{armature.name}{_rates_note(context, actions)}")
        if imported.refused:
            imported_count, left = sum(map(len, imported.actions.values())), len(imported.refused)
            self.report(
                {"WARNING"},
                f"{imported_count} of {imported_count + left} clips were imported; {left} do not fit this body",
            )
        return {"FINISHED"}

    def _paths(self) -> list[str]:
        folder = bpy.path.abspath(self.directory)
        names = [element.name for element in self.files if element.name]
        if names:
            return [os.path.join(folder, bpy.path.abspath(name)) for name in names]
        return [bpy.path.abspath(self.filepath)] if self.filepath else []


class ACTION_LOOM_FH_motion(bpy.types.FileHandler):
    bl_idname = "ACTION_LOOM_FH_motion"
    bl_label = "Motion Files"
    bl_import_operator = "action_loom.import_motion"
    bl_file_extensions = ";".join(formats.READABLE)

    @classmethod
    def poll_drop(cls, context: DrawContext) -> bool:
        area = present(context).area
        return area is not None and area.type == "VIEW_3D"


class ACTION_LOOM_PG_exported_action(bpy.types.PropertyGroup):
    """An action to export, by name; operators can't hold pointers to actions."""


@option_properties.with_options(ReadingOptions)
class ACTION_LOOM_OT_export_motion(polls.OnShownArmature, bpy.types.Operator):
    bl_idname = "action_loom.export_motion"
    bl_label = "Export"
    bl_description = "Export the action that plays to a file, at the rate it was made"
    bl_options = {"REGISTER"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default=";".join(f"*{one}" for one in formats.WRITABLE), options={"HIDDEN"})
    kind: bpy.props.EnumProperty(
        name="Format",
        description="File format",
        items=[
            (".glb", "glTF", "The character with its meshes and this action, for game engines and the web"),
            (".fbx", "FBX", "The character with its meshes and this action, for game engines and other programs"),
            *((one, one[1:].upper(), "The motion alone, on the armature's skeleton") for one in registry.WRITABLE),
        ],
        default=registry.DEFAULT,
    )
    deform_only: bpy.props.BoolProperty(
        name="Only Deform Bones",
        description="Export only bones that deform meshes, without controls (glTF and FBX)",
        default=False,
    )
    mesh: bpy.props.BoolProperty(
        name="With Mesh",
        description="Write the mesh at rest (.obj) and its weights beside the motion, for action-loom skin",
        default=False,
    )
    actions: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_exported_action, options={"HIDDEN", "SKIP_SAVE"})
    units: bpy.props.StringProperty(
        name="Units",
        description=f"Unit of length in the files: {', '.join(_UNITS)} (5.64 cm), or a number of metres",
        default="cm",
        search=_suggest_units_written,
        search_options={"SUGGESTION"},
    )
    up: bpy.props.EnumProperty(name="Up", description="The files' upward axis", items=_UPS)
    overwrite: bpy.props.BoolProperty(
        name="Overwrite", description="Replace files that exist", default=False, options={"SKIP_SAVE"}
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        from ...bridge import other_bodies

        armature = present(target_armature.armature(context))
        if not self.properties.is_property_set("kind") and other_bodies.wears_mesh(armature, scene_of(context)):
            self.kind = ".glb"
        data = armature.animation_data
        if not self.filepath and data is not None and data.action is not None:
            from ....core import files

            folder = exported_last.folder(armature) or os.path.dirname(bpy.data.filepath)
            self.filepath = os.path.join(folder, files.file_name(data.action.name, self.kind))
        present(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def check(self, context: bpy.types.Context) -> bool:
        """Give the name in the file browser the extension of the chosen format."""
        name, ending = os.path.splitext(self.filepath)
        if not os.path.basename(self.filepath) or ending.lower() == self.kind:
            return False
        self.filepath = (name if ending.lower() in formats.WRITABLE else self.filepath) + self.kind
        return True

    def draw(self, context: bpy.types.Context) -> None:
        layout = present(self.layout)
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "kind")
        own = ("deform_only",) if self.kind not in registry.WRITABLE else ("units", "up", "visual", "mesh")
        for name in (*own, "overwrite"):
            layout.prop(self, name)

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.files import export_motion  # numpy is loaded at first use, not when Blender starts

        visual = option_properties.values_of(self, ReadingOptions)["visual"]
        writing = export_motion.Writing(
            self.units, self.up, visual, self.overwrite, self._suffix(), self.deform_only, self.mesh
        )
        names = [action.name for action in self.actions]
        try:
            with _progress(present(context.window_manager)) as progress:
                path = bpy.path.abspath(self.filepath)
                exported = export_motion.export_actions(context, names, path, writing, progress)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for note in exported.notes:
            self.report({"WARNING"}, note)
        count, folder = len(exported.paths), exported.paths[0].parent
        what = str(exported.paths[0]) if count == 1 else f"{count} files in {folder}"
        said = f"{exported.paths[0].name} written to {folder.name or folder}" if count == 1 else f"{what} written"
        exported_last.keep(target_armature.armature(context), said, str(folder))
        self.report({"INFO"}, f"{what} written")
        return {"FINISHED"}

    def _suffix(self) -> str:
        """Return the format of files that are named after their actions."""
        ending = os.path.splitext(self.filepath)[1].lower()
        return ending if ending in formats.WRITABLE else self.kind


@contextmanager
def _progress(window_manager: bpy.types.WindowManager) -> Iterator[Progress]:
    window_manager.progress_begin(0, 100)

    def show(fraction: float, _doing: str) -> bool:
        window_manager.progress_update(100 * fraction)
        return True

    try:
        yield Progress(show)
    finally:
        window_manager.progress_end()


def _counted(actions: list[bpy.types.Action]) -> str:
    return f"Action {actions[0].name}" if len(actions) == 1 else f"{len(actions)} actions"


def _rates_note(context: bpy.types.Context, actions: list[bpy.types.Action]) -> str:
    """Return a note about the actions' rates where the scene has another."""
    scene = rates.of_scene(scene_of(context))
    others = sorted({rate for rate in map(rates.rate_of, actions) if rate and rates.differ(rate, scene)})
    if not others:
        return ""
    return f", made at {', '.join(f'{rate:g}' for rate in others)} frames per second; the scene has {scene:g}"


register, unregister = bpy.utils.register_classes_factory(
    (
        ACTION_LOOM_OT_import_motion,
        ACTION_LOOM_FH_motion,
        ACTION_LOOM_PG_exported_action,
        ACTION_LOOM_OT_export_motion,
    )
)
