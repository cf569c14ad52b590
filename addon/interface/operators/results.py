"""Load a result's recipe back into the panel, or make the result again from its current sources."""

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError, OptionError, RigError, some
from ....core.options import declared_options
from ....core.recipes.base import Recipe
from ....core.recipes.graph import GraphWalk
from ....core.recipes.matching import Matching
from ....core.recipes.reading import Request
from ....core.verbs import Ask, Blend, CutOut, Follow, Plant, Restyle, Walk
from ...bridge import result_mark
from ...ground import jobs, option_properties, registrar, steps, troubles
from ...ground.blender_types import OperatorReturn, SlottedAction, by_full_name, find_named, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import contact_rows, frame_conversion, lists, properties, readiness, target_armature
from ...services.results import changed_sources
from ...services.sources import source_list
from . import polls, reports
from .background import BackgroundOperator
from .reports import EachResult

if TYPE_CHECKING:
    from ....core.weave.results import Result
    from ...model.storage import Stored
    from ...services.weaving.reading import Inputs


def poll_result(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Return whether there is an armature and, for a button, whether its action is our result; set the poll message."""
    if not polls.poll_armature(cls, context):
        return False
    data = present(target_armature.armature(context)).animation_data
    if target_armature.invoked_from_panel(context) and (data is None or not result_mark.is_result(data.action)):
        cls.poll_message_set("The armature's action was not made by Action Loom")
        return False
    return True


def choose_action(name: str, armature: bpy.types.Object) -> bpy.types.Action:
    """Return the action of a name, or the armature's own for an empty name; raises LoomError."""
    if name:
        action = find_named(bpy.data.actions, name)
        if action is None:
            raise LoomError(f"There is no action named {name!r}")
        return action
    data = armature.animation_data
    if data is None or data.action is None:
        raise LoomError(f"{armature.name} has no action: play one, or tick actions in the list")
    return data.action


class ACTION_LOOM_OT_rebuild(BackgroundOperator, bpy.types.Operator):
    bl_idname = "action_loom.rebuild"
    bl_label = "Rebuild"
    bl_description = "Weave again with the settings it was made with, from its sources as they are now"
    bl_options = {"REGISTER", "UNDO"}

    # name of the result; the armature's action if empty
    action: bpy.props.StringProperty(options={"HIDDEN"})
    overwrite_edits: bpy.props.BoolProperty(
        name="Overwrite Edits",
        description="Replace the keys even if they were edited by hand",
        default=False,
        options={"SKIP_SAVE"},
    )
    # when its feet stand, rows as its recipe has them; as there if not given, found if empty
    spans: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    # options of its recipe to change first, as JSON such as {"from_frame": 12}
    options: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def description(cls, context: bpy.types.Context, asked: Any) -> str:
        action = contact_rows.action_of(target_armature.armature(context))
        changed = () if action is None or asked.action else changed_sources.names(action)
        return translate_text(f"{', '.join(changed)} changed since this was made: weave it again") if changed else ""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return poll_result(cls, context)

    def has_edits(self, context: bpy.types.Context) -> bool:
        from ...model import storage

        return storage.edited_by_hand(choose_action(self.action, present(target_armature.armature(context))))

    def from_panel(self, context: bpy.types.Context) -> None:
        """Take edited contacts and a take's row from the panel; the recipe is stored on the result."""
        if self.action or self.properties.is_property_set("spans") or self.options:
            return  # a script that names its result or contacts does not use the panel
        armature = present(target_armature.armature(context))
        action = choose_action("", armature)
        self.options = _options_now(context, armature, action)
        held = contact_rows.of(scene_of(context), action)
        if held is None or not contact_rows.is_rewoven(action):
            return
        contacts = contact_rows.contacts_of(held) if held.edited else []
        rows = contact_rows.as_spans(contacts, contact_rows.frames_of(action))
        self.spans = declared_options(Plant)["spans"].as_text(rows)

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[Inputs]":
        from ...services.results import rebuilding

        self.from_panel(context)
        action = choose_action(self.action, present(target_armature.armature(context)))
        again = rebuilding.inputs_of(action, overwrite_edits=self.overwrite_edits)
        self._into = again.into[0].session_uid
        armature = again.armature or present(target_armature.armature(context))
        why = readiness.why_not(armature)  # the armature may be inactive
        if why:
            raise RigError(why)
        recipe = self._with_options(again.recipe)
        inputs = yield from rebuilding.read_again_in_steps(scene_of(context), armature, again)
        self._metres = inputs.read.body.world_metres
        return dataclasses.replace(inputs, recipe=self._with_spans(recipe))

    def _with_options(self, recipe: Recipe) -> Recipe:
        """Return a recipe with the options that the caller has changed; raises OptionError."""
        try:
            given = json.loads(self.options or "{}")
        except ValueError as error:
            raise OptionError(f"Options are {self.options!r}, but must be JSON: {error}") from None
        if not isinstance(given, dict) or set(given) - set(declared_options(type(recipe))):
            known = ", ".join(declared_options(type(recipe)))
            raise OptionError(f"Options are {self.options!r}, but must be some of {known}")
        return dataclasses.replace(recipe, **given) if given else recipe

    def _with_spans(self, recipe: Recipe) -> Recipe:
        options = declared_options(type(recipe))
        if "spans" not in options or not self.properties.is_property_set("spans"):
            return recipe
        given: dict[str, Any] = {"spans": self.spans}
        if self.spans and "plant_feet" in options:
            given["plant_feet"] = True
        return dataclasses.replace(recipe, **given)

    def ready(self, context: bpy.types.Context, inputs: "Inputs", made: "Result") -> "steps.Steps[None]":
        from ...services.weaving import writing

        yield from writing.ready_in_steps(context, inputs, made)

    def finish(self, context: bpy.types.Context, inputs: "Inputs", made: "Result") -> OperatorReturn:
        from ...services.results import rebuilding

        written = rebuilding.write(context, inputs, made, rebuilding.place_of(self._into))
        written = dataclasses.replace(written, notes=(*written.notes, *_to_rebuild(context, inputs, written.action)))
        reports.report_results(self, context, [EachResult(inputs, made, written)])
        return {"FINISHED"}


def _options_now(context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action) -> str:
    """Return the panel's row options of an action in a set, as JSON; "" for any other action."""
    from ...model import storage
    from ...services.takes import set_rows

    recipe, rig = storage.recipe_of(action), properties.rig_of(scene_of(context), armature)
    if not isinstance(recipe, CutOut) or rig is None or rig.take is None:
        return ""
    line = next(iter(lists.own_lines(rig, rig.take)), None)
    first = round(rig.take.frame_range[0]) if line is None else frame_conversion.first_frame(line)
    now = set_rows.recipe_again(rig, action, recipe, first)
    return "" if now is None else json.dumps({k: v for k, v in json.loads(now.to_json()).items() if k != "verb"})


def _to_rebuild(context: bpy.types.Context, inputs: "Inputs", action: bpy.types.Action) -> list[str]:
    """Return a message about actions of a set that still end with the pose of a loop before its rebuild."""
    from ...services.takes import set_rows

    rig = properties.rig_of(scene_of(context), properties.of_session(bpy.data.objects, inputs.read.armature))
    if not isinstance(inputs.recipe, CutOut) or not inputs.recipe.loop or rig is None:
        return []
    row = next((one for one in rig.take_rows if one.made == action), None)
    names = [] if row is None else set_rows.meets(rig, row)
    return [f"{some(names)} still meet the earlier {action.name}: rebuild them, too"] if names else []


class ACTION_LOOM_OT_edit_recipe(bpy.types.Operator):
    bl_idname = "action_loom.edit_recipe"
    bl_label = "Edit Recipe"
    bl_description = "Put this result's sources and options back into the tab, to change it or weave another"
    bl_options = {"REGISTER", "UNDO"}

    # name of the result; the armature's action if empty
    action: bpy.props.StringProperty(options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return poll_result(cls, context)

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...model import storage

        action = choose_action(self.action, present(target_armature.armature(context)))
        made_of, missing = storage.look_for_sources(action)
        if missing and isinstance(storage.of_result(action).recipe, Follow):  # its stretches count the sources
            raise RigError(missing[0])
        self._load(context, storage.of_result(action), made_of, storage.players_of(action))
        troubles.clear(present(target_armature.armature(context)).session_uid)  # the recipe answers it
        for sentence in missing:  # another action can be ticked instead
            self.report({"WARNING"}, sentence)
        if self._note(context, action):
            self.report({"INFO"}, f"The options of {action.name} are in the tab: change some, then Update it")
        else:
            self.report({"INFO"}, f"The options of {action.name} are in the tab: change some, and weave another")
        return {"FINISHED"}

    def _note(self, context: bpy.types.Context, action: bpy.types.Action) -> bool:
        """Note the result whose settings are in the panel Weave; return whether Update can write them into it.

        Tools have their own panel, and Rebuild takes the panel's row of a take.
        """
        from ...model import storage

        kept, scene = storage.of_result(action), scene_of(context)
        rig = properties.rig_of(scene, kept.armature or present(target_armature.armature(context)))
        fits = bool(kept.recipe.mode) and not isinstance(kept.recipe, CutOut) and storage.leader_of(action) == action
        rig.edited = action if fits else None
        return fits

    def _load(
        self,
        context: bpy.types.Context,
        kept: "Stored",
        found: list[SlottedAction | None],
        players: list[bpy.types.Object | None],
    ) -> None:
        """Fill the panel with a recipe and its sources, None for each missing one; raises LoomError kinds before."""
        from ...services.paths import path_stretches
        from ...services.results import rebuilding
        from ...services.styles import style_labels
        from ...services.weights import weights_over_time

        request, recipe = kept.request, rebuilding.current_recipe(kept, found)
        reference = recipe.reference_index(len(found)) if isinstance(recipe, Matching) else 0
        if isinstance(recipe, Follow):
            recipe.stretch_rows(len(found))
            recipe.stretch_splices()
        labels = [] if isinstance(recipe, Restyle) else getattr(recipe, "labels", "").split()
        if isinstance(recipe, Blend):
            recipe.shares(len(found))
        weights = getattr(recipe, "weights", ()) or (1.0,) * len(found)
        if len(weights) != len(found):
            raise OptionError(f"{len(weights)} weights were given for {len(found)} sources: weave them again")

        settings = properties.settings_of(scene_of(context))
        rig = properties.ensure_rig(scene_of(context), kept.armature or present(target_armature.armature(context)))
        asked = [
            dataclasses.replace(source, armature="" if player is None else player.name_full)
            for source, player in zip(request.sources, players, strict=True)
        ]
        weights_over_time.settle(scene_of(context))
        for line in rig.sources:
            line.use = False
        if isinstance(recipe, Follow):
            path_stretches.load(settings, rig, recipe, [one for one in found if one is not None], asked)
            found, asked = recipe.prepared_of(found), recipe.prepared_of(asked)
            weights = (1.0,) * len(found)
        every = zip(found, weights, asked, (*labels, *("-" for _ in found)), strict=False)
        there_now = [(one, weight, source, label) for one, weight, source, label in every if one is not None]
        for place, ((action, slot), weight, source, label) in enumerate(there_now):
            lines = list(rig.sources)
            if not any(line.action == action for line in lines[place:]):  # an action can have several lines
                source_list.add(rig, action, use=True)
                lines = list(rig.sources)
            there = next(k for k in range(place, len(lines)) if lines[k].action == action)
            rig.sources.move(there, place)  # the order matters, for example in Connect
            line = rig.sources[place]
            line.use, line.weight = True, weight
            source_list.load(line, source, slot)
            line.label = "" if label == "-" else label
        if isinstance(recipe, Restyle):
            people = style_labels.to_panel(settings, recipe.labels)
            settings.kept_style = bpy.data.texts.get(recipe.kept)
            for line in rig.sources:
                line.label = people.get(line.action.name, "") if line.use else line.label
            reference = 0
        if isinstance(recipe, Ask):
            reference = 0
        if isinstance(recipe, Ask | Walk):
            along = by_full_name(bpy.data.objects, request.curve) if request.curve else None
            settings.ask_curve = along if along is not None and along.type == "CURVE" else None
        if reference is not None:
            rig.reference = sum(one is not None for one in found[:reference])
        if recipe.mode or isinstance(recipe, GraphWalk):
            settings.mode = recipe.verb if recipe.mode else Follow.verb  # Path's panel includes all walks
        self._load_options(settings, recipe, request)
        if isinstance(recipe, Blend):
            weights_over_time.load(scene_of(context), rig, recipe.weight_keys)
            settings.blend.weight_keys = ""  # the list now has them
        if isinstance(recipe, Follow):
            made = by_full_name(bpy.data.objects, request.curve)
            settings.curve = made if made is not None and made.type == "CURVE" else None

    def _load_options(self, settings: Any, recipe: Recipe, request: Request) -> None:
        for group in properties.groups(settings, type(recipe))[:-1]:
            for name, about in option_properties.options_of(type(recipe)).items():
                if name in group.bl_rna.properties and name != "spans":  # spans belong to this result only
                    option_properties.set_value(group, about, getattr(recipe, name))
        for values in (request.result, request.reading):
            for name, about in option_properties.options_of(type(values)).items():
                option_properties.set_value(settings.result, about, getattr(values, name))


class ACTION_LOOM_OT_cancel(bpy.types.Operator):
    bl_idname = "action_loom.cancel"
    bl_label = "Cancel"
    bl_description = "Stop the running work; nothing is changed"
    bl_options = {"REGISTER", "INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_unless(cls, jobs.running() is None, "Nothing is going on")

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        job = jobs.running()
        if job is not None:
            job.cancel()
        return {"FINISHED"}


def _forget_edited(scene: bpy.types.Scene, _context: bpy.types.Context) -> None:
    """Forget which result Edit has loaded, because the panel shows another mode."""
    for rig in properties.settings_of(scene).rigs:
        rig.edited = None


def register() -> None:
    registrar.add_classes((ACTION_LOOM_OT_rebuild, ACTION_LOOM_OT_edit_recipe, ACTION_LOOM_OT_cancel))
    registrar.append(properties.when_mode_changed, _forget_edited)
