"""Drive the character in the 3D view with keys or the mouse, and keep what it did as an action."""

import cmath
import dataclasses
import math
import time
from typing import Any

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

from ....core.errors import LoomError
from ....core.options import declared
from ....core.verbs import Drive
from ...ground import jobs
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...ground.translations.runtime import translated
from ...model import preferences, properties, target_armature
from ..pictures import drive_overlay
from ..pictures.drive_overlay import Place
from . import polls
from .background import navigates

STEP = 1.0 / 60.0  # s; as often the clock is looked at
LATE = 0.5  # s; what is lost beyond is said
LEVEL = 1e-3  # sine of an angle: who looks along the floor sees no place on it
GO_ON, PASS, KEEP, LEAVE = "go", "pass", "keep", "leave"
HINT = (
    "Arrows or the preferences' keys (WASD) steer, Shift runs, Ctrl keeps facing, a click goes there; Space pauses,"
    " Backspace takes back a second, Enter keeps, Esc leaves"
)


class Steering:
    """What the operator does with events: it needs no window, so scripts and tests can steer, too."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Read the ticked actions and stand where the character stands; raises LoomError."""
        from ...bridge.live_pose import LivePose
        from ...services.driving import driven
        from ...services.results import playback

        playback.stop(context)
        self._armature = armature.session_uid
        self._read, self.session = driven.begun(context, armature)
        self.session.keys = {**self.session.keys, **preferences.keys(context)}
        self.has_controls = self._read.body.controls is not None
        # Controls are too slow to be posed live: their body is shown as lines, and they are keyed when it is kept.
        self._pose = None if self.has_controls else LivePose(armature, self._read.body)
        self._clock = time.perf_counter()
        self.show(context)

    @property
    def armature(self) -> bpy.types.Object | None:
        return properties.of_session(bpy.data.objects, self._armature)

    def said(self) -> list[str]:
        """Return what is said before it starts: what the character lacks, and what is shown in place of a rig."""
        lacks, texts = self.session.data.lacks, []
        if lacks:
            texts.append(f"This character: {'; '.join(lacks)}")
        if self.has_controls:
            texts.append("A copy of its bones is driven; Enter keys its controls")
            texts += [self._read.body.note] if self._read.body.note else []
        return texts

    def handle(self, context: bpy.types.Context, event: Any) -> str:
        """Take one event, a key, the mouse or the timer; returns what to do: go on, pass, keep or leave."""
        session, down = self.session, event.value == "PRESS"
        if self.armature is None or jobs.seen() is not None:
            return LEAVE
        if event.type == "TIMER":
            now = time.perf_counter()
            self.tick(context, now - self._clock)
            self._clock = now
        elif event.type == "WINDOW_DEACTIVATE":
            session.release()
            session.paused = True
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
            session.goal = self._below(context, event)
        elif not session.key(event.type, down=event.value != "RELEASE", shift=event.shift, ctrl=event.ctrl):
            return PASS if navigates(context, event) else GO_ON
        return GO_ON

    def tick(self, context: bpy.types.Context, seconds: float) -> None:
        """Go on by so many seconds, and show it."""
        if self.session.advance(seconds, _forward(context)):
            self.show(context)

    def show(self, context: bpy.types.Context) -> None:
        """Pose the character, and draw where it is going."""
        armature = self.armature
        if armature is None:
            return
        state, session = self.session.state, self.session
        if self._pose is not None:
            self._pose.show(armature, session.data.clips[0], *state.shown)
        metres, height = self._read.body.world_metres, self._height(armature)

        def place(there: complex) -> tuple[float, float, float]:
            return there.real / metres, there.imag / metres, height

        ahead = 1j * cmath.exp(1j * state.facing)
        late = f", {session.late:.1f} s lost" if session.late > LATE else ""
        drive_overlay.show(
            drive_overlay.Shown(
                dots=[place(dot) for dot in session.predicted()],
                wish=(place(state.place), place(state.place + 0.6 * state.goal.velocity)),
                body=(place(state.place), place(state.place + 0.5 * ahead * session.data.unit)),
                goal=None if session.goal is None else place(session.goal),
                bones=self._bones() if self._pose is None else (),
                text=f"{session.seconds:.1f} s{late}{', paused' if session.paused else ''}",
            )
        )
        if context.area is not None:
            context.area.tag_redraw()

    def leave(self, context: bpy.types.Context) -> None:
        """Leave the pose as it was."""
        from ...services.driving import driven

        armature = self.armature
        if armature is not None and self._pose is not None:
            self._pose.restore(armature)
        driven.keep(None)
        drive_overlay.hide()
        if context.area is not None:
            context.area.tag_redraw()

    def put_wishes(self, settings: Any) -> None:
        """Let the panel have what was driven as wishes."""
        session, about = self.session, declared(Drive)
        start = ((session.place.real, session.place.imag, math.degrees(session.facing)),)
        settings.drive.wishes = about["wishes"].as_text(session.rows())
        settings.drive.start = about["start"].as_text(start)
        settings.drive.ground = about["ground"].as_text(session.under())
        settings.drive.places = ""

    def put_places(self, context: bpy.types.Context, leader: bpy.types.Object) -> None:
        """Let the panel have the way of an animated object as what is wished; raises LoomError."""
        from ...bridge.leader import places

        rows, about = places(scene_of(context), leader, self._read.body.world_metres), declared(Drive)
        way = next(complex(*row[:2]) - complex(*rows[0][:2]) for row in rows if row[:2] != rows[0][:2])
        start = ((*rows[0][:2], round(math.degrees(cmath.phase(way / 1j)), 2)),)
        settings = properties.settings_of(scene_of(context))
        settings.drive.places = about["places"].as_text(rows)
        settings.drive.start = about["start"].as_text(start)
        under = self.session.ground
        near = () if under is None else under.near([complex(*row[:2]) for row in rows]).rows()
        settings.drive.ground = about["ground"].as_text(near)
        settings.drive.wishes = ""

    def _bones(self) -> list[tuple[Place, Place]]:
        """Return the bones of a body that is shown in place of its rig, in units of the scene."""
        from ....core.motion import kinematics
        from ...services.preview import ghosts

        rotations, translations = self.session.state.shown
        like = self.session.data.clips[0]
        points = kinematics.points(
            dataclasses.replace(like, rotations=rotations[None], translations=translations[None])
        )
        places = [(x, y, z) for x, y, z in (points[0] / self._read.body.world_metres).tolist()]
        return [(places[one], places[other]) for one, other in ghosts.lines_of(like.skeleton).tolist()]

    def _height(self, armature: bpy.types.Object) -> float:
        """Return the height of the ground under the body, in units of the scene."""
        footing = self.session.state.footing
        level = 0.0 if footing is None else footing.level
        return float(armature.matrix_world.translation.z) + level / self._read.body.world_metres

    def _below(self, context: bpy.types.Context, event: Any) -> complex | None:
        """Return the place on the floor below the mouse in metres, x + iy; None for the sky."""
        area, armature = present(context.area), present(self.armature)
        region = next(one for one in area.regions if one.type == "WINDOW")
        space: Any = area.spaces.active
        at = (event.mouse_x - region.x, event.mouse_y - region.y)
        origin = view3d_utils.region_2d_to_origin_3d(region, space.region_3d, at)
        along = view3d_utils.region_2d_to_vector_3d(region, space.region_3d, at)
        if abs(along.z) < LEVEL:
            return None
        away = (self._height(armature) - origin.z) / along.z
        if away <= 0.0 and space.region_3d.is_perspective:
            return None
        there = (origin + along * away) * self._read.body.world_metres
        return complex(there.x, there.y)


def _forward(context: bpy.types.Context) -> float:
    """Return the facing that is ahead for the view's camera; +y without a view."""
    from ...services.driving.session import forward_of

    space: Any = None if context.area is None else context.area.spaces.active
    if getattr(space, "region_3d", None) is None:
        return 0.0
    turned = space.region_3d.view_rotation
    return forward_of(tuple(turned @ Vector((0.0, 0.0, -1.0))), tuple(turned @ Vector((0.0, 1.0, 0.0))))


def _held(part: str) -> tuple[list[str], float]:
    """Return the keys of a part such as LEFT_SHIFT+A 1, and its seconds; raises LoomError."""
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

    keys: bpy.props.StringProperty(
        name="Keys",
        description="For scripts: keys and how long they are held, such as W 2; LEFT_SHIFT+A 1; NONE 1",
        options={"SKIP_SAVE"},
    )

    leader: bpy.props.StringProperty(
        name="Leader",
        description="An animated object that the character comes after, instead of keys",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_sources(cls, context, Drive.least) and polls.poll_parts(cls, context, Drive)

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        if self.leader:
            return self._come_after(context, "EXEC_DEFAULT")
        if not self.keys:
            self.report({"ERROR"}, "A character is driven in a 3D view: press the button in its sidebar")
            return {"CANCELLED"}
        try:
            held = [_held(part) for part in self.keys.split(";")]
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
        for text in self._steering.said():
            self.report({"INFO"}, text)
        manager = present(context.window_manager)
        self._timer = manager.event_timer_add(STEP, window=context.window)
        manager.modal_handler_add(self)
        present(context.workspace).status_text_set(translated(HINT))
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
        """Leave everything as it was: Blender calls this, too, where a window closes or a file is loaded."""
        self._steering.leave(context)
        if self._timer is not None:
            present(context.window_manager).event_timer_remove(self._timer)
            self._timer = None
            if context.workspace is not None:
                context.workspace.status_text_set(None)

    def _come_after(self, context: bpy.types.Context, how: str) -> OperatorReturn:
        """Weave how the character comes after an animated object."""
        leader, armature = bpy.data.objects.get(self.leader), present(target_armature.armature(context))
        try:
            if leader is None:
                raise LoomError(f"There is no object {self.leader}")
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
        """Leave, and weave what was driven as an action with its recipe: one step of Undo."""
        steering = self._steering
        if not steering.session.wished:
            self.report({"INFO"}, "Nothing was driven yet: steer first, then keep it with Enter")
            return {"RUNNING_MODAL"}
        armature = steering.armature
        self.cancel(context)
        steering.put_wishes(properties.settings_of(scene_of(context)))
        name = "" if armature is None else armature.name
        done = bpy.ops.action_loom.drive(how, armature=name)  # type: ignore[attr-defined]
        return {"CANCELLED"} if done == {"CANCELLED"} else {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_OT_steer,))
