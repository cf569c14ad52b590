"""An operator for every verb that changes one action; those that need more than their recipe add it here."""

from typing import Any, ClassVar

import bpy

from ....core.errors import LoomError
from ....core.options import declared
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request, Source, SourceOptions
from ....core.verbs import OF_ONE_BODY, MoveEvents, Place, Plant, Reach, Warp
from ...ground import option_properties
from ...ground.blender_types import present, scene_of
from ...model import contact_rows, properties, target_armature
from ...services.poses import spread_poses
from . import base
from .edit_base import AgainOperator, EditOperator


class PlantOperator(EditOperator):
    """Plants feet by the edited rows of the armature's action, where there are some."""

    recipe: ClassVar[type[Recipe]] = Plant

    def from_panel(self, context: bpy.types.Context) -> None:
        given = self.properties.is_property_set("spans")
        super().from_panel(context)
        armature = target_armature.called(context, self.armature)
        action = contact_rows.action_of(armature)
        held = contact_rows.of(scene_of(context), action)
        if given or action is None or held is None or not held.edited:
            return
        if [one.name for one in self.sources] != [action.name_full]:
            return
        (reading,) = self.readings
        source = option_properties.values_of(reading, SourceOptions)
        span = (source["first"], source["last"]) if source["last"] > source["first"] else None
        rows = contact_rows.as_spans(contact_rows.contacts_of(held), contact_rows.frames_of(action, span))
        self.spans = declared(Plant)["spans"].as_text(rows)


class SpreadOperator(AgainOperator):
    """Spreads the pose that the armature has at the current frame; in an action of such poses, as one more."""

    recipe: ClassVar[type[Recipe]] = Warp

    def from_panel(self, context: bpy.types.Context) -> None:
        given = any(self.properties.is_property_set(name) for name in ("corrections", "poses"))
        super().from_panel(context)
        if not given:
            self._take_pose(context)

    def _take_pose(self, context: bpy.types.Context) -> None:
        from ...services.poses import spreading
        from ...services.weaving import reading

        if len(self.sources) != 1:
            raise LoomError("A pose is spread in one action at a time: choose Active Action")
        armature = present(target_armature.called(context, self.armature))
        shown = reading.read(context, armature, self._request())
        again = self.editable_result(context)
        source, known = shown, []
        if again is not None:
            source = reading.read_actions(scene_of(context), armature, again.made_of, again.request, again.recipe)
            assert isinstance(again.recipe, Warp)
            known = spread_poses.known_rows(again.recipe, source.body.skeleton.names)
            self.again = again.into[0].name_full
        rows = spreading.rows(context, armature, source, shown, known)
        self.corrections = declared(Warp)["corrections"].as_text(tuple(rows))
        self.bones = spread_poses.names_of(source.body.skeleton.names)


class EventsOperator(AgainOperator):
    """Moves and holds the listed events; in an action whose events were moved, of its source."""

    recipe: ClassVar[type[Recipe]] = MoveEvents

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        rows = properties.settings_of(scene_of(context)).events
        if target_armature.by_button(context) and not any(
            row.first != row.to or row.hold or row.anticipation for row in rows
        ):
            cls.poll_message_set(
                "Add an event at its frame, and say at which frame it is to come or how long it is held"
            )
            return False
        return True

    def from_panel(self, context: bpy.types.Context) -> None:
        given = self.properties.is_property_set("events")
        super().from_panel(context)
        if given:
            return
        if len(self.sources) != 1:
            raise LoomError("Events are moved in one action at a time: choose Active Action")
        again = self.editable_result(context)
        own = present(contact_rows.action_of(target_armature.called(context, self.armature)))
        action = own if again is None else again.made_of[0][0]
        span = again.request.sources[0].span if again is not None else None
        if again is not None:
            self.again = again.into[0].name_full
        elif len(self.readings) and self.readings[0].last > self.readings[0].first:
            span = self.readings[0].first, self.readings[0].last
        first = contact_rows.frames_of(action, span)[0]
        rows = properties.settings_of(scene_of(context)).events
        moved = tuple(
            (float(row.first - first), float(row.to - first), round(row.hold, 4), round(row.anticipation, 4))
            for row in rows
        )
        if any(frame < 0.0 for row in moved for frame in row[:2]):
            raise LoomError(f"{action.name} begins at frame {first}: give the events frames within it")
        self.events = declared(MoveEvents)["events"].as_text(moved)

    def write_one(self, context: bpy.types.Context, request: Request, read: Any, recipe: Any, made: Any) -> Any:
        from ...services.contacts import pose_markers
        from ...services.weaving import writing

        written = super().write_one(context, request, read, recipe, made)
        if self.again:
            pose_markers.carry_over(writing.source_of(read, 0)[0], written.action, made)
        return written


class PlaceOperator(EditOperator):
    """Places an action, after another one if that is named."""

    recipe: ClassVar[type[Recipe]] = Place

    after: bpy.props.StringProperty(name="After", description="Name of the action whose end it goes on from, if any")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        settings = properties.settings_of(scene_of(context))
        if target_armature.by_button(context) and settings.place.where == "after" and settings.place_after is None:
            cls.poll_message_set("Choose the action that it goes on from")
            return False
        return True

    def from_panel(self, context: bpy.types.Context) -> None:
        given = self.properties.is_property_set("after")
        super().from_panel(context)
        chosen = properties.settings_of(scene_of(context)).place_after
        where = option_properties.value_of(self, declared(Place)["where"])
        if not given and chosen is not None and where in ("auto", "after"):
            self.after = chosen.name_full

    def others(self) -> tuple[Source, ...]:
        return (Source(name=self.after),) if self.after else ()


class ReachOperator(EditOperator):
    """Takes its target from an object or the 3D cursor, and its frame from the scene, where the panel has none."""

    recipe: ClassVar[type[Recipe]] = Reach

    def from_panel(self, context: bpy.types.Context) -> None:
        given = self.properties.is_property_set("target")
        when = any(self.properties.is_property_set(name) for name in ("from_frame", "to_frame"))
        super().from_panel(context)
        values = option_properties.values_of(self, Reach)
        if not given and not values["target"].strip():
            self.target = self._place(context)
        if not when and (values["from_frame"], values["to_frame"]) == (0, -1):
            self.from_frame = self._frame(context)

    def _place(self, context: bpy.types.Context) -> str:
        """Where the object is that is to be reached, or the 3D cursor, as a row of the recipe."""
        from ...bridge import rig

        scene, armature = scene_of(context), present(target_armature.called(context, self.armature))
        chosen = properties.settings_of(scene).reach_object
        place = scene.cursor.location if chosen is None else chosen.matrix_world.translation
        metres = rig.read(armature).world_metres
        return declared(Reach)["target"].as_text((tuple(metres * value for value in place[:]),))

    def _frame(self, context: bpy.types.Context) -> int:
        """The current frame, counted in the action."""
        action = contact_rows.action_of(target_armature.called(context, self.armature))
        if action is None or not len(self.readings):
            return 0
        reading = self.readings[0]
        span = (reading.first, reading.last) if reading.last > reading.first else None
        first, last = contact_rows.frames_of(action, span)
        number = scene_of(context).frame_current
        if not first <= number <= last:
            raise LoomError(f"Frame {number} is not within {action.name}, which goes from {first} to {last}: go there")
        return number - first


_BASES: dict[type[Recipe], type[EditOperator]] = {
    Place: PlaceOperator,
    Plant: PlantOperator,
    Reach: ReachOperator,
    Warp: SpreadOperator,
    MoveEvents: EventsOperator,
}


def _operators() -> list[type]:
    recipes = [row.recipe for row in OF_ONE_BODY.values() if row.recipe.of_action]
    bases = [_BASES.get(one) or type(f"{one.__name__}Base", (EditOperator,), {"recipe": one}) for one in recipes]
    return [base.operator(one) for one in bases]


register, unregister = bpy.utils.register_classes_factory(_operators())
