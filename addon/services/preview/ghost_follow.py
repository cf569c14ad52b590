"""Let a preview follow the panel: another candidate, a moved curve or an option, if weaving is quick enough.

With Live on, the last walk along a curve follows the panel in place of a preview. Weights are followed at once, see
`handlers`. No listener is registered while nothing is previewed and Live is off.
"""

import dataclasses
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ....core.errors import LoomError
from ....core.verbs import Follow
from ...ground import jobs, troubles
from ...ground.blender_types import present, scene_of
from ...model import properties, target_armature
from . import previews

PAUSE = 0.15  # s from a change until it is followed, so that only the end of a drag counts
QUICK = 0.4  # s that weaving again may block Blender
WALKED = 3.0  # s that a whole walk may take for its end to be walked again while Blender waits
SLOW = 5.0  # s that weaving may take in the background


def start() -> None:
    """Start to listen to changes."""
    if _after_change not in bpy.app.handlers.depsgraph_update_post:
        bpy.app.handlers.depsgraph_update_post.append(_after_change)


def stop() -> None:
    """Stop listening, unless Live is on."""
    if not any(properties.settings_of(scene).live for scene in bpy.data.scenes):
        _stop()


def _stop() -> None:
    if _after_change in bpy.app.handlers.depsgraph_update_post:
        bpy.app.handlers.depsgraph_update_post.remove(_after_change)
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)


@persistent
def _after_change(*_: Any) -> None:
    if not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=PAUSE)


def _look() -> float | None:
    """Follow the changes; returns when to look again while another job or a drag is running."""
    windows = list(present(bpy.context.window_manager).windows)
    if jobs.running() is not None or any(len(one.modal_operators) for one in windows):
        return PAUSE
    if not windows:
        follow(bpy.context)
    else:
        with bpy.context.temp_override(window=windows[0]):
            follow(bpy.context)
    return None


def follow(context: bpy.types.Context) -> bool:
    """Preview the panel's settings again if they have changed and weaving is quick; says whether it did."""
    from . import panel_state

    scene, armature = scene_of(context), target_armature.of_tab(context)
    ghost = None if armature is None else previews.of(armature.session_uid)
    settings = properties.settings_of(scene)
    if armature is None or ghost is None or ghost.woven is None or ghost.mode != settings.mode:
        return settings.live and settings.mode == Follow.verb and _rewalked(context, scene)
    rig = properties.rig_of(scene, armature)
    asked = () if rig is None else panel_state.asked(scene, rig, ghost.mode)
    if asked == ghost.asked:
        return False
    # The same settings are not tried again, even after a failure.
    previews.keep(armature.session_uid, dataclasses.replace(ghost, asked=asked, outdated=True))
    seconds = ghost.woven.report["seconds_taken"]
    if seconds > SLOW:
        return False
    if ghost.mode == Follow.verb and seconds <= WALKED and panel_state.same_clips(asked, ghost.asked):
        return _walked(context, armature, asked, ghost.read.body.world_metres)
    how = "EXEC_DEFAULT" if seconds <= QUICK else "INVOKE_DEFAULT"
    try:
        ours: Any = bpy.ops.action_loom  # type: ignore[attr-defined]  # the stubs know Blender's own only
        with target_armature.as_from_panel(context, armature):
            return "CANCELLED" not in getattr(ours, ghost.mode)(how, preview=True, quick=True)
    except RuntimeError:  # the operator has reported it: the panel shows it
        return False


def _walked(context: bpy.types.Context, armature: bpy.types.Object, asked: tuple[Any, ...], metres: float) -> bool:
    """Walk the preview again from where its curve was changed; the panel shows what prevents it."""
    from . import ghosts

    troubles.clear(armature.session_uid)
    try:
        return ghosts.rewalk(context, armature, asked)
    except LoomError as error:
        troubles.keep(armature.session_uid, Follow.verb, error, metres)
        return False


def _rewalked(context: bpy.types.Context, scene: bpy.types.Scene) -> bool:
    from . import live

    return live.rewalk(context, scene)


def _live_changed(scene: bpy.types.Scene, _context: bpy.types.Context) -> None:
    if properties.settings_of(scene).live:
        start()
    elif all(one is None for one in previews.every()):
        stop()


def register() -> None:
    properties.when_live_changed.append(_live_changed)
    previews.when_some.append(start)
    previews.when_none.append(stop)


def unregister() -> None:
    previews.when_none.remove(stop)
    previews.when_some.remove(start)
    properties.when_live_changed.remove(_live_changed)
    _stop()
