"""Handle opened files, changed panel settings, and disabling of the extension."""

from collections.abc import Callable
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ....core.errors import LoomError
from ...ground import colors, jobs, memory, registrar, troubles
from ...model import lists, properties, target_armature
from . import drafts, previews


@persistent
def _before_loading(*_: Any) -> None:
    end_work("another file is opened")


def end_work(why: str) -> None:
    """Stop running work, and forget everything that belongs to the file to be closed."""
    jobs.stop(why)
    memory.forget()


def _weave_live(scene: bpy.types.Scene, context: bpy.types.Context) -> None:
    settings = properties.settings_of(scene)
    if settings.mode != "blend" or jobs.is_busy():
        return
    armature = target_armature.of_tab(context)
    ghost = None if armature is None else previews.of(armature.session_uid)
    if armature is None:
        return
    if ghost is not None and ghost.mode == settings.mode:
        drafts.follow(context, armature)
    elif settings.live and not bpy.app.background:
        from . import ghost_follow

        ghost_follow.look_soon()


def _show_previews_again(scene: bpy.types.Scene, context: bpy.types.Context) -> None:
    armature = target_armature.of_tab(context)
    if armature is not None and previews.of(armature.session_uid) is not None:
        from . import ghosts  # numpy is loaded at first use, not when Blender starts

        _try_showing(scene, armature, lambda: ghosts.show_anew(context, armature))


def _show_solo(scene: bpy.types.Scene, context: bpy.types.Context) -> None:
    """Preview the active line alone if Solo is on; otherwise remove such a preview."""
    armature = target_armature.of_tab(context)
    rig = properties.rig_of(scene, armature)
    if armature is None or rig is None:
        return
    ghost = previews.of(armature.session_uid)
    wanted = properties.settings_of(scene).solo
    line = rig.sources[rig.active] if wanted and 0 <= rig.active < len(rig.sources) else None
    if line is not None and line.action is not None:
        from . import ghosts

        _try_showing(scene, armature, lambda: ghosts.solo(context, armature, line))
    elif ghost is not None and ghost.mode == previews.SOLO:
        previews.keep(armature.session_uid, None)


def _try_showing(scene: bpy.types.Scene, armature: bpy.types.Object, show: Callable[[], object]) -> None:
    """Call a preview function; the panel shows its error."""
    try:
        show()
    except LoomError as error:
        previews.keep(armature.session_uid, None)
        troubles.keep(armature.session_uid, properties.settings_of(scene).mode, error, 1.0)


def register() -> None:
    registrar.at_end(end_work, "the extension was switched off")
    registrar.append(properties.when_preview_changed, _show_previews_again)
    registrar.append(colors.when_changed, _show_previews_again)
    registrar.append(properties.when_solo_changed, _show_solo)
    registrar.append(lists.when_active_changed, _show_solo)
    registrar.append(lists.when_weight_changed, _weave_live)
    registrar.append(bpy.app.handlers.load_pre, _before_loading)
    registrar.at_end(drafts.stop)
