"""Small pictures of the listed actions' poses, drawn when the list is shown, one at a time."""

from collections import deque
from typing import Any

import bpy

from ....core.cache import Cache
from ....core.errors import LoomError
from ....core.recipes.reading import Request, Source
from ...bridge import result_mark
from ...ground import jobs, memory, registrar
from ...ground.blender_types import by_full_name, present
from ...model import properties

PAUSE = 0.02  # s between two pictures, to keep the window responsive
MOST = 600

_Key = tuple[int, int, tuple[float, ...], tuple[float, ...], bool]
_Wanted = tuple[_Key, int, int, str]  # and the session ids of scene and armature, and the action's name

# Icon ids by armature, action, its range, its colour and whether it is a result; 0 without a picture.
_icons: Cache[_Key, int] = memory.cache(MOST)
_wanted: deque[_Wanted] = deque(maxlen=MOST)


def icon_of(armature: bpy.types.Object | None, line: Any) -> int:
    """Return the icon id of a line's picture, 0 if it is not drawn yet; cheap enough for drawing."""
    if armature is None or bpy.app.background or line.player.name:
        return 0
    action = line.action
    color = tuple(round(part, 3) for part in line.color)
    key = armature.session_uid, action.session_uid, tuple(action.frame_range), color, result_mark.is_result(action)
    known = _icons.get(key)
    if known is None:
        wanted = key, line.id_data.session_uid, armature.session_uid, action.name_full
        if wanted not in _wanted:
            _wanted.append(wanted)
        if not bpy.app.timers.is_registered(_draw_next):
            bpy.app.timers.register(_draw_next, first_interval=PAUSE)
    return known or 0


def _draw_next() -> float | None:
    """Draw the next requested picture; return the delay of the next one, None if all are drawn."""
    if not _wanted:
        return None
    windows = list(present(bpy.context.window_manager).windows)
    if jobs.is_busy() or any(one.screen.is_animation_playing for one in windows):
        return 10 * PAUSE  # reading a pose of a control rig changes the scene frame
    key, scene_uid, armature_uid, name = _wanted.popleft()
    scene = properties.of_session(bpy.data.scenes, scene_uid)
    armature = properties.of_session(bpy.data.objects, armature_uid)
    if scene is not None and armature is not None:
        _icons.keep(key, _draw_thumbnail(key, scene, armature, name))
    if _wanted:
        return PAUSE
    for window in windows:
        for area in (one for one in window.screen.areas if one.type == "VIEW_3D"):
            area.tag_redraw()
    return None


def _draw_thumbnail(key: _Key, scene: bpy.types.Scene, armature: bpy.types.Object, name: str) -> int:
    from ...bitmaps import images, thumbnail  # numpy is loaded at first use, not when Blender starts

    try:
        clip = one_pose(scene, armature, name)
    except LoomError:  # the list shows the warning
        return 0
    red, green, blue = key[3]
    return images.preview(f"pose {key[0]} {key[1]}", thumbnail.of_pose(clip, (red, green, blue), underlined=key[4]))


def one_pose(scene: bpy.types.Scene, armature: bpy.types.Object, name: str) -> Any:
    """Return a pose of an action, a third into its range, as a clip; raises LoomError kinds."""
    from ...bridge import curves, own_actions
    from ..weaving import reading

    action = by_full_name(bpy.data.actions, name)
    if action is None:
        raise LoomError(f"There is no action named {name!r}")
    first, last = action.frame_range[:]
    at = round(first + (last - first) / 3.0)
    source = Source(name=name, first=at, last=min(at + 1, round(last)))
    made_of = [(action, curves.choose_slot(action, armature))]
    with own_actions.look_once():
        return reading.read_actions(scene, armature, made_of, Request(sources=(source,))).clips[0]


def register() -> None:
    registrar.stop_timer(_draw_next)
    registrar.at_end(_wanted.clear)
