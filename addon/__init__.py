"""The Blender side of Action Loom: the only code that imports bpy."""

import gc
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import bpy

from .. import __package__ as extension
from ..core import jit
from .ground import registrar

_SHARED = ("background", "library_operator", "polls", "reports", "result_hooks", "take_hooks", "verb_operator")
_FOLDER = Path(__file__).parent / "interface" / "operators"
_OPERATORS = tuple(
    f".interface.operators.{one.name}" for one in pkgutil.iter_modules([str(_FOLDER)]) if one.name not in _SHARED
)
# In the order of registration; removed in reverse.
MODULES = (
    ".ground.colors",
    ".ground.identity",  # first, because data of a newly opened file belongs to a new session
    ".ground.kept_values",
    ".ground.action_changes",
    ".model.take_rows",
    ".model.lists",
    ".model.hand_rows",
    ".model.contact_rows",
    ".model.rows",
    ".model.properties",
    ".services.sources.body_roles",
    ".services.sources.control_table",
    ".services.sources.listing",
    ".services.sources.thumbnails",
    ".model.result_names",
    ".services.library.library_finds",
    ".services.matching.analysis",
    ".services.results.undone_poses",
    ".services.results.changed_sources",
    ".services.preview.previews",
    ".services.preview.skins",
    ".services.preview.handlers",
    ".services.preview.ghost_follow",
    ".services.preview.strips",
    ".services.preview.tool_handles",
    ".bitmaps.images",
    ".interface.pictures.image_overlay",
    ".interface.pictures.walk_overlay",
    ".interface.pictures.ghost_overlay",
    ".interface.pictures.feet_overlay",
    ".interface.pictures.roles_overlay",
    ".interface.pictures.points_overlay",
    ".interface.operators.verb_operator",  # the property groups of other operators
    *_OPERATORS,
    ".host.commands",
    ".interface.manual",
    ".model.preferences",
    ".interface.pictures.timeline_strip",
    ".interface.panels.sources",
    ".interface.panels.take",
    ".interface.panels.weave",
    ".interface.panels.style",
    ".interface.panels.repair",
    ".interface.panels.feet",
    ".interface.panels.library",
    ".interface.panels.synchronise",
    ".interface.panels.check",
    ".interface.panels.weight_pad",
    ".interface.panels.ask_pad",
    ".interface.panels.handles",
    ".interface.menus",
    ".ground.translations",  # last, after all operators
)


def register() -> None:
    registrar.refuse_second_copy()
    jit.keep_compiled_in(bpy.utils.extension_path_user(extension, path="kernels"))
    try:
        with _nothing_is_garbage():
            for name in MODULES:
                import_module(name, __package__).register()
    except BaseException:
        unregister()
        raise


@contextmanager
def _nothing_is_garbage() -> Iterator[None]:
    """Disable garbage collection: all objects created here stay, and scanning them took a tenth of the time."""
    looks = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Treat existing objects as old, so that they are scanned in a later full collection, not immediately.
        gc.freeze()
        gc.unfreeze()
        if looks:
            gc.enable()


def unregister() -> None:
    registrar.remove_all()
