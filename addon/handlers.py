"""What is to be done when files are opened, and when the extension is switched off."""

from typing import Any

import bpy
from bpy.app.handlers import persistent

from . import jobs, properties


@persistent
def _before_loading(*_: Any) -> None:
    end_work("another file is opened")


def end_work(why: str) -> None:
    """Stop what runs, and forget what belongs to the file that is left."""
    import sys

    jobs.stop(why)
    for name in ("live", "remembered", "analysis", "candidates", "graphs", "overlay"):
        module = sys.modules.get(f"{__package__}.{name}")
        if module is not None:
            module.forget()


def _weave_live(scene: Any, context: Any) -> None:
    settings = scene.action_loom
    if not settings.live or settings.mode != "blend" or jobs.running() is not None:
        return
    from . import live  # numpy is loaded at first use, not when Blender starts

    live.reweave(context, scene)


def register() -> None:
    properties.when_weight_changed.append(_weave_live)
    bpy.app.handlers.load_pre.append(_before_loading)


def unregister() -> None:
    bpy.app.handlers.load_pre.remove(_before_loading)
    properties.when_weight_changed.remove(_weave_live)
    end_work("the extension was switched off")
