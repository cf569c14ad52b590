"""Preview the panel's recipe while Live is on, and update the preview after every change.

The panel calls `look_soon` whenever it is drawn, and so do callbacks of properties: Blender crashes if an operator
begins while it sets a typed value. While a preview exists, every change of the scene is checked, such as an edit of the
curve it walks along. Weights have their own updates, see `handlers`.
"""

import dataclasses
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ....core.cache import Cache
from ....core.errors import LoomError
from ....core.verbs import VERBS, Fill, Follow
from ...ground import jobs, memory, registrar, troubles
from ...ground.blender_types import present, scene_of
from ...model import lists, properties, target_armature
from . import previews

PAUSE = 0.05  # s from a change to the update, so that a drag updates when it rests
QUICK = 0.1  # s for which weaving again may block Blender
WALKED = 3.0  # s for a whole walk, up to which its end may be walked again while Blender waits
SLOW = 5.0  # s for weaving in the background
FRAMES, IN_GRAPH = 4000, 1500  # of all ticked actions; larger sets are matched only on request

# The panel's mode and state at the last check, by the armature's session id.
_seen: Cache[int, tuple[Any, ...]] = memory.cache(64)
# The error, and the state with it, at the last check.
_wrong: Cache[int, tuple[troubles.Trouble | None, tuple[Any, ...]]] = memory.cache(8)


def look_soon() -> None:
    """Check for changes after a pause; cheap enough for drawing."""
    if not bpy.app.background and not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=PAUSE)


def start() -> None:
    """Check after changes of the scene, too."""
    if _after_change not in bpy.app.handlers.depsgraph_update_post:
        bpy.app.handlers.depsgraph_update_post.append(_after_change)


def stop() -> None:
    """Check only when the panel is drawn."""
    if _after_change in bpy.app.handlers.depsgraph_update_post:
        bpy.app.handlers.depsgraph_update_post.remove(_after_change)


@persistent
def _after_change(*_: Any) -> None:
    look_soon()


def _look() -> float | None:
    """Handle changes; returns the delay of the next check while another job or a drag is running."""
    windows = list(present(bpy.context.window_manager).windows)
    if jobs.is_busy() or any(len(one.modal_operators) for one in windows):
        return PAUSE
    if not windows:
        follow(bpy.context)
    else:
        with bpy.context.temp_override(window=windows[0]):
            follow(bpy.context)
    return None


def note(context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Record the panel's state as previewed or woven, so that only the next change causes an update."""
    _seen.keep(armature.session_uid, _state(scene_of(context), armature))


def _state(scene: bpy.types.Scene, armature: bpy.types.Object) -> tuple[Any, ...]:
    from . import panel_state

    rig, mode = properties.rig_of(scene, armature), properties.settings_of(scene).mode
    return mode, () if rig is None else panel_state.asked_state(scene, rig, mode)


def follow(context: bpy.types.Context) -> bool:
    """Preview the panel's recipe if it has changed and weaving is quick; return whether it did."""
    scene, armature = scene_of(context), target_armature.of_tab(context)
    settings = properties.settings_of(scene)
    if armature is None:
        return False
    before, state = _seen.get(armature.session_uid), _state(scene, armature)
    _forget_answered(armature.session_uid, settings.mode, state)
    if not settings.live or settings.tool_open or settings.solo:
        return False
    if state == before:
        return False
    _seen.keep(armature.session_uid, state)  # the same state is not tried again after a failure
    ghost = previews.of(armature.session_uid)
    is_new = before is None and (ghost is None or ghost.woven is None)  # the tab was just opened, without changes
    return not is_new and preview(context, armature)


def _forget_answered(armature: int, mode: str, state: tuple[Any, ...]) -> None:
    """Forget the error of an armature once the panel's state has changed since it was first seen."""
    trouble, (known, then) = troubles.of(armature, mode), _wrong.get(armature) or (None, ())
    if trouble is None or trouble is not known:
        _wrong.keep(armature, (trouble, state))
    elif state != then:
        troubles.clear(armature)


def preview(context: bpy.types.Context, armature: bpy.types.Object) -> bool:
    """Preview the panel's recipe if weaving is quick; return whether it did."""
    from . import panel_state

    scene, ghost = scene_of(context), previews.of(armature.session_uid)
    mode, rig = properties.settings_of(scene).mode, properties.rig_of(scene, armature)
    ticked = lists.ticked_lines(rig)
    least = 1 if mode == Fill.verb else VERBS[mode].recipe.least  # Fill works on the armature's own action, too
    if len(ticked) < least or jobs.is_busy():
        previews.keep(armature.session_uid, None)
        return False
    asked = panel_state.asked_state(scene, rig, mode)
    seconds = SLOW if ghost is None or ghost.woven is None else ghost.woven.report["seconds_taken"]
    if ghost is not None and ghost.mode == mode:
        if asked == ghost.asked:
            return False
        # The figure is red while it does not match the panel.
        previews.keep(armature.session_uid, dataclasses.replace(ghost, asked=asked, outdated=True))
        if seconds > SLOW:
            return False
        if mode == Follow.verb and seconds <= WALKED and panel_state.same_clips(asked, ghost.asked):
            return _walk_preview(context, armature, asked, ghost.read.body.world_metres)
    how = "EXEC_DEFAULT" if seconds <= QUICK else "INVOKE_DEFAULT"
    frames = sum(line.action.frame_range[1] - line.action.frame_range[0] for line in ticked)
    known_only = frames > (IN_GRAPH if mode == Follow.verb else FRAMES)
    try:
        ours: Any = bpy.ops.action_loom  # type: ignore[attr-defined]  # the stubs know Blender's own only
        with target_armature.as_from_panel(context, armature):
            getattr(ours, mode)(how, preview=True, unasked=True, quick=known_only)
    except RuntimeError:  # it can't run at present; the panel shows the reason
        return False
    now = previews.of(armature.session_uid)
    return now is not None and (ghost is None or now.woven is not ghost.woven)


def _walk_preview(
    context: bpy.types.Context, armature: bpy.types.Object, asked: tuple[Any, ...], metres: float
) -> bool:
    """Walk the preview again from the change of its curve; the panel shows errors."""
    from . import ghosts

    troubles.clear(armature.session_uid)
    try:
        return ghosts.rewalk(context, armature, asked)
    except LoomError as error:
        troubles.keep(armature.session_uid, Follow.verb, error, metres)
        return False


def _live_changed(scene: bpy.types.Scene, context: bpy.types.Context) -> None:
    armature = target_armature.of_tab(context)
    if armature is None:
        return
    if properties.settings_of(scene).live:
        _seen.keep(armature.session_uid, ())  # another state than any, so that the next check previews
        look_soon()
    else:
        previews.keep(armature.session_uid, None)


def register() -> None:
    registrar.stop_timer(_look)
    registrar.at_end(stop)
    registrar.append(properties.when_live_changed, _live_changed)
    registrar.append(previews.when_some, start)
    registrar.append(previews.when_none, stop)
