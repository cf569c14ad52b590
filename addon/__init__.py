"""The Blender side of Action Loom: the only code that imports bpy."""

from importlib import import_module

import bpy

from .. import __package__ as extension
from ..core import jit

# In the order of registration; unregistered in reverse.
MODULES = (
    ".colors",
    ".session.identity",  # first: what is read of a file that was opened is of a new session
    ".lists",
    ".contact_rows",
    ".properties",
    ".body_roles",
    ".storage",
    ".library_finds",
    ".session.analysis",
    ".session.previews",
    ".session.skins",
    ".session.handlers",
    ".session.ghost_follow",
    ".pictures.images",
    ".pictures.image_overlay",
    ".pictures.walk_overlay",
    ".pictures.stretch_handles",
    ".pictures.ghost_overlay",
    ".pictures.feet_overlay",
    ".operators.base",
    ".operators.sources",
    ".operators.roles",
    ".operators.verbs",
    ".operators.edits",
    ".operators.events",
    ".operators.poses",
    ".operators.tween",
    ".operators.retarget",
    ".operators.synchronise",
    ".operators.candidates",
    ".operators.graphs",
    ".operators.stretches",
    ".operators.style",
    ".operators.results",
    ".operators.going_on",
    ".operators.assets",
    ".operators.motion_files",
    ".operators.library",
    ".operators.demo",
    ".operators.tab",
    ".operators.help",
    ".operators.picks",
    ".operators.weights",
    ".operators.check",
    ".operators.clean_up",
    ".operators.feet",
    ".operators.preview",
    ".operators.playhead",
    ".host.commands",
    ".manual",
    ".preferences",
    ".panels.sources",
    ".panels.library",
    ".panels.weave",
    ".panels.style",
    ".panels.repair",
    ".panels.feet",
    ".panels.synchronise",
    ".panels.check",
    ".panels.weight_pad",
    ".panels.ask_pad",
    ".menus",
    ".translations",  # last: all operators are there
)


def register() -> None:
    jit.keep_compiled_in(bpy.utils.extension_path_user(extension, path="kernels"))
    for name in MODULES:
        import_module(name, __package__).register()


def unregister() -> None:
    for name in reversed(MODULES):
        import_module(name, __package__).unregister()
