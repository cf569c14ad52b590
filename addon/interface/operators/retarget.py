"""Actions of other armatures as actions of the active one."""

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ....core.options import declared
from ....core.recipes.base import Recipe
from ....core.recipes.reading import ReadingOptions, Request, SourceOptions
from ....core.recipes.result import ResultOptions
from ....core.verbs import Retarget
from ...ground.blender_types import present, scene_of
from ...model import target_armature
from ...services.files import imported_motion
from ...services.sources import source_list
from . import base, one_by_one

if TYPE_CHECKING:
    from ...services.weaving import reading, writing

_NAMED = "{action} and {armature} in it are what the source and its armature are called; as it says if empty"


class RetargetOperator(one_by_one.OneByOneOperator):
    """Makes an action of the active armature out of each given action of others."""

    nothing = "Select the armature whose actions are meant, then the character, so that it is active"
    recipe: ClassVar[type[Recipe]] = Retarget
    asks = (ReadingOptions, ResultOptions)

    which: bpy.props.EnumProperty(
        name="Actions", description="Which actions of the other selected armatures", items=source_list.WHICH
    )
    filled: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})  # by which choice the sources were found, if any

    @classmethod
    def least(cls) -> int:
        return 1

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not target_armature.by_button(context):
            return base.poll_armature(cls, context)
        return base.poll_others(cls, context)

    def draw(self, context: bpy.types.Context) -> None:
        present(self.layout).prop(self, "which")
        super().draw(context)

    def from_panel(self, context: bpy.types.Context) -> None:
        """Take the actions of the selected armatures; the panel has none of its options."""
        armature = target_armature.called(context, self.armature)
        if target_armature.by_button(context) and armature is not None:
            self.armature = armature.name
        self.sources.clear()
        self.readings.clear()
        self.players.clear()
        self.filled = self.which
        for other in source_list.selected_others(context, armature):
            for source in source_list.sources_of(scene_of(context), other, self.which):
                self.add_source(source.name, armature=source.armature)
                reading = self.readings.add()
                reading.name = source.name
                for name in declared(SourceOptions):
                    setattr(reading, name, getattr(source, name))

    def to_be_found(self) -> bool:
        return super().to_be_found() or self.filled not in ("", self.which)

    def write_one(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: Any
    ) -> "writing.Written":
        from ...services.weaving import writing

        (source,) = request.sources
        name = request.result.result_name.replace("{action}", source.name).replace("{armature}", source.armature)
        result = dataclasses.replace(request.result, result_name=name)
        return writing.write(context, dataclasses.replace(request, result=result), read, recipe, made)

    def done(
        self, context: bpy.types.Context, read: "reading.Read", each: list[one_by_one.EachResult], refused: list[str]
    ) -> None:
        from ...services.weaving import writing

        armature = writing.found(bpy.data.objects, read.armature, "The armature")
        imported_motion.list_actions(scene_of(context), armature, [one.written.action for one in each])
        notes = [*refused, *read.notes]
        for one in each:
            notes += [*one.written.notes, *one.made.report["warnings"]]
        retarget_notes = [f"Carried from {one.source.armature}: {one.made.carried.sentence}" for one in each]
        summary = f"{len(each)} of {len(each) + len(refused)} actions are now {armature.name}'s too"
        base.report(self, dict.fromkeys(notes), *dict.fromkeys(retarget_notes), summary)


_class = base.operator(
    RetargetOperator,
    label="Retarget Actions",
    tooltip="Make actions of the active armature out of actions of the other selected ones, whatever their bodies",
)
_class.__annotations__["result_name"] = bpy.props.StringProperty(
    name="Name", description=f"Of the new actions: {_NAMED}"
)

register, unregister = bpy.utils.register_classes_factory((_class,))
