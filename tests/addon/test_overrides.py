"""Data on a library override survives saving and opening, although Blender drops its properties."""

import json

import bpy
import material
import pytest

WAY = ("Way Aside", "Way Ahead", "Way Turn")


def opened(path):
    bpy.ops.wm.open_mainfile(filepath=str(path))


@pytest.fixture
def library(tmp_path):
    """A file with the demo figure and its actions."""
    bpy.ops.action_loom.add_demo()
    bpy.context.object.name = "Hero"
    path = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


@pytest.fixture
def shot(tmp_path):
    return tmp_path / "shot.blend"


def overridden(library, count=1):
    """Link the figure with its actions; returns overrides of it, the first of which is active."""
    with bpy.data.libraries.load(str(library), link=True) as (_, here):
        here.objects, here.actions = ["Hero"], ["Walk", "Run", "Turn Left"]
    (linked,) = here.objects
    made = []
    for _ in range(count):
        override = linked.override_create()
        bpy.context.scene.collection.objects.link(override)
        made.append(override)
    bpy.context.view_layer.objects.active = made[0]
    bpy.context.view_layer.update()
    return made


def saved_and_opened(shot, name="Hero"):
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    opened(shot)
    (found,) = [one for one in bpy.data.objects if one.override_library is not None and one.name == name]
    bpy.context.view_layer.objects.active = found
    bpy.context.view_layer.update()
    return found


def our_texts():
    return [text for text in bpy.data.texts if text.name.startswith("Action Loom")]


def test_blender_itself_drops_properties_of_overrides(library, shot):
    """Blender itself drops custom properties of overrides; this test fails once it keeps them."""
    (hero,) = overridden(library)
    hero["mine"] = 1.0
    assert "mine" not in saved_and_opened(shot)


def test_roles_stay(library, shot, bridge):
    hero, other = overridden(library, count=2)
    bridge.rig.set_roles(hero, {"head": "neck", "toe.L": ""})
    bridge.rig.set_roles(other, {"head": "chest"})
    others_name = other.name
    hero = saved_and_opened(shot, hero.name)
    assert bridge.rig.chosen_roles(hero) == {"head": "neck", "toe.L": ""}
    assert bridge.rig.chosen_roles(bpy.data.objects[others_name]) == {"head": "chest"}
    bridge.rig.set_roles(hero, {})
    assert bridge.rig.chosen_roles(saved_and_opened(shot)) == {}


def test_roles_of_the_library_are_overruled(library, shot, bridge):
    opened(library)
    bridge.rig.set_roles(bpy.data.objects["Hero"], {"head": "neck"})
    assert not our_texts()  # only overrides need texts
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    (hero,) = overridden(library)
    assert bridge.rig.chosen_roles(hero) == {"head": "neck"}
    bridge.rig.set_roles(hero, {})
    assert bridge.rig.chosen_roles(saved_and_opened(shot)) == {}


def test_stored_travel_is_given_back(library, shot):
    overridden(library)
    still = material.weave("in_place", "Walk").name
    hero = saved_and_opened(shot)
    assert all(name in hero for name in WAY)
    places = []
    for name in (material.weave("travel", still).name, "Walk"):
        material.show(hero, bpy.data.actions[name])
        places.append([material.pose_positions(hero, ["hips"], frame)[0] for frame in (1, 20, 40)])
    assert abs(places[0][2] - places[0][0]).max() > 0.5
    assert abs(places[0][1] - places[1][1]).max() < 1e-4
    assert abs(places[0][2] - places[1][2]).max() < 1e-4


def test_stored_travel_outlives_the_library_being_read_again(library, shot):
    overridden(library)
    still = material.weave("in_place", "Walk").name
    hero = saved_and_opened(shot)
    for name in WAY:
        del hero[name]  # like a resync
    material.show(hero, bpy.data.actions[material.weave("travel", still).name])
    first, last = (material.pose_positions(hero, ["hips"], frame)[0] for frame in (1, 40))
    assert abs(last - first).max() > 0.5


def test_own_values_of_switches_stay(library, shot, loom):
    opened(library)
    bpy.data.objects["Hero"]["switch"] = 0.25
    bpy.data.objects["Hero"].property_overridable_library_set('["switch"]', True)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    (hero,) = overridden(library)
    curves, own_values = loom("addon.bridge.curves"), loom("addon.bridge.own_values")
    hero.animation_data_create()
    hero.animation_data.action = None
    hero.pose.bones["head"].keyframe_insert("location", frame=1)
    hero["switch"] = 0.75
    hero.keyframe_insert('["switch"]', frame=1)
    switching = hero.animation_data.action
    hero.animation_data.action = None
    hero["switch"] = 0.25
    curves.assign(hero, switching, curves.choose_slot(switching, hero))
    bpy.context.scene.frame_set(1)
    assert own_values.values(hero) == {'["switch"]': 0.25}
    assert own_values.values(saved_and_opened(shot)) == {'["switch"]': 0.25}


def test_values_of_what_is_posed_stay(library, shot, loom):
    """Stored poses of unkeyed bones, taken before a result keyed them, survive saving on an override."""
    (hero,) = overridden(library)
    bone = "toe.L" if "toe.L" in hero.pose.bones else hero.pose.bones[-1].name
    keep, unkeyed_pose = loom("addon.ground.kept_values").keep, loom("addon.bridge.unkeyed_pose")
    keep(hero, "action_loom_posed", {f'pose.bones["{bone}"].scale': [1.0, 1.5, 1.0]})
    keep(hero, "action_loom_still", {bone: [0.0, 0.1, 0.0, 1.0, 0.0, 0.0, 0.0]})
    hero = saved_and_opened(shot)
    posed = unkeyed_pose.find_unkeyed(hero, as_now=False)
    posed = {target.property: row for target, row in posed.items() if target.bone == bone}
    assert posed["scale"] == (1.0, 1.5, 1.0)
    assert posed["location"] == (0.0, 0.1, 0.0)


def test_controls_chosen_by_hand_stay(library, shot, loom):
    control_body = loom("addon.bridge.control_body")
    (hero,) = overridden(library)
    control_body.set_chosen(hero, {"Root": "hips"})
    assert control_body.chosen_controls(saved_and_opened(shot)) == {"Root": "hips"}


def test_a_renamed_override_keeps_its_roles(library, shot, bridge):
    (hero,) = overridden(library)
    bridge.rig.set_roles(hero, {"head": "neck"})
    hero.name = "Villain"
    hero = saved_and_opened(shot, "Villain")
    hero.name = "Hermit"
    assert bridge.rig.chosen_roles(hero) == {"head": "neck"}
    assert bridge.rig.chosen_roles(saved_and_opened(shot, "Hermit")) == {"head": "neck"}


def test_the_sources_listed_for_an_override_stay(library, shot, loom):
    (hero,) = overridden(library)
    bpy.ops.action_loom.add_sources()
    names = [line.action.name for line in bpy.context.scene.action_loom.rigs[0].sources]
    assert names
    hero = saved_and_opened(shot)
    mine = loom("addon.model.properties").rig_of(bpy.context.scene, hero)
    assert [line.action.name for line in mine.sources] == names


def test_texts_of_others_are_left_alone(library, shot, bridge):
    notes = bpy.data.texts.new("Action Loom")
    notes.write("to do: weave")
    (hero,) = overridden(library)
    bridge.rig.set_roles(hero, {"head": "neck"})
    hero = saved_and_opened(shot)
    assert bpy.data.texts["Action Loom"].as_string().strip() == "to do: weave"
    assert bridge.rig.chosen_roles(hero) == {"head": "neck"}
    ours = next(text for text in our_texts() if text.name != "Action Loom")
    for content in ("{", "[]", json.dumps({"action_loom": 1, "armatures": [1, {"name": "Hero"}, {"values": {}}]})):
        ours.from_string(content)
        assert bridge.rig.chosen_roles(hero) in ({}, {"head": "neck"})  # of the property, given back on opening
    bridge.rig.set_roles(hero, {"head": "chest"})
    assert bridge.rig.chosen_roles(saved_and_opened(shot)) == {"head": "chest"}
