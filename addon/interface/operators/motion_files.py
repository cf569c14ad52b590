"""Import motion files, through the file browser or from a script."""

import textwrap
from typing import TYPE_CHECKING, Any

import bpy

from ....core.formats import registry
from ....core.progress import Progress
from ...bridge import rates
from ...ground import formats, option_properties, registrar, steps
from ...ground.blender_types import DrawContext, OperatorReturn, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import properties
from .background import ImportOperator

if TYPE_CHECKING:
    from ...services.files.import_motion import Brought, Given

_MORE_UPS = (("x", "X", ""), ("-y", "-Y", ""), ("-z", "-Z", ""), ("-x", "-X", ""))
_LETTERS = 40  # of a line in the dialog
_SELECTABLE = {*(one[0] for one in (*formats.UPS, *_MORE_UPS)), *formats.UNITS, "exchanged"}
_FOUND = {"units": "unit", "up": "up", "file_rate": "rate", "sides": "sides"}  # the shown finding of each property


def _suggest_units(_operator: Any, _context: bpy.types.Context, _text: str) -> list[str]:
    return ["auto", *formats.UNITS]


class ACTION_LOOM_OT_import_motion(ImportOperator, bpy.types.Operator):
    bl_idname = "action_loom.import_motion"
    bl_label = "Import Motion Files"
    bl_description = (
        "Import motion files as actions of the active armature if it has their joints, a mesh or controls, else of a"
        " new one"
    )
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    units: bpy.props.StringProperty(
        name="Units",
        description=formats.UNIT_TIP,
        default="auto",
        search=_suggest_units,
        search_options={"SUGGESTION"},
    )
    up: bpy.props.EnumProperty(
        name="Up",
        description="The files' upward axis",
        items=[("auto", "Auto", "As the motion stands"), *formats.UPS, *_MORE_UPS],
        default="auto",
    )
    file_rate: bpy.props.FloatProperty(
        name="File Rate",
        description="Frames per second of the files; 0 is their own, or 120 for AMC files, which have none",
        default=0.0,
        min=0.0,
        max=1000.0,
        soft_max=240.0,
        options={"SKIP_SAVE"},
    )
    sides: bpy.props.EnumProperty(
        name="Sides",
        description="Which side joints named left are on",
        items=[
            ("auto", "Auto", ""),
            ("names", "Names", ""),
            ("exchanged", "Exchanged", ""),
        ],
        default="auto",
        options={"SKIP_SAVE"},
    )
    skeleton: bpy.props.StringProperty(
        name="Skeleton",
        description="The .asf file for AMC files; if empty, the one beside them",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},
    )
    amc_rate: bpy.props.FloatProperty(  # kept for scripts older than `file_rate`
        default=0.0, min=0.0, max=1000.0, options={"HIDDEN", "SKIP_SAVE"}
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
            ("SCENE", "Convert to the Scene's", "Play at the original speed in this scene"),
        ],
    )
    plant_feet: bpy.props.BoolProperty(
        name="Plant Feet",
        description="Keep standing feet in place",
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
        description="Remove calibration poses, and jumps in the first and last 0.1 s",
        default=True,
    )
    new_armature: bpy.props.BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})
    select: bpy.props.BoolProperty(name="Select", description="Select the armature and make it active", default=True)
    match_rate: bpy.props.BoolProperty(
        name="Match Scene Rate",
        description="Give the scene the files' frame rate so that they play at their original speed",
        default=False,
        options={"SKIP_SAVE"},
    )
    fit_range: bpy.props.BoolProperty(
        name="Fit Scene Range",
        description="Fit the scene's frame range to the imported actions; on by default in an empty scene",
        default=False,
        options={"SKIP_SAVE"},
    )
    play: bpy.props.BoolProperty(
        name="Play",
        description="Play the first imported action",
        default=False,
        options={"SKIP_SAVE"},
    )
    _found: tuple[Any, ...] = ()  # how the first chosen file will be read, a Finding for each part
    _looked_at: list[str] = []
    _preselected: list[str] = []
    _carried = _controls = True  # whether files of other bodies are retargeted to it, and whether it has controls
    _onto: bpy.types.Object | None = None

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        if self.chosen:
            return super().invoke(context, event)
        from ...services.files import import_motion

        self._onto, self._carried, self._controls = import_motion.receiver(context)
        self.check(context)
        title = f"Import {len(self.files)} motion file{'s' * (len(self.files) > 1)}"
        if self._onto is not None and self._carried:
            title = f"Import onto {self._onto.name}"
        remembered = properties.settings_of(scene_of(context)).on_rates == "SCENE"  # otherwise the scene keeps its rate
        # Artists expect a capture to keep its speed beside other actions, and a capture never has controls.
        preset = {"match_rate": remembered, "fit_range": not len(bpy.data.actions), "rate": "SCENE", "limbs": "FK"}
        return self.ask(context, title, formats.readable(), here=True, play=True, **preset)

    def check(self, context: bpy.types.Context) -> bool:
        """Inspect the first chosen file and preselect its doubtful conventions; Blender calls this after each change.

        Several files may have different conventions, so nothing is preselected for them.
        """
        from ...services.files import found_conventions

        paths = formats.chosen_paths(self)
        if paths == self._looked_at:
            return False
        for name in self._preselected:
            self.properties.property_unset(name)
        self._looked_at, self._found = paths, found_conventions.look(paths[0]) if paths else ()
        doubtful: dict[str, Any] = {
            one.part: one.value for one in self._found if one.doubt and one.value in _SELECTABLE
        }
        rate = next((one.value for one in self._found if one.part == "rate" and one.doubt), "")
        doubtful |= {"rate": float(rate)} if rate else {}
        self._preselected = [name for name, part in _FOUND.items() if part in doubtful and len(paths) == 1]
        for name in self._preselected:
            setattr(self, name, doubtful[_FOUND[name]])
        return True

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
        if not self.match_rate:
            choices: Any = self.properties.bl_rna.properties["rate"]
            self._draw_lines(layout, choices.enum_items[self.rate].description)  # the effect on the keys
        for name in ("fit_range", "play", "select"):
            layout.prop(self, name)
        doubts = [one.doubt for one in self._found if one.doubt]
        header, body = layout.panel("ACTION_LOOM_import_file", default_closed=not doubts)
        header.label(text="File", icon="ERROR" if doubts else "NONE")
        if body is not None:
            for name in ("mesh", "trim", *(("skeleton",) if self._has_amc() else ()), *_FOUND):
                self._draw_found(body, name)

    def _draw_found(self, layout: bpy.types.UILayout, name: str) -> None:
        """Draw a property, and below it how that is found in the first chosen file."""
        found = next((one for one in self._found if one.part == _FOUND.get(name)), None)
        row = layout.row()
        row.alert = found is not None and bool(found.doubt)
        row.prop(self, name)
        if found is not None:
            told = layout.row()
            told.alignment = "RIGHT"
            told.label(text=f"{found.value} ({found.by})", translate=False)
        if found is not None and found.doubt:
            self._draw_lines(layout, found.doubt)

    @staticmethod
    def _draw_lines(layout: bpy.types.UILayout, text: str) -> None:
        for line in textwrap.wrap(translate_text(text), _LETTERS):
            layout.label(text=line, translate=False)

    def _draw_target(self, layout: bpy.types.UILayout) -> None:
        column = layout.column()
        column.enabled = not self.mesh
        column.prop(self, "onto")
        if self.onto == "ACTIVE" or (self.onto == "AUTO" and self._carried):
            for name in ("here", *(("limbs",) if self._controls else ()), "plant_feet"):
                column.prop(self, name)

    def _has_amc(self) -> bool:
        return any(path.lower().endswith(".amc") for path in formats.chosen_paths(self))

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        settings = properties.settings_of(scene_of(context))
        if self._asking and not bpy.app.background and (self.match_rate or settings.on_rates == "SCENE"):
            settings.on_rates = "SCENE" if self.match_rate else "ASK"  # asked once, and remembered
        return super().execute(context)

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[Given]":
        from ...services.files import import_motion  # numpy is loaded at first use, not when Blender starts

        reading = import_motion.FileReading(
            self.units,
            self.up,
            self.rate == "SCENE" and not self.match_rate,
            "NEW" if self.new_armature else self.onto,
            bpy.path.abspath(self.skeleton),
            self.file_rate or self.amc_rate,
            self.sides,
            "",
            self.plant_feet,
            self.trim,
            option_properties.choice_of(self, "limbs"),
            self.here,
            self.mesh,
        )
        return import_motion.given_in_steps(context, formats.chosen_paths(self), reading)

    @staticmethod
    def compute(inputs: "Given", progress: Progress) -> "Brought":
        from ...services.files import import_motion

        return import_motion.fit_files(inputs, progress)

    def ready(self, context: bpy.types.Context, inputs: "Given", made: "Brought") -> "steps.Steps[None]":
        from ...services.files import import_motion

        yield from import_motion.solve_in_steps(inputs, made)

    def finish(self, context: bpy.types.Context, inputs: "Given", made: "Brought") -> OperatorReturn:
        from ...services.files import import_motion, imported_motion

        imported = import_motion.write_actions(context, inputs, made)
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
        for sentence in filter(None, (*imported.found, *imported.retargeted, imported.beside, notes)):
            self.report({"INFO"}, sentence)
        for armature, actions in imported.actions.items():
            which = "the new armature " if armature in imported.made else ""
            self.report({"INFO"}, f"{_count_actions(actions)} of {which}{armature.name}{_rates_note(context, actions)}")
        if imported.refused:
            imported_count, left = sum(map(len, imported.actions.values())), len(imported.refused)
            self.report(
                {"WARNING"},
                f"{imported_count} of {imported_count + left} clips were imported; {left} do not fit this body",
            )
        return {"FINISHED"}


class ACTION_LOOM_FH_motion(bpy.types.FileHandler):
    bl_idname = "ACTION_LOOM_FH_motion"
    bl_label = "Motion Files"
    bl_import_operator = "action_loom.import_motion"
    bl_file_extensions = ";".join(formats.readable())

    @classmethod
    def poll_drop(cls, context: DrawContext) -> bool:
        area = present(context).area
        return area is not None and area.type == "VIEW_3D"


def _count_actions(actions: list[bpy.types.Action]) -> str:
    return f"Action {actions[0].name}" if len(actions) == 1 else f"{len(actions)} actions"


def _rates_note(context: bpy.types.Context, actions: list[bpy.types.Action]) -> str:
    """Return a note about the actions' rates if the scene has another."""
    scene = rates.of_scene(scene_of(context))
    others = sorted({rate for rate in map(rates.rate_of, actions) if rate and rates.differ(rate, scene)})
    if not others:
        return ""
    return f", made at {', '.join(f'{rate:g}' for rate in others)} frames per second; the scene has {scene:g}"


def _list_endings(_changed: str = "") -> None:
    """Let Blender drop files of all formats, with formats that other add-ons have added; it reads them once."""
    registrar.remove_class(ACTION_LOOM_FH_motion)
    ACTION_LOOM_FH_motion.bl_file_extensions = ";".join(formats.readable())
    registrar.add_classes((ACTION_LOOM_FH_motion,))


_CLASSES = (ACTION_LOOM_OT_import_motion, ACTION_LOOM_FH_motion)


def register() -> None:
    registrar.add_classes(_CLASSES)
    registrar.append(registry.FORMATS.listeners, _list_endings)
