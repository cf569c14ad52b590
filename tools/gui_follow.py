"""Tests that the ghost follows edits in a window: sliders, the speed and turn pad, a curve, and spans dragged on it.

Driven by `tools/gui.py`. Live is on, as it is in every new file, and no action changes until Weave is pressed.
"""

from collections.abc import Iterator
from statistics import median
from time import perf_counter
from typing import Any

import bpy
from gui_shared import action, begin_with_demo, done, figure, ghost, idle, lines, loom, open_only, settings, tick

WAIT = 60  # s until the ghost has followed: the window is drawn by software


def steps(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    open_only("sources", "weave")
    yield from gui.sidebar("Action Loom")
    follow = loom("addon.services.preview.ghost_follow")
    follow.SLOW = follow.WALKED = WAIT  # the ghost does not follow slow work, and this machine may be slow
    assert settings().live
    before = action(), set(bpy.data.actions)
    yield from sliders(gui)
    yield from pad(gui)
    yield from curve(gui)
    yield from stretches(gui)
    assert (action(), set(bpy.data.actions)) == before, "the ghost wrote an action"
    yield from fill(gui)


def followed(gui: Any, since: Any, what: str) -> Iterator[Any]:
    """Wait for a new ghost that matches the panel's settings."""
    yield from gui.wait_until(lambda: idle() and ghost() not in (None, since) and not ghost().outdated, WAIT, what)


def sliders(gui: Any) -> Iterator[Any]:
    """Change restyle sliders beyond a plausible amount; the preview limits their effect."""
    tick("Walk", "Run", "Sneak", "Carry")
    settings().mode, settings().style.mirror = "restyle", True
    yield from done(gui, "learn_style")
    yield from done(gui, "restyle", preview=True)
    before = ghost()
    settings().restyle.lean, settings().restyle.bounce = 2.0, 6.0
    yield from gui.redraw()
    yield from followed(gui, before, "sliders")
    with gui.override():
        bpy.ops.view3d.view_selected()
    yield from gui.shot("01_sliders")


def pad(gui: Any) -> Iterator[Any]:
    """The dot of the pad, up and to the left."""
    tick("Walk", "Run", "Turn Left", "Turn Right")
    settings().mode, settings().ask.speed, settings().ask.turn, settings().pad = "ask", 1.8, 20.0, True
    yield from done(gui, "ask", preview=True)
    with gui.override():
        bpy.ops.view3d.view_all()
    yield from gui.redraw()
    region, tools = gui.region("WINDOW"), gui.region("TOOLS")
    x, y = region.x + max(tools.width, 0) + 130, region.y + 130  # its middle, at interface scale 1
    before, shown = (settings().ask.speed, settings().ask.turn), ghost()
    yield from gui.drag(x, y, x - 20, y + 35)
    assert (settings().ask.speed, settings().ask.turn) != before
    yield from followed(gui, shown, "pad")
    yield from gui.shot("02_pad")
    settings().pad = False


def curve(gui: Any) -> Iterator[Any]:
    """Move the end of a curve with two stretches sideways."""
    tick("Walk", "Turn Left", "Turn Right")
    for line in lines():
        line.label = "arms" if line.action.name in ("Wave", "Carry") else ""
    settings().mode, settings().graph.threshold = "follow", 0.08
    with gui.override():
        for one in ("new_curve", "add_stretch", "add_stretch"):
            getattr(bpy.ops.action_loom, one)("EXEC_DEFAULT", True)
    first, second = settings().stretches
    first.action, first.start, first.end = bpy.data.actions["Wave"], 15.0, 40.0
    second.label, second.start, second.end, second.more = "arms", 55.0, 90.0, True
    second.splice_threshold, second.action_threshold = 0.4, 0.5
    bpy.context.view_layer.objects.active = figure()
    yield from done(gui, "follow", preview=True)
    with gui.override():
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_all()
    yield from gui.redraw()
    yield from gui.shot("03_stretches")
    before = ghost()
    settings().curve.data.splines[0].bezier_points[-1].co.x += 1.5
    settings().curve.data.update_tag()
    yield from gui.redraw()
    yield from followed(gui, before, "curve")
    yield from gui.shot("04_curve")


def stretches(gui: Any) -> Iterator[Any]:
    """The end of a stretch, dragged along the curve."""
    yield from gui.shot("05_handles")
    handles, region = loom("addon.interface.panels.handles"), gui.region("WINDOW")
    places = loom("addon.services.preview.tool_handles").path_shown(bpy.context)
    (x, y), (to_x, to_y) = (handles.pixel_of(region, places[handles.number_of(percent)]) for percent in (40.0, 50.0))
    yield from gui.drag(region.x + x, region.y + y, region.x + to_x, region.y + to_y)
    assert abs(settings().stretches[0].end - 50.0) < 3.0, settings().stretches[0].end
    yield from gui.wait_until(lambda: idle() and abs(ghost().recipe.stretches[0][1] - 0.5) < 0.03, WAIT, "stretches")
    yield from gui.shot("06_dragged")


def fill(gui: Any) -> Iterator[Any]:
    """Turn and key one pose of a walk repeatedly; the gaps are filled after each key."""
    scene, rig = bpy.context.scene, figure()
    tick("Walk", "Sneak")
    poses = {}
    for frame in range(1, 74, 12):
        scene.frame_set(frame)
        poses[frame] = {bone.name: bone.matrix_basis.copy() for bone in rig.pose.bones}
    rig.animation_data.action = block = bpy.data.actions.new("Blocking")
    for frame, bones in poses.items():
        for bone in rig.pose.bones:
            bone.matrix_basis = bones[bone.name]
            bone.keyframe_insert("location", frame=frame)
            bone.keyframe_insert(
                f"rotation_{'quaternion' if bone.rotation_mode == 'QUATERNION' else 'euler'}", frame=frame
            )
    settings().mode = "fill"
    yield from done(gui, "fill", preview=True)
    scene.frame_set(37)
    taken = []
    for turn in range(8):
        shown, arm = ghost(), rig.pose.bones["upper_arm.L"]
        arm.rotation_euler.x += 0.1 * (turn + 1)
        began = perf_counter()
        arm.keyframe_insert("rotation_euler", frame=37)
        block.update_tag()
        while ghost() in (None, shown) or ghost().outdated or not idle():
            yield 0.005
            assert perf_counter() - began < WAIT, "poses"
        taken.append(1000.0 * (perf_counter() - began))
    gui.log(f"a pose is keyed: its gaps are filled in {median(taken):.0f} ms ({max(taken):.0f} at most)")
    yield from gui.shot("07_poses")
