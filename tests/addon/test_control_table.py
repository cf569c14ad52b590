"""The table of controls beside Body Roles: a button fills it, the artist corrects it, and results key its controls."""

import bpy
import material
import pytest
from hand_rigs import LAYERS, lost_target, person, with_layers, with_legs_on_ik
from test_hand_keyed import key, made_by


def listed(rig):
    """Find the controls of a rig and return its list of sources."""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.action_loom.find_controls() == {"FINISHED"}
    return bpy.context.scene.action_loom.rigs[0]


def rows(line):
    return {row.name: row.bone for row in line.controls}


def test_the_table_names_the_control_of_each_part():
    line = listed(with_legs_on_ik(pole=True))
    found = rows(line)
    assert (found["Root"], found["Torso"]) == ("root", "hips")
    assert (found["Left leg, IK"], found["Left leg, Pole"], found["Left leg, thigh.L"]) == (
        "goal.L",
        "knee.L",
        "thigh.L",
    )
    assert "Left arm, IK" not in found
    assert line.control_notes == ""


def test_plain_bones_have_none(capfd):
    assert rows(listed(person())) == {}
    assert "there are no controls" in capfd.readouterr().out


def test_what_cannot_be_keyed_is_said_by_its_part():
    rig = with_legs_on_ik()
    lost_target(rig)
    assert "Left leg: the constraint IK on shin.L has lost its target" in listed(rig).control_notes


def test_a_control_chosen_by_hand_counts_until_they_are_found_anew(loom):
    rig = with_legs_on_ik(pole=True)
    line = listed(rig)
    line.controls["Left leg, Pole"].bone = "knee.R"
    bodies = loom("addon.bridge.control_body")
    (left,) = [part for part in bodies.controls_of(rig).parts if part.name == "Left leg"]
    assert left.pole == "knee.R"
    bpy.ops.action_loom.find_controls()
    assert rows(line)["Left leg, Pole"] == "knee.L"
    assert "action_loom_controls" not in rig


def test_without_a_control_a_limb_is_keyed_on_the_others():
    rig = with_legs_on_ik(pole=True)
    line = listed(rig)
    action = key(rig, "goal.L", "goal.R", "hips", upright=False)
    for side in ("Left", "Right"):
        line.controls[f"{side} leg, IK"].bone = ""
    made = made_by("mirror", action)
    bones = {curve.data_path.split('"')[1] for curve in material.fcurves(made)}
    assert "thigh.L" in bones


def test_a_name_that_is_no_bone_is_put_back():
    line = listed(with_legs_on_ik(pole=True))
    line.controls["Left leg, IK"].bone = "nobody"
    assert rows(line)["Left leg, IK"] == "goal.L"


def test_roles_never_mix_controls_with_bones_that_deform():
    rig = with_layers(LAYERS[0])
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.action_loom.find_roles()
    line = bpy.context.scene.action_loom.rigs[0]
    playing = [row.bone for row in line.roles if row.bone]
    assert len(playing) >= 15
    assert all(bone.startswith("D_") for bone in playing)
    assert rig.data.bones[playing[0]].use_deform


@pytest.mark.parametrize("what", ["IK", "Pole"])
def test_a_linked_rig_is_not_written_to(loom, what, tmp_path):
    rig = with_legs_on_ik(pole=True)
    bpy.ops.object.mode_set(mode="OBJECT")
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    name = rig.name
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.objects = [name]
    linked = bpy.data.objects[name]
    bpy.context.scene.collection.objects.link(linked)
    bodies = loom("addon.bridge.control_body")
    assert bodies.controls_of(linked).parts
    with pytest.raises(loom("core.errors").RigError, match="is linked: make a library override"):
        bodies.set_chosen(linked, {f"Left leg, {what}": "goal.L"})


def test_limbs_that_have_one_kind_of_controls_make_the_option_idle_and_it_is_said(capfd):
    rig = material.biped()
    material.key_walk(rig, "Walk", frames=24)
    assert bpy.ops.action_loom.mirror(sources=[{"name": "Walk", "weight": 1.0}], limbs="IK") == {"FINISHED"}
    assert f"Limbs had no effect: {rig.name} has no arm or leg with controls of both kinds" in capfd.readouterr().out
