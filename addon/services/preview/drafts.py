"""Preview a few frames of a reweighted blend while the user drags a weight, and the whole blend once the drag rests."""

import time

import bpy

from ....core.cache import Cache
from ...ground import jobs, memory
from ...ground.blender_types import present, scene_of
from ...model import target_armature

REST = 0.15  # s from the last change until the whole blend is woven
QUICK = 0.04  # s; a preview that takes less time is always woven as a whole

# Duration in seconds of weaving the whole blend again, by the armature's session id.
_took: Cache[int, float] = memory.cache(64)


def follow(context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Update a preview after a change of weights: a few frames at once if the whole takes long, and the whole later."""
    from . import ghosts  # numpy is loaded at first use, not when Blender starts

    stop()
    scene, screen = scene_of(context), context.screen
    seen_later = screen is not None and screen.is_animation_playing  # playback would leave these few frames
    if bpy.app.background or seen_later or (_took.get(armature.session_uid) or 0.0) <= QUICK:
        _weave(context, armature)
    elif ghosts.draft(context, scene, armature):
        bpy.app.timers.register(_rest, first_interval=REST)
    else:
        _weave(context, armature)


def stop() -> None:
    """Cancel the pending whole preview of a drag."""
    if bpy.app.timers.is_registered(_rest):
        bpy.app.timers.unregister(_rest)


def _weave(context: bpy.types.Context, armature: bpy.types.Object) -> None:
    from . import ghosts

    began = time.perf_counter()
    if ghosts.reweave(context, scene_of(context), armature):
        _took.keep(armature.session_uid, time.perf_counter() - began)


def _rest() -> float | None:
    """Weave the whole; returns the delay of the next attempt while another job is running."""
    if jobs.is_busy():
        return REST
    windows = list(present(bpy.context.window_manager).windows)
    if windows:
        with bpy.context.temp_override(window=windows[0]):
            armature = target_armature.of_tab(bpy.context)
            if armature is not None:
                _weave(bpy.context, armature)
    return None
