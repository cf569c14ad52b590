"""Remember the folders of the last import and export in this session; file browsers would begin at home again."""

import os

IMPORTED, EXPORTED = "import", "export"

# The folder of each direction; it outlasts the opened file, as files on a disk do.
_last: dict[str, str] = {}


def keep(which: str, folder: str) -> None:
    """Remember a folder; which : IMPORTED or EXPORTED."""
    _last[which] = folder


def of(which: str) -> str:
    """Return the remembered folder, "" for none or one that is gone."""
    folder = _last.get(which, "")
    return folder if os.path.isdir(folder) else ""
