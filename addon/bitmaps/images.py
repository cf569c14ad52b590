"""Show pictures in panels as previews, and in the Image Editor as images with legends.

The caches hold no Blender data.
"""

import struct
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
from bpy.app.handlers import persistent

from ...core.cache import Cache
from ..ground import memory, registrar
from ..ground.blender_types import as_array, as_pair, has_property, interface_scale, present

if TYPE_CHECKING:
    from .bitmap import LegendRow, Pixels

KEY = "action_loom"  # custom property that marks our images
LEFT, BELOW, RIGHT = 45.0, 65.0, 220.0  # pixels around a picture for axis names, headers and the legend

_previews: "bpy.utils.previews.ImagePreviewCollection | None" = None


class Picture(NamedTuple):
    """The PNG file of an image in memory, and the legend of its colours."""

    png: bytes
    legend: "tuple[LegendRow, ...]"


# Pictures by the names of their axes.
_pictures: Cache[tuple[str, str], Picture] = memory.cache(8)


def preview(name: str, pixels: "Pixels") -> int:
    """Set the named preview to pixels and return its icon id; 0 in background mode, which lacks icons."""
    import bpy.utils.previews
    import numpy as np

    global _previews
    if _previews is None:
        _previews = bpy.utils.previews.new()
    shown = _previews[name] if name in _previews else _previews.new(name)
    height, width = pixels.shape[:2]
    opaque = np.ones((height, width, 4), dtype=np.float32)
    opaque[..., : pixels.shape[2]] = pixels / np.float32(255.0)
    shown.image_size = as_array((width, height))
    shown.image_pixels_float.foreach_set(opaque.ravel())  # type: ignore[arg-type]  # buffers are accepted as well
    return int(shown.icon_id)


def _give_back() -> None:
    """Free the previews."""
    global _previews
    if _previews is not None:
        bpy.utils.previews.remove(_previews)
        _previews = None


def find(across: str, up: str) -> bpy.types.Image | None:
    """Return our image whose axes have these names, or None; an artist's image of the same name does not count."""
    return next((i for i in bpy.data.images if has_property(i, KEY) and names_of(i) == (across, up)), None)


def every() -> set[tuple[str, str]]:
    """Return the names of the axes, across and up, of all of our images."""
    return {names_of(one) for one in bpy.data.images if has_property(one, KEY)}


def image(across: str, up: str, pixels: "Pixels", legend: "tuple[LegendRow, ...]" = ()) -> bpy.types.Image:
    """Fill our image whose axes have these names with pixels, and return it; create it if missing."""
    shown = find(across, up)
    if shown is None:
        shown = bpy.data.images.new(f"{up} to {across}", 8, 8)
        shown[KEY] = {"across": across, "up": up}
    _fill(shown, _pictures.keep((across, up), Picture(_png(pixels), legend)).png)
    return shown


def _fill(shown: bpy.types.Image, png: bytes) -> None:
    """Set an image's pixels without creating anything to save.

    Painted pixels count as unsaved changes, and Blender asks about them when it quits. Pixels of a packed file don't,
    and they remain when the packed file is removed.
    """
    shown.source = "GENERATED"  # otherwise the image keeps its old pixels
    shown.pack(data=png, data_len=len(png))
    shown.source = "FILE"
    as_pair(shown.size)  # reading the size makes Blender load the packed file
    shown.unpack(method="REMOVE")


def legend_of(shown: bpy.types.Image) -> "tuple[LegendRow, ...]":
    """Return the legend of one of our images, () if unknown."""
    picture = _pictures.get(names_of(shown))
    return () if picture is None else picture.legend


def put_back() -> None:
    """Restore the pixels of our images after redo or *Reload* has removed them."""
    for emptied in _empty():
        picture = _pictures.get(names_of(emptied))
        if picture is not None:
            _fill(emptied, picture.png)


def _empty() -> list[bpy.types.Image]:
    """Return our images that have neither pixels nor a file."""
    ours = [one for one in bpy.data.images if has_property(one, KEY) and one.library is None]
    return [one for one in ours if not (one.has_data or one.packed_file or one.filepath)]


@persistent
def _after_undo(*_: Any) -> None:
    put_back()


@persistent
def _after_loading(*_: Any) -> None:
    # Blender saves an image displayed in an editor, but without its pixels, so nothing is visible.
    for one in _empty():
        bpy.data.images.remove(one)


def summary(shown: bpy.types.Image) -> str:
    """Describe an image by its name and size."""
    return f"{shown.name}: {shown.size[0]} × {shown.size[1]} pixels"  # type: ignore[index]  # of arrays


def show(context: bpy.types.Context, shown: bpy.types.Image) -> None:
    """Show an image in the Image Editor that already shows it, in any unpinned one, or in a new window."""
    editors = [
        (window, area)
        for window in present(context.window_manager).windows
        for area in window.screen.areas
        if area.ui_type == "IMAGE_EDITOR"
    ]
    having = [editor for editor in editors if _space(editor[1]).image == shown]
    free = [editor for editor in editors if not _space(editor[1]).use_image_pin]
    window, area = next(iter(having + free), None) or _new_editor(context)
    _space(area).image = shown
    region = next(region for region in area.regions if region.type == "WINDOW")
    with context.temp_override(window=window, area=area, region=region):
        bpy.ops.image.view_all()
        _make_room(_space(area), region, as_pair(shown.size))


def _make_room(space: bpy.types.SpaceImageEditor, region: bpy.types.Region, size: tuple[float, float]) -> None:
    """Zoom and pan an editor so that the picture fills it, leaving room for axis names, headers and the legend."""
    scale = interface_scale()
    wide, high = region.width - (LEFT + RIGHT) * scale, region.height - 2.0 * BELOW * scale
    least = 0.4 * _zoom(space)  # keeps the picture from becoming too small
    bpy.ops.image.view_zoom_ratio(ratio=min(max(wide / size[0], least), max(high / size[1], least), 1.0))
    zoom = _zoom(space)
    # The picture is centred now; shift it to the left.
    aside = 0.5 * (region.width - zoom * size[0]) - LEFT * scale
    bpy.ops.image.view_pan(offset=(max(aside, 0.0) / zoom, 0.0))


def _zoom(space: bpy.types.SpaceImageEditor) -> float:
    return space.zoom_percentage / 100.0  # `zoom` is only updated when the editor is drawn


def _space(editor: bpy.types.Area) -> bpy.types.SpaceImageEditor:
    space = editor.spaces.active
    assert isinstance(space, bpy.types.SpaceImageEditor)
    return space


def _new_editor(context: bpy.types.Context) -> tuple[bpy.types.Window, bpy.types.Area]:
    bpy.ops.wm.window_new()
    window = present(context.window_manager).windows[-1]
    area = window.screen.areas[0]
    area.ui_type = "IMAGE_EDITOR"
    return window, area


def names_of(shown: bpy.types.Image) -> tuple[str, str]:
    """Return the names of the axes of one of our images, across and up."""
    names = shown[KEY]
    if not hasattr(names, "keys"):
        return "", ""  # anybody can write custom properties
    return str(names.get("across", "")), str(names.get("up", ""))


def _png(pixels: "Pixels") -> bytes:
    """Encode pixels as a PNG, optimised for speed rather than size."""
    import numpy as np

    height, width = pixels.shape[:2]
    rows = pixels[::-1].reshape(height, 3 * width)
    unfiltered = np.concatenate([np.zeros((height, 1), dtype=np.uint8), rows], axis=1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # eight bits of red, green and blue
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(unfiltered, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def register() -> None:
    registrar.at_end(_give_back)
    registrar.append(memory.when_forgotten, _give_back)
    registrar.append(bpy.app.handlers.undo_post, _after_undo)
    registrar.append(bpy.app.handlers.redo_post, _after_undo)
    registrar.append(bpy.app.handlers.load_post, _after_loading)
