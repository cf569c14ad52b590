"""Runs in Blender's window, driven by `tools/gui.py`: plants feet with the panel's buttons and checks the overlay.

An action of the demo is planted, and corrected by rows and by markers; pictures of the panel and of the paths of
the feet, whose colours have to be in the view while they are switched on, and not while they are off.
"""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import bpy
import numpy as np
from gui_shared import action, begin_with_demo, idle, loom, open_only

GREEN, RED = np.array([0.2, 0.85, 0.4]), np.array([0.95, 0.2, 0.1])
NEAR = 0.12  # how far a pixel's colour may be from that
DRAWN = 40.0  # ms that the window should take more at most, in software and beside other work


def steps(gui: Any) -> Iterator[Any]:
    yield from begin(gui)
    yield from plant(gui)
    yield from refuse(gui)
    yield from by_markers(gui)
    yield from overlay(gui)


def begin(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    both = [{"name": name, "weight": 1.0} for name in ("Turn Left", "Turn Right")]
    with gui.override():
        bpy.ops.action_loom.blend(sources=both, result_name="Stroll", plant_feet=False)
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.view3d.view_orbit(angle=0.5, type="ORBITUP")
        bpy.ops.view3d.view_selected()
        bpy.ops.view3d.zoom(delta=-2)
    open_only("sources", "weave", "feet")
    yield from gui.sidebar("Action Loom")
    yield from gui.shot("01_feet")


def plant(gui: Any) -> Iterator[Any]:
    yield from gui.press("ops.action_loom.find_contacts(")
    yield from gui.wait_until(idle, 60, "found")
    assert rows(), "no contacts were found"
    yield from gui.shot("02_found", box=gui.region("UI"))
    with gui.override():  # of a result the panel has Weave Again in its place
        bpy.ops.action_loom.plant("INVOKE_DEFAULT", True)
    yield from gui.wait_until(lambda: idle() and action().name == "Stroll planted", 60, "planted")
    assert rows(), "no contacts are listed of the result"
    yield from gui.shot("03_planted", box=gui.region("UI"))


def refuse(gui: Any) -> Iterator[Any]:
    """Test that a contact which spans the swing of its foot is refused, and that Find Contacts drops it."""
    before, row = keys(), held().rows[0]
    foot, last = row.foot, row.last + 20
    for k in reversed(range(1, len(held().rows))):
        if held().rows[k].foot == foot:
            held().rows.remove(k)
    held().rows[0].last = last
    yield from gui.press("ops.action_loom.rebuild(")
    yield from gui.wait_until(idle, 60, "woven again")
    assert any(row.why for row in held().rows), [row.last for row in held().rows]
    held().active = next(k for k, row in enumerate(held().rows) if row.why)
    yield from gui.shot("04_refused", box=gui.region("UI"))
    bpy.context.scene.action_loom.show_feet = True
    yield from gui.wait_until(
        lambda: loom("addon.interface.pictures.feet_overlay").lines(bpy.context) is not None, 10, "read"
    )
    yield from gui.shot("05_refused_seen")
    assert seen(gui, gui.shot_now("05_view", box=gui.region("WINDOW")), RED), "what was refused is not seen"
    bpy.context.scene.action_loom.show_feet = False
    yield from gui.press("ops.action_loom.find_contacts(")
    yield from gui.wait_until(idle, 60, "found again")
    yield from gui.press("ops.action_loom.rebuild(")
    yield from gui.wait_until(idle, 60, "woven again")
    assert keys() == before, "found again: the keys are not as they were"


def by_markers(gui: Any) -> Iterator[Any]:
    before, found = keys(), rows()
    yield from gui.press("ops.action_loom.contacts_to_markers(")
    assert len(action().pose_markers) == 2 * len(found)
    marker = max((one for one in action().pose_markers if one.name.endswith(" up")), key=lambda one: one.frame)
    marker.frame -= 4
    area = next(a for a in gui.window.screen.areas if a.type == "VIEW_3D")
    area.type = "DOPESHEET_EDITOR"
    area.spaces.active.mode = "ACTION"
    area.spaces.active.show_pose_markers = True
    with gui.override(area):
        bpy.ops.action.view_all()
    yield from gui.shot("06_markers", box=area)
    area.type = "VIEW_3D"
    yield from gui.sidebar("Action Loom")
    yield from gui.press("ops.action_loom.contacts_from_markers(")
    assert rows() != found, "the marker that was moved is not read"
    yield from gui.press("ops.action_loom.rebuild(")
    yield from gui.wait_until(lambda: idle() and keys() != before, 60, "woven again")
    yield from gui.shot("07_from_markers", box=gui.region("UI"))


def overlay(gui: Any) -> Iterator[Any]:
    settings, view = bpy.context.scene.action_loom, gui.region("WINDOW")
    yield from gui.redraw()
    off = gui.shot_now("08_off", box=view)
    assert not seen(gui, off, GREEN), "feet are seen while that is switched off"
    settings.show_feet = True
    yield from gui.wait_until(
        lambda: loom("addon.interface.pictures.feet_overlay").lines(bpy.context) is not None, 10, "read"
    )
    yield from gui.shot("09_seen")
    on = gui.shot_now("10_on", box=view)
    assert seen(gui, on, GREEN), "feet are not seen"
    plain, more = drawn(gui)
    gui.log(f"the window draws in {plain:.1f} ms, with the paths of the feet in {more:.1f} ms")
    assert more - plain < DRAWN, f"the paths of the feet take {more - plain:.1f} ms to draw"
    settings.show_feet = False
    yield from gui.redraw()
    assert not seen(gui, gui.shot_now("11_off", box=view), GREEN), "feet are seen after they were switched off"


def drawn(gui: Any) -> tuple[float, float]:
    """How long the window takes to draw without and with the paths, ms: in turn, the least of some times each."""
    overlay, paths = loom("addon.interface.pictures.feet_overlay"), loom("addon.interface.pictures.feet_overlay").lines
    times: dict[bool, list[float]] = {False: [], True: []}
    try:
        for shown in [False, True] * 8:
            overlay.lines = paths if shown else lambda _context: ()
            with gui.override():
                began = perf_counter()
                bpy.ops.wm.redraw_timer(type="DRAW_WIN", iterations=3)
                times[shown].append(1000.0 * (perf_counter() - began) / 3.0)
    finally:
        overlay.lines = paths
    return min(times[False]), min(times[True])


def seen(gui: Any, path: str, color: Any) -> bool:
    """Say whether a picture has some pixels of a colour."""
    away = np.abs(gui.pixels(path) / 255.0 - color).max(axis=-1)
    return int((away < NEAR).sum()) > 20


def held() -> Any:
    return loom("addon.model.contact_rows").of(bpy.context.scene, action())


def rows() -> list[Any]:
    found: list[Any] = loom("addon.model.contact_rows").contacts_of(held())
    return found


def keys() -> list[float]:
    """Some numbers of the armature's action that tell whether its keys are the same."""
    curves = loom("addon.bridge.curves")
    found = curves.curves_of(action(), curves.choose_slot(action(), bpy.context.view_layer.objects.active))
    return [round(curve.evaluate(frame), 5) for curve in found for frame in (1, 9, 20)]
