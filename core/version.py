"""The version: the extension's manifest has it, and all else reads it here, pyproject and the command line too."""

import re
from pathlib import Path

_MANIFEST = Path(__file__).resolve().parent.parent / "blender_manifest.toml"
_FOUND = re.search(r'(?m)^version = "([^"]+)"', _MANIFEST.read_text(encoding="utf-8"))

VERSION = _FOUND[1] if _FOUND else ""
