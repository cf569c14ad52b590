"""The version: the extension's manifest has it, and all else reads it here, pyproject and the command line too."""

from pathlib import Path


def _declared(manifest: Path) -> str:
    """Return the version of a manifest: the line is found by its name, since reading TOML would take longer."""
    lines = (line.partition("=") for line in manifest.read_text(encoding="utf-8").splitlines())
    return next(value.strip(' "') for name, _, value in lines if name.strip() == "version")


VERSION = _declared(Path(__file__).resolve().parent.parent / "blender_manifest.toml")
