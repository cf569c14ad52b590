"""Runs in Blender's window, driven by `tools/gui.py`: the tab in Japanese and in Simplified Chinese.

Debian's Blender comes without its list of languages, so it is given one and begun anew. Its own texts stay English.
"""

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
from gui_shared import begin_open, begin_with_demo, idle, loom

LANGUAGES = {"ja_JP": ("合成", "アーマチュアを選択してください"), "zh_HANS": ("合成", "请选择骨架")}
# Without its first line 4.3 ends at its start.
LIST = """0:Automatic (Automatic):DEFAULT
0:Complete:
1:English (English):en_US
2:Japanese (日本語):ja_JP
13:Simplified Chinese (简体中文):zh_HANS
"""
OPEN = ("weave", "synchronise", "repair", "feet", "check", "library", "roles", "source", "weave_more", "graph")
MODES = ("blend", "loop", "splice", "follow", "restyle")

FOLDER = Path("/usr/share/locale")  # where Debian's Blender looks for it
if not bpy.app.translations.locales:
    assert not (FOLDER / "languages").exists(), "Blender did not take the list of languages"
    # The tree can't be written to, but this process has one of its own, so a folder in memory can be put over that.
    assert ctypes.CDLL(None).mount(b"none", str(FOLDER).encode(), b"tmpfs", 0, None) == 0
    (FOLDER / "languages").write_text(LIST, encoding="utf-8")
    given = Path("/proc/self/cmdline").read_bytes().split(b"\0")[:-1]
    os.execv(bpy.app.binary_path, [one.decode() for one in given])


def steps(gui: Any) -> Iterator[Any]:
    yield from begin_with_demo(gui)
    with gui.override():
        bpy.ops.view3d.view_selected()
    for name in OPEN:
        begin_open(getattr(bpy.types, f"ACTION_LOOM_PT_{name}"))
    yield from gui.sidebar("Action Loom")
    for language, (weave, select) in LANGUAGES.items():
        speak(language)
        assert bpy.app.translations.pgettext_iface("Weave") == weave
        yield from modes(gui, language)
        yield from reported(gui, language, select)
    speak("en_US")
    assert bpy.app.translations.pgettext_iface("Weave") == "Weave"
    assert loom("addon.ground.translations.runtime").translated("Select an armature") == "Select an armature"


def speak(language: str) -> None:
    view = bpy.context.preferences.view
    view.language = language
    view.use_translate_interface = view.use_translate_tooltips = view.use_translate_reports = True


def modes(gui: Any, language: str) -> Iterator[Any]:
    """The tab in each mode, with what a result of it says."""
    settings = bpy.context.scene.action_loom
    for mode in MODES:
        settings.mode = mode
        for place, line in enumerate(settings.rigs[0].sources):
            line.use = place < (1 if mode == "loop" else 2)
        yield from gui.redraw()
        if mode in ("blend", "loop"):
            with gui.override():
                getattr(bpy.ops.action_loom, mode)("INVOKE_DEFAULT", True)
            yield from gui.wait_until(idle)
            yield from gui.redraw()
        yield from gui.shot(f"{language}_{mode}")


def reported(gui: Any, language: str, select: str) -> Iterator[Any]:
    """What keeps a button from being pressed, and an error in the panel."""
    settings = bpy.context.scene.action_loom
    armature = bpy.context.view_layer.objects.active
    bpy.context.view_layer.objects.active = None
    assert select in refusal()
    bpy.context.view_layer.objects.active = armature
    settings.mode = "blend"
    for line in settings.rigs[0].sources:
        line.weight = 0.0
    with gui.override():
        bpy.ops.action_loom.blend("INVOKE_DEFAULT", True)
    yield from gui.wait_until(idle)
    yield from gui.redraw()
    yield from gui.shot(f"{language}_error")
    for line in settings.rigs[0].sources:
        line.weight = 1.0


def refusal() -> str:
    """What keeps *Check Rig* from being pressed."""
    try:
        bpy.ops.action_loom.check()
    except RuntimeError as error:
        return str(error)
    return ""
