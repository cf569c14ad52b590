"""Drive the character in the 3D view with keys or the mouse, and keep the motion as an action."""

import cmath
import json
import math
import time
from typing import Any

import bpy
from mathutils import Vector

from ....core.errors import LoomError, some
from ....core.options import declared_options
from ....core.verbs import Drive
from ...ground import jobs, registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import preferences, properties, target_armature
from ...services.paths import floor
from ..pictures import drive_overlay
from . import polls
from .background import navigates

STEP = 1.0 / 60.0  # s between two updates
LATE = 0.5  # s of drawing time above which a message is shown
GO_ON, PASS, KEEP, LEAVE = "go", "pass", "keep", "leave"
HINT = (
    "Hold the arrows or the preferences' keys (WASD) to walk, Shift runs, Ctrl keeps facing; a click goes there, a line"
    " along it; Space pauses, Backspace takes back a second, Enter keeps, Esc leaves"
)


class Steering:
    """The event handling of the operator; it needs no window, so that scripts and tests can steer, too."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Read the ticked actions and start at the character's place; raises LoomError."""
        from ...services.driving import driven
        from ...services.results import playback

        playback.stop(context)
        self._figures, self._left = driven.prepare_all(context, armature)
        self._first = self._figures[0]
        self.session = self._first.session
        self.session.keys = {**self.session.keys, **preferences.keys(context)}
        self._clock, self._draws = time.perf_counter(), False
        self.show(context)

    @property
    def armature(self) -> bpy.types.Object | None:
        return self._first.armature

    def initial_messages(self) -> list[str]:
        """Return the initial messages: missing abilities, companions, and the display of control rigs."""
        lacks, texts = self.session.data.lacks, list(self._left)
        if lacks:
            texts.append(f"This character: {'; '.join(lacks)}")
        if len(self._figures) > 1:
            texts.append(f"{some([one.name for one in self._figures[1:]])} come along, and keep clear of it")
        for one in self._figures:
            if one.legs is not None:
                texts.append(f"Legs and way of {one.name} stay those of {one.legs.name}")
            if one.has_controls:
                texts.append(f"A copy of the bones of {one.name} is driven; Enter keys its controls")
                texts += filter(None, (one.read.body.note, one.read.body.carried))
        return texts

    def handle(self, context: bpy.types.Context, event: Any) -> str:
        """Handle an event of a key, the mouse or the timer; return the next step: go on, pass, keep or leave."""
        session, down = self.session, event.value == "PRESS"
        if self.armature is None:
            return LEAVE
        if jobs.visible_job() is not None and event.type != "ESC":  # a result could not be kept now
            self._pause()
            return PASS
        if event.type == "TIMER":
            now = time.perf_counter()
            self.tick(context, now - self._clock)
            self._clock = now
        elif event.type == "WINDOW_DEACTIVATE":
            self._pause()
        elif event.type in {"ESC", "RIGHTMOUSE"} and down:
            return LEAVE
        elif event.type in {"RET", "NUMPAD_ENTER"} and down:
            return KEEP
        elif event.type == "SPACE" and down:
            session.paused = not session.paused
            self.show(context)
        elif event.type == "BACK_SPACE" and down:
            session.take_back()
            self.show(context)
        elif event.type == "LEFTMOUSE" and down and not navigates(context, event):
            session.hold(shift=event.shift, ctrl=event.ctrl)
            session.go_to(self._floor_below(context, event))
            self._draws = True
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._draws = False
        elif event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"} and self._draws:
            session.draw(self._floor_below(context, event))
        elif not session.key(event.type, down=event.value != "RELEASE", shift=event.shift, ctrl=event.ctrl):
            return PASS if navigates(context, event) else GO_ON
        return GO_ON

    def _pause(self) -> None:
        """Pause, and reset the pressed keys and buttons, because their release may not be reported."""
        self.session.release()
        self.session.paused, self._draws = True, False
        self._clock = time.perf_counter()

    def tick(self, context: bpy.types.Context, seconds: float) -> None:
        """Advance by a time step, and show the pose."""
        if self.session.advance(seconds, _forward(context)):
            self.show(context)

    def show(self, context: bpy.types.Context) -> None:
        """Pose the character, and draw its predicted path."""
        if self.armature is None:
            return
        state, session = self.session.state, self.session
        bones = [bone for one in self._figures for bone in one.show()]
        metres, height = self._first.read.body.world_metres, self._first.height

        aside = self._first.aside

        def place(there: complex) -> tuple[float, float, float]:
            there += aside
            return there.real / metres, there.imag / metres, height

        ahead = 1j * cmath.exp(1j * state.facing)
        late = f", drawn {session.late:.1f} s late" if session.late > LATE else ""
        drive_overlay.show(
            drive_overlay.Shown(
                dots=[place(dot) for dot in (*session.predict_path(), *session.line)],
                wish=(place(state.place), place(state.place + 0.6 * state.goal.velocity)),
                body=(place(state.place), place(state.place + 0.5 * ahead * session.data.unit)),
                goal=None if session.goal is None else place(session.goal),
                bones=bones,
                text=f"{session.seconds:.1f} s{late}{', paused' if session.paused else ''}",
            )
        )
        if context.area is not None:
            context.area.tag_redraw()

    def leave(self, context: bpy.types.Context) -> None:
        """Restore the original pose."""
        from ...services.driving import driven

        for one in self._figures:
            one.restore()
        driven.keep(None)
        drive_overlay.hide()
        if context.area is not None:
            context.area.tag_redraw()

    def put_wishes(self, settings: Any) -> None:
        """Copy the driven motion to the panel as wishes."""
        about = declared_options(Drive)
        for name, value in self.session.kept().items():
            setattr(settings.drive, name, about[name].as_text(value))
        settings.drive.property_unset("which")

    def others(self) -> str:
        """Return the companions with their recorded requests, in the operator's format."""
        rows = [
            {"armature": one.name, "request": one.request.to_json(), "recipe": one.kept().to_json()}
            for one in self._figures[1:]
            if one.armature is not None
        ]
        return json.dumps(rows) if rows else ""

    def put_places(self, context: bpy.types.Context, leader: bpy.types.Object) -> None:
        """Set the path of an animated object as the panel's wished places; raises LoomError."""
        from ...bridge.leader import places

        rows, about = places(scene_of(context), leader, self._first.read.body.world_metres), declared_options(Drive)
        way = next(complex(*row[:2]) - complex(*rows[0][:2]) for row in rows if row[:2] != rows[0][:2])
        start = ((*rows[0][:2], round(math.degrees(cmath.phase(way / 1j)), 2)),)
        settings = properties.settings_of(scene_of(context))
        settings.drive.places = about["places"].as_text(rows)
        settings.drive.start = about["start"].as_text(start)
        under = self.session.ground
        near = () if under is None else under.part_near([complex(*row[:2]) for row in rows]).rows()
        settings.drive.ground = about["ground"].as_text(near)
        settings.drive.wishes = ""

    def _floor_below(self, context: bpy.types.Context, event: Any) -> complex | None:
        """Return the floor position below the mouse in metres, x + iy; None for the sky."""
        there = floor.place_below(context, event, self._first.height)
        metres = self._first.read.body.world_metres
        return None if there is None else complex(there.x * metres, there.y * metres)


def _forward(context: bpy.types.Context) -> float:
    """Return the facing that corresponds to "ahead" in the view; +y without a view."""
    from ...services.driving.session import forward_of

    space: Any = None if context.area is None else context.area.spaces.active
    if getattr(space, "region_3d", None) is None:
        return 0.0
    turned = space.region_3d.view_rotation
    return forward_of(tuple(turned @ Vector((0.0, 0.0, -1.0))), tuple(turned @ Vector((0.0, 1.0, 0.0))))


def _parse_keys(part: str) -> tuple[list[str], float]:
    """Parse a part such as "LEFT_SHIFT+A 1" into keys and seconds; raises LoomError."""
    names, _, seconds = part.strip().partition(" ")
    try:
        return names.split("+"), float(seconds)
    except ValueError:
        raise LoomError(f"Keys has {part.strip()!r}, but each part is keys and seconds: W 2; LEFT_SHIFT+A 1") from None


class ACTION_LOOM_OT_steer(polls.OnArmature, bpy.types.Operator):
    bl_idname = "action_loom.steer"
    bl_label = "Drive"
    bl_description = "Steer the character with keys or the mouse, and keep what it did as an action"
    bl_options = {"REGISTER"}
    _timer: bpy.types.Timer | None = None
    _steering: Steering

    # for scripts: keys and how long they are held, such as W 2; LEFT_SHIFT+A 1; NONE 1
    keys: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    leader: bpy.props.StringProperty(
        name="Leader",
        description="An animated object that the character comes after, instead of keys",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_sources(cls, context, Drive.least) and all(
            poll(cls, context, Drive) for poll in (polls.poll_parts, polls.poll_partner)
        )

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        if self.leader:
            return self._come_after(context, "EXEC_DEFAULT")
        if not self.keys:
            self.report({"ERROR"}, "Press this button in the sidebar of a 3D view")
            return {"CANCELLED"}
        try:
            held = [_parse_keys(part) for part in self.keys.split(";")]
            self._steering = Steering(context, present(target_armature.armature(context)))
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        session = self._steering.session
        for names, seconds in held:
            session.release()
            for name in names:
                session.key(name, down=True, shift="LEFT_SHIFT" in names, ctrl="LEFT_CTRL" in names)
            for _ in range(round(seconds / STEP)):
                session.advance(STEP, _forward(context))
        return self._keep(context, "EXEC_DEFAULT")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> OperatorReturn:
        area = context.area
        if self.leader:
            return self._come_after(context, "INVOKE_DEFAULT")
        if self.keys or area is None or area.type != "VIEW_3D" or context.window is None:
            return self.execute(context)
        try:
            self._steering = Steering(context, present(target_armature.armature(context)))
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for text in self._steering.initial_messages():
            self.report({"INFO"}, text)
        manager = present(context.window_manager)
        self._timer = manager.event_timer_add(STEP, window=context.window)
        manager.modal_handler_add(self)
        present(context.workspace).status_text_set(translate_text(HINT))
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        wanted = self._steering.handle(context, event)
        if wanted == KEEP:
            return self._keep(context)
        if wanted == LEAVE:
            self.cancel(context)
            return {"CANCELLED"}
        return {"PASS_THROUGH"} if wanted == PASS else {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Restore everything; Blender also calls this when a window closes or a file is loaded."""
        self._steering.leave(context)
        if self._timer is not None:
            present(context.window_manager).event_timer_remove(self._timer)
            self._timer = None
            if context.workspace is not None:
                context.workspace.status_text_set(None)

    def _come_after(self, context: bpy.types.Context, how: str) -> OperatorReturn:
        """Weave a motion in which the character follows an animated object."""
        leader, armature = bpy.data.objects.get(self.leader), present(target_armature.armature(context))
        try:
            if leader is None:
                raise LoomError(f"There is no object named {self.leader!r}")
            steering = Steering(context, armature)
            try:
                steering.put_places(context, leader)
            finally:
                steering.leave(context)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        done = bpy.ops.action_loom.drive(how, armature=armature.name)
        return {"CANCELLED"} if done == {"CANCELLED"} else {"FINISHED"}

    def _keep(self, context: bpy.types.Context, how: str = "INVOKE_DEFAULT") -> OperatorReturn:
        """Leave, and weave the driven motion as an action with its recipe, in one undo step."""
        steering = self._steering
        if not steering.session.wished:
            self.report({"INFO"}, "Nothing was driven yet: steer first, then keep it with Enter")
            return {"RUNNING_MODAL"}
        armature = steering.armature
        self.cancel(context)
        steering.put_wishes(properties.settings_of(scene_of(context)))
        name = "" if armature is None else armature.name
        done = bpy.ops.action_loom.drive(how, armature=name, others=steering.others())  # type: ignore[attr-defined]
        return {"CANCELLED"} if done == {"CANCELLED"} else {"FINISHED"}


register = registrar.registration((ACTION_LOOM_OT_steer,))
