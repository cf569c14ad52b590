"""The lists of sources in a scene: each belongs to its armature, and keeps no data alive that the artist deletes."""

import bpy
import material
import pytest


@pytest.fixture
def properties(loom):
    return loom("addon.model.properties")


@pytest.fixture
def rig(properties):
    """An armature with a list of two actions, active; another with a list of its own."""
    other = material.armature(name="Other")
    material.key_by_hand(other, "three", seed=3)
    material.list_sources(other, "three")
    rig = material.two_actions()
    mine = properties.ensure_rig(bpy.context.scene, rig)
    for name in ("one", "two"):
        mine.sources.add().action = bpy.data.actions[name]
    return rig


def listed(properties, armature):
    found = properties.rig_of(bpy.context.scene, armature)
    return None if found is None else [line.action.name for line in found.sources]


def test_every_armature_has_its_own_list(properties, rig):
    assert listed(properties, rig) == ["one", "two"]
    assert listed(properties, bpy.data.objects["Other"]) == ["three"]
    assert listed(properties, None) is None
    assert listed(properties, material.armature(name="Third")) is None


def test_a_deleted_armature_is_gone_at_once(properties, rig):
    assert rig.users == 1  # the scene's
    data = rig.data
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.ops.object.delete()
    bpy.data.orphans_purge(do_local_ids=True)
    assert [one.name for one in bpy.data.objects] == ["Other"]
    assert [one.name for one in bpy.data.armatures] == ["Other"]
    del data


def test_a_deleted_armatures_list_and_curve_go_when_the_file_is_saved(properties, rig, tmp_path):
    curve = bpy.data.objects.new("Path", bpy.data.curves.new("Path", "CURVE"))
    bpy.context.scene.collection.objects.link(curve)
    bpy.context.scene.action_loom.curve = curve
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "with.blend"))
    assert bpy.context.scene.action_loom.curve == curve
    assert len(bpy.context.scene.action_loom.rigs) == 2
    for one in (rig, curve):
        bpy.context.scene.collection.objects.unlink(one)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "without.blend"))
    assert len(bpy.context.scene.action_loom.rigs) == 1
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "without.blend"))
    assert [one.name for one in bpy.data.objects] == ["Other"]
    assert listed(properties, bpy.data.objects["Other"]) == ["three"]


def test_undoing_a_deletion_brings_the_list_back(properties, rig):
    bpy.ops.ed.undo_push(message="listed")
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.ops.object.delete("EXEC_DEFAULT", True)
    assert "Rig" not in bpy.data.objects
    bpy.ops.ed.undo()
    assert listed(properties, bpy.data.objects["Rig"]) == ["one", "two"]


def test_a_list_is_found_again_after_saving_renaming_and_opening(properties, rig, tmp_path):
    rig.name = "Heroine"
    assert listed(properties, rig) == ["one", "two"]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "lists.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "lists.blend"))
    assert listed(properties, bpy.data.objects["Heroine"]) == ["one", "two"]
    assert listed(properties, bpy.data.objects["Other"]) == ["three"]
    # The list is bound to the armature's id by now, even if another object takes its name.
    heroine = bpy.data.objects["Heroine"]
    heroine.name = "Villain"
    assert listed(properties, material.armature(name="Heroine")) is None
    assert listed(properties, heroine) == ["one", "two"]


def test_a_script_that_points_to_an_armature_is_understood(properties, rig):
    settings = bpy.context.scene.action_loom
    settings.rigs.clear()
    settings.rigs.add().armature = rig
    assert properties.armature_of(settings.rigs[0]) == rig
    assert settings.rigs[0].armature is None
    assert rig.users == 1


@pytest.mark.parametrize("uid", ["", "x", "-1", "²", "9" * 5000])
def test_a_list_of_a_damaged_owner_is_nobodys(properties, rig, uid):
    bpy.context.scene.action_loom.rigs[1].owner.uid = uid
    assert listed(properties, rig) is None
    bpy.ops.action_loom.add_sources()
    assert set(listed(properties, rig)) >= {"one", "two"}


def one_key(rig, name, bones, *, frames=(1,), path="location"):
    """An action with keys of a few bones only."""
    rig.animation_data_create()
    rig.animation_data.action = None
    for frame in frames:
        for bone in bones:
            rig.pose.bones[bone].keyframe_insert(path, frame=frame)
    rig.animation_data.action.name = name
    return bpy.data.actions[name]


def test_actions_that_are_hardly_meant_to_be_woven_are_listed_apart_and_said(properties, capfd):
    rig = material.biped()
    every = [bone.name for bone in rig.pose.bones]
    one_key(rig, "a pose", every)
    one_key(rig, "a hand", ["hand.L"], frames=(1, 20))
    added = material.key_walk(rig, "breathing", frames=30)
    for name in ("walk", "run"):
        material.key_walk(rig, name, frames=24)
    strip = rig.animation_data.nla_tracks.new().strips.new("breathing", 1, added)
    strip.blend_type = "ADD"
    cube = bpy.data.objects.new("Cube", bpy.data.meshes.new("Cube"))
    cube.shape_key_add(name="Basis")
    cube.shape_key_add(name="smile")
    cube.data.shape_keys.key_blocks["smile"].keyframe_insert("value", frame=1)
    cube.data.shape_keys.animation_data.action.name = "smiling"
    ball = bpy.data.objects.new("Ball", None)
    ball.keyframe_insert("location", frame=1)
    ball.animation_data.action.name = "rolling"
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.action_loom.add_sources() == {"FINISHED"}
    lines = properties.rig_of(bpy.context.scene, rig).sources
    assert [line.action.name for line in lines] == ["run", "walk", "a hand", "a pose", "breathing"]
    assert [line.use for line in lines] == [True, True, False, False, False]
    count = len(every)
    assert [line.apart for line in lines] == [
        "", "", f"moves 1 of {count} bones", "a single pose", "added to others in the NLA",
    ]  # fmt: skip
    message = capfd.readouterr().out
    assert "5 actions of Biped added" in message
    assert "at the end 'a pose': a single pose" in message
    assert "not listed, of shape keys: 'smiling'; not listed, of other objects: 'rolling'" in message
