"""The extension's preferences: which engine computes, which library is searched, and where help is."""

import platform
from importlib import util
from typing import Any

import bpy

from .. import __package__ as extension
from ..core import jit
from .blender_types import present
from .translations.told import translated

RUN_ON = ("Linux",)  # by `platform.system`; zips for other platforms are built, and were not run


# Without this Blender, from 4.5 on, crashes where preferences get a path that begins with //. 4.2 has no such option.
_BESIDE_FILE = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5, 0) else set()


def _engine_changed(chosen: Any, _context: bpy.types.Context) -> None:
    jit.use(chosen.engine.lower())


def _library_changed(_chosen: Any, context: bpy.types.Context) -> None:
    """Look at the library that was chosen."""
    present(context.preferences).is_dirty = True
    from .session import library_search  # numpy is loaded at first use, not when Blender starts

    library_search.look(library(context))


class ACTION_LOOM_AP_preferences(bpy.types.AddonPreferences):
    bl_idname = str(extension)

    engine: bpy.props.EnumProperty(
        name="Engine",
        description="What computes; results are the same to far below what can be seen",
        items=[
            ("AUTO", "Fastest", "Compiled code (numba) where it works, else numpy"),
            ("NUMPY", "Only numpy", "No compiler: starts at once, long clips take several times as long"),
        ],
        default="AUTO",
        update=_engine_changed,
    )

    library: bpy.props.StringProperty(
        name="Library",
        description="The folder NAME.loomlib of the library that is searched. Every file has the same, but for one"
        " that begins with //: that lies beside the file",
        subtype="DIR_PATH",
        options=_BESIDE_FILE,
        update=_library_changed,
    )

    def draw(self, context: bpy.types.Context) -> None:
        layout = present(self.layout)
        layout.use_property_split = True
        layout.prop(self, "engine", expand=True)
        column = layout.column(align=True)
        column.label(text=translated(_engine_state(self.engine)))
        system = platform.system()
        if system not in RUN_ON:
            column.label(
                text=translated(f"On {system} this version was built and not run: tell us what does not work"),
                icon="INFO",
            )
        row = layout.row()
        present(row.operator("action_loom.manual", icon="HELP")).page = "index"
        present(row.operator("action_loom.manual", text="Installing", icon="HELP")).page = "install"


def _engine_state(engine: str) -> str:
    if engine == "NUMPY":
        return "Numpy computes"
    if util.find_spec("numba") is None:
        return "This zip came without the compiler (numba): numpy computes, the same and slower"
    return "Compiled code computes; the first Weave after installing takes some seconds longer"


def chosen(context: bpy.types.Context) -> Any:
    """Return the extension's preferences; None where it is registered without being enabled."""
    enabled = present(context.preferences).addons.get(str(extension))
    return None if enabled is None else enabled.preferences


def library(context: bpy.types.Context) -> str:
    """Return the path of the library that is searched, "" for none."""
    kept = chosen(context)
    return "" if kept is None else bpy.path.abspath(kept.library).rstrip("/\\")


def register() -> None:
    bpy.utils.register_class(ACTION_LOOM_AP_preferences)
    kept = chosen(bpy.context)
    if kept is not None and kept.engine != "AUTO":  # else it is as the environment says
        _engine_changed(kept, bpy.context)


def unregister() -> None:
    bpy.utils.unregister_class(ACTION_LOOM_AP_preferences)
