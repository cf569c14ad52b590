"""Runs inside Blender's window, driven by `tools/gui.py`: compares the ghost with Weave's result in every mode.

Pictures of each mode's ghost as lines and as the character's mesh; strips of ghost and written action side by side,
whose outlines have to coincide within a pixel; how long the view takes to draw with it; an action alone.
"""

import dataclasses
from collections.abc import Iterator
from itertools import product
from time import perf_counter
from typing import Any

import bpy
import numpy as np
from gui_shared import begin_with_demo, figure, idle, lines, loom, tick

MODES = {
    "blend": ("Walk", "Sneak"),
    "connect": ("Walk", "Run"),
    "loop": ("Sneak",),
    "splice": ("Walk", "Wave"),
    "follow": ("Walk", "Turn Left", "Turn Right"),
    "restyle": ("Walk", "Run", "Sneak"),
}
STRIP = ("blend", "splice")  # modes of which there are strips
FRAMES = 4  # of a strip
LINES, MESH = 20.0, 35.0  # ms that the view should take more at most, where nothing else runs
BUSY = 20_000  # approximate number of vertices of the timed mesh


def steps(gui: Any) -> Iterator[Any]:
    yield from begin(gui)
    yield from gui.sidebar("Action Loom")
    for mode, sources in MODES.items():
        yield from ghost_of_a_mode(gui, mode, sources)
    for mode in STRIP:
        yield from strip(gui, mode)
    yield from solo(gui)
    yield from time_the_view(gui)


def begin(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    scene = bpy.context.scene
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    spline.bezier_points.add(2)
    for point, place in zip(spline.bezier_points, ((0.0, 0.0, 0.0), (1.5, -3.0, 0.0), (0.0, -6.0, 0.0)), strict=True):
        point.co = place
        point.handle_left_type = point.handle_right_type = "AUTO"
    made = bpy.data.objects.new("Path", data)
    scene.collection.objects.link(made)
    scene.action_loom.curve, scene.action_loom.live = made, False
    scene.action_loom.graph.threshold = 0.08


def preview(gui: Any, mode: str) -> Iterator[Any]:
    with gui.override():
        getattr(bpy.ops.action_loom, mode)("INVOKE_DEFAULT", preview=True)
    yield from gui.wait_until(idle, 120, f"preview of {mode}")
    assert ghost() is not None, f"no preview of {mode}"


def ghost() -> Any:
    return loom("addon.interface.pictures.ghost_overlay").ghost_in(bpy.context)


def ghost_of_a_mode(gui: Any, mode: str, sources: tuple[str, ...]) -> Iterator[Any]:
    settings = bpy.context.scene.action_loom
    settings.mode = mode
    tick(*sources)
    settings.ghost_mesh, settings.ghost_beside = False, True
    yield from preview(gui, mode)
    playing = ghost().figures[-1].playing
    bpy.context.scene.frame_set(round(float(playing.frames[len(playing.frames) // 2])))
    with gui.override():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_selected()
        bpy.ops.view3d.view_orbit(angle=0.5, type="ORBITUP")
        bpy.ops.view3d.view_orbit(angle=0.7, type="ORBITLEFT")
        for _ in range(8 if mode == "follow" else 4):
            bpy.ops.view3d.zoom(delta=-1)
    yield from gui.shot(f"{mode}_lines")
    settings.ghost_mesh = True
    yield from gui.shot(f"{mode}_mesh")
    with gui.override():
        bpy.ops.action_loom.clear_preview("EXEC_DEFAULT")
    assert ghost() is None
    assert loom("addon.interface.pictures.ghost_overlay")._handler is None


def strip(gui: Any, mode: str) -> Iterator[Any]:
    """The ghost's mesh and then the written action's, from the same orthographic camera at the same frames."""
    settings, view = bpy.context.scene.action_loom, gui.area().spaces.active
    settings.mode, settings.ghost_mesh, settings.ghost_beside = mode, True, False
    tick(*MODES[mode])
    with gui.override():
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.view3d.view_selected()
        bpy.ops.view3d.zoom(delta=-1)
    view.overlay.show_overlays, kept = True, view.overlay.show_floor
    set_plain(view, plain=True)
    yield from preview(gui, mode)
    shown, bodies = ghost(), [one for one in bpy.context.scene.objects if one.type in ("MESH", "ARMATURE")]
    alone = dataclasses.replace(shown, trails=(), figures=shown.figures[-1:])
    loom("addon.services.preview.previews").keep(figure().session_uid, alone)
    frames = [round(float(at)) for at in np.linspace(*shown.body.playing.frames[[0, -1]], FRAMES)]
    for one in bodies:
        one.hide_set(True)
    bpy.context.view_layer.objects.active = figure()
    first = yield from outlines(gui, mode, "ghost", frames)
    for one in bodies:
        one.hide_set(False)
    with gui.override():
        bpy.ops.action_loom.clear_preview("EXEC_DEFAULT")
        getattr(bpy.ops.action_loom, mode)("INVOKE_DEFAULT")
    yield from gui.wait_until(idle, 120, f"{mode} woven")
    figure().hide_set(True)
    second = yield from outlines(gui, mode, "written", frames)
    figure().hide_set(False)
    bpy.context.view_layer.objects.active = figure()
    set_plain(view, plain=False)
    view.overlay.show_floor = kept
    for frame, one, other in zip(frames, first, second, strict=True):
        assert one.sum() > 500, "the ghost is not seen"
        apart = int((one & ~grown(other)).sum() + (other & ~grown(one)).sum())
        gui.log(
            f"{mode}, frame {frame}: {int(one.sum())} pixels, {int((one ^ other).sum())} differ, {apart} by over one"
        )
        assert apart == 0, f"ghost and action differ by more than a pixel at frame {frame} of {mode}"


def set_plain(view: Any, *, plain: bool) -> None:
    for name in ("show_floor", "show_axis_x", "show_axis_y", "show_text", "show_cursor", "show_relationship_lines"):
        setattr(view.overlay, name, not plain)
    view.overlay.show_ortho_grid = not plain
    view.overlay.show_extras = view.overlay.show_outline_selected = not plain
    view.show_gizmo = not plain
    # One colour, so that dark shading does not count as a hole, and hard edges: only Blender's own would be soft.
    bpy.context.preferences.system.viewport_aa = "OFF" if plain else "8"
    view.shading.light, view.shading.color_type = ("FLAT", "SINGLE") if plain else ("STUDIO", "MATERIAL")
    view.shading.single_color = (1.0, 1.0, 1.0)
    bpy.data.objects["Path"].hide_set(plain)
    for name in ("show_region_toolbar", "show_region_header", "show_region_tool_header"):
        setattr(view, name, not plain)


def outlines(gui: Any, mode: str, name: str, frames: list[int]) -> Iterator[Any]:
    """Which pixels of the view are not its background, at some frames."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        region, panel = gui.region("WINDOW"), gui.region("UI")
        box = (region.x + 60, region.y + 40, region.width - panel.width - 120, region.height - 120)
        path = yield from gui.shot(f"strip_{mode}_{frame:03}_{name}", box=box)
        pixels = gui.pixels(path).astype(int)
        found.append(np.abs(pixels - pixels[0, 0]).sum(axis=2) > 24)
    return found


def grown(mask: Any) -> Any:
    """A mask with all that is within a pixel of it."""
    padded = np.pad(mask, 1)
    height, width = mask.shape
    return np.any([padded[y : y + height, x : x + width] for y, x in product(range(3), repeat=2)], axis=0)


def solo(gui: Any) -> Iterator[Any]:
    settings = bpy.context.scene.action_loom
    settings.mode, settings.ghost_mesh = "blend", False
    settings.solo = True
    for name in ("Walk", "Run"):
        settings.rigs[0].active = next(k for k, line in enumerate(lines()) if line.action.name == name)
        assert ghost().figures[0].name == name
    yield from gui.shot("solo")
    with gui.override():
        bpy.ops.action_loom.clear_preview("EXEC_DEFAULT")


def time_the_view(gui: Any) -> Iterator[Any]:
    """How much longer the view takes to draw with a ghost: as lines, and as a mesh of many vertices."""
    settings = bpy.context.scene.action_loom
    settings.mode, settings.ghost_mesh, settings.ghost_beside = "blend", False, False
    tick("Walk", "Sneak")
    body = next(one for one in bpy.context.scene.objects if one.type == "MESH")
    with gui.override():
        bpy.context.view_layer.objects.active = body
        bpy.ops.object.select_all(action="DESELECT")
        body.select_set(True)
        bpy.ops.object.mode_set(mode="EDIT")
        while 4 * len(body.data.vertices) <= BUSY:
            bpy.ops.mesh.select_all(action="SELECT")
            bpy.ops.mesh.subdivide()
            body.update_from_editmode()
        bpy.ops.mesh.select_mode(type="FACE")
        bpy.ops.mesh.select_all(action="DESELECT")
        bpy.ops.mesh.select_random(ratio=(BUSY - len(body.data.vertices)) / (3.0 * len(body.data.vertices)))
        bpy.ops.mesh.subdivide()
        bpy.ops.object.mode_set(mode="OBJECT")
        body.select_set(False)
    bpy.context.view_layer.objects.active = figure()
    for one in bpy.context.scene.objects:
        one.hide_set(one.type != "MESH")
    yield from gui.redraw()
    plain = drawn(gui)
    yield from preview(gui, "blend")
    body.hide_set(True)
    nothing = drawn(gui)
    for name, most in (("lines", LINES), ("mesh", MESH)):
        body.hide_set(False)
        settings.ghost_mesh = name == "mesh"
        body.hide_set(True)
        bpy.context.view_layer.objects.active = figure()
        yield from gui.redraw()
        taken = drawn(gui)
        region = gui.region("WINDOW")
        with gui.override():
            shown = ghost()
        what = f"{len(shown.body.linear)} vertices" if shown.body is not None else f"{len(shown.trails)} trails"
        gui.log(
            f"{region.width} × {region.height}: {taken - nothing:.1f} ms more with the ghost as {name} ({what});"
            f" asked {most:.0f}; without {nothing:.1f}, the character itself {plain - nothing:.1f}"
        )
        yield from gui.shot(f"timed_{name}")
    with gui.override():
        bpy.ops.action_loom.clear_preview("EXEC_DEFAULT")


def drawn(gui: Any) -> float:
    """Milliseconds in which the view is drawn, the best of some."""
    with gui.override():
        best = float("inf")
        for _ in range(3):
            began = perf_counter()
            bpy.ops.wm.redraw_timer(type="DRAW", iterations=10)
            best = min(best, 100.0 * (perf_counter() - began))
    return best
