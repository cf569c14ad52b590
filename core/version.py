"""The version, read from the extension's manifest, for all uses including pyproject and the command line."""

from pathlib import Path


def _read_version(manifest: Path) -> str:
    """Return the version in a manifest; its line is found by name, because parsing TOML would take longer."""
    lines = (line.partition("=") for line in manifest.read_text(encoding="utf-8").splitlines())
    return next(value.strip(' "') for name, _, value in lines if name.strip() == "version")


VERSION = _read_version(Path(__file__).resolve().parent.parent / "blender_manifest.toml")
