"""Drive in a window: keys steer the demo's figure, the view shows where it goes, Enter keeps it, Esc leaves it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
from gui_shared import action, begin_with_demo, idle, loom, settings

OUT = Path(__file__).resolve().parent


def steps(gui: Any) -> Iterator[Any]:
    yield from begin(gui)
    yield from escape(gui)
    yield from keep(gui)


def begin(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    yield from gui.sidebar("Action Loom")
    for line in settings().rigs[0].sources:
        line.use = True
    settings().mode = "drive"
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
