"""Export a woven set for an engine, through the file browser or from a script."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError
from ....core.progress import Progress
from ...ground import registrar, steps
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import properties, target_armature
from ...services.results import exported_last
from . import polls, reports
from .background import BackgroundOperator

if TYPE_CHECKING:
    from ...services.files.export_sets import ExportedSet

_ENGINES = (
    ("GODOT", "Godot", "glTF in metres, deforming bones only, 30 frames per second"),
    ("UNREAL", "Unreal", "FBX with its unit in the file, and an armature of which no bone is made, at 30 a second"),
    ("UNITY", "Unity", "FBX whose bones have no scale, deforming bones only, 60 frames per second"),
)
# The presets of each engine; all values can be changed afterwards.
_PRESETS: dict[str, dict[str, Any]] = {
    "GODOT": {"kind": ".glb", "rate": "30", "deform_only": True, "together": True},
    "UNREAL": {"kind": ".fbx", "rate": "30", "deform_only": True, "together": False},
    "UNITY": {"kind": ".fbx", "rate": "60", "deform_only": True, "together": False},
}


def _choose_engine(operator: Any, _context: bpy.types.Context) -> None:
    for name, value in _PRESETS[operator.engine].items():
        setattr(operator, name, value)


class ACTION_LOOM_OT_export_set(polls.OnRows, BackgroundOperator, bpy.types.Operator):
    bl_idname = "action_loom.export_set"
    bl_label = "Export Set"
    bl_description = "Export the woven actions of the set with the character for an engine, and what may follow what"
    bl_options = {"REGISTER"}

    # where the files are written
    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})
    engine: bpy.props.EnumProperty(
        name="For",
        description="Sets format, rate and bones as an engine takes them",
        items=_ENGINES,
        update=_choose_engine,
    )
    kind: bpy.props.EnumProperty(
        name="Format",
        items=[
            (".glb", "glTF", "The character with its meshes, for game engines and other programs"),
            (".fbx", "FBX", "The character with its meshes, for game engines and other programs"),
        ],
    )
    together: bpy.props.BoolProperty(
        name="One File", description="All actions in one file, else a file each", default=True
    )
    names: bpy.props.StringProperty(
        name="Names",
        description="Names of files: {name}, {take}, {root} (_InPlace or nothing), {speed} (m/s)",
        default="{name}{root}",
    )
    rate: bpy.props.EnumProperty(
        name="Rate",
        description="Frames per second of the file",
        items=[
            ("MADE", "As Made", "As the take was recorded"),
            ("30", "30 a Second", "Each action becomes at most half a frame longer or shorter"),
            ("60", "60 a Second", "Each action becomes at most half a frame longer or shorter"),
        ],
        default="30",
    )
    scale: bpy.props.FloatProperty(
        name="Scale", description="Factor of all lengths", default=1.0, min=1e-4, soft_min=0.01, soft_max=100.0
    )
    deform_only: bpy.props.BoolProperty(
        name="Only Deform Bones", description="Export only bones that deform meshes, without controls", default=True
    )
    overwrite: bpy.props.BoolProperty(
        name="Overwrite", description="Replace files that exist", default=False, options={"SKIP_SAVE"}
    )
    chosen: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})  # the folder is chosen, and the options set

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        rig = properties.rig_of(scene_of(context), target_armature.armature(context))
        if not any(row.made is not None for row in rig.take_rows):
            cls.poll_message_set("Weave the set first: none of its ticked rows has an action yet")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        self._armature = present(target_armature.armature(context)).name  # the file browser does not know the tab's
        if self.chosen:
            return BackgroundOperator.invoke(self, context, event)
        folder = exported_last.folder(present(target_armature.armature(context)))
        if folder and not self.directory:
            self.directory = folder
        present(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = present(self.layout)
        layout.use_property_split = True
        layout.use_property_decorate = False
        for name in ("engine", "kind", "together", "names", "rate", "scale", "deform_only", "overwrite"):
            if name != "names" or not self.together:
                layout.prop(self, name)

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        armature = present(target_armature.by_name(context, getattr(self, "_armature", "")))
        with target_armature.as_from_panel(context, armature):
            if not hasattr(self, "_armature") or bpy.app.background:
                return BackgroundOperator.execute(self, context)
            self.call_again(chosen=True, **self.as_keywords(ignore=("chosen", "filter_folder")))
        return {"FINISHED"}

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[ExportedSet]":
        from ...services.files import export_sets
        from ...services.takes import set_rows

        armature = present(target_armature.by_name(context, getattr(self, "_armature", "")))
        rig = properties.rig_of(scene_of(context), armature)
        rate = 0.0 if self.rate == "MADE" else float(self.rate)
        writing = export_sets.Writing(
            self.engine, self.kind, self.together, self.names, rate, self.scale, self.deform_only, self.overwrite
        )
        actions = set_rows.woven_actions(rig)
        if not actions or rig.take is None:
            raise LoomError("Weave the set first: none of its ticked rows has an action yet")
        if not self.directory:
            raise LoomError("Choose a file to write to, or a folder for several")
        folder = Path(os.path.abspath(bpy.path.abspath(self.directory)))
        return export_sets.export_in_steps(context, armature, rig.take.name, actions, folder, writing)

    @staticmethod
    def compute(inputs: "ExportedSet", _progress: Progress) -> "ExportedSet":
        return inputs

    def finish(self, context: bpy.types.Context, inputs: "ExportedSet", made: "ExportedSet") -> OperatorReturn:
        said = f"{made.actions} actions in {made.files} file{'s' * (made.files > 1)} of {made.folder} written"
        exported_last.keep(target_armature.by_name(context, getattr(self, "_armature", "")), said, str(made.folder))
        reports.report(self, made.notes, said)
        return {"FINISHED"}


register = registrar.registration((ACTION_LOOM_OT_export_set,))
