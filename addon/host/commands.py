"""`blender --background FILE.blend --command action_loom VERB …`: the command line on the opened file's actions."""

from collections.abc import Sequence
from typing import Any

import bpy

NAME = "action_loom"

_registered: Any = None


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 the input can't be worked with, 2 wrong usage."""
    from ...core.cli import main  # numpy is loaded at first use, not when Blender starts
    from . import check, rebuild
    from .opened_file import OpenedFile

    try:
        return main.main(arguments, OpenedFile([rebuild.add_verb, check.add_verb]))
    except SystemExit as stopped:
        # Help and wrong usage end a process of their own; here Blender ends it, with what is returned.
        return stopped.code if isinstance(stopped.code, int) else 0


def register() -> None:
    global _registered
    _registered = bpy.utils.register_cli_command(NAME, run)


def unregister() -> None:
    global _registered
    bpy.utils.unregister_cli_command(_registered)
    _registered = None
