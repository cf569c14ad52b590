"""Before a file is saved, let results keep their sources' names, and armatures the poses of deleted results.

After a file was opened, the poses of its results are remembered. Modules that need numpy load only if they have work.
"""

import sys
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..bridge import result_mark
from ..ground import registrar


@persistent
def _before_saving(*_: Any) -> None:
    if any(map(result_mark.is_result, bpy.data.actions)):
        from . import storage

        storage.note_names()
    if "numpy" in sys.modules:  # otherwise no action was read, and armatures keep their stored values
        from ..bridge import left_poses

        left_poses.store_all()


@persistent
def _after_opening(*_: Any) -> None:
    if any(map(result_mark.is_result, bpy.data.actions)):
        from ..bridge import left_poses

        left_poses.remember_all()


def register() -> None:
    registrar.append(bpy.app.handlers.load_post, _after_opening)
    registrar.append(bpy.app.handlers.save_pre, _before_saving)
