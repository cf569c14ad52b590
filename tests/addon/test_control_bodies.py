"""Captures on the controls of any rig, and verbs on them: deforming bones move like plain bones."""

import dataclasses
import re

import bpy
import fresh_rigs
import material
import numpy as np
import pytest
from fresh_rigs import posing
from hand_rigs import LAYERS, lost_target, with_foot_roll, with_layers, with_legs_on_ik

pytestmark = pytest.mark.core_result

WALK = material.SHARED / "cmu" / "cmu_mb_02_01.bvh"
JUMP = material.SHARED / "cmu" / "cmu_asf_16_03.bvh"
STRAIGHT = material.SHARED / "cmu" / "cmu_mb_08_01.bvh"
RIGS = material.SHARED / "rigs"
ENDS, MIDDLES, TURNED = 0.5, 2.0, 0.2  # mm in the 95th percentile, of hands, feet and hips; of all others; degrees
AT_THE_ENDS = ("hips", "hand.L", "hand.R", "foot.L", "foot.R")


def by_hand(make, **how):
    rig = make(**how)
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    rig.select_set(True)
    return rig


def of_maker(name):
    bpy.ops.wm.open_mainfile(filepath=str(RIGS / f"{name}.blend"))
    rig = max((one for one in bpy.data.objects if one.type == "ARMATURE"), key=lambda one: len(one.data.bones))
    rig.hide_set(False)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    return rig


MADE = {
    "legs on IK": lambda: by_hand(with_legs_on_ik, pole=True),
    "no pole": lambda: by_hand(with_legs_on_ik, pole=False),
    "foot roll": lambda: by_hand(with_foot_roll),
    "layers": lambda: by_hand(with_layers, kinds=LAYERS[0]),
    "fingers and tail": lambda: by_hand(with_layers, kinds=LAYERS[0], more=True),
    "cartoon cat": lambda: by_hand(fresh_rigs.build, name="cartoon_cat"),
    "mixamo_own": lambda: of_maker("mixamo_own"),
    "mmd_own": lambda: of_maker("mmd_own"),
}


@pytest.fixture
def seen(loom):
    """Return `of(rig, action, rate=120.0)`: the body's motion as the rig shows it while an action plays, as a clip."""
    bodies, on_controls, curves = (
        loom(f"addon.bridge.{name}") for name in ("control_body", "clip_on_controls", "curves")
    )

    def of(rig, action, rate=120.0):
        slot = curves.choose_slot(action, rig)
        return on_controls.read(bpy.context.scene, rig, action, bodies.body_of(rig), rate, slot).clip

    return of


@pytest.fixture
def is_near(loom):
    """Return `check(one, other)`: assert that two clips of a body agree in places and directions of its bones."""
    kinematics, quat = loom("core.motion.kinematics"), loom("core.motion.quat")

    def check(one, other):
        (turns, places), (turned, stands) = kinematics.world(one), kinematics.world(other)
        far = np.percentile(1000.0 * np.linalg.norm(places - stands, axis=2), 95, axis=0)
        along = (quat.rotate(each, np.array([0.0, 1.0, 0.0])) for each in (turns, turned))
        angles = np.percentile(np.degrees(np.linalg.norm(np.subtract(*along), axis=2)), 95, axis=0)
        roles = one.skeleton.roles
        assert {role: far[joint] for role, joint in roles.items() if role in AT_THE_ENDS and far[joint] > ENDS} == {}
        assert {role: far[joint] for role, joint in roles.items() if far[joint] > MIDDLES} == {}
        assert {role: angles[joint] for role, joint in roles.items() if angles[joint] > TURNED} == {}

    return check


@material.needs_shared
@pytest.mark.parametrize(
    ("name", "limbs"), [*((name, "IK") for name in MADE), *((name, "SOURCE") for name in ("legs on IK", "mmd_own"))]
)
def test_a_capture_is_seen_on_the_bones_as_it_would_be_on_plain_ones(loom, seen, is_near, name, limbs):
    rig = MADE[name]()
    body = loom("addon.bridge.control_body").body_of(rig)  # before an action sets how far solvers stretch
    how = {"onto": "ACTIVE", "select": False, "plant_feet": False, "limbs": limbs}
    action = material.new_action(lambda: material.import_motion(WALK, **how))
    assert body.controls is not None
    clip = loom("core.weave.seam.close").trim_clip(loom("core.formats.motion_file").read(WALK).clip, True).clip
    is_near(seen(rig, action), loom("core.bodies.carry").onto_body(clip, body.skeleton)[0])
    bones = {curve.data_path.split('"')[1] for curve in material.fcurves(action) if curve.data_path.startswith("pose")}
    assert bones <= {*body.controls.names, *body.controls.idle} | {path.split('"')[1] for path in _set(body)}


@material.needs_shared
@pytest.mark.parametrize("limbs", ["SOURCE", "IK"])
def test_knees_that_cant_be_straight_are_bent_over_feet_that_stay(loom, seen, limbs, capfd):
    """MMD's legs keep a bend of 8.6°, while the legs of this walk are straight; feet stay and knees bend."""
    rig = MADE["mmd_own"]()
    body = loom("addon.bridge.control_body").body_of(rig)
    bpy.context.scene.render.fps = 30
    how = {"onto": "ACTIVE", "select": False, "plant_feet": False, "trim": False, "rate": "SCENE", "limbs": limbs}
    action = material.new_action(lambda: material.import_motion(STRAIGHT, **how))
    clip = loom("core.formats.motion_file").read(STRAIGHT).clip
    clip = loom("core.bodies.carry").onto_body(loom("core.motion.resample").to_rate(clip, 30.0), body.skeleton)[0]
    shown = seen(rig, action, 30.0)
    legs = [
        loom("core.edit.feet.legs").posed(one, loom("core.motion.ik").known_legs(one.skeleton))[1]
        for one in (clip, shown)
    ]
    for foot in "LR":
        away = np.linalg.norm(legs[1][foot].end - legs[0][foot].end, axis=1)
        assert 1000.0 * np.percentile(away, 95) < ENDS
        assert np.degrees(legs[1][foot].flexion.min()) > 8.6
    assert np.degrees(legs[0]["L"].flexion.min()) < 1.0
    hips = [loom("core.motion.kinematics").world(one)[1][:, one.skeleton.roles["hips"]] for one in (clip, shown)]
    assert 1e-3 < (hips[0] - hips[1])[:, 2].max() < 3e-3
    assert "frames that can't be so straight (hips up to" in capfd.readouterr().out


@pytest.mark.parametrize("rate", [24.0, 120.0])
def test_hands_and_feet_that_hold_still_are_held_by_constant_transforms(loom, seen, rate):
    """Resting feet and a hand that stops at frame 24 get constant transforms, although the trunk sways."""
    rig = by_hand(fresh_rigs.build, name="cloudrig")
    truth = fresh_rigs.TRUTH["cloudrig"]
    posing.turn_switches(rig, truth, "ik")
    rig.animation_data.action = bpy.data.actions.new("Holds on")
    moved = truth.limbs["arm_l"].ik
    ways = {truth.torso: {1: (0, 0, 0), 25: (0.01, 0.01, -0.02), 49: (0, 0, -0.03), 73: (-0.01, 0, 0)}}
    ways[moved] = {1: (0, 0, 0), 24: (0.02, 0.06, 0.05)}
    for bone, keys in ways.items():
        for frame, place in keys.items():
            rig.pose.bones[bone].location = place
            rig.pose.bones[bone].keyframe_insert("location", frame=frame)
    body = loom("addon.bridge.control_body").body_of(rig)
    clip = seen(rig, rig.animation_data.action, rate)
    assert len(clip) == 73
    keys = loom("addon.ground.steps").at_once(loom("addon.bridge.control_keys").solved_in_steps)(
        rig, clip, body, loom("addon.bridge.control_keys").Wanted("ik")
    )
    for limb in truth.limbs.values():
        own = keys.own[:, keys.names.index(limb.ik)]
        still = own[30:] if limb.ik == moved else own
        assert (still == still[0]).all(), limb.ik
    assert np.ptp(keys.own[:30, keys.names.index(moved), :3, 3], axis=0).max() > 0.05


def _set(body):
    found = body.controls.found
    every = [one.path for part in found.parts for one in (*part.switches, *part.settings)]
    return [path for path in every if path.startswith("pose")]


@material.needs_shared
def test_a_jump_on_ik_that_falls_wrongly_is_repaired_on_its_controls(loom, seen, tmp_path, capfd):
    rig, slow = MADE["legs on IK"](), tmp_path / "slow.bvh"
    slow.write_text(re.sub(r"Frame Time:.*", f"Frame Time: {1.0 / 90.0:.7f}", JUMP.read_text()))  # of 120
    how = {"onto": "ACTIVE", "select": False, "plant_feet": False, "limbs": "IK"}
    assert material.import_motion(slow, **how) == {"FINISHED"}
    (jump,) = bpy.data.actions
    find = loom("core.weight.flights").find_flights
    (flight,) = [one for one in find(seen(rig, jump, 90.0)).flights if one.seconds > 0.3]
    assert flight.fall == pytest.approx(-6.0, abs=0.5)
    assert bpy.ops.action_loom.weight(sources=[{"name": jump.name, "weight": 1.0}], result_name="Right") == {"FINISHED"}
    right = bpy.data.actions["Right"]
    assert "flights fall at -9." in capfd.readouterr().out
    (found,) = [one for one in find(seen(rig, right, 90.0)).flights if one.seconds > 0.3]
    assert found.fall == pytest.approx(-9.81, abs=0.5)
    assert found.seconds == pytest.approx(flight.seconds, abs=0.03)
    moving = {one.data_path.split('"')[1] for one in material.fcurves(right) if len(one.keyframe_points) > 1}
    assert {"goal.L", "goal.R"} <= moving
    assert not moving & {"thigh.L", "shin.L", "foot.L"}


@material.needs_shared
def test_verbs_read_controls_as_they_show_and_stay_on_ik(seen, is_near):
    rig = MADE["legs on IK"]()
    how = {"onto": "ACTIVE", "select": False, "plant_feet": False, "trim": False, "limbs": "IK"}
    assert material.import_motion(WALK, **how) == {"FINISHED"}
    (walk,) = bpy.data.actions
    before = material.fingerprint(walk)
    for name, source in (("Mirrored", walk.name), ("Again", "Mirrored")):
        sources = [{"name": source, "weight": 1.0}]
        assert bpy.ops.action_loom.mirror(sources=sources, result_name=name) == {"FINISHED"}
    assert material.fingerprint(walk) == before
    result = bpy.data.actions["Again"]
    is_near(seen(rig, result), seen(rig, walk))
    moving = {one.data_path.split('"')[1] for one in material.fcurves(result) if len(one.keyframe_points) > 1}
    assert {"goal.L", "goal.R", "knee.L", "knee.R"} <= moving
    assert not moving & {"thigh.L", "shin.L", "foot.L"}


@material.needs_shared
def test_a_half_broken_rig_gets_one_sentence_and_nothing_written():
    rig = by_hand(with_legs_on_ik)
    lost_target(rig)
    before, state = set(bpy.data.actions), rig.animation_data and rig.animation_data.action
    with pytest.raises(RuntimeError) as refused:
        material.import_motion(WALK, onto="ACTIVE", select=False, plant_feet=False)
    assert str(refused.value).strip().count("\n") == 0
    assert "leg: the constraint" in str(refused.value)
    assert set(bpy.data.actions) == before
    assert (rig.animation_data and rig.animation_data.action) == state


@material.needs_shared
def test_the_pose_on_controls_is_spread_as_it_is_seen(seen):
    rig = MADE["legs on IK"]()
    how = {"onto": "ACTIVE", "select": False, "plant_feet": False, "trim": False, "limbs": "IK"}
    material.import_motion(WALK, **how)
    walk = bpy.data.actions["cmu_mb_02_01"]
    material.show(rig, walk)
    bpy.context.scene.frame_set(100)
    bpy.context.view_layer.update()
    rig.pose.bones["goal.L"].location.z += 0.05
    bpy.context.view_layer.update()
    lifted = np.array(rig.pose.bones["foot.L"].matrix)[:3, 3]
    made = material.new_action(bpy.ops.action_loom.warp)
    material.show(rig, made)
    bpy.context.scene.frame_set(100)
    bpy.context.view_layer.update()
    assert np.linalg.norm(np.array(rig.pose.bones["foot.L"].matrix)[:3, 3] - lifted) < 1e-3


def test_a_foot_that_stands_still_has_constant_keys_on_its_control(loom):
    rig = MADE["legs on IK"]()
    solving, steps = loom("addon.bridge.control_keys"), loom("addon.ground.steps")
    body = loom("addon.bridge.control_body").body_of(rig)
    wave = loom("core.bodies.carry").onto_body(loom("core.demo_character.actions").wave(), body.skeleton)[0]
    noise = np.random.default_rng(1).normal(size=wave.translations.shape) * 1e-5
    noisy = dataclasses.replace(wave, translations=wave.translations + noise)
    keys = steps.run_steps(solving.solved_in_steps(rig, noisy, body, solving.Wanted("ik")))
    for name in ("goal.L", "goal.R"):
        own = keys.own[:, keys.names.index(name)]
        still = (np.abs(np.diff(own, axis=0)) == 0.0).all(axis=(1, 2))
        assert still.mean() > 0.6  # the weight shifts at both ends


def test_a_limb_that_is_switched_in_the_middle_is_read_as_it_shows_and_that_is_said(loom):
    rig = MADE["legs on IK"]()
    goal, root = rig.pose.bones["goal.L"], rig.pose.bones["root"]
    for frame, aside, on_ik in ((1, 0.0, 1.0), (10, 0.2, 1.0), (11, 0.2, 0.0), (20, 0.2, 0.0)):
        goal.location.z = aside
        goal.keyframe_insert("location", frame=frame)
        root["legs L"] = on_ik
        root.keyframe_insert('["legs L"]', frame=frame)
    bodies, reading = loom("addon.bridge.control_body"), loom("addon.bridge.clip_on_controls")
    action = rig.animation_data.action
    read = reading.read(bpy.context.scene, rig, action, bodies.body_of(rig), 24.0)
    said = [note for note in read.notes if "switches Left leg between FK and IK" in note]
    assert len(said) == 1
    assert "Right leg" not in said[0]
    feet = loom("core.motion.kinematics").world(read.clip)[1][:, read.clip.skeleton.roles["foot.L"]]
    for frame in (1, 5, 10, 11, 20):
        bpy.context.scene.frame_set(frame)
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["foot.L"].matrix
        assert np.linalg.norm(feet[frame - 1] - np.array(shown)[:3, 3]) < 1e-4
    assert np.linalg.norm(feet[9] - feet[0]) > 0.05  # on IK it follows its control
    assert np.linalg.norm(feet[-1] - feet[0]) < 1e-3  # on FK the leg rests


def stances_of(loom, clip):
    """Return {side: [(first, last)]}: long stances on a planted ball, less two frames at both ends with some slide."""
    feet = loom("core.quality.contacts").standing_feet(loom("core.quality.world_pose").pose(clip))
    runs = loom("core.quality.contacts").runs
    return {side: [(a + 2, b - 2) for a, b in runs(foot.ball_stands) if b - a > 12] for side, foot in feet.items()}


@material.needs_shared
def test_a_foot_that_is_rolled_by_a_control_stands_on_constant_keys_of_its_own(loom, seen, is_near):
    rig = MADE["foot roll"]()
    bpy.context.scene.render.fps = 30
    how = {"onto": "ACTIVE", "select": False, "plant_feet": True, "limbs": "IK", "rate": "SCENE"}
    assert material.import_motion(WALK, **how) == {"FINISHED"}
    (walk,) = bpy.data.actions
    shown = seen(rig, walk, 30.0)
    before = set(bpy.data.actions)
    for source in (walk.name, "Mirrored"):
        assert bpy.ops.action_loom.mirror(sources=[{"name": source, "weight": 1.0}], result_name="Mirrored") == {
            "FINISHED"
        }
    mirrored, again = sorted(set(bpy.data.actions) - before, key=lambda one: one.name)
    is_near(seen(rig, again, 30.0), shown)
    for action in (walk, mirrored, again):
        curves = {(one.data_path, one.array_index): one for one in material.fcurves(action)}
        start = action.curve_frame_range[0]
        stances = stances_of(loom, seen(rig, action, 30.0))
        assert min(len(runs) for runs in stances.values()) >= 2
        for side, runs in stances.items():
            goal = [one for (path, _), one in curves.items() if path.startswith(f'pose.bones["goal.{side}"].')]
            roll = [one for (path, _), one in curves.items() if path.startswith(f'pose.bones["ball.{side}"].')]
            assert len(goal) == 7
            for first, end in runs:
                frames = start + np.arange(first, end, 0.5)
                ranges = [[np.ptp([curve.evaluate(frame) for frame in frames]) for curve in of] for of in (goal, roll)]
                assert max(ranges[0]) < 1e-6
                assert max(ranges[1]) > 1e-2  # the foot itself rolls
                inside = [key for curve in goal for key in curve.keyframe_points if frames[0] < key.co[0] < frames[-1]]
                assert inside == []


def test_the_control_of_a_foot_that_slides_goes_with_it(loom):
    rig = MADE["foot roll"]()
    solving, steps = loom("addon.bridge.control_keys"), loom("addon.ground.steps")
    body = loom("addon.bridge.control_body").body_of(rig)
    walk = loom("core.bodies.carry").onto_body(loom("core.demo_character.actions").walk(), body.skeleton)[0]
    slides = walk.translations.copy()
    slides[:, 0, 0] += 0.002 * np.arange(len(walk))
    for clip, rolls in ((walk, True), (dataclasses.replace(walk, translations=slides), False)):
        keys = steps.run_steps(solving.solved_in_steps(rig, clip, body, solving.Wanted("ik")))
        assert ("ball.L" in keys.names) == rolls == bool(keys.held)
