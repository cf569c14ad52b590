"""What operators share that change actions by themselves: which actions, as new ones or in place, made anew."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError
from ....core.options import declared
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request, SourceOptions
from ...ground.blender_types import by_full_name, present, scene_of
from ...model import contact_rows, lists, properties, storage, target_armature
from ...services.poses import spread_poses
from ...services.sources import source_list
from . import base, one_by_one

if TYPE_CHECKING:
    from ...services.results import rebuilding
    from ...services.weaving import reading, writing


class EditOperator(one_by_one.EachOperator):
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
        if target_armature.by_button(context) and not _own(
            context, properties.settings_of(scene_of(context)).edit_which
        ):
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

    def write_one(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: Any
    ) -> "writing.Written":
        from ...services.results import replacing

        if not self.replace:
            return super().write_one(context, request, read, recipe, made)
        return replacing.write(context, request, read, recipe, made)

    def remember(self, *_: Any) -> None:
        """Nothing: what Live weaves again stays the last blend, or walk."""


class AgainOperator(EditOperator):
    """An operator that goes on with an action that its recipe has made: it is made anew of the same source."""

    again: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})  # the result that is made anew

    def editable_result(self, context: bpy.types.Context) -> "rebuilding.RebuildInputs | None":
        """Return what it takes to make the action anew, None where it was not made so; raises LoomError."""
        from ...services.results import rebuilding

        armature = present(target_armature.called(context, self.armature))
        names = [source.name for source in self.sources]
        action = contact_rows.action_of(armature)
        if action is None or names != [action.name_full] or not spread_poses.is_made_by(action, self.recipe):
            return None
        return rebuilding.inputs_of(action, overwrite_edits=False)

    def read_each(
        self, context: bpy.types.Context, armature: bpy.types.Object, request: Request
    ) -> "tuple[list[Request], list[reading.Read], list[Recipe]]":
        from ...services.results import rebuilding
        from ...services.weaving import reading

        if not self.again:
            return super().read_each(context, armature, request)
        action = by_full_name(bpy.data.actions, self.again)
        if action is None:
            raise LoomError(f"There is no action named {self.again!r}")
        known = rebuilding.inputs_of(action, overwrite_edits=False)
        read = reading.read_actions(scene_of(context), armature, known.made_of, known.request, known.recipe)
        self._refused = []
        return [known.request], [read], [self._recipe()]

    def write_one(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: Any
    ) -> "writing.Written":
        from ...services.weaving import writing

        if not self.again:
            return super().write_one(context, request, read, recipe, made)
        action = by_full_name(bpy.data.actions, self.again)
        if action is None:
            raise LoomError(f"{self.again} was deleted while it was woven: nothing was written")
        into = action, storage.find_slot(action, storage.of_result(action).slot)
        return writing.write(context, request, read, recipe, made, into=into)


def _own(context: bpy.types.Context, which: str, name: str = "") -> list[Any]:
    armature, action = target_armature.called(context, name), target_armature.action(context)
    if armature is not None and action is not None:
        return [source_list.source_of_action(scene_of(context), armature, action)]
    return [] if armature is None else source_list.own_sources(scene_of(context), armature, which)
