"""What operators share that change actions by themselves: which actions, as new ones or in place, made anew."""

import dataclasses
from typing import TYPE_CHECKING, Any

import bpy

from ...core.options import declared
from ...core.recipes.reading import Request, SourceOptions
from .. import contact_rows, lists, meant, properties, source_list
from ..blender_types import OperatorReturn, present, scene_of
from ..session import previews
from . import base, one_by_one

if TYPE_CHECKING:
    from .. import weaving


class EditOperator(base.ResultOperator, one_by_one.OneByOneOperator):
    """An operator of a recipe that changes one action."""

    nothing = "The armature has no action: choose one, or tick actions in the list"

    which: bpy.props.EnumProperty(name="Actions", description="Which actions are changed", items=lists.OWN)
    replace: bpy.props.BoolProperty(
        name="Replace",
        description="Put the result in the place of the action; as it was it is kept as another action",
        default=False,
    )
    filled: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})  # by which choice the sources were found, if any

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not base.poll_armature(cls, context) or not base.poll_parts(cls, context, cls.recipe):
            return False
        if meant.by_button(context) and not _own(context, properties.settings_of(scene_of(context)).edit_which):
            cls.poll_message_set(cls.nothing)
            return False
        return True

    def draw(self, context: bpy.types.Context) -> None:
        if self.filled:
            present(self.layout).prop(self, "which")
        present(self.layout).prop(self, "replace")
        super().draw(context)

    def to_be_found(self) -> bool:
        return super().to_be_found() or self.filled not in ("", self.which)

    def from_panel(self, context: bpy.types.Context) -> None:
        settings = properties.settings_of(scene_of(context))
        if not self.filled:
            for name in ("which", "replace"):
                if not self.properties.is_property_set(name):
                    setattr(self, name, getattr(settings, f"edit_{name}"))
            super().from_panel(context)
        self.sources.clear()
        self.readings.clear()
        self.players.clear()
        self.filled = self.which
        for source in _own(context, self.which, self.armature):
            self.add_source(source.name)
            reading = self.readings.add()
            reading.name = source.name
            whole = ("first", "last") if self.replace else ()  # keys outside a stretch would be gone
            for name in declared(SourceOptions):
                if name not in whole:
                    setattr(reading, name, getattr(source, name))

    def finish(
        self, context: bpy.types.Context, request: Request, read: "weaving.Read", recipe: Any, made: Any
    ) -> OperatorReturn:
        if self.preview and not isinstance(made[0], Exception):
            one = dataclasses.replace(request, sources=request.sources[:1])
            return self._previewed(context, one, read.only(0), recipe, made[0])
        previews.keep(read.armature, None)  # it is an action now
        return one_by_one.OneByOneOperator.finish(self, context, request, read, recipe, made)

    def write_one(
        self, context: bpy.types.Context, request: Request, read: "weaving.Read", recipe: Any, made: Any
    ) -> "weaving.Written":
        from .. import replacing, weaving

        if not self.replace:
            return weaving.write(context, request, read, recipe, made)
        return replacing.write(context, request, read, recipe, made)

    def done(
        self,
        context: bpy.types.Context,
        read: "weaving.Read",
        recipe: Any,
        each: list[one_by_one.Done],
        refused: list[str],
    ) -> None:
        if len(each) == 1 and not refused:
            base.report_result(self, context, read, recipe, each[0].written, each[0].made)
            return
        notes = [*refused, *read.notes]
        for one in each:
            action = one.written.action
            contact_rows.keep_planted(scene_of(context), action, recipe, one.made.report)
            notes += [*one.written.notes, *contact_rows.told(scene_of(context), action, one.made.report["warnings"])]
        said = f"{recipe.label}: {len(each)} of {len(each) + len(refused)} actions"
        base.report(self, dict.fromkeys(notes), said)


def _own(context: bpy.types.Context, which: str, name: str = "") -> list[Any]:
    armature = meant.called(context, name)
    return [] if armature is None else source_list.own_sources(scene_of(context), armature, which)
