"""Draw the path of a walk on the floor: from the tab's button, or as a tool of the 3D view."""

import bpy
from mathutils import Vector

from ....core.errors import LoomError
from ....core.verbs import Follow
from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import properties, target_armature
from ...services.paths import floor
from . import polls, reports

OFTEN = 0.2  # s between two updates of the preview during the stroke
HINT = "Drag on the floor or on a mesh to draw the way; Esc or right-click cancels"


BEND = 38.0  # degrees a metre by which a walk straight on follows the bends of a widened line of a body of 1.7 m


class ACTION_LOOM_OT_draw_path(polls.OnShownArmature, bpy.types.Operator):
    bl_idname = "action_loom.draw_path"
    bl_label = "Draw Path"
    bl_description = "Draw on the floor or on a mesh where the character should walk"
    bl_options = {"REGISTER", "UNDO"}

    wait: bpy.props.BoolProperty(default=True, options={"HIDDEN"})  # for the next left click
    # for scripts: the places along the way, such as 0 0 0; 0 -3 0
    points: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    wider: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})  # smooths the bends of the drawn line instead
    # metres: the smallest radius of the clips' turns; the walk may bend, too, if the new bends are tighter
    radius: bpy.props.FloatProperty(options={"HIDDEN", "SKIP_SAVE"})

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        self._height = _height(present(target_armature.armature(context)))
        if self.wider:
            from ...services.paths import drawn_paths

            points = drawn_paths.points_of(properties.settings_of(scene_of(context)).curve)
            if points is None:
                raise LoomError("The line is too short to walk along: draw a longer one")
            drawn_paths.put(context, drawn_paths.widen_bends(points, self._height))
            if self.radius > drawn_paths.BENDS * self._height:
                follow = properties.settings_of(scene_of(context)).follow
                follow.bend = max(follow.bend, BEND)
            return {"FINISHED"}
        try:
            stroke = [tuple(float(number) for number in place.split()) for place in self.points.split(";")]
            if any(len(place) != 3 for place in stroke):
                raise ValueError
        except ValueError:
            self.report({"ERROR"}, f"Points are {self.points!r}, but must be three numbers each, parted by semicolons")
            return {"CANCELLED"}
        return self._finish_stroke(context, stroke)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        if self.wider or self.properties.is_property_set("points"):
            return self.execute(context)
        area = context.area
        if area is None or area.type != "VIEW_3D" or context.window is None:
            self.report({"ERROR"}, "Press this button in the sidebar of a 3D view")
            return {"CANCELLED"}
        from ...services.paths import drawn_paths

        armature, settings = present(target_armature.armature(context)), properties.settings_of(scene_of(context))
        try:
            self._height = _height(armature)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._stroke: list[tuple[float, ...]] = []
        self._drawn = 0
        # Session ids, because the artist may delete the objects before pressing the mouse.
        self._armature = armature.session_uid
        curve = settings.curve
        self._before = 0 if curve is None else curve.session_uid, drawn_paths.points_of(curve), settings.mode
        manager = present(context.window_manager)
        self._timer = manager.event_timer_add(OFTEN, window=context.window)
        manager.modal_handler_add(self)
        context.window.cursor_modal_set("PAINT_CROSS")
        present(context.workspace).status_text_set(translate_text(HINT))
        self._pressed = not self.wait
        if self._pressed:
            self._add(context, event)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        if event.type in {"ESC", "RIGHTMOUSE"}:
            return self._leave_drawing(context, {"CANCELLED"})
        if event.type == "LEFTMOUSE" and event.value == "PRESS":
            self._pressed = True
            self._add(context, event)
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE" and self._pressed:
            self._add(context, event)  # a busy window may have missed the last moves
            self._leave_drawing(context, {"FINISHED"})
            return self._finish_stroke(context, self._stroke)
        elif event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"} and self._pressed:
            self._add(context, event)
        elif event.type == "TIMER" and len(self._stroke) > self._drawn:
            self._drawn = len(self._stroke)
            self._show(context)
        elif not self._pressed:
            return {"PASS_THROUGH"}  # lets the user turn the view first
        return {"RUNNING_MODAL"}

    def _add(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        place = self._point_below(context, event)
        if place is not None:
            self._stroke.append((place.x, place.y, place.z))

    def _point_below(self, context: bpy.types.Context, event: bpy.types.Event) -> Vector | None:
        """Return the point below the mouse on the floor, or on a mesh other than the figure's; None for the sky."""
        armature = properties.of_session(bpy.data.objects, self._armature)
        if armature is None:
            return None
        origin, along = floor.ray(context, event)
        hit, place, normal, _, found, _ = scene_of(context).ray_cast(context.evaluated_depsgraph_get(), origin, along)
        if hit and found is not None and normal.z > 0.5 and found.find_armature() is None and found.parent != armature:
            return place
        return floor.place_below(context, event, armature.matrix_world.translation.z)

    def _show(self, context: bpy.types.Context) -> None:
        """Update the curve during the stroke, and the ghost if that is quick."""
        from ...services.preview import ghost_follow

        armature = properties.of_session(bpy.data.objects, self._armature)
        error = self._put(context, self._stroke, self._height)
        if error is None and armature is not None and properties.settings_of(scene_of(context)).live:
            ghost_follow.preview(context, armature)

    def _put(self, context: bpy.types.Context, stroke: list[tuple[float, ...]], height: float) -> LoomError | None:
        """Set the panel's curve to a stroke; return the error if that fails."""
        from ...services.paths import drawn_paths

        try:
            drawn_paths.put(context, drawn_paths.smooth_stroke(stroke, height))
        except LoomError as error:
            return error
        properties.settings_of(scene_of(context)).mode = Follow.verb
        return None

    def _finish_stroke(self, context: bpy.types.Context, stroke: list[tuple[float, ...]]) -> OperatorReturn:
        error = self._put(context, stroke, self._height)  # the button's armature need not be the active object
        if error is not None:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        _give_tool_back(context)
        scene_of(context).update_tag()  # updates the preview
        self.report({"INFO"}, "The walk begins where the line begins: press Weave to keep it")
        return {"FINISHED"}

    def _leave_drawing(self, context: bpy.types.Context, how: OperatorReturn) -> OperatorReturn:
        """Restore the mouse cursor; remove the line of a cancelled stroke."""
        present(context.window_manager).event_timer_remove(self._timer)
        present(context.window).cursor_modal_restore()
        present(context.workspace).status_text_set(None)
        if how == {"CANCELLED"}:
            self._take_back(context)
        return how

    def _take_back(self, context: bpy.types.Context) -> None:
        """Restore curve and mode from before the stroke."""
        from ...services.paths import drawn_paths

        settings, (uid, points, mode) = properties.settings_of(scene_of(context)), self._before
        curve, drawn = properties.of_session(bpy.data.objects, uid), settings.curve
        if drawn is not None and drawn != curve:
            bpy.data.curves.remove(drawn.data)
        settings.curve, settings.mode = curve, mode
        if points is not None:
            drawn_paths.put(context, points)


def _height(armature: bpy.types.Object) -> float:
    """Return the height of a body in units of the scene; raises LoomError for an unreadable rig."""
    from ...bridge import rig

    body = rig.read(armature)
    return body.skeleton.height / body.world_metres


class _PathTool:
    bl_space_type = "VIEW_3D"
    bl_label = "Draw Path"
    bl_description = "Draw on the floor or on a mesh where the character should walk"
    bl_icon = "ops.curve.draw"
    bl_keymap = (("action_loom.draw_path", {"type": "LEFTMOUSE", "value": "PRESS"}, {"properties": [("wait", False)]}),)


class ACTION_LOOM_TL_path(_PathTool, bpy.types.WorkSpaceTool):
    bl_idname = "action_loom.path"
    bl_context_mode = "OBJECT"


class ACTION_LOOM_TL_path_posing(_PathTool, bpy.types.WorkSpaceTool):
    bl_idname = "action_loom.path_posing"
    bl_context_mode = "POSE"


_tool_before = ""  # the artist's tool, while ours is active for a first stroke


def _intent_chosen(scene: bpy.types.Scene, context: bpy.types.Context) -> None:
    """Activate our tool in Path without a curve, so that a drag in the view draws one; restore the old tool later."""
    global _tool_before
    settings = properties.settings_of(scene)
    if settings.mode != Follow.verb or settings.curve is not None:
        _give_tool_back(context)
        return
    tool = None if bpy.app.background else _tool(context)
    ours = {"OBJECT": ACTION_LOOM_TL_path.bl_idname, "POSE": ACTION_LOOM_TL_path_posing.bl_idname}.get(context.mode)
    if tool is not None and ours is not None and tool != ours and _choose_tool(context, ours):
        _tool_before = tool


def _mode_changed(scene: bpy.types.Scene, context: bpy.types.Context) -> None:
    if properties.settings_of(scene).mode != Follow.verb:
        _give_tool_back(context)


def _give_tool_back(context: bpy.types.Context) -> None:
    """Activate the artist's tool again, unless the artist has already changed the tool."""
    global _tool_before
    if _tool_before and _tool(context) in {tool.bl_idname for tool in _TOOLS}:
        _choose_tool(context, _tool_before)
    _tool_before = ""


def _tool(context: bpy.types.Context) -> str | None:
    tools = None if context.workspace is None else context.workspace.tools
    chosen = None if tools is None else tools.from_space_view3d_mode(context.mode)
    return None if chosen is None else str(chosen.idname)


def _choose_tool(context: bpy.types.Context, name: str) -> bool:
    """Activate a tool of the window's 3D view; return whether there is such a view."""
    for area in () if context.screen is None else context.screen.areas:
        region = next((one for one in area.regions if one.type == "WINDOW"), None)
        if area.type == "VIEW_3D" and region is not None:
            with context.temp_override(area=area, region=region):
                return bpy.ops.wm.tool_set_by_id(name=name) == {"FINISHED"}
    return False


_TOOLS = (ACTION_LOOM_TL_path, ACTION_LOOM_TL_path_posing)


def register() -> None:
    registrar.add_classes((ACTION_LOOM_OT_draw_path,))
    for tool in _TOOLS:
        registrar.add_tool(tool, separator=True)
    registrar.append(properties.when_intent_chosen, _intent_chosen)
    registrar.append(properties.when_mode_changed, _mode_changed)
