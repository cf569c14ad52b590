"""Learn a style from the sources, keep it in the file, and make random variations."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError
from ....core.progress import Progress
from ....core.recipes.reading import ReadingOptions
from ....core.recipes.result import ResultOptions
from ....core.verbs import FitStyle, Restyle, Walk
from ...ground import registrar, steps
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import properties, readiness
from ...services.preview import previews
from ...services.sources import source_list
from . import polls, reports
from .reports import EachResult
from .result_hooks import CurveHooks, list_results, show_result, with_result
from .verb_operator import Hooks, operator

if TYPE_CHECKING:
    from ...services.weaving.reading import Inputs


class StyleHooks(Hooks):
    """Learn a style from the sources; the panel labels them, and shows the style."""

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        from ...services.styles import style_labels

        style_labels.fill(op, context, given)

    def finish(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> OperatorReturn:
        (one,), (style,) = inputs, made
        summary = self.keep(op, context, one, style)
        reports.report(op, (*one.read.notes, *style.report["warnings"]), *one.read.retarget_notes, summary)
        return {"FINISHED"}

    def keep(self, op: Any, context: bpy.types.Context, inputs: "Inputs", style: Any) -> str:
        """Keep a learnt style, and return its summary in one line."""
        from ...services.preview import panel_state
        from ...services.styles import styles

        rig = properties.rig_of(scene_of(context), op.about(context))
        known = styles.keep(inputs.read.armature, panel_state.asked_state(scene_of(context), rig, FitStyle.verb), style)
        return known.lines[0]


class KeepStyleHooks(StyleHooks):
    """Learn a style and keep it in the file, so that it is available without its actions."""

    name: bpy.props.StringProperty(name="Name", description="What it is called; after its actions if empty")

    def keep(self, op: Any, context: bpy.types.Context, inputs: "Inputs", style: Any) -> str:
        from ....core.style import storage
        from ...model import kept_styles

        text = kept_styles.keep(storage.compose(style), op.name or style.name)
        properties.settings_of(scene_of(context)).kept_style = text
        return f"{text.name} is kept in the file"


class ACTION_LOOM_OT_load_style(bpy.types.Operator):
    bl_idname = "action_loom.load_style"
    bl_label = "Load Style"
    bl_description = "Load a style from a file (.npz) into this one"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default="*.npz", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        present(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ....core.style import storage
        from ...model import kept_styles

        path = Path(bpy.path.abspath(self.filepath))
        style = storage.load(path)
        text = kept_styles.keep(storage.compose(style), path.stem)
        properties.settings_of(scene_of(context)).kept_style = text
        self.report({"INFO"}, f"{text.name}: {len(style.material)} strides")
        return {"FINISHED"}


class ACTION_LOOM_OT_save_style(bpy.types.Operator):
    bl_idname = "action_loom.save_style"
    bl_label = "Save Style"
    bl_description = "Save the kept style as a file (.npz)"
    bl_options = {"REGISTER"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default="*.npz", options={"HIDDEN"})
    overwrite: bpy.props.BoolProperty(
        name="Overwrite", description="Replace files that exist", default=False, options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_unless(
            cls, properties.settings_of(scene_of(context)).kept_style is None, "Keep a style first, or load one"
        )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        from ...model import kept_styles

        name = properties.settings_of(scene_of(context)).kept_style.name.removesuffix(kept_styles.ENDING)
        self.filepath = self.filepath or str(Path(bpy.data.filepath).parent / f"{name}.npz")
        present(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ....core import files
        from ...model import kept_styles

        path = Path(bpy.path.ensure_ext(bpy.path.abspath(self.filepath), ".npz"))
        if path.exists() and not self.overwrite:
            raise LoomError(f"{path} exists already: choose another name, or Overwrite")
        files.write(path, kept_styles.content(properties.settings_of(scene_of(context)).kept_style.name))
        self.report({"INFO"}, f"{path} written")
        return {"FINISHED"}


class VariationHooks(Hooks):
    """Make several random variations; the other options hold for all.

    number : the option that numbers them
    """

    number = "variation"
    asks = (ReadingOptions, ResultOptions)

    count: bpy.props.IntProperty(
        name="Count", description="How many variations are made", default=4, min=1, max=1000, soft_max=20
    )
    to_selected: bpy.props.BoolProperty(
        name="To Selected",
        description="Also make one for each selected armature with the same bones, and play it",
        default=False,
    )

    def inputs(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object
    ) -> "steps.Steps[tuple[Inputs, ...]]":
        (one,) = yield from super().inputs(op, context, armature)
        op.others, op.unlike = self._players(context, armature) if op.to_selected else ([], [])
        first = max(getattr(one.recipe, self.number), 1)
        numbers = range(first, first + (1 + len(op.others) if op.to_selected else op.count))
        return tuple(dataclasses.replace(one, recipe=self.with_number(one.recipe, number)) for number in numbers)

    def with_number(self, recipe: Any, number: int) -> Any:
        """Return the recipe of one of them."""
        return dataclasses.replace(recipe, **{self.number: number})

    def _players(self, context: bpy.types.Context, armature: bpy.types.Object) -> tuple[list[int], list[str]]:
        """Return session ids of the other selected armatures that can play its actions, and why the rest can't."""
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

    def compute(self, inputs: tuple["Inputs", ...], progress: Progress) -> list[Any]:
        from ...services.weaving import computing

        return computing.compute_each(inputs, progress)

    def ready(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> "steps.Steps[None]":
        from ...services.weaving import writing

        yield from writing.all_ready_in_steps(context, inputs, made)

    def finish(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> OperatorReturn:
        from ...bridge import curves
        from ...services.weaving import writing

        each: list[EachResult] = []
        for given, result in zip(inputs, made, strict=True):
            if isinstance(result, LoomError):
                raise result
            one = with_result(given, assign=given.request.result.assign and not each)  # one action can be assigned
            each.append(EachResult(one, result, writing.write(context, one, result)))
        actions = [one.written.action for one in each]
        for uid, action in zip(op.others, actions[1:], strict=False):
            player = properties.of_session(bpy.data.objects, uid)
            if player is not None:
                curves.assign(player, action, next(iter(getattr(action, "slots", ())), None))
        previews.keep(inputs[0].read.armature, None)  # the preview is an action now
        list_results(context, op.about(context), each)
        show_result(context, op.about(context), each[0])
        read = inputs[0].read
        notes = [*read.notes, *op.unlike, *(note for one in each for note in one.written.notes)]
        notes += [note for one in each for note in one.made.report["warnings"]]
        done = [*read.retarget_notes, *(note for one in each for note in one.made.report["notes"])]
        line = f"{len(each)} variations"  # the list has their names
        reports.keep_told(scene_of(context), each, line, notes, properties.settings_of(scene_of(context)).mode)
        reports.report(op, notes, *done, line)
        return {"FINISHED"}


class StyledHooks(VariationHooks, StyleHooks):
    """Make several variations of the reference in style; the sliders hold for all."""


class WalksHooks(VariationHooks, CurveHooks):
    """Go on with the actions several times, each with a seed of its own."""

    number = "seed"

    def with_number(self, recipe: Any, number: int) -> Any:
        return dataclasses.replace(recipe, seed=number, count=1)


_OPERATORS = (
    operator(FitStyle, StyleHooks(), idname="learn_style", undo=False),
    operator(
        FitStyle,
        KeepStyleHooks(),
        idname="keep_style",
        label="Keep Style",
        tooltip="Learn from the ticked actions and keep the style in this file",
    ),
    operator(
        Restyle,
        StyledHooks(),
        idname="variations",
        label="Make Variations",
        tooltip="Make several different versions of the reference",
    ),
    operator(
        Walk,
        WalksHooks("way", decides_start=True),
        idname="walks",
        label="Make Endless Variations",
    ),
)

register = registrar.registration((*_OPERATORS, ACTION_LOOM_OT_load_style, ACTION_LOOM_OT_save_style))
