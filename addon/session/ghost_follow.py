"""While something is previewed it follows the panel: another candidate, a moved curve, an option, if that is quick.

Weights are followed at once, see `handlers`. Nothing is listened to while nothing is previewed.
"""

import dataclasses
from typing import Any

import bpy
from bpy.app.handlers import persistent

from .. import meant, properties
from ..blender_types import present, scene_of
from . import jobs, panel_state, previews

PAUSE = 0.15  # s from a change until it is followed: of a drag the last place counts
QUICK = 0.4  # s that weaving again may take


def start() -> None:
    """Listen to changes from now on."""
    if _after_change not in bpy.app.handlers.depsgraph_update_post:
        bpy.app.handlers.depsgraph_update_post.append(_after_change)


def stop() -> None:
    """Listen no more."""
    if _after_change in bpy.app.handlers.depsgraph_update_post:
        bpy.app.handlers.depsgraph_update_post.remove(_after_change)
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)


@persistent
def _after_change(*_: Any) -> None:
    if not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=PAUSE)


def _look() -> float | None:
    """Follow what has changed; returns when to look again while other work goes on."""
    if jobs.running() is not None:
        return PAUSE
    window = next(iter(present(bpy.context.window_manager).windows), None)
    if window is None:
        follow(bpy.context)
    else:
        with bpy.context.temp_override(window=window):
            follow(bpy.context)
    return None


def follow(context: bpy.types.Context) -> bool:
    """Preview anew what the panel says now, if it says something else and that is quick; says whether it did."""
    scene, armature = scene_of(context), meant.of_tab(context)
    ghost = None if armature is None else previews.of(armature.session_uid)
    if armature is None or ghost is None or ghost.woven is None or ghost.mode != properties.settings_of(scene).mode:
        return False
    rig = properties.rig_of(scene, armature)
    asked = () if rig is None else panel_state.asked(scene, rig, ghost.mode)
    if asked == ghost.asked:
        return False
    # Whatever comes of it, the same is not tried again.
    previews.keep(armature.session_uid, dataclasses.replace(ghost, asked=asked, outdated=True))
    if ghost.woven.report["seconds_taken"] > QUICK:
        return False
    try:
        ours: Any = bpy.ops.action_loom  # type: ignore[attr-defined]  # the stubs know Blender's own only
        made = getattr(ours, ghost.mode)("EXEC_DEFAULT", armature=armature.name, preview=True, quick=True)
        return "FINISHED" in made
    except RuntimeError:  # the operator has said it: the panel shows it
        return False


def register() -> None:
    previews.when_some.append(start)
    previews.when_none.append(stop)


def unregister() -> None:
    previews.when_none.remove(stop)
    previews.when_some.remove(start)
    stop()
