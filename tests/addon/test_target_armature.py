"""The tab stays with its armature, its grey buttons give reasons, and scripts act on the active object."""

import bpy
import material
import pytest
from drawing import draw_all

BOTH = [{"name": "one", "weight": 1.0}, {"name": "two", "weight": 1.0}]


def activate(thing):
    bpy.context.view_layer.objects.active = thing


def button(rig):
    """Return the context that a button of the tab passes on: the armature of the tab."""
    return bpy.context.temp_override(action_loom_armature=rig)


def why_not(operator, rig):
    """Return the reason why a button is grey, or "" if it can be pressed."""
    with button(rig):
        if getattr(bpy.ops.action_loom, operator).poll():
            return ""
        with pytest.raises(RuntimeError) as reported:
            getattr(bpy.ops.action_loom, operator)()
        return str(reported.value).split("poll() ")[-1].strip()


@pytest.fixture
def listed():
    """An armature with two listed and ticked actions."""
    rig = material.two_actions()
    material.list_all()
    return rig


def curve():
    thing = bpy.data.objects.new("Way", bpy.data.curves.new("Way", "CURVE"))
    bpy.context.scene.collection.objects.link(thing)
    return thing


def sources_of(drawn):
    return [given[0] for name, given, _ in drawn["sources"] if name in ("operator", "template_list")]


def test_the_tab_stays_with_its_armature_while_something_else_is_active(listed, loom):
    hint = loom("addon.model.target_armature")
    assert hint.of_tab(bpy.context) == listed
    activate(curve())
    assert hint.of_tab(bpy.context) == listed
    assert "ACTION_LOOM_UL_sources" in sources_of(draw_all())
    activate(None)
    assert hint.of_tab(bpy.context) == listed
    with button(listed):
        assert bpy.ops.action_loom.blend("INVOKE_DEFAULT") == {"FINISHED"}
    assert listed.animation_data.action.name.startswith("one + two")
    with pytest.raises(RuntimeError, match="Select an armature"):
        bpy.ops.action_loom.blend(sources=BOTH)
    bpy.data.objects.remove(listed)
    assert hint.of_tab(bpy.context) is None


def test_a_mesh_means_the_armature_it_hangs_on(listed, loom):
    mesh = bpy.data.objects.new("Skin", bpy.data.meshes.new("Skin"))
    bpy.context.scene.collection.objects.link(mesh)
    mesh.modifiers.new("Armature", "ARMATURE").object = listed
    other = material.armature(name="Other")
    assert loom("addon.model.target_armature").of_tab(bpy.context) == other
    activate(mesh)
    assert loom("addon.model.target_armature").of_tab(bpy.context) == listed


def test_a_pinned_armature_is_meant_whatever_is_active(listed, loom, tmp_path):
    hint = loom("addon.model.target_armature")
    other = material.armature(name="Other")
    assert hint.of_tab(bpy.context) == other
    bpy.ops.action_loom.pin_armature(armature=listed.name)
    assert hint.of_tab(bpy.context) == listed
    listed.name = "Renamed"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "pinned.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "pinned.blend"))
    assert hint.of_tab(bpy.context).name == "Renamed"
    bpy.ops.action_loom.pin_armature(armature="")
    assert hint.of_tab(bpy.context).name == "Other"
    with pytest.raises(RuntimeError, match="There is no object named 'Nobody'"):
        bpy.ops.action_loom.pin_armature(armature="Nobody")


def test_a_pinned_armature_can_be_deleted(listed, loom):
    bpy.ops.action_loom.pin_armature(armature=listed.name)
    bpy.data.objects.remove(listed)
    assert loom("addon.model.target_armature").of_tab(bpy.context) is None
    assert "action_loom.add_demo" in sources_of(draw_all())


def test_an_empty_scene_and_an_armature_without_actions_lead_on():
    begin = ["action_loom.import_motion", "action_loom.add_demo", "action_loom.manual"]
    assert sources_of(draw_all()) == begin
    material.armature()
    assert sources_of(draw_all()) == [*begin, "action_loom.add_asset_sources"]


def test_buttons_say_why_they_cannot_be_pressed(listed):
    lines = bpy.context.scene.action_loom.rigs[0].sources
    assert why_not("blend", listed) == why_not("connect", listed) == ""
    assert why_not("find_cycles", listed) == "Tick 1 source (2 ticked)"
    assert why_not("follow", listed) == "Choose a curve to walk along"
    assert why_not("rebuild", listed) == why_not("edit_recipe", listed)
    assert why_not("rebuild", listed) == "The armature's action was not made by Action Loom"
    assert why_not("choose_candidate", listed) == "Find some first"
    assert why_not("show_graph", listed) == "Build the graph first"
    assert why_not("show_registration", listed) == "Analyse the sources first"
    assert why_not("cancel", listed) == "Nothing is going on"
    for line in lines:
        line.use = False
    for operator in ("blend", "connect", "analyse"):
        assert why_not(operator, listed) == "Tick 2 sources or more (0 ticked)"
    assert why_not("splice", listed) == "Tick 2 sources or more (0 ticked)"
    for operator in ("follow", "walk", "build_graph"):
        assert why_not(operator, listed) == "Tick 1 source or more (0 ticked)"
    lines.clear()
    assert why_not("remove_source", listed) == "The list of sources is empty"
    # Scripts name their sources, so they need no list.
    assert bpy.ops.action_loom.blend(sources=BOTH) == {"FINISHED"}


def test_a_new_curve_is_chosen_and_can_be_walked_along(loom):
    bpy.ops.action_loom.add_demo()
    armature = bpy.context.object
    bpy.ops.action_loom.add_sources()
    with button(armature):
        assert bpy.ops.action_loom.new_curve() == {"FINISHED"}
    made = bpy.context.scene.action_loom.curve
    assert bpy.context.object == made
    assert made.select_get()
    with button(armature):
        assert bpy.ops.action_loom.follow("INVOKE_DEFAULT") == {"FINISHED"}
    assert "off the curve" in bpy.context.scene.action_loom.rigs[0].last
    assert armature.animation_data.action.name != "Walk"
    bpy.ops.ed.undo_push()


def test_the_empty_above_an_armature_leads_to_it_and_one_above_two_does_not(loom):
    target, rig, scene = loom("addon.model.target_armature"), material.biped(), bpy.context.scene.collection
    above, below = (bpy.data.objects.new(name, None) for name in ("root", "offset"))
    for one in (above, below):
        scene.objects.link(one)
    below.parent, rig.parent = above, below
    bpy.context.view_layer.objects.active = above
    loom("addon.ground.memory").forget()  # forget the armature of the tab
    assert target.of_tab(bpy.context) == rig
    other = material.biped()
    other.parent = above
    bpy.context.view_layer.objects.active = above
    loom("addon.ground.memory").forget()
    assert target.of_tab(bpy.context) is None


def test_a_walk_without_turns_can_follow_a_new_curve():
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    settings = bpy.context.scene.action_loom
    for name in ("Walk", "Run"):
        bpy.ops.action_loom.add_source(action=name)
    settings.mode = "follow"
    bpy.ops.action_loom.new_curve()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.action_loom.follow("INVOKE_DEFAULT")
    assert "off the path" not in settings.rigs[0].last_warnings
    assert float(settings.rigs[0].last.rpartition(", ")[2].split(" ")[0]) < 10.0  # cm off the curve
