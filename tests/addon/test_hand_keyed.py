"""Hand-keyed actions on the controls of a rig: results key the same controls with few keys."""

import bpy
import material
import numpy as np
import pytest
from hand_rigs import with_legs_on_ik
from test_control_rig import human  # noqa: F401  (a fixture)

pytestmark = pytest.mark.core_result

NEAR = 0.5  # mm: tolerance for motion that a verb must not change
LEFT_STEP = {1: (0, 0, 0), 7: (0, 0.02, 0.05), 13: (0, 0.1, 0), 49: (0, 0.1, 0)}
RIGHT_STEP = {1: (0, 0, 0), 25: (0, 0, 0), 31: (0, 0.02, 0.05), 37: (0, 0.1, 0)}
SWAY = {1: (0, 0, -0.08), 13: (0.02, 0.02, -0.1), 25: (0, 0.04, -0.08), 37: (-0.02, 0.06, -0.1), 49: (0, 0.08, -0.08)}
ROLL = {1: (1, 0, 0, 0), 7: (0.97, 0.24, 0, 0)}


def key(rig, left, right, torso, *, upright=True):
    """Key two steps on two IK controls and the trunk: 47 keys."""
    sway = SWAY if upright else {frame: (x, z, -y) for frame, (x, y, z) in SWAY.items()}
    rows = [(left, "location", LEFT_STEP), (right, "location", RIGHT_STEP), (torso, "location", sway)]
    action = bpy.data.actions.new("Steps")
    rig.animation_data_create().action = action
    for bone, what, values in [*rows, (left, "rotation_quaternion", ROLL)]:
        for frame, value in values.items():
            setattr(rig.pose.bones[bone], what, value)
            rig.pose.bones[bone].keyframe_insert(what, frame=frame)
    assert keys_of(action) == 47
    return action


def keys_of(action):
    return sum(len(curve.keyframe_points) for curve in material.fcurves(action))


def by_hand(*, pole):
    rig = with_legs_on_ik(pole=pole)
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig, key(rig, "goal.L", "goal.R", "hips", upright=False)


def rigify(path):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    rig = bpy.data.objects["Hero"]
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    return rig, key(rig, "foot_ik.L", "foot_ik.R", "torso")


@pytest.fixture(params=["pole", "no pole", "rigify"])
def keyed(request):
    if request.param == "rigify":
        return rigify(request.getfixturevalue("human"))
    return by_hand(pole=request.param == "pole")


# Solving the many controls of Rigify's human takes seconds, so it is tried where the rig decides.
on_hand_rigs = pytest.mark.parametrize("keyed", ["pole", "no pole"], indirect=True)


@pytest.fixture
def seen(loom):
    """Return `of(rig, action)`: the joints' positions (F, J, 3) in metres while an action plays, and the skeleton."""
    bodies, on_controls, curves = (
        loom(f"addon.bridge.{name}") for name in ("control_body", "clip_on_controls", "curves")
    )

    def of(rig, action):
        body = bodies.body_of(rig)
        slot = curves.choose_slot(action, rig)
        clip = on_controls.read(bpy.context.scene, rig, action, body, 24.0, slot).clip
        return loom("core.motion.kinematics").world(clip)[1], body.skeleton

    return of


def made_by(verb, action, **options):
    return material.weave(verb, action.name, **options)


def test_mirrored_it_has_as_few_keys_on_the_same_controls(keyed, seen):
    rig, action = keyed
    before, (first, skeleton) = material.fingerprint(action), seen(rig, action)
    made = made_by("mirror", action)
    assert material.fingerprint(action) == before
    assert keys_of(made) <= 60
    bones = {curve.data_path.split('"')[1] for curve in material.fcurves(made) if ".location" in curve.data_path}
    assert bones == {curve.data_path.split('"')[1] for curve in material.fcurves(action)}
    # Resting controls get no keys; switches get none either, as their values fit and all actions leave them unkeyed.
    assert {curve.data_path.split('"')[1] for curve in material.fcurves(made)} == bones
    again = made_by("mirror", made)
    assert 1000.0 * np.linalg.norm(seen(rig, again)[0] - first, axis=2).max() < NEAR
    mirrored = seen(rig, made)[0]
    left, right = (skeleton.roles[f"foot.{side}"] for side in "LR")
    assert np.abs(mirrored[:, left] - first[:, right] * (-1, 1, 1)).max() < 1e-3 * NEAR
    assert np.abs(mirrored[:, left] - first[:, left]).max() > 0.05


def test_fewer_keys_changes_nothing_that_is_seen(keyed, seen):
    rig, action = keyed
    made = made_by("fewer_keys", action, within=1.0)
    assert keys_of(made) <= 60
    assert 1000.0 * np.linalg.norm(seen(rig, made)[0] - seen(rig, action)[0], axis=2).max() < 1.0


@pytest.mark.parametrize("limbs", ["fk", "ik", "both"])
def test_limbs_go_to_the_controls_that_are_asked_for(limbs, seen):
    rig, action = by_hand(pole=True)
    first = seen(rig, action)[0]  # before a result switches the rig
    made = made_by("mirror", action, limbs=limbs.upper())
    again = made_by("mirror", made, limbs=limbs.upper())
    assert 1000.0 * np.linalg.norm(seen(rig, again)[0] - first, axis=2).max() < NEAR
    bones = {curve.data_path.split('"')[1] for curve in material.fcurves(made) if len(curve.keyframe_points) > 1}
    assert ("thigh.L" in bones) == (limbs != "ik")
    assert ("goal.L" in bones) == (limbs != "fk")
    switches = [one for one in material.fcurves(made) if one.data_path.endswith('["legs L"]')]
    assert [one.keyframe_points[0].co[1] for one in switches] == ([0.0] if limbs == "fk" else [])


def stands(rig):
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)
    rig = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if "root" in rig.pose.bones and "legs L" in rig.pose.bones["root"]:
        return [rig.pose.bones["root"][f"legs {side}"] for side in "LR"]
    return [rig.pose.bones[f"thigh_parent.{side}"]["IK_FK"] for side in "LR"]


def switches_of(action):
    return [one for one in material.fcurves(action) if one.data_path.endswith(('["legs L"]', '["IK_FK"]'))]


@on_hand_rigs
def test_a_switch_is_keyed_where_it_must_be_and_stands_again_as_before(keyed, seen):
    rig, action = keyed
    before, first = stands(rig), seen(rig, action)[0]
    assert not switches_of(made_by("mirror", action))
    other = [1.0 - value for value in before]
    for side, value in zip("LR", other, strict=True):  # on FK, where keys on IK do not show
        bone, path = (f"thigh_parent.{side}", "IK_FK") if len(rig.pose.bones) > 50 else ("root", f"legs {side}")
        rig.pose.bones[bone][path] = value
    rig.update_tag()
    made = made_by("mirror", action)
    assert {len(one.keyframe_points) for one in switches_of(made)} == {1}
    assert stands(rig) == before
    # The played action lacks keys of switches, so the rig keeps its switches as set by hand.
    assert bpy.ops.action_loom.play_action(action=action.name) == {"FINISHED"}
    assert stands(rig) == other
    # The first result keys the switches and would leave its values behind, so later results key them, too.
    again = made_by("mirror", action)
    assert {one.data_path for one in switches_of(again)} == {one.data_path for one in switches_of(made)}
    assert stands(rig) == before
    assert 1000.0 * np.linalg.norm(seen(rig, made_by("mirror", again))[0] - first, axis=2).max() < NEAR


@on_hand_rigs
def test_controls_are_found_once_however_limbs_are_switched(keyed, loom):
    rig, _ = keyed
    bodies = loom("addon.bridge.control_body")
    found = bodies.controls_of(rig)
    for value in (0.0, 1.0):
        for side in "LR":
            bone, path = (f"thigh_parent.{side}", "IK_FK") if len(rig.pose.bones) > 50 else ("root", f"legs {side}")
            rig.pose.bones[bone][path] = value
        rig.update_tag()
        bpy.context.view_layer.update()
        assert bodies.controls_of(rig) is found


def test_a_switch_that_was_set_by_hand_meanwhile_stays(seen):
    rig, action = by_hand(pole=True)
    made_by("mirror", action, limbs="FK")
    rig.animation_data.action = None
    rig.pose.bones["root"]["legs L"] = 0.5
    assert bpy.ops.action_loom.play_action(action=action.name) == {"FINISHED"}
    assert [rig.pose.bones["root"][f"legs {side}"] for side in "LR"] == [0.5, 1.0]


@on_hand_rigs
def test_what_another_action_has_switched_does_not_hide_what_is_keyed(keyed, seen, capfd):
    rig, action = keyed
    first, skeleton = seen(rig, action)
    bones = rig.pose.bones
    for side in "LR":  # like an action that keys the switch
        if "thigh_parent.L" in bones:
            bones[f"thigh_parent.{side}"]["IK_FK"] = 1.0
        else:
            bones["root"][f"legs {side}"] = 0.0
    bpy.context.view_layer.update()
    again = made_by("mirror", made_by("mirror", action))
    assert "keys Left leg on IK, Right leg on IK, but the rig is switched to the other" in capfd.readouterr().out
    assert np.ptp(first[:, skeleton.roles["foot.L"]], axis=0).max() > 0.05
    assert 1000.0 * np.linalg.norm(seen(rig, again)[0] - first, axis=2).max() < NEAR


def test_on_both_the_limbs_stand_the_same_by_either(seen):
    rig, action = by_hand(pole=True)
    made = made_by("mirror", action, limbs="BOTH")
    on_ik = seen(rig, made)[0]
    for side in "LR":
        rig.pose.bones["root"][f"legs {side}"] = 0.0
    rig.update_tag()
    assert 1000.0 * np.linalg.norm(seen(rig, made)[0] - on_ik, axis=2).max() < NEAR


def test_actions_of_a_set_key_the_same_controls_so_that_none_shows_the_pose_of_another():
    rig = by_hand(pole=True)[0]
    action = bpy.data.actions.new("Taken")
    rig.animation_data.action = action
    for bone, steps in (("goal.L", LEFT_STEP), ("goal.R", RIGHT_STEP), ("hips", {1: (0, -0.08, 0)})):
        for frame, place in steps.items():
            rig.pose.bones[bone].location = place
            rig.pose.bones[bone].keyframe_insert("location", frame=frame)
    row = {"kind": "ACTION", "loop": False, "begins": "", "ends": ""}
    rows = [row | {"name": "Left", "start": 1, "end": 22}, row | {"name": "Right", "start": 26, "end": 48}]
    sources = [{"name": "Taken", "weight": 1.0}]
    assert bpy.ops.action_loom.cut_out(sources=sources, rows=rows, limbs="FK", result_name="") == {"FINISHED"}
    keyed, moving = (
        [
            {one.data_path for one in material.fcurves(bpy.data.actions[name]) if len(one.keyframe_points) >= least}
            for name in ("Left", "Right")
        ]
        for least in (1, 2)
    )
    thighs = [f'pose.bones["thigh.{side}"].rotation_quaternion' for side in "LR"]
    assert [[path in paths for path in thighs] for paths in moving] == [[True, False], [False, True]]
    assert keyed[0] == keyed[1]
