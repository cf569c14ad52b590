"""Drive in a window: keys steer the demo's figure, the view shows where it goes, Enter keeps it, Esc leaves it.

Then it draws a line that the figure walks meanwhile, drives the upper body over the saved action, and drives a rig with
controls.
"""

import json
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
from gui_shared import action, begin_with_demo, empty_scene, figure, idle, loom, settings

OUT = Path(__file__).resolve().parent
VERTICES = 28_000  # that the figure's mesh has at least
ours: list[float] = []  # s that each look at the clock takes, without Blender's drawing


def steps(gui: Any) -> Iterator[Any]:
    yield from begin(gui)
    yield from escape(gui)
    yield from keep(gui)
    yield from line(gui)
    yield from over(gui)
    yield from controls(gui)


def begin(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    yield from gui.sidebar("Action Loom")
    for line in settings().rigs[0].sources:
        line.use = True
    settings().mode = "drive"
    print("VERTICES", repeated(), flush=True)
    timed()
    yield from gui.redraw()
    with gui.override():
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_orbit(type="ORBITUP")
        bpy.ops.view3d.view_orbit(type="ORBITUP")
        bpy.ops.view3d.view_orbit(type="ORBITUP")
        bpy.ops.view3d.view_orbit(type="ORBITUP")
        bpy.ops.view3d.view_all()
    yield from gui.redraw()
    yield from gui.shot("01_mode")


def repeated() -> int:
    """Repeat the figure's mesh until its density matches an artist's character; return the number of vertices."""
    mesh = next(one for one in figure().children if one.type == "MESH")
    array = mesh.modifiers.new("Again", "ARRAY")
    array.count, array.use_relative_offset = math.ceil(VERTICES / len(mesh.data.vertices)), False
    mesh.modifiers.move(len(mesh.modifiers) - 1, 0)
    with bpy.context.temp_override(object=mesh, active_object=mesh):
        bpy.ops.object.modifier_apply(modifier="Again")
    return len(mesh.data.vertices)


def timed() -> None:
    """Remember how long each look at the clock takes the operator."""
    steering = loom("addon.interface.operators.steer").Steering
    before = steering.tick

    def tick(self: Any, context: bpy.types.Context, seconds: float) -> None:
        began = time.process_time()
        before(self, context, seconds)
        bpy.context.view_layer.update()
        ours.append(time.process_time() - began)

    steering.tick = tick


def held(gui: Any, seconds: float, *keys: str) -> Iterator[Any]:
    for key in keys:
        gui._x("keydown", key)
    yield seconds
    for key in keys:
        gui._x("keyup", key)
    yield 0.05


def session() -> Any:
    return loom("addon.services.driving.driven").current()


def begun(gui: Any) -> Iterator[Any]:
    yield from gui.press("ops.action_loom.steer(")
    yield from gui.wait_until(lambda: session() is not None, 30, "driving")
    region = gui.region("WINDOW")
    yield from gui.move(region.x + 0.4 * region.width, region.y + 0.5 * region.height, 0.2)


def escape(gui: Any) -> Iterator[Any]:
    before = [tuple(bone.rotation_quaternion) for bone in bpy.context.object.pose.bones]
    actions = len(bpy.data.actions)
    yield from begun(gui)
    yield from held(gui, 1.5, "w")
    yield from gui.key("Escape")
    yield 0.3
    assert session() is None
    assert [tuple(bone.rotation_quaternion) for bone in bpy.context.object.pose.bones] == before
    assert len(bpy.data.actions) == actions


def keep(gui: Any) -> Iterator[Any]:
    yield from begun(gui)
    yield from held(gui, 1.5, "w")
    gui._x("keydown", "w")
    yield 0.7
    yield from gui.shot("02_walks")
    gui._x("keyup", "w")
    gui._x("keydown", "a")
    yield 1.2
    yield from gui.shot("03_turns")
    gui._x("keyup", "a")
    yield from held(gui, 1.2, "shift", "s")
    yield 1.2
    yield from gui.shot("04_stands")
    one = session()
    ticks, seconds, late = list(one.ticks), one.seconds, one.late
    took = sorted(ticks)
    found = {
        "seconds": seconds,
        "late": late,
        "ticks": len(ticks),
        "ticks_a_second": len(ticks) / sum(ticks),
        "median_ms": 1000.0 * took[len(took) // 2],
        "p95_ms": 1000.0 * took[int(0.95 * len(took))],
        "steps_a_tick": seconds * 60.0 / len(ticks),
        "ours_median_ms": 1000.0 * sorted(ours)[len(ours) // 2],
        "ours_p99_ms": 1000.0 * sorted(ours)[int(0.99 * len(ours))],
    }
    (Path(gui.out) if hasattr(gui, "out") else OUT).joinpath("frames.json").write_text(json.dumps(found))
    print("DRIVE", found, flush=True)
    yield from gui.key("BackSpace")
    yield 0.3
    assert session().seconds < seconds + 0.5
    count = len(bpy.data.actions)
    yield from gui.key("Return")
    yield from gui.wait_until(lambda: idle() and len(bpy.data.actions) > count, 120, "kept")
    assert "driven" in action().name, action().name
    yield 0.5
    yield from gui.shot("05_kept")


def kept(gui: Any) -> Iterator[Any]:
    count = len(bpy.data.actions)
    yield from gui.key("Return")
    yield from gui.wait_until(lambda: idle() and len(bpy.data.actions) > count, 120, "kept")


def line(gui: Any) -> Iterator[Any]:
    """Draw a line that the figure walks meanwhile."""
    yield from begun(gui)
    region = gui.region("WINDOW")
    gui._x("mousedown", 1)
    for k in range(30):
        x = region.x + region.width * (0.4 + 0.01 * k)
        yield from gui.move(x, region.y + region.height * (0.5 + 0.12 * math.sin(k / 5.0)), 0.05)
    yield from gui.shot("06_drawn")
    gui._x("mouseup", 1)
    ahead = len(session().line)
    yield 2.0
    yield from gui.shot("07_along_the_line")
    print("LINE", ahead, len(session().line), session().seconds, flush=True)
    assert len(session().line) < ahead
    yield from kept(gui)


def over(gui: Any) -> Iterator[Any]:
    """Drive the upper body over the saved action."""
    settings().drive.upper_body_only = True
    yield from begun(gui)
    yield from held(gui, 1.5, "shift", "w")
    yield from gui.shot("08_over")
    yield from kept(gui)
    assert " driven on " in action().name, action().name
    settings().drive.upper_body_only = False


def controls(gui: Any) -> Iterator[Any]:
    """Drive a rig with IK legs: its bones are drawn during the drive, and Enter keys the IK targets.

    The folder of data is tests/addon for this, where the rig is made; with another one it is left out.
    """
    sys.path.insert(0, str(gui.data))
    try:
        import hand_rigs
    except ModuleNotFoundError:
        print("CONTROLS left out: no hand_rigs in", gui.data, flush=True)
        return

    yield from empty_scene(gui)
    with gui.override():
        rig = hand_rigs.with_legs_on_ik()
        for name, stride in (("slow", 0.5), ("quick", 0.9)):
            key_walk(rig, name, stride)
            bpy.ops.action_loom.add_source(action=name)
    settings().mode = "drive"
    with gui.override():
        bpy.ops.view3d.view_all()
    yield from gui.sidebar("Action Loom")
    yield from gui.redraw()
    yield from begun(gui)
    yield from held(gui, 1.2, "w")
    yield from gui.shot("09_controls")
    yield from kept(gui)
    yield 0.5
    yield from gui.shot("10_controls_kept")


def key_walk(rig: Any, name: str, stride: float) -> None:
    """Key a walk on the targets of a rig's legs."""
    if rig.animation_data is None:
        rig.animation_data_create()
    rig.animation_data.action = bpy.data.actions.new(name)
    for frame in range(1, 50, 2):
        phase = (frame - 1) / 24.0
        rig.pose.bones["hips"].location = (0.0, -0.06, stride * 2.0 * phase)
        rig.pose.bones["hips"].keyframe_insert("location", frame=frame)
        for side, late in (("L", 0.0), ("R", 0.5)):
            steps, part = divmod(phase + late, 1.0)
            swing = max(0.0, 2.0 * part - 1.0)
            foot = rig.pose.bones[f"goal.{side}"]
            foot.location = (0.0, 2.0 * stride * (steps + swing - late), 0.1 * math.sin(math.pi * swing))
            foot.keyframe_insert("location", frame=frame)
