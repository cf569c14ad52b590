"""Remember the folders of the last import and export in this session; file browsers would begin at home again."""

import os

from ...core.cache import Cache

IMPORTED, EXPORTED = "import", "export"

# The folder of each direction; `memory` would forget it with the opened file, but files on a disk stay.
_last: Cache[str, str] = Cache(2)


def keep(which: str, folder: str) -> None:
    """Remember a folder; which : IMPORTED or EXPORTED."""
    _last.keep(which, folder)


def of(which: str) -> str:
    """Return the remembered folder, "" for none or one that is gone."""
    folder = _last.get(which) or ""
    return folder if os.path.isdir(folder) else ""
