"""Opens every panel of the tab in every language, driven by `tools/gui.py`, and takes pictures of panels and popups.

Three screens begin with freshly opened panels: weaving, repairing, and the library. Results are computed once and shown
in each language. Arguments select some of the screens: weave, repair, library, pop_up, fail, reported.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
from gui_shared import begin_with_demo, done, figure, idle, lines, loom, open_only, settings, speak, with_languages
from gui_shared import tick as tick_only

LANGUAGES = {"en_US": "Weave", "ja_JP": "合成", "zh_HANS": "合成"}
WOVEN = ("sources", "roles", "weave", "graph", "random_walk", "examples")
REPAIRED = ("repair", "feet", "check", "synchronise", "synchronise_more")
MENUS = ("weave", "reading", "prepare", "library", "repair", "feet", "result", "sources", "clip", "armatures")
TICKED = {"loop": 1, "follow": 3, "restyle": 3, "ask": 3}

with_languages()


def steps(gui: Any) -> Iterator[Any]:
    bpy.context.preferences.view.show_tooltips = False
    parts = {
        weave: WOVEN,
        repair: REPAIRED,
        library: ("library",),
        pop_up: ("sources", "weave"),
        fail: ("sources", "weave"),
        reported: (),
    }
    for part, opened in parts.items():
        if not gui.args or part.__name__ in gui.args:
            yield from begun(gui, opened, part)
    speak("en_US")


def begun(gui: Any, opened: tuple[str, ...], then: Callable[[Any], Iterator[Any]]) -> Iterator[Any]:
    """Restart with the demo and only the given panels open."""
    speak("en_US")
    yield from begin_with_demo(gui)
    with gui.override():
        bpy.ops.view3d.view_selected()
    open_only(*opened)
    settings().experts, settings().live = True, False
    yield from gui.sidebar("Action Loom")
    yield from then(gui)


def in_each(gui: Any, picture: Callable[[Any, str], Iterator[Any]]) -> Iterator[Any]:
    for language in LANGUAGES:
        speak(language)
        assert bpy.app.translations.pgettext_iface("Weave") == LANGUAGES[language]
        yield from gui.redraw()
        yield from picture(gui, language)


# --- weaving ----------------------------------------------------------------------------------------------------------


def weave(gui: Any) -> Iterator[Any]:
    scene, rig = settings(), settings().rigs[0]
    with gui.override():
        bpy.ops.action_loom.new_curve("EXEC_DEFAULT", True)
        bpy.ops.action_loom.add_stretch("EXEC_DEFAULT", True)
    bpy.context.view_layer.objects.active = figure()
    scene.stretches[0].action, scene.stretches[0].more = bpy.data.actions["Wave"], True
    rig.active, rig.sources[0].use_range = 0, True
    for mode, make in (
        ("follow", ("build_graph",)),
        ("connect", ("find_transitions",)),
        ("loop", ("find_cycles", "loop")),
        ("restyle", ("learn_style", "restyle")),
        ("blend", ("key_weights", "blend")),
    ):
        choose(mode)
        scene.restyle.lean, scene.restyle.bounce = 2.0, 6.0
        for one in make:
            yield from done(gui, one)
    yield from done(gui, "blend", preview=True)

    def pictures(gui: Any, language: str) -> Iterator[Any]:
        for recipe in loom("addon.model.intents").MODES:
            choose(recipe.verb)
            yield from gui.shot(f"{language}_weave_{recipe.verb}", box=gui.region("UI"))
        tick(4)
        scene.mode = "blend"
        yield from gui.shot(f"{language}_weave_four", box=gui.region("UI"))

    yield from in_each(gui, pictures)


def choose(mode: str) -> None:
    settings().mode = mode
    tick(TICKED.get(mode, 2))


def tick(count: int) -> None:
    tick_only(*("Walk", "Run", "Sneak", "Carry")[:count])


# --- repairing --------------------------------------------------------------------------------------------------------


def repair(gui: Any) -> Iterator[Any]:
    choose("blend")
    yield from done(gui, "analyse")
    yield from done(gui, "plant")
    yield from done(gui, "find_contacts")
    bpy.context.scene.frame_set(10)
    with gui.override():
        bpy.ops.action_loom.add_event("EXEC_DEFAULT", True)
    settings().events[0].to, settings().events[0].hold = 12, 0.2
    with gui.override():
        bpy.ops.action_loom.check("EXEC_DEFAULT", True)

    def pictures(gui: Any, language: str) -> Iterator[Any]:
        for verb in loom("addon.model.intents").ICONS:
            with gui.override():
                bpy.ops.action_loom.open_tool(tool=verb)
            yield from gui.shot(f"{language}_repair_{verb}", box=gui.region("UI"))

    yield from in_each(gui, pictures)


# --- the library ----------------------------------------------------------------------------------------------------


def library(gui: Any) -> Iterator[Any]:
    folder = Path(tempfile.mkdtemp())
    (folder / "clips").mkdir()
    names = [{"name": name} for name in ("Walk", "Sneak", "Run")]
    bpy.ops.action_loom.export_motion(filepath=str(folder / "clips" / "all.bvh"), actions=names)
    figure().animation_data.action = bpy.data.actions["Sneak"]
    yield from in_each(gui, lambda gui, language: gui.shot(f"{language}_library_none", box=gui.region("UI")))
    speak("en_US")
    bpy.ops.action_loom.new_library(filepath=str(folder / "motion"))
    yield from done(gui, "add_to_library", directory=str(folder / "clips"))
    yield from done(gui, "find_like")
    bpy.context.window_manager.action_loom_library.active = 0  # which shows it
    yield 1.0
    yield from gui.wait_until(idle, 60, "shown")

    def pictures(gui: Any, language: str) -> Iterator[Any]:
        yield from gui.shot(f"{language}_library", box=gui.region("UI"))

    yield from in_each(gui, pictures)


# --- popups -----------------------------------------------------------------------------------------------------------


def pop_up(gui: Any) -> Iterator[Any]:
    yield from done(gui, "blend")
    yield from in_each(gui, popped)


def popped(gui: Any, language: str) -> Iterator[Any]:
    region = gui.region("WINDOW")
    for menu in MENUS:
        yield from opened(gui, f"{language}_menu_{menu}", "wm.call_menu", name=f"ACTION_LOOM_MT_{menu}")
    for menu in ("TOPBAR_MT_file_import", "TOPBAR_MT_file_export", "VIEW3D_MT_armature_add"):
        yield from opened(gui, f"{language}_menu_{menu[-6:]}", "wm.call_menu", name=menu)
    yield from opened(gui, f"{language}_pie", "wm.call_menu_pie", name="ACTION_LOOM_MT_repair_pie")
    both = [{"name": name, "weight": 1.0} for name in ("Walk", "Run")]
    dropped = {"directory": "/tmp", "files": [{"name": "a.bvh"}, {"name": "b.bvh"}]}
    yield from opened(gui, f"{language}_import", "action_loom.import_motion", **dropped)
    with gui.override():
        bpy.ops.action_loom.blend("EXEC_DEFAULT", True, sources=both)
    yield from gui.move(region.x + region.width // 4, region.y + region.height // 2)
    yield from opened(gui, f"{language}_redo", "screen.redo_last")
    yield from gui.key("ctrl+z")
    yield from tooltip(gui, language)


def opened(gui: Any, picture: str, operator: str, **given: Any) -> Iterator[Any]:
    """Open an operator's popup, take its picture, and close it."""
    region = gui.region("WINDOW")
    yield from gui.move(region.x + region.width // 4, region.y + region.height // 2)
    module, verb = operator.split(".")
    with gui.override():
        getattr(getattr(bpy.ops, module), verb)("INVOKE_DEFAULT", **given)
    yield 0.5
    gui.shot_now(picture, box=(region.x, region.y, 640, region.height))
    yield from gui.key("Escape")
    yield from gui.redraw()


def fail(gui: Any) -> Iterator[Any]:
    """Show refusals on a separate screen: a report stays over the view and hides the buttons below it."""
    yield from in_each(gui, refused)


def refused(gui: Any, language: str) -> Iterator[Any]:
    """An error as it is reported and as the panel has it."""
    choose("blend")
    for line in lines():
        line.weight = 0.0
    yield from done(gui, "blend")
    yield 0.3
    gui.shot_now(f"{language}_error")
    yield from gui.move(gui.region("TOOLS").x + 5, 200)  # away from it, so that it goes
    yield 2.0
    for line in lines():
        line.weight = 1.0


def tooltip(gui: Any, language: str) -> Iterator[Any]:
    """Take a picture of the tooltip of a disabled button."""
    choose("loop")
    yield from gui.redraw()
    x, y = yield from gui.find_button("ops.action_loom.loop(")  # which finds none that can't be pressed
    tick(0)
    yield from gui.redraw()
    bpy.context.preferences.view.show_tooltips = True
    yield from gui.move(x - 12, y, 0.5)
    yield from gui.move(x, y, 2.5)
    gui.shot_now(f"{language}_tooltip")
    bpy.context.preferences.view.show_tooltips = False


def reported(gui: Any) -> Iterator[Any]:
    yield from in_each(gui, preferences)


def preferences(gui: Any, language: str) -> Iterator[Any]:
    area = gui.area()
    bpy.context.preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "Action Loom"
    area.type = "PREFERENCES"
    module = next(one.module for one in bpy.context.preferences.addons if one.module.endswith(".action_loom"))
    import addon_utils

    info = addon_utils.module_bl_info(next(one for one in addon_utils.modules() if one.__name__ == module))
    if not info["show_expanded"]:
        bpy.ops.preferences.addon_expand(module=module)
    yield 1.0
    gui.shot_now(f"{language}_preferences", box=area)
    area.type = "VIEW_3D"
    yield from gui.redraw()
