"""Register the command line for `blender --background FILE.blend --command action_loom VERB …`."""

from collections.abc import Sequence

import bpy

from ..ground import registrar

NAME = "action_loom"


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 for success, 1 for unusable input, 2 for wrong usage."""
    from ...core.cli import main, outputs  # numpy is loaded at first use, not when Blender starts
    from . import check, rebuild
    from .opened_file import OpenedFile

    outputs.opened_file = bpy.data.filepath
    try:
        return main.main(arguments, OpenedFile({"rebuild": rebuild.COMMAND, "check": check.COMMAND}))
    except SystemExit as stopped:
        # argparse exits after help and on wrong usage; here Blender exits with the returned code.
        return stopped.code if isinstance(stopped.code, int) else 0


def register() -> None:
    registrar.at_end(bpy.utils.unregister_cli_command, bpy.utils.register_cli_command(NAME, run))
