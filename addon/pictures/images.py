"""Pictures in panels and in the Image Editor: previews, images, and the names beside an image's axes."""

import struct
import zlib
from typing import TYPE_CHECKING, Any

import bpy
import bpy.utils.previews

from ..blender_types import as_array, has_property, interface_scale, present
from ..session import memory

if TYPE_CHECKING:
    from .match_bitmap import Pixels

KEY = "action_loom"  # of the custom property that marks our images

_previews: "bpy.utils.previews.ImagePreviewCollection | None" = None


def preview(name: str, pixels: "Pixels") -> int:
    """Show pixels as the preview of a name and return its icon; in background Blender has none, and it is 0."""
    import numpy as np

    global _previews
    if _previews is None:
        _previews = bpy.utils.previews.new()
    made = _previews[name] if name in _previews else _previews.new(name)
    height, width = pixels.shape[:2]
    opaque = np.ones((height, width, 4), dtype=np.float32)
    opaque[..., :3] = pixels / np.float32(255.0)
    made.image_size = as_array((width, height))
    made.image_pixels_float.foreach_set(opaque.ravel())  # type: ignore[arg-type]  # buffers are taken as well
    return int(made.icon_id)


def _give_back() -> None:
    """Give the previews back."""
    global _previews
    if _previews is not None:
        bpy.utils.previews.remove(_previews)
        _previews = None


def find(across: str, up: str) -> bpy.types.Image | None:
    """Return our image whose axes have these names, or None; an artist's of the same name is none of ours."""
    return next((i for i in bpy.data.images if has_property(i, KEY) and _names(i) == (across, up)), None)


def image(across: str, up: str, pixels: "Pixels") -> bpy.types.Image:
    """Return an image of pixels whose axes have these names: the one that there is, or a new one.

    It is packed: so it counts as saved, nobody is asked for it when Blender quits.
    """
    made = find(across, up)
    if made is None:
        made = bpy.data.images.new(f"{up} to {across}", 8, 8)
        made[KEY] = {"across": across, "up": up}
    data = _png(pixels)
    made.source = "GENERATED"  # else it goes on with the pixels that it had
    made.pack(data=data, data_len=len(data))
    made.source = "FILE"
    return made


def summary(shown: bpy.types.Image) -> str:
    """Return what an image is called and how large it is."""
    return f"{shown.name}: {shown.size[0]} × {shown.size[1]} pixels"  # type: ignore[index]  # of arrays


def show(context: bpy.types.Context, shown: bpy.types.Image) -> None:
    """Show an image in an Image Editor: the one that has it, any that is free, or one in a new window."""
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


def _names(shown: bpy.types.Image) -> tuple[str, str]:
    names = shown[KEY]
    if not hasattr(names, "keys"):
        return "", ""  # anybody can write custom properties
    return str(names.get("across", "")), str(names.get("up", ""))


def _png(pixels: "Pixels") -> bytes:
    """Return pixels as a PNG; quickly rather than as small as can be."""
    import numpy as np

    height, width = pixels.shape[:2]
    rows = pixels[::-1].reshape(height, 3 * width)
    unfiltered = np.concatenate([np.zeros((height, 1), dtype=np.uint8), rows], axis=1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # eight bits of red, green and blue
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(unfiltered, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def _draw_names() -> None:
    """Draw the actions' names beside the axes of an image of ours: sharp at any zoom, and in any script."""
    import blf

    space, region = bpy.context.space_data, present(bpy.context.region)
    assert isinstance(space, bpy.types.SpaceImageEditor)
    shown = space.image
    if shown is None or not has_property(shown, KEY):
        return
    across, up = _names(shown)
    left, bottom = _in_region(region, 0.0, 0.0)
    right, top = _in_region(region, 1.0, 1.0)
    size = 13.0 * interface_scale()
    blf.size(0, size)
    blf.color(0, 0.9, 0.9, 0.9, 1.0)
    width, _ = blf.dimensions(0, across)
    blf.position(0, 0.5 * (left + right - width), max(bottom - 1.5 * size, 0.5 * size), 0.0)
    blf.draw(0, across)
    width, _ = blf.dimensions(0, up)
    blf.enable(0, blf.ROTATION)
    blf.rotation(0, 1.5707963)
    blf.position(0, max(left - 0.7 * size, 1.2 * size), 0.5 * (bottom + top - width), 0.0)
    blf.draw(0, up)
    blf.disable(0, blf.ROTATION)


def _in_region(region: bpy.types.Region, x: float, y: float) -> tuple[float, float]:
    return region.view2d.view_to_region(x, y, clip=False)  # type: ignore[return-value]  # no array, but a pair


_handler: Any = None


def register() -> None:
    global _handler
    memory.when_forgotten.append(_give_back)
    if not bpy.app.background:  # where nothing is drawn
        _handler = bpy.types.SpaceImageEditor.draw_handler_add(_draw_names, (), "WINDOW", "POST_PIXEL")


def unregister() -> None:
    global _handler
    if _handler is not None:
        bpy.types.SpaceImageEditor.draw_handler_remove(_handler, "WINDOW")
        _handler = None
    memory.when_forgotten.remove(_give_back)
    _give_back()
