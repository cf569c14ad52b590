"""Actions of other armatures as actions of the active one."""

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ...core.errors import Cancelled, LoomError
from ...core.options import declared
from ...core.progress import Progress
from ...core.recipes.base import Recipe
from ...core.recipes.reading import ReadingOptions, Request, SourceOptions
from ...core.recipes.result import ResultOptions
from ...core.recipes.retarget import Retarget
from .. import imported_motion, meant, source_list
from ..blender_types import OperatorReturn, present, scene_of
from . import base

if TYPE_CHECKING:
    from ...core.weave.results import RetargetResult
    from .. import weaving

_NAMED = "{action} and {armature} in it are what the source and its armature are called; as it says if empty"


class RetargetOperator(base.SourcesOperator):
    """Makes an action of the active armature out of each given action of others."""

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
        if not meant.by_button(context):
            return base.poll_armature(cls, context)
        return base.poll_others(cls, context)

    def draw(self, context: bpy.types.Context) -> None:
        present(self.layout).prop(self, "which")
        super().draw(context)

    def from_panel(self, context: bpy.types.Context) -> None:
        """Take the actions of the selected armatures; the panel has none of its options."""
        armature = meant.called(context, self.armature)
        if meant.by_button(context) and armature is not None:
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

    def ask(self, context: bpy.types.Context) -> "tuple[Request, weaving.Read, Recipe]":
        from .. import weaving

        if not len(self.sources) or self.filled not in ("", self.which):
            self.from_panel(context)
        if not len(self.sources):
            raise LoomError("Select the armature whose actions are meant, then the character, so that it is active")
        armature = meant.called(context, self.armature)
        if armature is None:
            raise LoomError(f"There is no armature named {self.armature!r}")
        request, recipe = self._request(), self._recipe()
        taken, found = [], []
        self._refused = []
        for source in request.sources:
            try:
                one = dataclasses.replace(request, sources=(source,))
                found.append(weaving.read(context, armature, one, recipe))
                taken.append(source)
            except LoomError as error:
                self._refused.append(str(error))
        if not found:
            raise LoomError("; ".join(self._refused))
        return dataclasses.replace(request, sources=tuple(taken)), weaving.together(found), recipe

    @staticmethod
    def compute(read: "weaving.Read", recipe: Any, progress: Progress) -> "list[RetargetResult | LoomError]":
        from .. import weaving

        made: list[RetargetResult | LoomError] = []
        count = len(read.sources)
        for k in range(count):
            try:
                made.append(weaving.weave(read.only(k), recipe, progress.part(k / count, (k + 1) / count)))
            except Cancelled:
                raise
            except LoomError as error:
                made.append(error)
        return made

    def finish(
        self,
        context: bpy.types.Context,
        request: Request,
        read: "weaving.Read",
        recipe: Any,
        made: "list[RetargetResult | LoomError]",
    ) -> OperatorReturn:
        from .. import weaving

        refused = [*self._refused, *(str(one) for one in made if isinstance(one, LoomError))]
        written: list[bpy.types.Action] = []
        notes: list[str] = []
        came: list[str] = []
        for k, one in enumerate(made):
            if isinstance(one, LoomError):
                continue
            source = request.sources[k]
            name = request.result.result_name.replace("{action}", source.name).replace("{armature}", source.armature)
            # Of many one can play: the first.
            result = dataclasses.replace(request.result, result_name=name, assign=request.result.assign and not written)
            asked = dataclasses.replace(request, sources=(source,), result=result)
            kept = weaving.write(context, asked, read.only(k), recipe, one)
            written.append(kept.action)
            notes += [*read.only(k).notes, *kept.notes, *one.report["warnings"]]
            came.append(f"Carried from {source.armature}: {one.carried.sentence}")
        if not written:
            raise LoomError("; ".join(refused))
        armature = weaving.found(bpy.data.objects, read.armature, "The armature")
        imported_motion.list_actions(scene_of(context), armature, written)
        said = f"{len(written)} of {len(written) + len(refused)} actions are now {armature.name}'s too"
        base.report(self, dict.fromkeys([*refused, *notes]), *dict.fromkeys(came), said)
        return {"FINISHED"}


_class = base.operator(
    RetargetOperator,
    label="Retarget Actions",
    tooltip="Make actions of the active armature out of actions of the other selected ones, whatever their bodies",
)
_class.__annotations__["result_name"] = bpy.props.StringProperty(
    name="Name", description=f"Of the new actions: {_NAMED}"
)

register, unregister = bpy.utils.register_classes_factory((_class,))
