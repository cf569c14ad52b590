"""Style: learning it from the sources to see what it is, and variations by chance."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ....core import files
from ....core.errors import LoomError
from ....core.progress import Progress
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request
from ....core.verbs import FitStyle, Restyle
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import kept_styles, properties, readiness, target_armature
from ...services.preview import panel_state
from ...services.sources import source_list
from ...services.styles import styles
from . import base
from .style_base import StyleSources

if TYPE_CHECKING:
    from ....core.style.style import Style
    from ....core.weave.results import Result
    from ...services.weaving import reading


class _Learn(StyleSources):
    recipe: ClassVar[type[Recipe]] = FitStyle

    def finish(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: "Style"
    ) -> OperatorReturn:
        rig = properties.rig_of(scene_of(context), self.about(context))
        known = styles.keep(read.armature, panel_state.asked(scene_of(context), rig, FitStyle.verb), made)
        base.report(self, (*read.notes, *made.report["warnings"]), *read.retarget_notes, known.lines[0])
        return {"FINISHED"}


class _Keep(StyleSources):
    """Learns a style and keeps it in the file, so that it is there without its actions."""

    recipe: ClassVar[type[Recipe]] = FitStyle

    name: bpy.props.StringProperty(name="Name", description="What it is called; after its actions if empty")

    def finish(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: "Style"
    ) -> OperatorReturn:
        from ....core.style import storage

        text = kept_styles.keep(storage.compose(made), self.name or made.name)
        properties.settings_of(scene_of(context)).kept_style = text
        base.report(
            self, (*read.notes, *made.report["warnings"]), *read.retarget_notes, f"{text.name} is kept in the file"
        )
        return {"FINISHED"}


class ACTION_LOOM_OT_load_style(bpy.types.Operator):
    bl_idname = "action_loom.load_style"
    bl_label = "Load Style"
    bl_description = "Take a style from a file (.npz) and keep it in this one"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default="*.npz", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        present(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ....core.style import storage

        path = Path(bpy.path.abspath(self.filepath))
        try:
            style = storage.load(path)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        text = kept_styles.keep(storage.compose(style), path.stem)
        properties.settings_of(scene_of(context)).kept_style = text
        self.report({"INFO"}, f"{text.name}: {len(style.material)} strides")
        return {"FINISHED"}


class ACTION_LOOM_OT_save_style(bpy.types.Operator):
    bl_idname = "action_loom.save_style"
    bl_label = "Save Style"
    bl_description = "Write the style that this file keeps as a file of its own (.npz), for other files"
    bl_options = {"REGISTER"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default="*.npz", options={"HIDDEN"})
    overwrite: bpy.props.BoolProperty(
        name="Overwrite", description="Replace a file that exists", default=False, options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if properties.settings_of(scene_of(context)).kept_style is None:
            cls.poll_message_set("Keep a style first, or load one")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        name = properties.settings_of(scene_of(context)).kept_style.name.removesuffix(kept_styles.ENDING)
        self.filepath = self.filepath or str(Path(bpy.data.filepath).parent / f"{name}.npz")
        present(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        path = Path(bpy.path.ensure_ext(bpy.path.abspath(self.filepath), ".npz"))
        try:
            if path.exists() and not self.overwrite:
                raise LoomError(f"{path} exists: tick Overwrite, or choose another name")
            files.write(path, kept_styles.content(properties.settings_of(scene_of(context)).kept_style.name))
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{path} written")
        return {"FINISHED"}


class _Variations(StyleSources):
    """Makes several actions of the reference, each another variation; what sliders say holds for all."""

    recipe: ClassVar[type[Recipe]] = Restyle
    asks = base.ResultOperator.asks

    count: bpy.props.IntProperty(
        name="Variations", description="How many actions are made", default=4, min=1, max=1000, soft_max=20
    )
    to_selected: bpy.props.BoolProperty(
        name="To Selected",
        description="Make one more for each other selected armature of the same bones, which plays it at once",
        default=False,
    )

    def ask(self, context: bpy.types.Context) -> "tuple[Request, reading.Read, Any]":
        request, read, recipe = super().ask(context)
        assert isinstance(recipe, Restyle)
        self._others, self._unlike = self._players(context) if self.to_selected else ([], [])
        first = max(recipe.variation, 1)
        numbers = range(first, first + (1 + len(self._others) if self.to_selected else self.count))
        return request, read, tuple(dataclasses.replace(recipe, variation=number) for number in numbers)

    def _players(self, context: bpy.types.Context) -> tuple[list[int], list[str]]:
        """The session ids of the other selected armatures that can play its actions, and why others can't."""
        armature = present(target_armature.called(context, self.armature))
        bones = {bone.name for bone in present(armature.pose).bones}
        found, unlike = [], []
        for other in source_list.selected_others(context, armature):
            why = readiness.why_not(other)
            if not why and {bone.name for bone in present(other.pose).bones} != bones:
                why = f"{other.name} has other bones than {armature.name}: it gets no variation"
            if why:
                unlike.append(why)
            else:
                found.append(other.session_uid)
        return found, unlike

    @staticmethod
    def compute(read: "reading.Read", recipe: Any, progress: Progress) -> "list[Result]":
        from ...services.weaving import computing

        return [
            computing.compute(read, one, progress.part(k / len(recipe), (k + 1) / len(recipe)))
            for k, one in enumerate(recipe)
        ]

    def finish(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: Any
    ) -> OperatorReturn:
        from ...bridge import curves
        from ...services.weaving import writing

        written: list[writing.Written] = []
        for one, woven in zip(recipe, made, strict=True):
            # Of many actions one can be assigned: the first.
            result = dataclasses.replace(request.result, assign=request.result.assign and not written)
            written.append(writing.write(context, dataclasses.replace(request, result=result), read, one, woven))
        for uid, one in zip(self._others, written[1:], strict=False):
            player = properties.of_session(bpy.data.objects, uid)
            if player is not None:
                curves.assign(player, one.action, next(iter(getattr(one.action, "slots", ())), None))
        notes = dict.fromkeys([*self._unlike, *(note for one in written for note in one.notes)])
        warnings = dict.fromkeys(note for one in made for note in one.report["warnings"])
        names = ", ".join(one.action.name for one in written[:3]) + (" …" if len(written) > 3 else "")
        base.report(self, (*read.notes, *notes, *warnings), *read.retarget_notes, f"{len(written)} variations: {names}")
        return {"FINISHED"}


_learn = base.operator(_Learn, idname="learn_style", undo=False)
_variations = base.operator(
    _Variations, idname="variations", label="Variations", tooltip="Make several actions of the reference, each another"
)

_keep = base.operator(
    _Keep, idname="keep_style", label="Keep Style", tooltip="Learn from the ticked actions and keep that in the file"
)

register, unregister = bpy.utils.register_classes_factory(
    (_learn, _keep, _variations, ACTION_LOOM_OT_load_style, ACTION_LOOM_OT_save_style)
)
