"""Rigs driven by controls: clips are written to the FK controls of Rigify rigs and read back unchanged."""

import subprocess
import sys

import bpy
import material
import numpy as np
import pytest
from test_skin import hang

WALK = material.SHARED / "cmu" / "cmu_mb_02_01.bvh"
SECOND = material.SHARED / "cmu" / "cmu_mb_07_01.bvh"

# This runs in a process of its own that ends at once: Blender 4.2 crashes at exit with Rigify's classes loaded.
GENERATE = """
import os, sys
import bpy
import addon_utils
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
if addon_utils.enable("rigify", default_set=True) is None:
    print("NO RIGIFY", flush=True)
    os._exit(1)
getattr(bpy.ops.object, sys.argv[2])()
bpy.ops.pose.rigify_generate()
bpy.context.object.name = "Hero"
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1])
print("SAVED", flush=True)
os._exit(0)
"""


def generated(path, metarig):
    command = [sys.executable, "-c", GENERATE, str(path), metarig]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert "NO RIGIFY" not in done.stdout, f"Blender {bpy.app.version_string} comes without Rigify"
    assert "SAVED" in done.stdout, done.stdout + done.stderr
    return path


@pytest.fixture(scope="module")
def human(tmp_path_factory):
    return generated(tmp_path_factory.mktemp("rigify") / "human.blend", "armature_human_metarig_add")


@pytest.fixture
def hero(human):
    bpy.ops.wm.open_mainfile(filepath=str(human))
    return bpy.data.objects["Hero"]


@pytest.fixture
def rigs(loom):
    return loom("addon.bridge.control_rig")


@pytest.fixture
def on_controls(loom):
    return loom("addon.bridge.clip_on_controls")


@pytest.fixture
def carried(loom):
    """Put a captured clip on a body."""

    def onto(path, body, every=4):
        clip = loom("core.formats.motion_file").read(path).clip
        clip = loom("core.motion.resample").sample(clip, np.arange(0.0, len(clip) - 1.0, every))
        return loom("core.bodies.carry").onto_body(clip, body.skeleton)[0]

    return onto


@pytest.fixture
def fill(loom):
    """Return `write(into, rig, clip, body)`: key a clip on a rig's controls in an action and slot, return messages."""
    solving, writing = loom("addon.bridge.control_keys"), loom("addon.bridge.keys_on_controls")
    steps = loom("addon.ground.steps")

    def write(into, rig, clip, body, limbs="source"):
        wanted = solving.Wanted(limbs)
        keys = steps.run_steps(solving.solved_in_steps(rig, clip, body, wanted))
        return "; ".join(writing.fill(into, rig, clip, body, keys, wanted=wanted, first_frame=1.0))

    return write


@pytest.fixture
def put_on(loom, fill):
    """Return `write(rig, clip, body)`: write a clip to a new action that the rig plays; return it and the messages."""
    curves = loom("addon.bridge.curves")

    def write(rig, clip, body, name="Walk", limbs="source"):
        with curves.whole(name, rig) as (action, slot):
            message = fill((action, slot), rig, clip, body, limbs)
        curves.assign(rig, action, slot)
        return action, message

    return write


@pytest.fixture
def apart(loom):
    """Return `of(rig, clip, body)`: the largest errors of each bone (mm, degrees of direction, degrees of any axis)."""
    kinematics, quat = loom("core.motion.kinematics"), loom("core.motion.quat")

    def of(rig, clip, body, prefix=""):
        turned, places = kinematics.world(clip)
        axes = quat.to_matrix(turned)
        worst = {name: np.zeros(3) for name in body.bones}
        for frame in range(0, len(clip), max(len(clip) // 12, 1)):
            bpy.context.scene.frame_set(1 + frame)
            for joint, name in enumerate(body.bones):
                seen = np.array(rig.matrix_world @ rig.pose.bones[name].matrix)
                own = seen[:3, :3] / np.linalg.norm(seen[:3, :3], axis=0)
                chords = np.linalg.norm(own - axes[frame, joint], axis=0)
                angles = np.degrees(2.0 * np.arcsin(np.clip(0.5 * chords, 0.0, 1.0)))
                far = 1000.0 * np.linalg.norm(body.world_metres * seen[:3, 3] - places[frame, joint])
                worst[name] = np.maximum(worst[name], (far, angles[1], angles.max()))
        return worst

    return of


# Parts of a Rigify rig with their own twist: their deform bones spread the twist between joints.
OWN_TWIST = {
    "thigh",
    "upper_arm",
    "shin",
    "forearm",
    "foot",
    "spine",
    "f_index",
    "f_middle",
    "f_ring",
    "f_pinky",
    "thumb",
}


def stands(worst):
    for name, (millimetres, direction, turn) in worst.items():
        assert millimetres < 0.05, (name, millimetres)
        assert direction < 0.02, (name, direction)
        if name.removeprefix("DEF-").split(".")[0] not in OWN_TWIST:
            assert turn < 0.02, (name, turn)


def turn(rig):
    rig.location, rig.rotation_euler, rig.scale = (1.0, 2.0, 0.0), (0.0, 0.0, 0.7), (0.5, 0.5, 0.5)
    bpy.context.view_layer.update()


# --- onto it --------------------------------------------------------------------------------------------------------


@material.needs_shared
def test_a_captured_walk_is_seen_on_the_bones_of_a_turned_and_smaller_rig(hero, rigs, carried, put_on, apart):
    turn(hero)
    body = rigs.body_of(hero)
    clip = carried(WALK, body)
    put_on(hero, clip, body)
    stands(apart(hero, clip, body))


@material.needs_shared
def test_a_file_is_imported_onto_its_controls(hero, rigs, loom, apart, capfd):
    body = rigs.body_of(hero)
    assert material.import_motion(WALK, select=False, plant_feet=False, trim=False) == {"FINISHED"}
    assert "Warning" not in capfd.readouterr().out
    clip = loom("core.formats.motion_file").read(WALK).clip
    action = bpy.data.actions["cmu_mb_02_01"]
    material.show(hero, action)
    stands(apart(hero, loom("core.bodies.carry").onto_body(clip, body.skeleton)[0], body))


@material.needs_shared
def test_a_rig_without_a_mesh_takes_captures_and_its_root_stays_at_rest(hero):
    for one in [one for one in bpy.data.objects if one.type == "MESH"]:
        bpy.data.objects.remove(one)
    assert material.import_motion(WALK, select=False, here=True, play=True, rate="SCENE") == {"FINISHED"}
    assert hero.animation_data.action.name == "cmu_mb_02_01"
    hips = []
    for frame in (1, 30, 60):
        bpy.context.scene.frame_set(frame)
        assert np.abs(np.array(hero.pose.bones["root"].matrix_basis) - np.eye(4)).max() < 1e-5
        hips.append(np.array(hero.pose.bones["DEF-spine"].head)[:2])
    assert np.linalg.norm(hips[0]) < 0.2  # it begins at the rig's place and travels on
    assert np.linalg.norm(hips[2]) > 1.5
    (rig,) = bpy.context.scene.action_loom.rigs
    assert rig.last_warnings.startswith("Limbs are keyed on FK")
    assert hero.animation_data.action["action_loom_imported"]  # weaving it does not warn of these keys


@material.needs_shared
def test_actions_of_another_armature_go_onto_its_controls(hero, rigs, loom, apart):
    body = rigs.body_of(hero)
    material.import_motion(WALK, onto="NEW", trim=False)
    other = bpy.context.view_layer.objects.active
    clip = loom("core.formats.motion_file").read(WALK).clip
    other.select_set(True)
    hero.select_set(True)
    bpy.context.view_layer.objects.active = hero
    assert bpy.ops.action_loom.retarget(plant_feet=False, trim=False, place="REFERENCE", result_name="Theirs") == {
        "FINISHED"
    }
    material.show(hero, bpy.data.actions["Theirs"])
    stands(apart(hero, loom("core.bodies.carry").onto_body(clip, body.skeleton)[0], body))


@material.needs_shared
def test_a_rig_without_fingers_and_face_is_known_too(tmp_path, rigs, carried, put_on, apart):
    path = generated(tmp_path / "basic.blend", "armature_basic_human_metarig_add")
    bpy.ops.wm.open_mainfile(filepath=str(path))
    rig = bpy.data.objects["Hero"]
    body = rigs.body_of(rig)
    clip = carried(WALK, body)
    put_on(rig, clip, body)
    stands(apart(rig, clip, body))


@material.needs_shared
def test_limbs_are_switched_to_fk_in_the_action_whatever_was_set_and_posed(hero, rigs, carried, put_on, apart):
    body = rigs.body_of(hero)
    clip = carried(WALK, body)
    bones = hero.pose.bones
    bones["thigh_parent.L"]["FK_limb_follow"] = 1.0
    bones["torso"]["head_follow"] = 0.3
    for name in ("hips", "chest", "f_index.01_master.L"):
        bones[name].rotation_mode = "XYZ"
        bones[name].rotation_euler = (0.5, 0.2, -0.3)
    bones["f_index.01_master.L"].scale = (0.8, 0.8, 0.8)
    bones["hand_ik.L"].location = (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    action, message = put_on(hero, clip, body)
    assert message == ""
    switches = [curve for curve in material.fcurves(action) if curve.data_path.endswith('["IK_FK"]')]
    assert len(switches) == 4
    for curve in switches:
        assert [tuple(point.co) for point in curve.keyframe_points] == [(1.0, 1.0)]
    stands(apart(hero, clip, body))


@material.needs_shared
def test_writing_leaves_the_rig_as_it_was(hero, rigs, carried, loom, fill):
    def settings():
        return {
            (bone.name, *(tuple(row) for row in bone.matrix_basis)): [
                bone.get(name) for name in ("IK_FK", "FK_limb_follow", "neck_follow", "head_follow")
            ]
            for bone in hero.pose.bones
        }

    before, scenes = settings(), len(bpy.data.scenes)
    body = rigs.body_of(hero)
    clip = carried(WALK, body)
    with loom("addon.bridge.curves").whole("Walk", hero) as (action, slot):
        fill((action, slot), hero, clip, body)
    assert settings() == before
    assert (len(bpy.data.scenes), len(bpy.data.armatures)) == (scenes, 2)  # the metarig is there, too


# --- and back -------------------------------------------------------------------------------------------------------


@material.needs_shared
def test_an_action_of_such_a_rig_is_read_as_it_was_written(hero, rigs, carried, put_on, on_controls, loom):
    body = rigs.body_of(hero)
    clip = carried(WALK, body)
    action, _ = put_on(hero, clip, body)
    back = on_controls.read(bpy.context.scene, hero, action, body, clip.rate).clip
    kinematics, quat = loom("core.motion.kinematics"), loom("core.motion.quat")
    (turns, places), (was_turned, were) = kinematics.world(back), kinematics.world(clip)
    assert 1000.0 * np.abs(places - were).max() < 0.05
    assert np.degrees(np.linalg.norm(quat.log(quat.mul(quat.inv(was_turned), turns)), axis=-1)).max() < 0.02
    assert back.channels == {}


def test_inverse_kinematics_of_a_source_are_seen_on_the_fk_controls(hero, rigs, on_controls, put_on, apart):
    for limb in ("thigh_parent.L", "thigh_parent.R", "upper_arm_parent.L", "upper_arm_parent.R"):
        hero.pose.bones[limb]["IK_Stretch"] = 0.0
    for frame, bend in ((1, 0.0), (10, 0.6), (20, 0.2)):
        for name in ("hand_ik.L", "hand_ik.R", "torso", "brow.T.L.001"):
            bone = hero.pose.bones[name]
            bone.location = (0.0, 0.1 * bend, -0.2 * bend) if name == "torso" else (0.0, 0.0, 0.1 * bend)
            bone.keyframe_insert("location", frame=frame)
        for name in ("hips", "chest"):
            bone = hero.pose.bones[name]
            bone.rotation_quaternion = (1.0, 0.3 * bend, 0.1 * bend, -0.1 * bend)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    body = rigs.body_of(hero)
    action = hero.animation_data.action
    clip = on_controls.read(bpy.context.scene, hero, action, body, 24.0).clip
    assert {name.split('"')[1] for name in clip.channels} == {"brow.T.L.001"}
    assert max(far for far, _, _ in apart(hero, clip, body).values()) < 0.05  # as it was read
    _, message = put_on(hero, clip, body)
    assert "can't be stretched and end up to 1.9 cm short" in message  # Blender also stretches bent limbs
    for name, (far, _, _) in apart(hero, clip, body).items():
        firm = name == "root" or name.split("-")[1].split(".")[0] in (
            "spine",
            "shoulder",
            "breast",
            "thigh",
            "upper_arm",
        )
        assert far < (0.05 if firm else 25.0), (name, far)


def test_limbs_that_inverse_kinematics_stretches_are_said_to_end_short(hero, rigs, on_controls, put_on, apart):
    for frame, up in ((1, 0.0), (5, 0.3)):
        hero.pose.bones["torso"].location = (0.0, 0.0, up)
        hero.pose.bones["torso"].keyframe_insert("location", frame=frame)
    body = rigs.body_of(hero)
    clip = on_controls.read(bpy.context.scene, hero, hero.animation_data.action, body, 24.0).clip
    assert max(far for far, _, _ in apart(hero, clip, body).values()) < 0.05  # as it was read
    _, message = put_on(hero, clip, body)
    assert "'foot_fk.L', 'foot_fk.R', 'hand_fk.L', 'hand_fk.R' can't be stretched and end up to 30 cm short" in message
    worst = apart(hero, clip, body)
    assert worst["DEF-thigh.L"][0] < 0.05
    assert worst["DEF-thigh.L"][1] < 0.02


@material.needs_shared
def test_the_preview_shows_the_mesh_where_the_result_has_it(hero, rigs, carried, put_on, loom):
    body = rigs.body_of(hero)
    for name, path in (("One", WALK), ("Two", SECOND)):
        put_on(hero, carried(path, body, every=12), body, name)
    for bone in hero.data.bones:
        bone.bbone_segments = 1
    drawn = hang(hero, vertices=2000)
    bpy.context.view_layer.objects.active = hero
    settings = material.list_sources(hero, "One", "Two")
    settings.ghost_mesh = True
    both = [{"name": "One", "weight": 0.5}, {"name": "Two", "weight": 0.5}]
    assert bpy.ops.action_loom.blend(sources=both, preview=True) == {"FINISHED"}
    ghost = loom("addon.services.preview.previews").of(hero.session_uid)
    assert ghost.body is not None, ghost.left_out
    assert ghost.left_out == ()
    assert drawn.name in bpy.data.objects


@material.needs_shared
def test_verbs_weave_actions_of_such_a_rig_and_can_be_undone(hero, rigs, carried, put_on, apart, on_controls, capfd):
    body = rigs.body_of(hero)
    first, _ = put_on(hero, carried(WALK, body, every=8), body, "One")
    second, _ = put_on(hero, carried(SECOND, body, every=8), body, "Two")
    hashes = [material.fingerprint(one) for one in (first, second)]
    bpy.context.view_layer.objects.active = hero
    material.list_sources(hero, "One", "Two")
    bpy.ops.ed.undo_push(message="before")
    both = [{"name": "One", "weight": 0.5}, {"name": "Two", "weight": 0.5}]
    assert bpy.ops.action_loom.blend("EXEC_DEFAULT", True, sources=both, result_name="Mixed") == {"FINISHED"}
    message = capfd.readouterr().out
    assert "limbs on FK" in message
    assert "got no keys" not in message
    assert [material.fingerprint(bpy.data.actions[name]) for name in ("One", "Two")] == hashes
    hero = bpy.data.objects["Hero"]
    result = bpy.data.actions["Mixed"]
    keyed = {curve.data_path.split('"')[1] for curve in material.fcurves(result)}
    assert {"torso", "thigh_fk.L", "hand_fk.R"} <= keyed
    assert not {name for name in keyed if name.startswith(("DEF-", "ORG-", "MCH-"))}
    body = rigs.body_of(hero)
    rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    clip = on_controls.read(bpy.context.scene, hero, result, body, rate).clip
    material.show(hero, result)
    stands(apart(hero, clip, body))
    bpy.ops.ed.undo()
    assert "Mixed" not in bpy.data.actions


def test_the_mesh_of_such_a_rig_rides_on_the_body(hero, rigs):
    body = rigs.body_of(hero)
    deforming = {bone.name for bone in hero.data.bones if bone.use_deform}
    rides = body.controls.rides
    assert deforming == set(rides) | (set(body.bones) - {"root"})
    assert rides["DEF-upper_arm.L.001"] == "DEF-upper_arm.L"
    assert rides["DEF-jaw"] == "DEF-spine.006"


# --- refusals -------------------------------------------------------------------------------------------------------


def test_a_control_that_was_changed_is_named_with_what_poses_it(hero, rigs, loom):
    added = hero.pose.bones["MCH-upper_arm_parent.L"].constraints.new("COPY_ROTATION")
    added.name, added.target, added.subtarget, added.influence = "Mine", hero, "root", 0.5
    with pytest.raises(loom("core.errors").RigError, match=r"upper_arm_fk\.L does not go .*Mine on MCH-upper_arm_pare"):
        rigs.body_of(hero)
    bones = rigs.body_or_bones(hero)
    assert bones.controls is None
    assert "upper_arm_fk.L" in bones.note
    assert len(bones.bones) == len(hero.data.bones)


def test_what_plays_no_part_in_the_body_is_left_out_and_said(hero, rigs):
    added = hero.pose.bones["breast.L"].constraints.new("COPY_ROTATION")
    added.target, added.subtarget = hero, "root"
    body = rigs.body_of(hero)
    assert body.note == "Hero: no clip can move 'breast.L', whose controls are not known"
    assert "DEF-breast.R" in body.bones
    assert "DEF-breast.L" not in body.bones


def test_a_rig_of_other_controls_is_refused_by_what_drives_it(rigs, loom):
    controls, rig = material.biped(name="Controls"), material.biped(name="Driven")
    for bone in rig.pose.bones:
        copying = bone.constraints.new("COPY_TRANSFORMS")
        copying.target, copying.subtarget = controls, bone.name
    with pytest.raises(
        loom("core.errors").RigError, match=r"Driven is driven by .*chest \(chest\) by Copy Transforms to"
    ):
        rigs.refuse_unknown(rig, rigs.body_of(rig))


def test_a_rig_with_inverse_kinematics_on_its_legs_is_no_rig_of_controls(rigs):
    rig = material.biped()
    for side in "LR":
        helper = rig.pose.bones[f"shin.{side}"].constraints.new("IK")
        helper.chain_count = 2
    body = rigs.body_of(rig)
    rigs.refuse_unknown(rig, body)
    assert body.controls is None
    assert body.bones == tuple(bone.name for bone in rig.data.bones) or set(body.bones) == set(rig.data.bones.keys())


@material.needs_shared
def test_few_keys_of_controls_keep_the_bound_at_the_bones(hero, rigs, carried, put_on, apart):
    body = rigs.body_of(hero)
    clip = carried(WALK, body)
    action, _ = put_on(hero, clip, body)
    made = material.weave("fewer_keys", action.name, within=5.0)
    keys = [sum(len(curve.keyframe_points) for curve in material.fcurves(one)) for one in (made, action)]
    assert keys[0] < 0.4 * keys[1]
    material.show(hero, made)
    assert max(far for far, _, _ in apart(hero, clip, body).values()) < 5.0


@material.needs_shared
@pytest.mark.parametrize("limbs", ["source", "ik"])
def test_a_slowed_jump_on_controls_falls_as_a_real_one_after_weight(hero, rigs, carried, put_on, limbs):
    """The hips of the evaluated rig take the change of the centre of mass."""
    body = rigs.body_of(hero)
    jump = carried(material.SHARED / "cmu" / "cmu_asf_16_03.bvh", body, every=4 / 1.12)  # its time × 1.4
    slow, _ = put_on(hero, jump, body, limbs=limbs)

    def fall(action):
        material.show(hero, action)
        heights = []
        for frame in range(1, len(jump) + 1):
            bpy.context.scene.frame_set(frame)
            heights.append(hero.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["DEF-spine"].head.z)
        top = int(np.argmax(heights))
        at = np.arange(-5, 6) / bpy.context.scene.render.fps
        return 2.0 * np.polyfit(at, heights[top - 5 : top + 6], 2)[0]

    before = fall(slow)
    assert -8.0 < before < -5.0
    (made,) = material.pressed(hero, "weight").values()
    assert fall(made) - before == pytest.approx(-9.81 + 7.9 / 1.12**2, abs=0.8)
