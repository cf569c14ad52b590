"""The operator on a library, and whether one is chosen."""

from typing import Any

import bpy

from ....core.errors import LibraryError, LoomError
from ...ground import troubles
from ...ground.blender_types import OperatorReturn
from ...model import preferences
from . import polls
from .background import BackgroundOperator

NO_LIBRARY = "Choose a library first, or make a new one"


def poll_library(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Return whether a library is chosen; set the poll message."""
    return polls.poll_unless(cls, not preferences.library(context), NO_LIBRARY)


class LibraryOperator(BackgroundOperator):
    """An operator on the library, whose panel shows an error until the next attempt."""

    # its folder; the panel's library if empty
    library: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def path(self, context: bpy.types.Context) -> str:
        """Return the library's folder; raises LibraryError if none is chosen."""
        path = bpy.path.abspath(self.library).rstrip("/\\") or preferences.library(context)
        if not path:
            raise LibraryError(NO_LIBRARY)
        return path

    def fresh_inputs(self, context: bpy.types.Context) -> Any:
        from ...services.library import libraries

        troubles.clear(libraries.TROUBLES[0])
        return self.inputs(context)

    def failed(self, context: bpy.types.Context, error: LoomError) -> OperatorReturn:
        from ...services.library import libraries

        troubles.keep(*libraries.TROUBLES, error, 1.0)
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}
