"""Helpers of the scripts that `tools/gui.py` runs inside Blender's window."""

import ctypes
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy


def loom(name: str) -> ModuleType:
    """An installed module by its name inside the extension."""
    package = next(m for m in sys.modules if m.startswith("bl_ext.") and m.endswith(".action_loom"))
    return import_module(f"{package}.{name}")


def empty_scene(gui: Any) -> Iterator[Any]:
    """Open an empty file."""
    with gui.override():
        bpy.ops.wm.read_homefile(use_empty=True)
    yield from gui.redraw()


def begin_with_demo(gui: Any, fps: int = 24) -> Iterator[Any]:
    """Open an empty file, and add the demo's figure with its actions."""
    yield from empty_scene(gui)
    with gui.override():
        bpy.context.scene.render.fps = fps
        bpy.ops.action_loom.add_demo("EXEC_DEFAULT", True)


def generate_rigify(gui: Any) -> Iterator[Any]:
    """Generate Rigify's human, select it, and remove its metarig."""
    with gui.override():
        bpy.ops.preferences.addon_enable(module="rigify")
    yield 1.0
    with gui.override():
        bpy.ops.object.armature_human_metarig_add()
        metarig = bpy.context.view_layer.objects.active
        bpy.ops.pose.rigify_generate()
        bpy.data.objects.remove(metarig)
        figure().select_set(True)
        bpy.context.view_layer.objects.active = figure()


def settings() -> Any:
    """Return the scene's settings, which the panels edit."""
    return bpy.context.scene.action_loom  # type: ignore[attr-defined]


def action() -> Any:
    """The action that the active armature has."""
    return bpy.context.view_layer.objects.active.animation_data.action


def idle() -> bool:
    """Return whether no job is running in the background."""
    return loom("addon.ground.jobs").running() is None


def figure() -> Any:
    """The first armature of the file."""
    return next(one for one in bpy.data.objects if one.type == "ARMATURE")


def lines() -> Any:
    """The lines of the list."""
    return settings().rigs[0].sources


def tick(*names: str) -> None:
    """Tick some actions and no others, as a script does: without a step of undo; the first one is the reference."""
    for place, line in enumerate(lines()):
        line.use = line.action is not None and line.action.name in names
        if names and line.action is not None and line.action.name == names[0]:
            settings().rigs[0].reference = place


def ghost() -> Any:
    """What is previewed; None for nothing."""
    return loom("addon.services.preview.previews").of(figure().session_uid)


def done(gui: Any, verb: str, **given: Any) -> Iterator[Any]:
    """Let an operator do its work, as its button would, and wait for it."""
    with gui.override(), loom("addon.model.target_armature").as_from_panel(bpy.context, figure()):
        getattr(bpy.ops.action_loom, verb)("INVOKE_DEFAULT", True, **given)
    yield from gui.wait_until(idle, 120, verb)
    yield from gui.redraw()


def spot(gui: Any, what: str, *columns: float) -> Iterator[Any]:
    """Return a button's position, searched at fractions of the sidebar's width; retry, as a busy machine is late."""
    for _ in range(5):
        found = yield from gui.buttons(gui.region("UI"), columns=columns, until=what)
        if found:
            return found[0][:2]
    raise LookupError(what)


def over_view(gui: Any) -> Iterator[Any]:
    """Move the mouse over the 3D view, where keys mean Blender's own."""
    region = gui.region("WINDOW")
    yield from gui.move(region.x + region.width // 3, region.y + region.height // 2)


def open_only(*names: str) -> None:
    """Register the panels again with only the given ones open: after the first draw only a click opens a panel."""
    modules = [loom(f"addon{name}") for name in loom("addon").MODULES if name.startswith(".interface.panels.")]
    for module in reversed(modules):
        for one in reversed([one for name, one in vars(module).items() if name.startswith("ACTION_LOOM_")]):
            if one.__module__ == module.__name__:
                loom("addon.ground.registrar").remove_class(one)
    for module in modules:
        for name, panel in vars(module).items():
            if name.startswith("ACTION_LOOM_PT_"):
                panel.bl_options = set() if name.removeprefix("ACTION_LOOM_PT_") in names else {"DEFAULT_CLOSED"}
    sidebar = loom("addon.interface.panels").SidebarPanel
    if not isinstance(sidebar.layout_for, _Opened):
        sidebar.layout_for = _Opened(sidebar.layout_for)
    for module in modules:
        module.register()


class _Opened:
    """A panel's `layout_for` whose layout has its inner panels (More) begin open."""

    def __init__(self, layout_for: Any) -> None:
        self._layout_for = layout_for

    def __get__(self, panel: Any, owner: Any) -> Any:
        return self if panel is None else lambda armature: _Layout(self._layout_for(panel, armature))


class _Layout:
    def __init__(self, layout: Any) -> None:
        self._layout = layout

    def __getattr__(self, name: str) -> Any:
        return getattr(self._layout, name)

    def panel(self, name: str, **_: Any) -> Any:
        return self._layout.panel(name, default_closed=False)


# Debian's Blender comes without its list of languages; without its first line 4.3 ends at its start.
LIST = """0:Automatic (Automatic):DEFAULT
0:Complete:
1:English (English):en_US
2:Japanese (日本語):ja_JP
13:Simplified Chinese (简体中文):zh_HANS
"""


def with_languages() -> None:
    """Give Blender its list of languages, and restart it; its own texts stay English."""
    folder = Path("/usr/share/locale")  # where Debian's Blender looks for it
    if bpy.app.translations.locales:
        return
    assert not (folder / "languages").exists(), "Blender did not take the list of languages"
    # The tree can't be written to, but this process has one of its own, so a folder in memory can be put over that.
    assert ctypes.CDLL(None).mount(b"none", str(folder).encode(), b"tmpfs", 0, None) == 0
    (folder / "languages").write_text(LIST, encoding="utf-8")
    given = Path("/proc/self/cmdline").read_bytes().split(b"\0")[:-1]
    os.execv(bpy.app.binary_path, [one.decode() for one in given])


def speak(language: str) -> None:
    """Choose the language of all texts."""
    view = bpy.context.preferences.view
    view.language = language
    view.use_translate_interface = view.use_translate_tooltips = view.use_translate_reports = True


def choose_mode(gui: Any, mode: str) -> Iterator[Any]:
    """Click an intent, and in it a mode: each row is one property, so buttons are found by their places."""
    intents = loom("addon.model.intents")
    intent = next(recipe.intent for recipe in intents.MODES if recipe.verb == mode)
    yield from _choose(
        gui, "action_loom.intent", [one.label for one in intents.INTENTS].index(intent), len(intents.INTENTS)
    )
    modes = [recipe.verb for recipe in intents.modes_of(intent)]
    if len(modes) > 1:
        yield from _choose(gui, "action_loom.mode", modes.index(mode), len(modes))
    assert settings().mode == mode, settings().mode


def _choose(gui: Any, what: str, place: int, count: int) -> Iterator[Any]:
    _, y = yield from gui.find_button(what)
    region, scale = gui.region("UI"), bpy.context.preferences.system.ui_scale
    wide = region.width - 36.0 * scale
    yield from gui.click(region.x + 8.0 * scale + (place + 0.5) * wide / count, y)
