"""Retarget actions of other armatures onto the active one."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import some
from ....core.options import declared_options
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request, SourceOptions
from ....core.verbs import Retarget
from ...ground import registrar, steps
from ...ground.blender_types import scene_of
from ...model import lists, properties, target_armature
from ...services.sources import source_list
from . import polls, reports
from .reports import EachResult
from .result_hooks import ResultHooks, with_result
from .verb_operator import VerbOperator, operator

if TYPE_CHECKING:
    from ...services.weaving.reading import Inputs
    from ...services.weaving.writing import Written

_NAMED = (
    "Name of the new actions; {action} and {armature} stand for the names of the source and its armature; if empty, as"
    " shown"
)


class RetargetHooks(ResultHooks):
    """Make an action of the active armature from each given action of others."""

    nothing = "Select the other armature first, then this one with Shift"
    from_settings = False
    one_by_one = True

    which: bpy.props.EnumProperty(name="Actions", items=source_list.WHICH)
    filled: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})  # the choice that filled the sources, if any

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        if not target_armature.invoked_from_panel(context):
            return polls.poll_armature(cls, context)
        return polls.poll_others(cls, context)

    def draw(self, op: Any, layout: bpy.types.UILayout) -> None:
        layout.prop(op, "which")

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        op.place = op.place if "place" in given else "FIGURE"  # beside the source

    def is_unfilled(self, op: Any) -> bool:
        return super().is_unfilled(op) or op.filled not in ("", op.which)

    def fill_sources(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        others = source_list.selected_others(context, op.about(context))
        rigs = [properties.rig_of(scene_of(context), other) for other in others]
        if not {"which", "filled"} & given and not any(map(lists.are_ticks_chosen, filter(None, rigs))):
            op.which = lists.PLAYED  # the list has ticked by itself
        op.filled = op.which
        for other in others:
            for source in source_list.sources_of(scene_of(context), other, op.which):
                reading = {name: getattr(source, name) for name in declared_options(SourceOptions)}
                op.add_source(source.name, armature=source.armature, reading=reading)

    def read_one(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object, request: Request, recipe: Recipe
    ) -> "steps.Steps[Inputs]":
        # The list does not have these sources.
        inputs: Inputs = yield from op.read(context, armature, request, recipe, warn=False)
        return inputs

    def write(self, op: Any, context: bpy.types.Context, inputs: "Inputs", made: Any) -> "Written":
        (source,) = inputs.request.sources
        name = inputs.request.result.result_name
        name = name.replace("{action}", source.name).replace("{armature}", source.armature)
        return super().write(op, context, with_result(inputs, result_name=name), made)

    def done(self, op: Any, context: bpy.types.Context, each: list[EachResult], refused: list[str]) -> None:
        from ...services.files import imported_motion
        from ...services.weaving import writing

        armature = writing.find_data(bpy.data.objects, each[0].inputs.read.armature, "The armature")
        imported_motion.list_actions(scene_of(context), armature, [one.written.action for one in each])
        notes = [*refused, *(note for one in each for note in one.inputs.read.notes)]
        for one in each:
            notes += [*one.written.notes, *one.made.report["warnings"]]
        carried = [f"Carried from {one.source.armature}: {one.made.carried.sentence}" for one in each]
        carried += [note for one in each for note in one.made.report["notes"]]
        names = some([one.written.action.name for one in each])
        summary = f"{len(each)} of {len(each) + len(refused)} actions copied to {armature.name}: {names}"
        reports.keep_told(scene_of(context), each, summary, notes)
        reports.report(op, notes, *carried, summary)


_class = operator(
    Retarget,
    RetargetHooks(),
    label="Retarget Actions",
    tooltip="Copy actions of the other selected armatures to the active one, whatever their bodies",
)
_class.__annotations__["result_name"] = bpy.props.StringProperty(name="Name", description=_NAMED)

register = registrar.registration((_class,))
