"""Controls of any rig are found from constraints and from poses of a copy, without a change to the rig."""

import dataclasses

import bpy
import fresh_rigs
import material
import pytest
from hand_rigs import LAYERS, LEG, found_parts, lost_target, person, state, with_foot_roll, with_layers, with_legs_on_ik
from material import needs_shared
from test_control_rig import generated

RIGS = material.SHARED / "rigs"


def test_plain_bones_are_their_own_controls(find_controls):
    rig = person()
    bpy.ops.object.mode_set(mode="OBJECT")
    found = find_controls(rig)
    assert found.notes == ()
    assert all(control == dict(part.bones)[role] for part in found.parts for role, control in part.fk)
    assert all(part.has_fk and not part.ik and not part.switches for part in found.parts)
    assert (found.root, found.torso) == ("root", "hips")
    assert {drive.bone for drive in found.drives if drive.how == "ITSELF"} == set(found.deform)


@pytest.mark.parametrize("pole", [True, False])
def test_legs_on_ik_with_a_switch(find_controls, pole):
    rig = with_legs_on_ik(pole=pole)
    before = state(rig)
    found, parts = found_parts(find_controls(rig))
    assert state(rig) == before
    assert found.notes == ()
    for side, word in (("L", "Left"), ("R", "Right")):
        leg = parts[f"{word} leg"]
        assert (leg.ik, leg.end, leg.turns_end) == (f"goal.{side}", f"foot.{side}", True)
        assert leg.pole == (f"knee.{side}" if pole else "")
        assert dict(leg.fk) == {f"{part}.{side}": f"{part}.{side}" for part in LEG}
        (switch,) = leg.switches
        assert (switch.path, switch.fk, switch.ik) == (f'pose.bones["root"]["legs {side}"]', 0.0, 1.0)
        assert not parts[f"{word} arm"].ik
        assert parts[f"{word} arm"].has_fk


def test_without_a_switch_the_constraint_itself_is_switched(find_controls):
    rig = with_legs_on_ik(switch=False)
    _, parts = found_parts(find_controls(rig))
    assert parts["Left leg"].ik == "goal.L"
    paths = {switch.path: (switch.fk, switch.ik) for switch in parts["Left leg"].switches}
    assert paths['pose.bones["shin.L"].constraints["IK"].influence'] == (0.0, 1.0)


def test_a_switch_that_is_off_now_is_found_and_left_off(find_controls):
    rig = with_legs_on_ik()
    rig.pose.bones["root"]["legs L"] = 0.0
    bpy.context.view_layer.update()
    before = state(rig)
    _, parts = found_parts(find_controls(rig))
    assert state(rig) == before
    assert (parts["Left leg"].ik, parts["Left leg"].pole, parts["Left leg"].has_fk) == ("goal.L", "knee.L", True)
    (switch,) = parts["Left leg"].switches
    assert (switch.fk, switch.ik) == (0.0, 1.0)


@pytest.mark.parametrize("kinds", LAYERS)
def test_layers_that_follow_controls(find_controls, kinds):
    found = find_controls(with_layers(kinds))
    assert found.notes == ()
    for part in found.parts:
        assert {control for _, control in part.fk} == {bone.replace("D_", "c ") for _, bone in part.bones}
    drives = {drive.bone: drive for drive in found.drives}
    assert drives["D_hand.L"].control == "c hand.L"
    assert (drives["D_hand.L"].how, drives["D_hand.L"].confirmed) == (kinds[0], True)


def test_a_foot_that_rolls_hangs_on_its_outermost_control(find_controls):
    found, parts = found_parts(find_controls(with_foot_roll()))
    assert found.notes == ()
    leg = parts["Left leg"]
    assert (leg.ik, leg.turns_end, leg.pole) == ("goal.L", True, "knee.L")
    assert dict(leg.tips) == {"toe.L": "toe.L"}
    assert leg.roll == "ball.L"  # heel, tip and ball all move only the foot; the one at the ball rolls it


def test_what_may_not_move_or_leaves_the_toes_behind_rolls_no_foot(find_controls):
    rig = with_foot_roll()
    rig.pose.bones["ball.L"].lock_location[0] = True
    rig.pose.bones["ball.R"].lock_rotation[1] = True
    _, parts = found_parts(find_controls(rig))
    assert (parts["Left leg"].roll, parts["Right leg"].roll) == ("tip.L", "tip.R")
    _, parts = found_parts(find_controls(with_legs_on_ik()))
    assert parts["Left leg"].roll == ""


@pytest.mark.parametrize(
    ("name", "roll"),
    [
        ("manny", "tip_l_ctrl"),
        ("auto_rig_pro", "c_foot_bank.l"),
        ("cloudrig", ""),
        ("blenrig", ""),
        ("cartoon_cat", ""),
    ],
)
def test_what_rolls_feet_of_imitated_rigs(find_controls, name, roll):
    """Ball pivots that leave the toes behind and tweaks that stretch the leg do not count as roll controls."""
    _, parts = found_parts(find_controls(fresh_rigs.build(name)))
    assert parts["Left leg"].roll == roll


# --- half broken rigs: one sentence for the limb, the other limbs as before, nothing changed -------------------------


def lost_bone(rig):
    rig.pose.bones["shin.L"].constraints["IK"].subtarget = "gone"
    return "Left leg: the constraint IK on shin.L follows the bone gone, which is gone; keyed as it is"


def in_a_circle(rig):
    one = rig.pose.bones["goal.L"].constraints.new("COPY_LOCATION")
    one.target, one.subtarget = rig, "foot.L"
    return "Left leg: its bones depend on each other in a circle"


def of_another_armature(rig):
    other = bpy.data.objects.new("Other", rig.data.copy())
    bpy.context.collection.objects.link(other)
    one = rig.pose.bones["shin.L"].constraints["IK"]
    one.target = other
    return "Left leg: the constraint IK on shin.L follows Other, which is not part of this rig; keyed as it is"


def locked(rig):
    rig.pose.bones["goal.L"].lock_location = (True, True, True)
    for name in ("thigh.L", "shin.L", "foot.L"):
        rig.pose.bones[name].lock_rotation = (True, True, True)
    return "Left leg: the location of goal.L is locked; keyed as it is"


@pytest.mark.parametrize("damage", [lost_target, lost_bone, in_a_circle, of_another_armature, locked])
def test_half_broken_rigs(find_controls, damage):
    rig = with_legs_on_ik()
    sentence = damage(rig)
    bpy.context.view_layer.update()
    before = state(rig)
    found, parts = found_parts(find_controls(rig))
    assert state(rig) == before
    assert len(found.notes) == 1, found.notes
    assert found.notes[0].startswith(sentence)
    assert (parts["Left leg"].ik, parts["Left leg"].fk, parts["Left leg"].switches) == ("", (), ())
    assert parts["Right leg"].ik == "goal.R"


def test_a_limb_driven_by_a_script_is_said(find_controls):
    rig = person()
    bpy.ops.object.mode_set(mode="OBJECT")
    for k in range(3):
        rig.pose.bones["forearm.L"].rotation_mode = "XYZ"
        drive_curve = rig.pose.bones["forearm.L"].driver_add("rotation_euler", k)
        drive_curve.driver.expression = "0.1"
    bpy.context.view_layer.update()
    found, parts = found_parts(find_controls(rig))
    assert found.notes == ("Left arm: forearm.L is driven by a script; keyed as it is",)
    assert parts["Right arm"].has_fk


def test_an_armature_without_bones_is_refused(find_controls, bridge):
    rig = bpy.data.objects.new("Empty", bpy.data.armatures.new("Empty"))
    bpy.context.collection.objects.link(rig)
    with pytest.raises(bridge.RigError, match="Empty has no bones"):
        find_controls(rig)


# --- rigs by their makers -------------------------------------------------------------------------------------------


@needs_shared
def test_mixamo_rig(find_controls_in):
    found, parts = find_controls_in(RIGS / "mixamo_own.blend")
    assert (found.notes, found.root, found.torso) == ((), "Ctrl_Master", "Ctrl_Hips")
    for word in ("Left", "Right"):
        leg, arm = parts[f"{word} leg"], parts[f"{word} arm"]
        assert (leg.ik, leg.pole) == (f"Ctrl_Foot_IK_{word}", f"Ctrl_LegPole_IK_{word}")
        assert (arm.ik, arm.pole) == (f"Ctrl_Hand_IK_{word}", f"Ctrl_ArmPole_IK_{word}")
        assert [c for _, c in leg.fk] == [f"Ctrl_{p}_FK_{word}" for p in ("UpLeg", "Leg", "Foot", "Toe")]
        assert [c for _, c in arm.fk] == [f"Ctrl_{p}_FK_{word}" for p in ("Arm", "ForeArm", "Hand")]
        assert [c for _, c in leg.tips] == [f"Ctrl_Toe_IK_{word}"]
        for part, control in ((leg, leg.ik), (arm, arm.ik)):
            (switch,) = part.switches
            assert switch.path == f'pose.bones["{control}"]["ik_fk_switch"]'
            assert (switch.fk, switch.ik) == (1.0, 0.0)


@needs_shared
def test_mmd(find_controls_in):
    found, parts = find_controls_in(RIGS / "mmd_own.blend")
    assert found.notes == ()
    leg = parts["Left leg"]
    assert [bone for _, bone in leg.bones] == ["足D.L", "ひざD.L", "足首D.L", "足先EX.L"]  # these deform the mesh
    assert [control for _, control in leg.fk] == ["足.L", "ひざ.L", "足首.L", "足先EX.L"]
    assert (leg.ik, leg.pole) == ("足ＩＫ.L", "")
    assert {(switch.fk, switch.ik) for switch in leg.switches} == {(0.0, 1.0)}
    assert [control for _, control in parts["Right arm"].fk] == ["腕.R", "ひじ.R", "手首.R"]
    # The lower body is a sibling of the upper one; the control above both also carries the legs: グルーブ, not 腰.
    trunk = dict(parts["Trunk"].fk)
    assert (found.root, found.torso, trunk["hips"], trunk["spine"]) == ("全ての親", "グルーブ", "下半身", "上半身")


@needs_shared
def test_vrm(find_controls_in):
    found, _ = find_controls_in(RIGS / "vrm_humanoid.blend")
    assert (found.notes, found.root, found.torso) == ((), "root", "hips")
    assert all(part.has_fk and not part.ik for part in found.parts)


@needs_shared
@pytest.mark.parametrize(("name", "foot"), [("rigify_cat", "foot"), ("rigify_horse", "hind_foot")])
def test_animals_of_rigify(find_controls_in, name, foot):
    found, parts = find_controls_in(RIGS / f"{name}.blend")
    assert (found.root, found.torso) == ("root", "torso")
    for side, word in (("L", "Left"), ("R", "Right")):
        leg = parts[f"{word} leg"]
        assert (leg.note, leg.ik, leg.end, leg.has_fk) == ("", f"{foot}_ik.{side}", f"toe.{side}", True)
        assert leg.pole == f"thigh_ik_target.{side}"
        assert dict(leg.tips)[f"foot.{side}"] == f"{foot}_heel_ik.{side}"
        assert [(s.fk, s.ik) for s in leg.switches] == [(1.0, 0.0)]


@needs_shared
def test_the_robot_says_what_it_lacks(find_controls_in):
    found, _ = find_controls_in(RIGS / "tps_red_robot.blend")
    assert "Left leg: no bone is known as its thigh.L; keyed as it is" in found.notes
    assert all(not part.ik and not part.fk for part in found.parts if part.note)


@pytest.mark.parametrize("kind", ["basic_human", "human"])
def test_humans_of_rigify(find_controls_in, tmp_path, kind):
    path = generated(tmp_path / "rig.blend", f"armature_{kind}_metarig_add")
    found, parts = find_controls_in(path)
    assert (found.notes, found.root, found.torso) == ((), "root", "torso")
    for side, word in (("L", "Left"), ("R", "Right")):
        leg, arm = parts[f"{word} leg"], parts[f"{word} arm"]
        assert [c for _, c in leg.fk] == [f"{p}_fk.{side}" for p in ("thigh", "shin", "foot", "toe")]
        assert [c for _, c in arm.fk] == [f"{p}_fk.{side}" for p in ("upper_arm", "forearm", "hand")]
        assert (leg.ik, leg.pole, dict(leg.tips)) == (
            f"foot_ik.{side}",
            f"thigh_ik_target.{side}",
            {f"toe.{side}": f"toe_ik.{side}"},
        )
        assert (arm.ik, arm.pole) == (f"hand_ik.{side}", f"upper_arm_ik_target.{side}")
        for part, bone in ((leg, "thigh"), (arm, "upper_arm")):
            (switch,) = part.switches
            assert (switch.path, switch.fk, switch.ik) == (f'pose.bones["{bone}_parent.{side}"]["IK_FK"]', 1.0, 0.0)
            settings = {setting.path: setting.value for setting in part.settings}
            assert settings.pop(f'pose.bones["{bone}_parent.{side}"]["pole_vector"]') == 1.0
            assert settings
            assert all(path.endswith(".ik_stretch") and value == 0.0 for path, value in settings.items())
    trunk = dict(parts["Trunk"].fk)
    assert (trunk["hips"], trunk["neck"], trunk["head"]) == ("spine_fk", "neck", "head")
    assert (trunk["clavicle.L"], trunk["clavicle.R"]) == ("shoulder.L", "shoulder.R")


def test_what_is_found_is_frozen(find_controls):
    rig = person()
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(dataclasses.FrozenInstanceError):
        find_controls(rig).parts[0].ik = "x"
