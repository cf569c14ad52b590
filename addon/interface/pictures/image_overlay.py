"""Draw over our pictures in the Image Editor: names, legends, and a registration's playhead.

The scene frame is a line across the matrix and one up; beside it both bodies are drawn in their poses at that frame. An
error is reported once, and stops drawing until a picture is opened again.
"""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.cache import Cache
from ....core.errors import LoomError
from ...bitmaps import images
from ...ground import memory, registrar, troubles
from ...ground.blender_types import as_pair, has_property, present, scene_of
from ...model import properties
from ...services.matching import analysis
from . import flat

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...bitmaps.bitmap import LegendRow
    from ...services.matching.analysis import Analysis, Pair
    from .playhead import Playhead, Stage

    Place = Callable[[float, float], tuple[float, float]]

PLAYHEAD = (1.0, 1.0, 1.0, 0.9)
EDGE = (0.0, 0.0, 0.0, 0.6)  # outline of the playhead, to be visible on white
FAINT = 0.35  # opacity of the playhead without a corresponding frame
GAP = 0.8  # margin around the figures and the legend, in text sizes
FIGURES = 12.0  # width and height of both figures together, in text sizes
GROUND = (0.11, 0.11, 0.11)  # of the pictures' margins, as in `bitmap`

_HEADER: Any = bpy.types.IMAGE_HT_header  # the stubs take functions without the header only

_handler: Any = None
_stages: "Cache[tuple[Analysis, int], Stage]" = memory.cache(2)


def show() -> None:
    """Start drawing over our pictures, unless in background mode."""
    global _handler
    if _handler is None and not bpy.app.background:
        _handler = bpy.types.SpaceImageEditor.draw_handler_add(_draw, (), "WINDOW", "POST_PIXEL")


def hide() -> None:
    """Stop drawing over our pictures."""
    global _handler
    _stop_following()
    if _handler is not None:
        bpy.types.SpaceImageEditor.draw_handler_remove(_handler, "WINDOW")
        _handler = None


# --- which picture, which moment ------------------------------------------------------------------------------------


def picture_in(space: bpy.types.Space | None) -> bpy.types.Image | None:
    """Return our picture that an Image Editor shows, or None."""
    shown = space.image if isinstance(space, bpy.types.SpaceImageEditor) else None
    return shown if shown is not None and has_property(shown, images.KEY) else None


def pair_in(space: bpy.types.Space | None) -> "tuple[Analysis, Pair] | None":
    """Return the analysis and pair that an Image Editor shows, or None."""
    shown = picture_in(space)
    return None if shown is None else analysis.pair_in(shown)


def stage(known: "Analysis", which: int) -> "Stage":
    """Return the playhead data of a pair."""
    from . import playhead

    return _stages.made(
        (known, which), lambda: playhead.stage_of(known.prepared, known.registered, which, known.starts)
    )


def side_shown(known: "Analysis", pair: "Pair") -> int:
    """Return the side whose frames the scene counts: the reference, 0, or the other, 1, if the armature plays that."""
    armature = properties.of_session(bpy.data.objects, known.armature)
    data = None if armature is None else armature.animation_data
    action = None if data is None else data.action
    return int(action is not None and action.name_full == pair.name != known.reference)


# --- the scene's frame ----------------------------------------------------------------------------------------------


def follow() -> None:
    """Redraw pictures whenever the scene's frame changes: Blender does not during playback."""
    if _frame_changed not in bpy.app.handlers.frame_change_post:
        bpy.app.handlers.frame_change_post.append(_frame_changed)


def _stop_following() -> None:
    if _frame_changed in bpy.app.handlers.frame_change_post:
        bpy.app.handlers.frame_change_post.remove(_frame_changed)


def _frame_changed(*_: Any) -> None:
    if bpy.app.is_job_running("RENDER"):
        return  # the renderer's thread calls it
    shown = [
        area
        for window in present(bpy.context.window_manager).windows
        for area in window.screen.areas
        if area.type == "IMAGE_EDITOR" and pair_in(area.spaces.active) is not None
    ]
    for area in shown:
        area.tag_redraw()
    if not shown:
        # Deferred: a handler removed while Blender iterates over them makes it skip the next one.
        bpy.app.timers.register(_stop_following, first_interval=0.0)


# --- drawing --------------------------------------------------------------------------------------------------------


def _draw() -> None:
    space = bpy.context.space_data
    shown = picture_in(space)
    if shown is None:
        return
    found = analysis.pair_in(shown)
    try:
        _draw_over(shown, found)
    except Exception as error:  # any error: Blender would print it at every redraw
        hide()
        if found is not None:
            mode = properties.settings_of(scene_of(bpy.context)).mode
            trouble = LoomError(f"Pictures can't be drawn here: {error}")
            troubles.keep(found[0].armature, mode, trouble, 1.0)


def _draw_over(shown: bpy.types.Image, found: "tuple[Analysis, Pair] | None") -> None:
    if not shown.has_data:
        bpy.app.timers.register(images.put_back, first_interval=0.0)  # data can't change while Blender draws
        return
    region, area = present(bpy.context.region), present(bpy.context.area)
    picture, free = _picture_box(region), flat.free_box(area, region)
    rows = images.legend_of(shown)
    if found is None:
        _draw_names(shown, picture, free, picture[:2])
        if rows:
            _draw_legend(rows, free, picture)
    else:
        _draw_registration(shown, found, rows, (picture, free), region)


def _draw_registration(
    shown: bpy.types.Image,
    found: "tuple[Analysis, Pair]",
    rows: "Sequence[LegendRow]",
    boxes: tuple[flat.Box, flat.Box],
    region: bpy.types.Region,
) -> None:
    """Draw axis numbers and the playhead, and beside them both bodies, their frames and the legend."""
    from . import playhead

    (known, pair), (picture, free) = found, boxes
    on_stage, place = stage(known, pair.which), _placing(picture, as_pair(shown.size))
    frame = scene_of(bpy.context).frame_current_final
    now = playhead.at_frame(on_stage.match, frame, side_shown(known, pair))
    _draw_names(shown, picture, free, _draw_numbers(on_stage, place, picture))
    _draw_playhead(on_stage, now, place, region)
    colors = known.colors[known.registered.reference], known.colors[pair.which]
    names: list[LegendRow] = [
        ((color,), f"{frame:.1f}".removesuffix(".0") + f"  {name}")
        for color, name, frame in zip(colors, (known.reference, pair.name), now.frames, strict=True)
    ]
    every = [*names, *rows, ((PLAYHEAD[:3],), "this frame: click or drag")]
    figures = _draw_legend(every, free, picture, room=FIGURES * flat.text_size())
    _draw_figures(on_stage, now, colors, figures, region)
    follow()


def _placing(picture: flat.Box, size: tuple[float, float]) -> "Place":
    """Return the mapping from picture pixels to region pixels."""
    (left, bottom, right, top), (wide, high) = picture, size
    return lambda x, y: (left + x / wide * (right - left), bottom + y / high * (top - bottom))


def _picture_box(region: bpy.types.Region) -> flat.Box:
    """Return the picture's box in the region."""
    low, high = (as_pair(region.view2d.view_to_region(side, side, clip=False)) for side in (0.0, 1.0))
    return *low, *high


def _draw_names(shown: bpy.types.Image, picture: flat.Box, free: flat.Box, beyond: tuple[float, float]) -> None:
    """Draw the actions' names beside the axes, sharp at any zoom and in any script.

    beyond : how far the axis numbers reach, left and below
    """
    (across, up), size = images.names_of(shown), flat.text_size()
    left, bottom, right, top = picture
    width = flat.width_of(across)
    low = max(min(bottom, beyond[1]) - 1.4 * size, free[1] + 0.4 * size)
    start = max(0.5 * (left + right - width), free[0] + size)
    if low > bottom:  # over the picture, which extends below the view
        flat.fill((start - size, low - 0.4 * size, start + width + size, low + 1.1 * size), flat.GROUND)
    flat.write(across, start, low, room=free[2] - start - size)
    width = flat.width_of(up)
    start = max(0.5 * (bottom + top - width), free[1] + 2.0 * size)
    flat.write_upwards(up, max(min(left, beyond[0]) - 0.6 * size, free[0] + 1.2 * size), start)


def _draw_numbers(on_stage: "Stage", place: "Place", picture: flat.Box) -> tuple[float, float]:
    """Draw the axis frames over those in the picture, which shrink with it; returns how far they reach."""
    layout, size = on_stage.layout, flat.text_size()
    corner_x, corner_y = place(layout.left - 1.0, layout.bottom - 1.0)
    ground = (*GROUND, 1.0)
    flat.fill((picture[0], picture[1], picture[2], corner_y), ground)
    flat.fill((picture[0], picture[1], corner_x, picture[3]), ground)
    low, left, last = corner_y - 1.3 * size, corner_x, -1e9
    for tick in layout.across:
        x, wide = place(layout.left + tick.place, 0.0)[0], flat.width_of(tick.text)
        if x - 0.5 * wide > last + 0.8 * size:
            flat.write(tick.text, x - 0.5 * wide, low)
            last = x + 0.5 * wide
    last = -1e9
    for tick in layout.up:
        y, wide = place(0.0, layout.bottom + tick.place)[1], flat.width_of(tick.text)
        if y - 0.5 * size > last + 0.4 * size:
            start = corner_x - 0.4 * size - wide
            flat.write(tick.text, start, y - 0.4 * size)
            left, last = min(left, start), y + 0.5 * size
    return left, low


def _draw_legend(rows: "Sequence[LegendRow]", free: flat.Box, picture: flat.Box, room: float = 0.0) -> flat.Box:
    """Draw a legend right of a picture, or over its corner; returns the box of `room` left above it."""
    size, (wide, high) = flat.text_size(), flat.legend_size(rows)
    gap = GAP * size
    box, over = flat.place_box(free, picture, (max(wide, room), room + high + gap), gap)
    left, bottom, right, top = box
    room = min(room, 0.6 * (top - bottom))
    if over:
        flat.fill((left - 0.5 * gap, bottom - 0.5 * gap, right + 0.5 * gap, top + 0.5 * gap), flat.GROUND)
    flat.legend(rows, (left, bottom, right, top - room - 0.2 * size))
    return left, top - room, right, top


def _draw_playhead(on_stage: "Stage", now: "Playhead", place: "Place", region: bpy.types.Region) -> None:
    """Draw the two lines of a moment, and a dot where they meet on the curve."""
    from . import playhead

    layout, match = on_stage.layout, on_stage.match
    left, bottom = place(*playhead.pixel_of(layout, (-0.5, -0.5)))
    right, top = place(*playhead.pixel_of(layout, (match.across.count - 0.5, match.up.count - 0.5)))
    x, y = place(*playhead.pixel_of(layout, now.cells))
    ends = [(x, bottom), (x, top), (left, y), (right, y)]
    share, size = FAINT if now.beyond else 1.0, flat.text_size()
    for paint, width in ((EDGE, 3.5), (PLAYHEAD, 1.5)):
        flat.lines(ends, (*paint[:3], share * paint[3]), width, region)
    for paint, radius in ((EDGE, 0.5), (PLAYHEAD, 0.35)):
        flat.dot(x, y, radius * size, (*paint[:3], share))


def _draw_figures(on_stage: "Stage", now: "Playhead", colors: Any, box: flat.Box, region: bpy.types.Region) -> None:
    """Draw both bodies from the side on the same ground in their colours: in halves of a box, or superimposed."""
    aligned = properties.settings_of(scene_of(bpy.context)).bodies_aligned
    left, bottom, right, top = box
    back, front, low, high = on_stage.reach
    half = 0.5 * (right - left)
    scale = min(half / max(front - back, 1e-6), (top - bottom) / max(high - low, 1e-6))
    for k, ends in enumerate(on_stage.poses(now, aligned=aligned)):
        aside = 0.5 if aligned else k
        start = left + aside * half + 0.5 * (half - scale * (front - back)) - scale * back
        ends = ends.reshape(-1, 2)
        if len(ends):
            places = [(start + scale * x, bottom + scale * (z - low)) for x, z in ends.tolist()]
            flat.lines(places, (*colors[k], 1.0), 2.5, region)


def _draw_switch(self: bpy.types.Header, context: bpy.types.Context) -> None:
    """Draw the switch of how bodies are shown in the header of an Image Editor that shows a registration."""
    if pair_in(context.space_data) is not None:
        present(self.layout).prop(properties.settings_of(scene_of(context)), "bodies_aligned", toggle=True)


def register() -> None:
    registrar.at_end(hide)
    show()
    registrar.append(_HEADER, _draw_switch)
    registrar.append(memory.when_forgotten, _stop_following)
