"""Results again: their recipe back into the panel, and made anew from their sources as they are now."""

from typing import TYPE_CHECKING, Any

import bpy

from ...core.errors import LoomError
from ...core.options import declared
from ...core.recipes import Follow, Recipe, ShortestPath, Walk
from .. import jobs, properties
from . import common, sources
from .making import Making

if TYPE_CHECKING:
    from ...core.weave.woven import Woven
    from .. import weaving


def is_result(action: Any) -> bool:
    """Say whether an action holds a recipe; cheap enough for drawing."""
    from .. import storage

    return action is not None and storage.KEY in action


def poll_result(cls: Any, context: Any) -> bool:
    """Say whether an armature is there and, for a button, its action is a result of ours."""
    if not common.poll_armature(cls, context):
        return False
    data = context.object.animation_data
    if common.asked_by_a_button(context) and (data is None or not is_result(data.action)):
        cls.poll_message_set("The armature's action was not made by Action Loom")
        return False
    return True


def chosen(name: str, armature: Any) -> Any:
    """Return the action of a name, or the armature's own where none is given; raises LoomError."""
    if not name:
        return armature.animation_data.action
    action = bpy.data.actions.get(name)
    if action is None:
        raise LoomError(f"There is no action named {name!r}")
    return action


class ACTION_LOOM_OT_rebuild(Making, bpy.types.Operator):
    bl_idname = "action_loom.rebuild"
    bl_label = "Rebuild"
    bl_description = "Make the armature's result anew from its sources as they are now, by its recipe"
    bl_options = {"REGISTER", "UNDO"}

    action: bpy.props.StringProperty(
        name="Result", description="Name of the result; the armature's action if empty", options={"HIDDEN"}
    )
    overwrite_edits: bpy.props.BoolProperty(
        name="Overwrite Edits",
        description="Replace the keys even if they were edited by hand after they were made",
        default=False,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return poll_result(cls, context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        from .. import storage

        try:
            edited = storage.edited_by_hand(chosen(self.action, context.object))
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if edited and not bpy.app.background:
            self.overwrite_edits = True  # what the dialog's button says
            return context.window_manager.invoke_confirm(
                self, event, title="Edited by hand", message="Replace the keys that were edited?", icon="WARNING"
            )
        return super().invoke(context, event)

    def from_panel(self, context: Any) -> None:
        """Nothing: the recipe is on the result."""

    def ask(self, context: Any) -> "tuple[weaving.Request, weaving.Read, Recipe]":
        from .. import weaving

        action = chosen(self.action, context.object)
        again = weaving.again(action, overwrite_edits=self.overwrite_edits)
        self._into = action.session_uid
        read = weaving.read_actions(context.scene, again.armature or context.object, again.made_of, again.request)
        return again.request, read, again.recipe

    def finish(
        self, context: Any, request: "weaving.Request", read: "weaving.Read", recipe: Recipe, woven: "Woven"
    ) -> set[str]:
        from .. import live, storage, weaving

        action = weaving.found(bpy.data.actions, self._into, "The result")
        kept = storage.stored(action)
        assert kept is not None
        into = action, storage.find_slot(action, kept.slot)
        written = weaving.write(context, request, read, recipe, woven, into=into)
        live.remember(request, read, recipe, action)
        common.tell(self, context, read, written, woven)
        return {"FINISHED"}


class ACTION_LOOM_OT_edit_recipe(bpy.types.Operator):
    bl_idname = "action_loom.edit_recipe"
    bl_label = "Edit"
    bl_description = "Load the recipe of the armature's result back into the panel"
    bl_options = {"REGISTER", "UNDO"}

    action: bpy.props.StringProperty(
        name="Result", description="Name of the result; the armature's action if empty", options={"HIDDEN"}
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return poll_result(cls, context)

    def execute(self, context: Any) -> set[str]:
        from .. import storage

        try:
            action = chosen(self.action, context.object)
            kept = storage.stored(action)
            if kept is None:
                raise LoomError(f"{action.name} was not made by Action Loom")
            found = storage.find_sources(action)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._load(context, kept, found)
        self.report({"INFO"}, f"The recipe of {action.name} is in the panel")
        return {"FINISHED"}

    def _load(self, context: Any, kept: Any, found: list[tuple[Any, Any]]) -> None:
        from .. import weaving

        settings = context.scene.action_loom
        rig = properties.ensure_rig(context.scene, kept.armature or context.object)
        request, recipe = weaving.asked_of(kept), weaving.recipe_now(kept, found)
        asked = list(request.sources)
        for line in rig.sources:
            line.use = False
        if isinstance(recipe, Follow):
            found, asked = self._load_stretches(settings, recipe, found), recipe.walked(asked)
        weights = getattr(recipe, "weights", ()) or (1.0,) * len(found)
        for place, ((action, slot), weight, wanted) in enumerate(zip(found, weights, asked, strict=True)):
            lines = list(rig.sources)
            if not any(line.action == action for line in lines[place:]):  # an action can be listed more than once
                sources.add(rig, action, use=True)
                lines = list(rig.sources)
            there = next(k for k in range(place, len(lines)) if lines[k].action == action)
            rig.sources.move(there, place)  # the order counts: it is that in which they are connected, for one
            line = rig.sources[place]
            line.use, line.weight, line.rate = True, weight, wanted.rate
            line.slot = slot.identifier if slot is not None and wanted.slot else ""
            line.use_range = wanted.span is not None
            if wanted.span is not None:
                line.first, line.last = wanted.span
        reference = getattr(recipe, "reference", "1")
        if reference.isdigit() and int(reference) <= len(found):
            rig.reference = int(reference) - 1
        options = declared(type(recipe))
        mode = "follow" if isinstance(recipe, Walk | ShortestPath) else recipe.verb  # whose panel has them all
        if mode in settings.bl_rna.properties["mode"].enum_items:
            settings.mode = mode
        for group in properties.groups(settings, type(recipe))[:-1]:
            for name in options:
                if name in group.bl_rna.properties:
                    value = getattr(recipe, name)
                    setattr(group, name, options[name].as_text(value) if options[name].table else value)
        for name in properties.RESULT_OPTIONS:
            setattr(settings.result, name, getattr(request, name))
        if isinstance(recipe, Follow):
            made = weaving.called(bpy.data.objects, request.curve)
            settings.curve = made if made is not None and made.type == "CURVE" else None

    def _load_stretches(self, settings: Any, recipe: Follow, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """Load what a path carries, and return the sources that are walked."""
        settings.stretches.clear()
        for start, end, number in recipe.stretches:
            stretch = settings.stretches.add()
            stretch.action, stretch.start, stretch.end = found[int(number) - 1][0], 100.0 * start, 100.0 * end
        return recipe.walked(found)


class ACTION_LOOM_OT_cancel(bpy.types.Operator):
    bl_idname = "action_loom.cancel"
    bl_label = "Cancel"
    bl_description = "Stop the work that is going on; nothing is changed"

    @classmethod
    def poll(cls, context: Any) -> bool:
        if jobs.running() is None:
            cls.poll_message_set("Nothing is going on")
            return False
        return True

    def execute(self, context: Any) -> set[str]:
        job = jobs.running()
        if job is not None:
            job.cancel()
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (ACTION_LOOM_OT_rebuild, ACTION_LOOM_OT_edit_recipe, ACTION_LOOM_OT_cancel)
)
