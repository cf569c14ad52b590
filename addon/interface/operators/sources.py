"""Fill and order the list of sources."""

import time
from functools import partial

import bpy

from ....core.errors import LoomError, some
from ...bridge import rates
from ...ground import registrar, troubles
from ...ground.blender_types import OperatorMixin, OperatorReturn, find_named, present, scene_of
from ...model import contact_rows, lists, properties, target_armature
from ...services.sources import body_roles, first_ticks, source_list
from . import polls


class ACTION_LOOM_OT_add_sources(polls.OnArmature, bpy.types.Operator):
    bl_idname = "action_loom.add_sources"
    bl_label = "Add All Actions"
    bl_description = "List every action of the active armature, also those taken off the list"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        armature = present(target_armature.armature(context))
        rig = properties.ensure_rig(scene_of(context), armature)
        rig.left_out.clear()
        filled = source_list.add_all(rig, armature, bpy.data.actions)
        first_ticks.tick(context, rig, armature)
        body_roles.look_up(rig)
        source_list.note_warnings(context, armature, lists.ticked_lines(rig))
        self._report(armature, filled)
        return {"FINISHED"}

    def _report(self, armature: bpy.types.Object, filled: source_list.Filled) -> None:
        """Report the listed actions, the ones at the end of the list with reasons, and the omitted ones."""
        summary = [f"{len(filled.added)} actions of {armature.name} added"]
        reasons = dict.fromkeys(filter(None, filled.added.values()))
        groups = [([action.name for action, one in filled.added.items() if one == why], why) for why in reasons]
        summary += [f"at the end {some(names)}: {why}" for names, why in groups]
        left_out = ((filled.shape_keys, "shape keys"), (filled.others, "other objects"))
        summary += [f"not listed, of {what}: {some(names)}" for names, what in left_out if names]
        self.report({"INFO"}, "; ".join(summary))


class ACTION_LOOM_OT_add_active_source(polls.OnAction, bpy.types.Operator):
    bl_idname = "action_loom.add_active_source"
    bl_label = "Add Active Action"
    bl_description = "List the action that plays"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        armature = present(target_armature.armature(context))
        data = present(armature.animation_data)
        action = present(data.action)
        if not source_list.moves(action, armature).bones:
            self.report({"ERROR"}, f"{action.name} moves no bone of {armature.name}")
            return {"CANCELLED"}
        rig = properties.ensure_rig(scene_of(context), armature)
        source = source_list.add(rig, action, use=True)
        slot = getattr(data, "action_slot", None)
        if slot is not None and len(action.slots) > 1:
            source.slot = slot.identifier
        rig.active = len(rig.sources) - 1
        body_roles.look_up(rig)
        source_list.note_warnings(context, armature, [source])
        return {"FINISHED"}


class ACTION_LOOM_OT_add_source(polls.OnArmature, bpy.types.Operator):
    bl_idname = "action_loom.add_source"
    bl_label = "Add to Sources"
    bl_description = "List this action and tick it"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    # its name; that of the menu if empty
    action: bpy.props.StringProperty(options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        armature = present(target_armature.armature(context))
        name = self.action
        action = find_named(bpy.data.actions, name) if name else target_armature.action(context)
        if action is None:
            self.report({"ERROR"}, f"There is no action named {name!r}" if name else "Choose an action first")
            return {"CANCELLED"}
        if not source_list.moves(action, armature).bones:
            self.report({"ERROR"}, f"{action.name} moves no bone of {armature.name}")
            return {"CANCELLED"}
        rig = properties.ensure_rig(scene_of(context), armature)
        listed = lists.own_lines(rig, action)
        line = listed[0] if listed else source_list.add(rig, action, use=True)
        line.use = True
        body_roles.look_up(rig)
        source_list.note_warnings(context, armature, [line])
        self.report({"INFO"}, f"{action.name} is listed and ticked")
        return {"FINISHED"}


class ACTION_LOOM_OT_add_selected_sources(bpy.types.Operator):
    bl_idname = "action_loom.add_selected_sources"
    bl_label = "Add from Selected Armatures"
    bl_description = "List actions of the other selected armatures; they are put on this body when they are woven"
    bl_options = {"REGISTER", "UNDO"}

    which: bpy.props.EnumProperty(name="Actions", items=source_list.WHICH)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_others(cls, context)

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        armature, scene = present(target_armature.armature(context)), scene_of(context)
        others = source_list.selected_others(context, armature)
        found = [(one, source) for one in others for source in source_list.sources_of(scene, one, self.which)]
        rig = properties.ensure_rig(scene, armature)
        listed = {(line.action.name_full, line.armature) for line in rig.sources if line.action is not None}
        lines = []
        for other, source in found:
            action = next((one for one in bpy.data.actions if one.name_full == source.name), None)
            if action is None or (source.name, source.armature) in listed:
                continue
            line = source_list.add(rig, action, use=True, player=other)
            source_list.load(
                line, source, next((s for s in getattr(action, "slots", ()) if s.identifier == source.slot), None)
            )
            lines.append(line)
        if not lines:
            self.report({"ERROR"}, f"No action of {some([one.name for one in others])} that is not listed already")
            return {"CANCELLED"}
        rig.active = len(rig.sources) - 1
        body_roles.look_up(rig)
        refused = source_list.note_warnings(context, armature, lines)
        for why in refused:
            self.report({"WARNING"}, why)
        count = f"{len(lines)} action{'s' * (len(lines) > 1)}"
        self.report({"INFO"}, f"{count} of {some([one.name for one in others])} listed for {armature.name}")
        return {"FINISHED"}


class OnList(OperatorMixin):
    """An operator on the active line of the armature's list."""

    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not polls.poll_armature(cls, context):
            return False
        rig = properties.rig_of(scene_of(context), target_armature.armature(context))
        return polls.poll_unless(
            cls, rig is None or not 0 <= rig.active < len(rig.sources), "The list of sources is empty"
        )


class ACTION_LOOM_OT_remove_source(OnList, bpy.types.Operator):
    bl_idname = "action_loom.remove_source"
    bl_label = "Remove"
    bl_description = "Take this action off the list; it stays in the file"

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.weights import weights_over_time

        rig = properties.rig_of(scene_of(context), target_armature.armature(context))
        weights_over_time.settle(scene_of(context))
        action = rig.sources[rig.active].action
        if action is not None:
            lists.hold(rig.left_out.add(), action)
        source_list.remove(rig, rig.active)
        return {"FINISHED"}


class ACTION_LOOM_OT_move_source(OnList, bpy.types.Operator):
    bl_idname = "action_loom.move_source"
    bl_label = "Move Up"
    bl_description = "Move this action up or down in the list"

    # move it down, not up
    down: bpy.props.BoolProperty(default=False, options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.weights import weights_over_time

        rig = properties.rig_of(scene_of(context), target_armature.armature(context))
        here = rig.active
        beyond = range(here + 1, len(rig.sources)) if self.down else range(here - 1, -1, -1)
        # Ticked lines are shown together, so one of them moves past the next ticked one.
        there = next((k for k in beyond if rig.sources[k].use or not rig.sources[here].use), None)
        if there is None:
            return {"CANCELLED"}
        weights_over_time.settle(scene_of(context))
        order = list(range(len(rig.sources)))
        order.insert(there, order.pop(here))
        rig.sources.move(here, there)
        rig.reference = order.index(rig.reference) if rig.reference in order else rig.reference
        rig.active = there
        return {"FINISHED"}


class ACTION_LOOM_OT_play_action(polls.OnShownArmature, bpy.types.Operator):
    bl_idname = "action_loom.play_action"
    bl_label = "Play"
    bl_description = "Play this action and fit the preview range to it"
    bl_options = {"REGISTER", "UNDO"}

    # its name; that of the list's active line if empty
    action: bpy.props.StringProperty(options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.results import playback

        armature = present(target_armature.armature(context))
        try:
            action = _assign_action(context, armature, self.action)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        playback.show(context, armature, action, play=True)
        return {"FINISHED"}


def _assign_action(context: bpy.types.Context, armature: bpy.types.Object, name: str) -> bpy.types.Action:
    """Assign the armature one of its own actions, by name or of the list's active line, and return it.

    Raises LoomError, with nothing changed, for a missing action or one of another armature.
    """
    from ...bridge import curves  # numpy is loaded at first use, not when Blender starts

    rig = properties.rig_of(scene_of(context), armature)
    line = lists.active_line(rig)
    action = find_named(bpy.data.actions, name) if name else line and line.action
    if action is None:
        raise LoomError(f"There is no action named {name!r}" if name else "Choose an action first")
    own = lists.own_lines(rig, action)
    others = [one for one in (() if rig is None else rig.sources) if one.action == action and not lists.is_own(one)]
    if others and not own:
        raise LoomError(f"{action.name} is an action of {others[0].armature}: use Retarget Actions")
    if not source_list.moves(action, armature).bones:
        raise LoomError(f"{action.name} moves no bone of {armature.name}")
    if contact_rows.action_of(armature) != action:
        curves.assign(armature, action, curves.choose_slot(action, armature))
    if rig is not None and rig.edited != action:
        rig.edited = None  # the panel may change before its result plays again
    return action


class ACTION_LOOM_OT_match_rate(polls.OnAction, bpy.types.Operator):
    bl_idname = "action_loom.match_rate"
    bl_label = "Match Rate"
    bl_description = "Play the action at its original speed; later imports are treated alike"
    bl_options = {"REGISTER", "UNDO"}

    how: bpy.props.EnumProperty(
        name="How",
        description="Which of the two gets the other's rate",
        items=[
            ("SCENE", "Change the Scene", ""),
            ("ACTION", "Re-time the Action", "Move the action's keys so that it plays as fast as it was made"),
        ],
    )
    # the action's own rate, if it is only guessed
    rate: bpy.props.FloatProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.results import playback, rate_matching

        scene, armature = scene_of(context), present(target_armature.armature(context))
        action = present(present(armature.animation_data).action)
        if self.rate:
            rates.set_rate(action, self.rate)
        own, before = rates.differing(scene, action), rates.of_scene(scene)
        if not own:
            self.report({"INFO"}, f"{action.name} plays as fast as it was made")
            return {"CANCELLED"}
        try:
            if self.how == "SCENE":
                rate_matching.give_scene(scene, own)
                said = f"scene rate {before:g} → {own:g}"
            else:
                rate_matching.give_actions(scene, [action])
                said = f"{action.name} re-timed from {own:g} to {before:g} frames per second"
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        properties.settings_of(scene).on_rates = self.how
        troubles.clear(armature.session_uid)
        for line in properties.ensure_rig(scene, armature).sources:
            line.warning = "" if line.action == action else line.warning  # of its old speed
        if not bpy.app.background:
            playback.show(context, armature, action, play=False)
        self.report({"INFO"}, said)
        return {"FINISHED"}


class ACTION_LOOM_OT_open_tool(polls.OnArmature, bpy.types.Operator):
    bl_idname = "action_loom.open_tool"
    bl_label = "Open Tool"
    bl_description = "Open this tool for the active line's action, which plays then"
    bl_options = {"INTERNAL", "UNDO"}

    # its verb; empty to close the open tool
    tool: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    # the action that the armature plays then; the current one if empty
    action: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        settings = properties.settings_of(scene_of(context))
        try:
            if self.action:
                _assign_action(context, present(target_armature.armature(context)), self.action)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if self.tool:
            settings.edit = self.tool
        settings.tool_open = bool(self.tool)
        return {"FINISHED"}


class ACTION_LOOM_OT_set_reference(OnList, bpy.types.Operator):
    bl_idname = "action_loom.set_reference"
    bl_label = "Reference"
    bl_description = "Take the result's timing, body and place from this action"

    # its place in the list, from 0
    index: bpy.props.IntProperty(default=0, min=0, options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        rig = properties.rig_of(scene_of(context), target_armature.armature(context))
        if self.index >= len(rig.sources):
            self.report({"ERROR"}, f"There is no row {self.index}; there are {len(rig.sources)}, from 0")
            return {"CANCELLED"}
        rig.reference = self.index
        return {"FINISHED"}


BEHIND = 3  # frames that a busy window may draw between the clicks of a double click during playback

# The last clicked line, with time and frame.
_last_click: tuple[int, int, float, int] = (0, -1, 0.0, 0)


def _play_clicked(scene: bpy.types.Scene, context: bpy.types.Context) -> None:
    """Play a line's action after a double click; Blender only reports single clicks on a line."""
    global _last_click
    armature, region = target_armature.of_tab(context), getattr(context, "region", None)
    rig = properties.rig_of(scene, armature)
    if bpy.app.background or armature is None or rig is None or region is None or region.type != "UI":
        return
    before, now = _last_click, (armature.session_uid, rig.active, time.monotonic(), scene.frame_current)
    _last_click = now
    # Twice Blender's own time, because a busy window reports clicks late.
    quick = now[2] - before[2] < 2e-3 * present(context.preferences).inputs.mouse_double_click_time
    slow = present(context.screen).is_animation_playing and 0 <= now[3] - before[3] <= BEHIND
    if before[:2] == now[:2] and (quick or slow):
        bpy.app.timers.register(partial(_play, armature.session_uid, rig.active), first_interval=0.0)


def _play(armature_uid: int, place: int) -> None:
    context = bpy.context
    armature = properties.of_session(bpy.data.objects, armature_uid)
    rig = properties.rig_of(scene_of(context), armature)
    if armature is None or rig is None or lists.active_line(rig) is None or rig.active != place:
        return
    window = present(context.window_manager).windows[0]
    with context.temp_override(window=window), target_armature.as_from_panel(context, armature):
        # The step of undo keeps this action when a later Rebuild is undone.
        bpy.ops.action_loom.play_action("INVOKE_DEFAULT", True)  # type: ignore[attr-defined]


_CLASSES = (
    ACTION_LOOM_OT_add_sources,
    ACTION_LOOM_OT_add_active_source,
    ACTION_LOOM_OT_add_source,
    ACTION_LOOM_OT_add_selected_sources,
    ACTION_LOOM_OT_remove_source,
    ACTION_LOOM_OT_move_source,
    ACTION_LOOM_OT_play_action,
    ACTION_LOOM_OT_match_rate,
    ACTION_LOOM_OT_open_tool,
    ACTION_LOOM_OT_set_reference,
)


def register() -> None:
    registrar.add_classes(_CLASSES)
    registrar.append(lists.when_active_changed, _play_clicked)
