"""Every function is in a menu, and so in search, in the manual, among job keys and in the command line's help."""

import argparse
import fnmatch
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest
from drawing import Drawing, Layout

DOCS = Path(__file__).resolve().parents[2] / "docs"
# Blender's menus that contain ours, with their common names.
HOMES = {
    "VIEW3D_MT_object_animation": "Object > Animation",
    "VIEW3D_MT_pose": "Pose",
    "DOPESHEET_MT_editor_menus": "Dope Sheet",
    "GRAPH_MT_editor_menus": "Graph Editor",
    "NLA_MT_editor_menus": "NLA",
}


@pytest.fixture
def drawn_in(extension):
    """Return `draw(menu)`: the names of our operators and submenus in a menu of Blender or of ours."""
    bpy.ops.action_loom.add_demo()

    def draw(menu):
        kind, drawn = getattr(bpy.types, menu), []
        ours = [kind.draw] if menu.startswith("ACTION_LOOM") else kind.draw._draw_funcs
        space = SimpleNamespace(mode="ACTION")
        context = SimpleNamespace(scene=bpy.context.scene, object=bpy.context.object, space_data=space)
        for function in ours:
            if extension in function.__module__:
                function(Drawing(kind, Layout(drawn)), context)
        return [given[0] for name, given, _ in drawn if name in ("operator", "menu")]

    return draw


def places(drawn_in, menu, above=()):
    """Every operator below a menu, and the menus that lead to it."""
    found = {}
    for entry in drawn_in(menu):
        if entry.startswith("ACTION_LOOM_MT_"):
            found |= places(drawn_in, entry, (*above, getattr(bpy.types, entry).bl_label))
        else:
            found.setdefault(entry.removeprefix("action_loom."), above)
    return found


@pytest.mark.parametrize("home", HOMES)
def test_everything_that_works_by_itself_is_in_the_menus_of_every_editor_of_animation(drawn_in, home):
    found = places(drawn_in, home)
    by_itself = {
        name for name in dir(bpy.ops.action_loom) if "INTERNAL" not in getattr(kind_of(name), "bl_options", ())
    }
    assert by_itself == set(found)


def kind_of(name):
    return getattr(bpy.types, f"ACTION_LOOM_OT_{name}")


def test_no_two_entries_of_search_are_called_the_same(drawn_in):
    labels = [kind_of(name).bl_label for name in places(drawn_in, "VIEW3D_MT_object_animation")]
    assert [label for label in labels if labels.count(label) > 1] == []


def test_the_header_of_an_editor_that_shows_no_actions_of_armatures_is_left_alone(loom):
    menus, drawn = loom("addon.interface.menus"), []
    bpy.ops.action_loom.add_demo()
    for mode in ("GPENCIL", "SHAPEKEY", "DRIVERS", "TIMELINE"):
        space = SimpleNamespace(mode=mode)
        context = SimpleNamespace(scene=bpy.context.scene, object=bpy.context.object, space_data=space)
        menus._in_header(SimpleNamespace(layout=Layout(drawn)), context)
    assert not drawn


def page_for(loom, address):
    """The page of the manual that Blender opens for an operator or a property: the first pattern that fits."""
    prefix, rows = loom("addon.interface.manual").pages()
    assert prefix.startswith("file://")
    return next((page for pattern, page in rows if fnmatch.fnmatchcase(address.lower(), pattern)), None)


def properties_below(kind):
    """Return the addresses of a type's properties, including the properties of our own types in it."""
    found = []
    for one in kind.properties:
        if one.identifier != "rna_type":
            found.append(f"bpy.types.{kind.identifier}.{one.identifier}")
            below = getattr(one, "fixed_type", None)
            if below is not None and below.identifier.startswith("ACTION_LOOM"):
                found += properties_below(below)
    return found


def test_the_online_manual_of_everything_is_there(loom):
    """Blender looks up addresses in lower case."""
    folder = loom("addon.interface.manual").FOLDER
    addresses = [f"bpy.ops.action_loom.{name}" for name in dir(bpy.ops.action_loom)]
    preferences = bpy.context.preferences.addons[loom("addon").extension].preferences
    for group in (bpy.context.scene.action_loom, bpy.context.window_manager.action_loom_library, preferences):
        addresses += properties_below(group.bl_rna)
    assert len(addresses) > 400
    for address in addresses:
        page = page_for(loom, address)
        assert page is not None, address
        assert (folder / page).is_file(), (address, page)


def commands_of(loom):
    """Return {description: command} of all subcommands of the command line."""
    parser = loom("core.cli.main").parser(loom("core.cli.motion_files").MotionFiles())
    found = {}

    def look(one, words):
        for action in one._actions:
            if isinstance(action, argparse._SubParsersAction):
                for name, below in action.choices.items():
                    found.setdefault(below.description, " ".join((*words, name)))
                    look(below, (*words, name))

    look(parser, ())
    return found


def test_every_verb_has_a_menu_a_page_a_job_key_and_a_command(loom, drawn_in):
    names, commands = loom("addon.interface.operators.verbs")._NAMES, commands_of(loom)
    paths = places(drawn_in, "VIEW3D_MT_object_animation")
    # The command line keeps graphs and styles in files, these operators in Blender.
    names = names | {"graph": "build_graph", "style": "learn_style"}
    keys = (DOCS / "jobs.md").read_text(encoding="utf-8")
    options = (DOCS / "options.md").read_text(encoding="utf-8")
    for verb, row in loom("core.verbs").VERBS.items():
        name = names.get(verb, verb)
        assert name in paths
        assert page_for(loom, f"bpy.ops.action_loom.{name}")
        assert f"`{verb}`" in keys
        assert f"\n## {verb}" in options
        assert row.recipe.summary in commands


# --- right-click on an action ---------------------------------------------------------------------------------------


def in_menu(loom, menu, **context):
    """Return (kind, arguments) of each entry that we draw in a context menu with this context."""
    drawn = []
    about = SimpleNamespace(scene=bpy.context.scene, object=bpy.context.object, **context)
    loom("addon.interface.menus")._of_action(SimpleNamespace(layout=Layout(drawn)), about)
    return [(name, given) for name, given, _ in drawn]


def test_an_action_is_recognised_wherever_it_is_right_clicked(loom):
    bpy.ops.action_loom.add_demo()
    run, rig = bpy.data.actions["Run"], bpy.context.object
    field = rig.animation_data.bl_rna.properties["action"]
    rig.animation_data.action = run
    line = next(one for one in bpy.context.scene.action_loom.rigs[0].sources if one.action == run)
    strip = SimpleNamespace(action=run)
    for context in (
        {"button_pointer": rig.animation_data, "button_prop": field},
        {"button_pointer": line, "button_prop": line.bl_rna.properties["use"]},
        {"selected_ids": [rig, run]},
        {"active_action": run},
        {"active_nla_strip": strip},
    ):
        drawn = in_menu(loom, "DOPESHEET_MT_context_menu", **context)
        assert ("menu", ("ACTION_LOOM_MT_action",)) in drawn, context
        assert ("context_pointer_set", ("action_loom_action", run)) in drawn
    # Neither another button of an editor with an action nor the action of another armature gets the menu.
    assert not in_menu(
        loom,
        "UI_MT_button_context_menu",
        button_pointer=bpy.context.scene,
        button_prop=bpy.context.scene.bl_rna.properties["frame_start"],
        active_action=run,
    )
    assert not in_menu(loom, "OUTLINER_MT_context_menu", selected_ids=[bpy.data.actions.new("of nobody")])


def test_what_is_chosen_there_is_done_with_that_action_and_no_other(loom):
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = line.action.name in ("Walk", "Sneak")
    menus, drawn = loom("addon.interface.menus"), []
    grey = {"warp", "move_events", "bake_to_bones", "bake_to_controls"}  # it is baked and lacks controls
    run = bpy.data.actions["Run"]
    with loom("addon.model.target_armature").as_from_panel(bpy.context, rig, run):
        for entry in filter(None, menus.OF_ACTION):
            assert getattr(bpy.ops.action_loom, entry).poll() or entry in grey, entry
        bpy.ops.action_loom.in_place("INVOKE_DEFAULT")
        drawn.append(rig.animation_data.action)
        bpy.ops.action_loom.mirror("INVOKE_DEFAULT")
        drawn.append(rig.animation_data.action)
        bpy.ops.action_loom.add_source("INVOKE_DEFAULT")
    sources = [[one["name"] for one in result["action_loom"]["sources"]] for result in drawn]
    assert sources == [["Run"], ["Run"]]
    ticked = [line.action.name for line in bpy.context.scene.action_loom.rigs[0].sources if line.use]
    assert sorted(ticked) == ["Run", "Sneak", "Walk"]


def test_an_action_that_is_not_listed_is_done_as_well(loom):
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    bpy.context.scene.action_loom.rigs.clear()
    with loom("addon.model.target_armature").as_from_panel(bpy.context, rig, bpy.data.actions["Run"]):
        assert bpy.ops.action_loom.loop("INVOKE_DEFAULT") == {"FINISHED"}
        assert bpy.ops.action_loom.add_source("INVOKE_DEFAULT") == {"FINISHED"}
    assert [line.action.name for line in bpy.context.scene.action_loom.rigs[0].sources] == ["Run"]
    with pytest.raises(RuntimeError, match="There is no action named 'none'"):
        bpy.ops.action_loom.add_source(action="none")
