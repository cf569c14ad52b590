"""Define the extension's preferences: engine, memory limit, library, defaults, colours and links to help."""

import platform
from collections.abc import Callable
from importlib import util
from pathlib import Path
from typing import Any

import bpy

from ... import __package__ as extension
from ...core import jit
from ...core.options import SHOWN
from ..ground import colors, memory, registrar
from ..ground.blender_types import present
from ..ground.translations.runtime import translate_text
from . import properties

RUN_ON = ("Linux",)  # by `platform.system`; zips for other platforms exist but are untested
DEFAULTS = ("place", "assign", "travel", "keys", "keys_within", "keys_feet", "interpolation", "mark_contacts")

# The steering keys in addition to the arrows: name, default key, and direction relative to the camera.
STEER = {
    "ahead": ("Ahead", "W", 1.0 + 0j),
    "back": ("Back", "S", -1.0 + 0j),
    "left": ("Left", "A", 1j),
    "right": ("Right", "D", -1j),
}
LETTERS = [(letter, letter, "") for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
KEYPAD = [(f"NUMPAD_{k}", f"Numpad {k}", "") for k in range(10)]


# Without this option Blender 4.5 and later crash if preferences get a path that begins with //; 4.2 lacks the option.
_BESIDE_FILE = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5, 0) else set()


# Listeners, called with the path of the newly chosen library.
when_library_changed: list[Callable[[str], None]] = []


# Listeners, called with whether the timeline strip is switched on.
when_strip_changed: list[Callable[[bool], None]] = []


def _engine_changed(chosen: Any, _context: bpy.types.Context) -> None:
    jit.use(chosen.engine.lower())


def _memory_changed(chosen: Any, _context: bpy.types.Context) -> None:
    memory.most_bytes = chosen.memory * memory.MEGABYTE


def _strip_changed(chosen: Any, _context: bpy.types.Context) -> None:
    for listener in when_strip_changed:
        listener(chosen.strip)


def _library_changed(_chosen: Any, context: bpy.types.Context) -> None:
    """Pass the newly chosen library to listeners."""
    present(context.preferences).is_dirty = True
    for listener in when_library_changed:
        listener(library(context))


def _key(which: str) -> Any:
    """Return the property of a steering key."""
    label, key, _ = STEER[which]
    return bpy.props.EnumProperty(
        name=label, description="The key that steers, beside the arrow", items=[*LETTERS, *KEYPAD], default=key
    )


class ACTION_LOOM_AP_preferences(bpy.types.AddonPreferences):
    bl_idname = str(extension)

    engine: bpy.props.EnumProperty(
        name="Engine",
        description="How results are computed; they look the same",
        items=[
            ("AUTO", "Fastest", "Compiled code (numba) where it works, else numpy"),
            ("NUMPY", "Only numpy", "No compiler: starts at once, long clips take several times as long"),
        ],
        default="AUTO",
        update=_engine_changed,
    )
    memory: bpy.props.IntProperty(
        name="Remember at Most (MB)",
        description="Memory for analyses and motion graphs, so that changes are quick; the last one is always kept",
        default=memory.most_bytes // memory.MEGABYTE,
        min=0,
        soft_min=64,
        soft_max=16384,
        update=_memory_changed,
    )
    library: bpy.props.StringProperty(
        name="Library",
        description="The library's folder NAME.loomlib, for all files; one that begins with // lies beside this file",
        subtype="DIR_PATH",
        options=_BESIDE_FILE,
        update=_library_changed,
    )
    defaults: bpy.props.PointerProperty(type=properties.GROUPS["result"])
    play: bpy.props.BoolProperty(
        name="Play Result",
        description="Fit the preview range to a new result and play it",
    )
    strip: bpy.props.BoolProperty(
        name="Strip at Timeline",
        description="Show sources, weights, seams and foot contacts at the bottom of timelines or of the 3D view",
        default=True,
        update=_strip_changed,
    )
    ahead: _key("ahead")
    back: _key("back")
    left: _key("left")
    right: _key("right")
    colors: bpy.props.PointerProperty(type=colors.ACTION_LOOM_PG_colors)

    def draw(self, context: bpy.types.Context) -> None:
        layout = present(self.layout)
        layout.use_property_split = True
        layout.use_property_decorate = False
        row = layout.row(align=True)
        present(row.operator("action_loom.manual", icon="HELP")).page = "index"
        present(row.operator("action_loom.manual", text="Installing", icon="HELP")).page = "install"
        present(row.operator("action_loom.manual", text="Troubleshooting", icon="HELP")).page = "troubleshooting"
        row.operator("action_loom.report_problem", icon="URL")
        system = platform.system()
        if system not in RUN_ON:
            layout.label(
                text=translate_text(f"This version was not tested on {system}: please report what does not work"),
                icon="INFO",
            )
        layout.prop(self, "memory")
        _draw_size(layout, "ANALYSED", f"{_megabytes(memory.size())} of analyses are remembered")
        if util.find_spec("numba") is not None:  # from the speed pack, or installed by the artist
            self._draw_engine(layout)
        layout.prop(self, "library")
        layout.prop(self, "strip")
        header, body = layout.panel("action_loom_defaults", default_closed=True)
        header.label(text="Defaults for New Scenes")
        if body is not None:
            for name in DEFAULTS:
                if properties.applies(self.defaults, present(_result_options()[name])):
                    body.prop(self.defaults, name)
            body.prop(self, "play")
        header, body = layout.panel("action_loom_keys", default_closed=True)
        header.label(text="Keys of Drive")
        if body is not None:
            for name in STEER:
                body.prop(self, name)
            if len({getattr(self, name) for name in STEER}) < len(STEER):
                body.label(text="Two directions have the same key: the lower one has it", icon="INFO")
        header, body = layout.panel("action_loom_colors", default_closed=True)
        header.label(text="Colors in the 3D View")
        if body is not None:
            for name in colors.MEANINGS:
                body.prop(self.colors, name)

    def _draw_engine(self, layout: bpy.types.UILayout) -> None:
        """Draw the engine in use, and the size of the compiled code on disk."""
        layout.prop(self, "engine", expand=True)
        layout.label(text=translate_text(_engine_state(self.engine)))
        _draw_size(layout, "COMPILED", f"{_megabytes(_on_disk(compiled_folder()))} of compiled code are on disk")


def _draw_size(layout: bpy.types.UILayout, what: str, text: str) -> None:
    """Draw the size of stored data, and the button that deletes it."""
    row = layout.row()
    row.label(text=translate_text(text))
    present(row.operator("action_loom.clear_cache", icon="TRASH")).what = what


def _result_options() -> dict[str, Any]:
    return {about.name: about for about in properties.shown_options("result", *SHOWN)}


def _engine_state(engine: str) -> str:
    if engine == "NUMPY":
        return "Numpy computes"
    return "Use compiled code; the very first Weave takes up to a minute longer"


def _megabytes(count: int) -> str:
    return f"{count / memory.MEGABYTE:.1f} MB"


def _on_disk(folder: str) -> int:
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def compiled_folder() -> str:
    """Return the folder of the compiled code; it may not exist."""
    return bpy.utils.extension_path_user(str(extension), path="kernels")


def read_preferences(context: bpy.types.Context) -> Any:
    """Return the extension's preferences; None if it is registered without being enabled."""
    enabled = present(context.preferences).addons.get(str(extension))
    return None if enabled is None else enabled.preferences


def strip() -> bool:
    """Return whether the timeline strip is switched on."""
    kept = read_preferences(bpy.context)
    return kept is None or kept.strip


def keys(context: bpy.types.Context) -> dict[str, complex]:
    """Return the steering keys and their directions relative to the camera: 1 is ahead, i to the left."""
    kept = read_preferences(context)
    return {key if kept is None else str(getattr(kept, name)): way for name, (_, key, way) in STEER.items()}


def library(context: bpy.types.Context) -> str:
    """Return the absolute path of the chosen library, "" for none."""
    kept = read_preferences(context)
    return "" if kept is None else bpy.path.abspath(kept.library).rstrip("/\\")


def _give_defaults(scene: bpy.types.Scene) -> None:
    """Copy the preferences' defaults to unset settings of a scene, when it gets its first list."""
    kept, settings = read_preferences(bpy.context), properties.settings_of(scene)
    if kept is None:
        return
    pairs = [(kept.defaults, settings.result, name) for name in DEFAULTS] + [(kept, settings, "play")]
    for ours, theirs, name in pairs:
        if ours.is_property_set(name) and not theirs.is_property_set(name):
            setattr(theirs, name, getattr(ours, name))


def register() -> None:
    registrar.add_classes((ACTION_LOOM_AP_preferences,))
    registrar.append(properties.when_first_listed, _give_defaults)
    kept = read_preferences(bpy.context)
    if kept is not None:
        _memory_changed(kept, bpy.context)
        if kept.engine != "AUTO":  # AUTO leaves the environment's choice
            _engine_changed(kept, bpy.context)
