"""What is to be done when files are opened, and when the extension is switched off."""

from typing import Any

import bpy
from bpy.app.handlers import persistent

from .. import lists, meant, properties
from . import jobs, memory, previews


@persistent
def _before_loading(*_: Any) -> None:
    end_work("another file is opened")


def end_work(why: str) -> None:
    """Stop what runs, and forget what belongs to the file that is left."""
    jobs.stop(why)
    memory.forget()


def _weave_live(scene: bpy.types.Scene, context: bpy.types.Context) -> None:
    settings = properties.settings_of(scene)
    if settings.mode != "blend" or jobs.running() is not None:
        return
    armature = meant.of_tab(context)
    if armature is not None and previews.of(armature.session_uid) is not None:
        from . import ghosts  # numpy is loaded at first use, not when Blender starts

        ghosts.reweave(context, scene, armature)
    elif settings.live:
        from . import live

        live.reweave(context, scene)


def register() -> None:
    lists.when_weight_changed.append(_weave_live)
    bpy.app.handlers.load_pre.append(_before_loading)


def unregister() -> None:
    bpy.app.handlers.load_pre.remove(_before_loading)
    lists.when_weight_changed.remove(_weave_live)
    end_work("the extension was switched off")
