"""The first pictures of the manual, taken in Blender's window: `make gui` puts them into build/gui/*/pages.

When the tab looks different they go into docs/manual/images, as WebP: blend, pad, path and preview.
"""

from collections.abc import Iterator
from typing import Any

import bpy
from gui_shared import action, begin_with_demo, done, lines, settings, tick
from mathutils import Euler, Vector

FRAME = 8


def steps(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    yield from gui.sidebar("Action Loom")
    settings().play = False
    yield from woven(gui, "blend", "Run", "Walk")
    yield from picture(gui, "blend")
    settings().ghost = True
    shares(Run=0.3, Walk=0.7)
    settings().ghost_beside = True
    yield from picture(gui, "preview")
    settings().ghost_beside = False
    tick("Run", "Sneak", "Walk")
    shares(Run=0.15, Sneak=0.5, Walk=0.35)
    settings().pad = True
    yield from picture(gui, "pad")
    settings().pad = settings().ghost = False
    settings().intent = "Path"
    settings().curve = curve()
    yield from woven(gui, "follow", "Turn Left", "Turn Right", "Walk")
    yield from picture(gui, "path", frame=86)


def woven(gui: Any, verb: str, *names: str) -> Iterator[Any]:
    tick(*names)
    yield from done(gui, verb)
    assert action().name.startswith(names[0])


def shares(**wanted: float) -> None:
    for line in lines():
        line.weight = wanted.get(line.action.name, line.weight)


def curve() -> Any:
    """A curve on the floor with two bends, beside the world's axes."""
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    places = ((0.0, 0.0, 0.0), (0.6, -2.5, 0.0), (3.2, -4.0, 0.0), (4.0, -7.0, 0.0))
    spline.bezier_points.add(len(places) - 1)
    for point, place in zip(spline.bezier_points, places, strict=True):
        point.co, point.handle_left_type, point.handle_right_type = place, "AUTO", "AUTO"
    made = bpy.data.objects.new("Path", data)
    bpy.context.collection.objects.link(made)
    return made


def picture(gui: Any, name: str, frame: int = FRAME) -> Iterator[Any]:
    bpy.context.scene.frame_set(frame)
    with gui.override():
        bpy.ops.view3d.view_selected()
    view = gui.area().spaces.active.region_3d
    view.view_perspective = "PERSP"
    view.view_rotation = Euler((1.25, 0.0, 0.9)).to_quaternion()
    far, aside = (11.0, 2.0) if name == "path" else (5.0, 0.9)
    view.view_distance = far
    view.view_location = view.view_location + view.view_rotation @ Vector((aside, 0.0, 0.0))  # beside the tab
    yield 2.0
    yield from gui.shot(name, box=gui.area())
