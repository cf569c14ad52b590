"""Small pictures of the named styles, drawn when the mode Style is shown."""

import bpy

from ....core.cache import Cache
from ....core.recipes.style import NAMED, RECORDED
from ...ground import memory, registrar
from ...ground.blender_types import present

SOON = 0.05  # s until the pictures are drawn
SHOWN = 2.0  # factor of a style in its picture, in which it would hardly be seen otherwise
COLOR = (0.9, 0.62, 0.0)  # visible in dark and in light themes

_icons: Cache[str, int] = memory.cache(len(NAMED) + 1)


def icon_of(name: str) -> int:
    """Return the icon id of a named style's picture ("" for none of them), 0 if it is not drawn yet."""
    known = _icons.get(name)
    if known is None and not bpy.app.background and not bpy.app.timers.is_registered(_draw_pictures):
        bpy.app.timers.register(_draw_pictures, first_interval=SOON)
    return known or 0


def _draw_pictures() -> None:
    from ....core.style import form as forms
    from ....core.style import shipped
    from ...bitmaps import images, thumbnail  # numpy is loaded at first use, not when Blender starts

    walks = shipped.walks()
    style = shipped.added_to_row(walks, walks.mean)
    for name in ("", *NAMED):
        row = style.mean.copy()
        if RECORDED.get(name) in style.people:
            row = style.people[RECORDED[name]]
        else:
            for slider, amount in NAMED.get(name, {}).items():
                row = row + SHOWN * amount * style.sliders.natural[style.sliders.names.index(slider)]
        clip = forms.as_clip(style.form, row[:-1].reshape(forms.PHASES, -1), 1.0)
        _icons.keep(name, images.preview(f"named_style_{name}", thumbnail.of_pose(clip, COLOR)))
    for window in present(bpy.context.window_manager).windows:
        for area in (one for one in window.screen.areas if one.type == "VIEW_3D"):
            area.tag_redraw()


def register() -> None:
    registrar.stop_timer(_draw_pictures)
