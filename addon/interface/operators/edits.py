"""Make an operator for every verb that edits one action, as a new one or in place; some need hooks."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError, no_frame
from ....core.options import declared_options
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Source, SourceOptions
from ....core.verbs import OF_ONE_BODY, Bake, MoveEvents, Place, Plant, Reach, Warp
from ...ground import option_properties, steps
from ...ground.blender_types import by_full_name, present, scene_of
from ...model import contact_rows, lists, properties, target_armature
from ...services.sources import source_list
from . import polls
from .reports import EachResult
from .result_hooks import ResultHooks
from .verb_operator import AddedOperators, VerbOperator, operator, registration

if TYPE_CHECKING:
    from ...services.results import rebuilding
    from ...services.weaving.reading import Inputs
    from ...services.weaving.writing import Written


class EditHooks(ResultHooks):
    """Edit one action or each ticked one; an editable result is made again from its own source."""

    nothing = "The armature has no action: play one, or tick actions in the list"
    one_by_one = True

    which: bpy.props.EnumProperty(name="Actions", items=lists.OWN)
    replace: bpy.props.BoolProperty(
        name="Replace",
        description="Replace the action with the result; a copy of the action is kept",
        default=False,
    )
    filled: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})  # the choice that filled the sources
    again: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})  # the result to make again, if any

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        if not polls.poll_armature(cls, context) or not polls.poll_parts(cls, context, cls.recipe):
            return False
        return polls.poll_partner(cls, context, cls.recipe) and polls.poll_unless(
            cls, target_armature.invoked_from_panel(context) and not _has_own(context), self.nothing
        )

    def draw(self, op: Any, layout: bpy.types.UILayout) -> None:
        if op.filled:
            layout.prop(op, "which")
        layout.prop(op, "replace")

    def is_unfilled(self, op: Any) -> bool:
        return super().is_unfilled(op) or op.filled not in ("", op.which)

    def fill_sources(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        if not op.filled:
            settings = properties.settings_of(scene_of(context))
            for name in {"which", "replace"} - given:
                setattr(op, name, getattr(settings, f"edit_{name}"))
        op.filled = op.which
        for source in _own(context, op.about(context), op.which):
            whole = ("first", "last") if op.replace else ()  # in place, keys outside a range would be lost
            names = [name for name in declared_options(SourceOptions) if name not in whole]
            op.add_source(source.name, reading={name: getattr(source, name) for name in names})

    def read(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object
    ) -> "steps.Steps[tuple[Inputs, ...]]":
        from ...services.results import rebuilding
        from ...services.weaving.reading import Inputs

        if not op.again:
            return (yield from super().read(op, context, armature))
        known = rebuilding.inputs_of(_named_again(op), overwrite_edits=False)
        made = yield from rebuilding.read_again_in_steps(scene_of(context), armature, known)
        return (Inputs(made.request, made.read, op.recipe_now()),)

    def write(self, op: Any, context: bpy.types.Context, inputs: "Inputs", made: Any) -> "Written":
        from ...model import storage
        from ...services.results import rebuilding, replacing

        if op.again:
            action = _named_again(op)
            into = action, storage.find_slot(action, storage.of_result(action).slot)
            return rebuilding.write(context, inputs, made, into)
        return replacing.write(context, inputs, made) if op.replace else super().write(op, context, inputs, made)

    def is_unchanged(self, op: Any, inputs: "Inputs", made: Any) -> bool:
        # The source differs from the action that is made again.
        return not op.again and super().is_unchanged(op, inputs, made)

    def remember(self, op: Any, context: bpy.types.Context, one: EachResult) -> None:
        """Store nothing: the panel's state refers to the last woven result."""


def _has_own(context: bpy.types.Context) -> bool:
    """Return whether the panel's button has an action to work on."""
    armature, scene = target_armature.armature(context), scene_of(context)
    if armature is None or target_armature.action(context) is not None:
        return armature is not None
    return source_list.has_own(scene, armature, properties.settings_of(scene).edit_which)


def _own(context: bpy.types.Context, armature: bpy.types.Object | None, which: str) -> list[Source]:
    action = target_armature.action(context)
    if armature is not None and action is not None:
        return [source_list.source_of_action(scene_of(context), armature, action)]
    return [] if armature is None else source_list.own_sources(scene_of(context), armature, which)


def _named_again(op: Any) -> bpy.types.Action:
    action = by_full_name(bpy.data.actions, op.again)
    if action is None:
        raise LoomError(f"{op.again} was deleted while its actions were woven: nothing was written")
    return action


def _editable_result(op: Any, context: bpy.types.Context) -> "rebuilding.RebuildInputs | None":
    """Return the inputs to make the action again, None if another recipe made it; raises LoomError."""
    from ...services.poses import spread_poses
    from ...services.results import rebuilding

    action = contact_rows.action_of(present(op.about(context)))
    names = [source.name for source in op.sources]
    if action is None or names != [action.name_full] or not spread_poses.is_made_by(action, op.recipe):
        return None
    return rebuilding.inputs_of(action, overwrite_edits=False)


def _check_one(op: Any) -> None:
    if len(op.sources) != 1:
        raise LoomError(f"{op.recipe.label} changes one action at a time: choose Playing Action")


def _span(op: Any) -> tuple[int, int] | None:
    """Return the frame range to read of the first source, None for all."""
    reading = op.readings[0] if len(op.readings) else None
    return (reading.first, reading.last) if reading is not None and reading.last > reading.first else None


class PlantHooks(EditHooks):
    """Plant feet at the edited contact rows of the armature's action, if there are any."""

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        action = contact_rows.action_of(op.about(context))
        held = contact_rows.of(scene_of(context), action)
        if "spans" in given or action is None or held is None or not held.edited:
            return
        if [one.name for one in op.sources] == [action.name_full]:
            frames = contact_rows.frames_of(action, _span(op))
            op.spans = declared_options(Plant)["spans"].as_text(
                contact_rows.as_spans(contact_rows.contacts_of(held), frames)
            )


class SpreadHooks(EditHooks):
    """Spread the armature's pose at the current frame; an action that already has spread poses gets another one."""

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        from ...services.poses import spread_poses, spreading
        from ...services.results import rebuilding
        from ...services.weaving import reading

        if not given.isdisjoint(("corrections", "poses")):
            return
        _check_one(op)
        armature = present(op.about(context))
        shown = reading.read(context, armature, op.request(), Warp())
        again, source, known = _editable_result(op, context), shown, []
        if again is not None:
            source = rebuilding.read_again(scene_of(context), armature, again).read
            assert isinstance(again.recipe, Warp)
            known = spread_poses.known_rows(again.recipe, source.body.skeleton.names)
            op.again = again.into[0].name_full
        rows = spreading.rows(context, armature, source, shown, known)
        op.corrections = declared_options(Warp)["corrections"].as_text(tuple(rows))
        op.bones = spread_poses.names_of(source.body.skeleton.names)


class EventsHooks(EditHooks):
    """Move and hold the listed events; an action whose events were moved is made again from its source."""

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        if not super().poll(cls, context):
            return False
        rows = properties.settings_of(scene_of(context)).events
        if target_armature.invoked_from_panel(context) and not any(
            row.first != row.to or row.hold or row.anticipation for row in rows
        ):
            cls.poll_message_set("Add an event, then give it a new frame or a hold")
            return False
        return True

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        if "events" in given:
            return
        _check_one(op)
        again = _editable_result(op, context)
        action, span = present(contact_rows.action_of(op.about(context))), _span(op)
        if again is not None:
            action, span = again.made_of[0][0], again.request.sources[0].span
            op.again = again.into[0].name_full
        first = contact_rows.frames_of(action, span)[0]
        moved = tuple(
            (float(row.first - first), float(row.to - first), round(row.hold, 4), round(row.anticipation, 4))
            for row in properties.settings_of(scene_of(context)).events
        )
        if any(frame < 0.0 for row in moved for frame in row[:2]):
            raise LoomError(f"{action.name} begins at frame {first}: give the events frames within it")
        op.events = declared_options(MoveEvents)["events"].as_text(moved)

    def write(self, op: Any, context: bpy.types.Context, inputs: "Inputs", made: Any) -> "Written":
        from ...services.contacts import pose_markers
        from ...services.weaving import writing

        written = super().write(op, context, inputs, made)
        if op.again:
            pose_markers.carry_over(writing.sources_of(inputs.read)[0][0], written.action, made)
        return written


class PlaceHooks(EditHooks):
    """Place an action, after another action if one is named."""

    # name of the action to go on from, if any
    after: bpy.props.StringProperty()

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        if not super().poll(cls, context):
            return False
        settings = properties.settings_of(scene_of(context))
        if (
            target_armature.invoked_from_panel(context)
            and settings.place.where == "after"
            and settings.place_after is None
        ):
            cls.poll_message_set("Choose the action to go on from")
            return False
        return True

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        chosen = properties.settings_of(scene_of(context)).place_after
        where = option_properties.value_of(op, declared_options(Place)["where"])
        if "after" not in given and chosen is not None and where in ("auto", "after"):
            op.after = chosen.name_full

    def others(self, op: Any) -> tuple[Source, ...]:
        return (Source(name=op.after),) if op.after else ()


class ReachHooks(EditHooks):
    """Reach an object or the 3D cursor at the current scene frame, if the panel sets no target or frame."""

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        values = option_properties.values_of(op, Reach)
        if "target" not in given and not values["target"].strip():
            op.target = self._place(op, context)
        frames = values["from_frame"], values["to_frame"]
        if given.isdisjoint(("from_frame", "to_frame")) and frames == (0, -1):
            op.from_frame = self._frame(op, context)

    def _place(self, op: Any, context: bpy.types.Context) -> str:
        """Return the place of the object, or of the 3D cursor, as a row of the recipe."""
        from ...bridge import rig

        scene, armature = scene_of(context), present(op.about(context))
        chosen = properties.settings_of(scene).reach_object
        place = scene.cursor.location if chosen is None else chosen.matrix_world.translation
        metres = rig.read(armature).world_metres
        return declared_options(Reach)["target"].as_text((tuple(metres * value for value in place[:]),))

    def _frame(self, op: Any, context: bpy.types.Context) -> int:
        """Return the current frame, counted in the action."""
        action = contact_rows.action_of(op.about(context))
        if action is None or not len(op.readings):
            return 0
        first, last = contact_rows.frames_of(action, _span(op))
        number = scene_of(context).frame_current
        if not first <= number <= last:
            raise no_frame(action.name, number, first, last)
        return number - first


class BakeHooks(EditHooks):
    """Bake an action; a result with no visible effect on the armature is not assigned to it."""

    def __init__(self, onto: str = "") -> None:
        self._onto = onto  # the fixed choice of a menu entry; "" for the panel's

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        if not super().poll(cls, context):
            return False
        action = target_armature.action(context) if self._onto else None
        why = "" if action is None else _why_not_baked(present(target_armature.armature(context)), action, self._onto)
        return polls.poll_unless(cls, why, why)

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        if self._onto and "onto" not in given:
            op.onto = self._onto

    def inputs(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object
    ) -> "steps.Steps[tuple[Inputs, ...]]":
        if self._onto and not op.properties.is_property_set("onto"):  # by a script
            op.onto = self._onto
        return (yield from super().inputs(op, context, armature))

    def completed(self, op: Any, inputs: "Inputs") -> "Inputs":
        if op.replace and inputs.read.covered:
            raise LoomError("Baked bones do not show on a rig that poses them: switch Replace off")
        return inputs


def _why_not_baked(armature: bpy.types.Object, action: bpy.types.Action, onto: str) -> str:
    from ...bridge import curves
    from ...services.weaving import to_bake

    try:
        slot = curves.choose_slot(action, armature)
    except LoomError as error:
        return str(error)
    return to_bake.why_not(armature, (action, slot), Bake(onto=onto))


_HOOKS: dict[type[Recipe], EditHooks] = {
    Place: PlaceHooks(),
    Plant: PlantHooks(),
    Reach: ReachHooks(),
    Warp: SpreadHooks(),
    MoveEvents: EventsHooks(),
    Bake: BakeHooks(),
}
_RECIPES = [row.recipe for row in OF_ONE_BODY.values() if row.recipe.of_action]

_PRESETS = (
    (
        "bones",
        "Bake to Deform Bones",
        "Make an action that keys the bones on every frame as they are seen, for engines",
    ),
    (
        "controls",
        "Bake to Controls",
        "Make an action that keys the rig's controls, so that its bones go where this action has them",
    ),
)

register = registration(
    [operator(recipe, _HOOKS.get(recipe) or EditHooks()) for recipe in _RECIPES]
    + [
        operator(Bake, BakeHooks(onto), idname=f"bake_to_{onto}", label=label, tooltip=tooltip)
        for onto, label, tooltip in _PRESETS
    ],
    AddedOperators(EditHooks(), of_action=True),
)
