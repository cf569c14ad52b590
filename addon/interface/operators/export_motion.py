"""Export actions to files, through the file browser or from a script."""

import os
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import RigError
from ....core.formats import registry
from ....core.progress import Progress
from ....core.recipes.reading import ReadingOptions
from ...ground import formats, option_properties, registrar, steps
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import lists, properties, target_armature
from ...services.results import exported_last
from . import polls
from .background import BackgroundOperator

if TYPE_CHECKING:
    from ...services.files.export_motion import Exported


def _suggest_units(_operator: Any, _context: bpy.types.Context, _text: str) -> list[str]:
    return [*formats.UNITS]


_MODELS = [
    (".glb", "glTF", "The character with its meshes, for game engines and other programs"),
    (".fbx", "FBX", "The character with its meshes, for game engines and other programs"),
]
_KINDS = [*_MODELS]  # kept, because Blender does not copy the texts


def _kinds(_operator: Any, _context: bpy.types.Context | None) -> list[tuple[str, str, str]]:
    """Return the formats as choices, with formats that other add-ons have added."""
    motions = [(one, one[1:].upper(), "The motion alone, on the armature's skeleton") for one in registry.writable()]
    if _KINDS[len(_MODELS) :] != motions:
        _KINDS[len(_MODELS) :] = motions
    return _KINDS


class ACTION_LOOM_PG_exported_action(bpy.types.PropertyGroup):
    """An action to export, by name; operators can't hold pointers to actions."""


@option_properties.with_options(ReadingOptions)
class ACTION_LOOM_OT_export_motion(polls.OnShownArmature, BackgroundOperator, bpy.types.Operator):
    bl_idname = "action_loom.export_motion"
    bl_label = "Export"
    bl_description = "Export the action that plays to a file, at the rate it was made"
    bl_options = {"REGISTER"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(options={"HIDDEN"})
    kind: bpy.props.EnumProperty(
        name="Format",
        items=_kinds,
        default=formats.writable().index(registry.DEFAULT),
    )
    deform_only: bpy.props.BoolProperty(
        name="Only Deform Bones",
        description="Export only bones that deform meshes, without controls",
        default=False,
    )
    mesh: bpy.props.BoolProperty(
        name="With Mesh",
        description="Write the mesh at rest (.obj) and its weights beside the motion, for action-loom skin",
        default=False,
    )
    actions: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_exported_action, options={"HIDDEN", "SKIP_SAVE"})
    ticked: bpy.props.BoolProperty(
        name="Ticked Actions",
        description="Export each ticked action to a file of its own name in this folder, instead of the one that plays",
        default=False,
        options={"SKIP_SAVE"},
    )
    units: bpy.props.StringProperty(
        name="Units",
        description=formats.UNIT_TIP,
        default="cm",
        search=_suggest_units,
        search_options={"SUGGESTION"},
    )
    up: bpy.props.EnumProperty(name="Up", description="The files' upward axis", items=formats.UPS)
    overwrite: bpy.props.BoolProperty(
        name="Overwrite", description="Replace files that exist", default=False, options={"SKIP_SAVE"}
    )
    chosen: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})  # the file is chosen, and the options set

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        from ...bridge import other_bodies

        armature = present(target_armature.armature(context))
        self._armature = armature.name  # the file browser does not know the tab's
        if self.chosen:
            return BackgroundOperator.invoke(self, context, event)
        if not self.properties.is_property_set("kind") and other_bodies.wears_mesh(armature, scene_of(context)):
            self.kind = ".glb"
        data = armature.animation_data
        if not self.filepath and data is not None and data.action is not None:
            from ....core import files

            folder = exported_last.folder(armature) or os.path.dirname(bpy.data.filepath)
            self.filepath = os.path.join(folder, files.file_name(data.action.name, self.kind))
        self.filter_glob = formats.glob(formats.writable())
        present(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def check(self, context: bpy.types.Context) -> bool:
        """Add the extension of the chosen format to the name in the file browser."""
        name, ending = os.path.splitext(self.filepath)
        if not os.path.basename(self.filepath) or ending.lower() == self.kind:
            return False
        self.filepath = (name if ending.lower() in formats.writable() else self.filepath) + self.kind
        return True

    def draw(self, context: bpy.types.Context) -> None:
        layout = present(self.layout)
        layout.use_property_split = True
        layout.use_property_decorate = False
        count = len(self._find_ticked(context))
        if count:
            layout.prop(self, "ticked", text=f"{translate_text('Ticked Actions')}: {count}", translate=False)
        layout.prop(self, "kind")
        own = ("deform_only",) if self.kind not in registry.writable() else ("units", "up", "visual", "mesh")
        for name in (*own, "overwrite"):
            layout.prop(self, name)

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        with target_armature.as_from_panel(context, present(self._target(context))):
            if not hasattr(self, "_armature") or bpy.app.background:
                return BackgroundOperator.execute(self, context)
            given = self.as_keywords(ignore=("chosen", "actions", "filter_glob"))
            actions = [{"name": action.name} for action in self.actions]
            self.call_again(actions=actions, chosen=True, **given)
        return {"CANCELLED"}

    def fresh_inputs(self, context: bpy.types.Context) -> Any:
        return self.inputs(context)  # the tab keeps the message of its mode, which has nothing to do with files

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[Exported]":
        from ...services.files import export_motion  # numpy is loaded at first use, not when Blender starts

        visual = option_properties.values_of(self, ReadingOptions)["visual"]
        writing = export_motion.Writing(
            self.units, self.up, visual, self.overwrite, self._suffix(), self.deform_only, self.mesh
        )
        armature = present(self._target(context))
        names = self._find_ticked(context) if self.ticked else [action.name for action in self.actions]
        if self.ticked and not names:
            raise RigError(f"{armature.name} has no action: play one, or tick actions in the list")
        return export_motion.export_in_steps(context, armature, names, bpy.path.abspath(self.filepath), writing)

    @staticmethod
    def compute(inputs: "Exported", _progress: Progress) -> "Exported":
        return inputs

    def finish(self, context: bpy.types.Context, inputs: "Exported", made: "Exported") -> OperatorReturn:
        for note in made.notes:
            self.report({"WARNING"}, note)
        count, folder = len(made.paths), made.paths[0].parent
        what = str(made.paths[0]) if count == 1 else f"{count} files in {folder}"
        said = f"{what} written and read back"
        self.report({"INFO"}, said)
        where = os.path.join(folder.name, made.paths[0].name)  # the tab has little room
        exported_last.keep(self._target(context), said.replace(what, where) if count == 1 else said, str(folder))
        return {"FINISHED"}

    def _target(self, context: bpy.types.Context) -> bpy.types.Object | None:
        return target_armature.by_name(context, getattr(self, "_armature", ""))

    def _find_ticked(self, context: bpy.types.Context) -> list[str]:
        """Return the names of the ticked actions of the armature's own, each once."""
        rig = properties.rig_of(scene_of(context), self._target(context))
        return list(dict.fromkeys(line.action.name for line in lists.each_ticked(rig) if lists.is_own(line)))

    def _suffix(self) -> str:
        """Return the format of files with the names of their actions."""
        ending = os.path.splitext(self.filepath)[1].lower()
        return ending if ending in formats.writable() else self.kind


register = registrar.registration(
    (
        ACTION_LOOM_PG_exported_action,
        ACTION_LOOM_OT_export_motion,
    )
)
