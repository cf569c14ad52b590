"""Before a file is saved, let results keep the names that their sources have now; `storage` loads if there are any."""

from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..bridge import result_mark
from ..ground import registrar


@persistent
def _note_names(*_: Any) -> None:
    if any(map(result_mark.is_result, bpy.data.actions)):
        from . import storage

        storage.note_names()


def register() -> None:
    registrar.append(bpy.app.handlers.save_pre, _note_names)
