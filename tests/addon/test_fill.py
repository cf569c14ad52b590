"""Fill between keyed poses: poses keep their keys, filled keys are of type Breakdown, and choices are stored."""

import time
from itertools import pairwise

import bpy
import material
import numpy as np
import pytest

pytestmark = pytest.mark.core_result

POSES = (1, 13, 31, 49)


@pytest.fixture
def blocked():
    """A biped with a ticked walk that plays an action with four of the walk's poses."""
    rig = material.biped()
    material.key_walk(rig, "walk", frames=60)
    bpy.context.scene.render.fps = 24
    material.list_all()
    block(rig, "blocking", POSES)
    return rig


def block(rig, name, frames):
    """Key poses of the walk at frames, without poses between them."""
    poses = {frame: pose(rig, bpy.data.actions["walk"], frame) for frame in frames}
    rig.animation_data.action = bpy.data.actions.new(name)
    for frame, bones in poses.items():
        for bone in rig.pose.bones:
            bone.matrix_basis = bones[bone.name].T.tolist()
            bone.keyframe_insert("location", frame=frame)
            bone.keyframe_insert("rotation_euler", frame=frame)
    for curve in material.fcurves(rig.animation_data.action):
        for point in curve.keyframe_points:
            point.select_control_point = False
    return rig.animation_data.action


def pose(rig, action, frame):
    rig.animation_data.action = action
    if hasattr(action, "slots") and len(action.slots):
        rig.animation_data.action_slot = action.slots[0]
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()
    return {bone.name: np.array(bone.matrix_basis) for bone in rig.pose.bones}


def heads(rig, action, frame):
    pose(rig, action, frame)
    return np.array([bone.head[:] for bone in rig.pose.bones])


def test_poses_stay_and_the_motion_between_comes_back(blocked, loom):
    block_out, walk = blocked.animation_data.action, bpy.data.actions["walk"]
    was = material.fingerprint(block_out)
    assert material.press(blocked, "fill", plant_feet=False) == {"FINISHED"}
    made = blocked.animation_data.action
    assert made != block_out
    assert material.fingerprint(block_out) == was
    for frame in POSES:
        here, there = pose(blocked, made, frame), pose(blocked, block_out, frame)
        for name, matrix in here.items():
            np.testing.assert_allclose(matrix, there[name], atol=2e-6, err_msg=name)
    middle = [frame for a, b in pairwise(POSES) for frame in ((a + b) // 2,)]
    off = {
        action.name: np.mean(
            [np.linalg.norm(heads(blocked, action, f) - heads(blocked, walk, f), axis=1) for f in middle]
        )
        for action in (made, block_out)
    }
    assert off[made.name] < 0.4 * off[block_out.name]
    pose(blocked, made, POSES[0])
    bars = loom("addon.services.preview.strips").of(bpy.context).strip.rows[0].spans
    filled = [bar for bar in bars if bar.name.removesuffix(" mirrored") == "walk"]
    assert {bar.start for bar in filled} >= set(POSES[:-1])  # the strip shows the walk in each gap


@pytest.mark.parametrize("keys", ["EVERY", "FEW"])
def test_the_artists_keys_stay_keyframes_and_others_are_breakdowns(blocked, keys):
    assert material.press(blocked, "fill", keys=keys) == {"FINISHED"}
    for curve in material.fcurves(blocked.animation_data.action):
        if len(curve.keyframe_points) < 2:
            continue
        kinds = {round(point.co[0]): point.type for point in curve.keyframe_points}
        stays = np.ptp([point.co[1] for point in curve.keyframe_points]) < 1e-5  # constant: keys at the ends
        assert {frame for frame, kind in kinds.items() if kind == "KEYFRAME"} == set(POSES) & kinds.keys()
        assert stays or set(POSES) <= kinds.keys()
        assert {kind for frame, kind in kinds.items() if frame not in POSES} <= {"BREAKDOWN"}


@pytest.mark.parametrize("keys", ["EVERY", "FEW"])
def test_a_result_is_filled_anew_after_a_pose_was_edited(blocked, keys):
    material.press(blocked, "fill", keys=keys)
    made = blocked.animation_data.action
    bpy.context.scene.frame_set(31)
    bone = blocked.pose.bones["upper_arm.R"]
    bone.rotation_euler[0] += 0.6
    bone.keyframe_insert("rotation_euler", frame=31)
    edited = pose(blocked, made, 31)["upper_arm.R"]
    assert material.press(blocked, "fill") == {"FINISHED"}
    again = blocked.animation_data.action
    assert again != made
    np.testing.assert_allclose(pose(blocked, again, 31)["upper_arm.R"], edited, atol=2e-6)
    kinds = {round(p.co[0]) for c in material.fcurves(again) for p in c.keyframe_points if p.type == "KEYFRAME"}
    assert set(POSES) <= kinds


def test_only_gaps_between_selected_poses_are_filled(blocked):
    block_out = blocked.animation_data.action
    for curve in material.fcurves(block_out):
        for point in curve.keyframe_points:
            point.select_control_point = round(point.co[0]) in (13, 31)
    material.press(blocked, "fill", plant_feet=False)
    made = blocked.animation_data.action
    for frame, same in ((7, True), (22, False), (40, True)):
        here, there = (heads(blocked, action, frame) for action in (made, block_out))
        assert (np.abs(here - there).max() < 1e-5) == same, frame


def test_a_stretch_is_chosen_locked_and_left_again(blocked, loom):
    settings = bpy.context.scene.action_loom
    settings.mode = "fill"
    assert material.press(blocked, "fill", preview=True) == {"FINISHED"}
    rows = loom("addon.services.poses.fill_gaps").rows(settings, blocked)
    assert {row.text for row in rows} == {"100 % walk, 1.00 ×", "100 % walk, 0.98 ×"}
    material.press(blocked, "next_stretch", gap=12, step=1)
    assert settings.fill.locked.startswith("12 walk ")
    material.press(blocked, "whole_stretch", gap=12)
    assert settings.fill.gaps == "12 -1 1"
    material.press(blocked, "lock_stretch", gap=12)
    material.press(blocked, "whole_stretch", gap=12)
    assert settings.fill.gaps == settings.fill.locked == ""
    material.press(blocked, "lock_stretch", gap=30)
    assert settings.fill.locked.startswith("30 walk ")
    material.press(blocked, "clear_gaps")
    assert settings.fill.locked == ""


def test_a_lock_keeps_its_stretch_whatever_else_is_ticked(blocked, loom, capfd):
    settings = bpy.context.scene.action_loom
    settings.mode = "fill"
    material.key_walk(blocked, "stroll", frames=60, stride=0.4)
    blocked.animation_data.action = bpy.data.actions["blocking"]
    material.press(blocked, "fill", preview=True)
    material.press(blocked, "next_stretch", gap=12, step=3)
    kept = settings.fill.locked
    bpy.ops.action_loom.add_sources()
    lines = bpy.context.scene.action_loom.rigs[0].sources
    for line in lines:
        line.use = line.action.name in ("walk", "stroll")
    previews = loom("addon.services.preview.previews")

    def stretches():
        material.press(blocked, "fill", preview=True)
        row = previews.of(blocked.session_uid).woven.report["fill"]["gaps"][1]
        return row["candidates"][row["candidate"]]["stretches"]

    locks = loom("core.verbs.fill.locks")
    assert locks.as_text({12: locks.of_report(stretches())}) == kept == settings.fill.locked
    for line in lines:
        line.use = line.action.name == "stroll"
    assert {one["clip"] for one in stretches()} == {"stroll"}
    assert "the stretch set for the gap after frame 12 of the result is gone: walk, frames" in capfd.readouterr().out


def at_other_times(rig, name, true, frames):
    """Key the walk's poses of some frames at other frames, without poses between them."""
    action = block(rig, name, true)
    for curve in material.fcurves(action):
        for point, frame in zip(curve.keyframe_points, frames, strict=True):
            point.co.x = frame
        curve.update()
    return action


def key_times(action):
    return {round(point.co[0], 3) for curve in material.fcurves(action) for point in curve.keyframe_points}


def test_poses_move_to_where_the_walk_has_them_and_only_when_asked(blocked):
    action = at_other_times(blocked, "hurried", POSES, (1, 8, 40, 52))
    settings = bpy.context.scene.action_loom
    settings.mode, settings.fill.suggest_timing = "fill", True
    action.pose_markers.new("passing").frame = 40
    settings.fill.gaps, settings.fill.locked = "7 -1 1", "7 walk 12 30 0 1"
    was = material.fingerprint(action)
    assert material.press(blocked, "fill", preview=True) == {"FINISHED"}
    assert material.fingerprint(action) == was  # the preview moves no key
    assert material.press(blocked, "move_poses") == {"FINISHED"}
    times = sorted(map(int, key_times(action)))
    np.testing.assert_allclose(np.diff(times), np.diff(POSES), atol=1)
    assert times[0] == 1
    assert key_times(action) == set(times)  # on whole frames
    assert action.pose_markers[0].frame == times[2]
    assert settings.fill.gaps == f"{times[1] - 1:g} -1 1"  # the choices move with their pose
    assert settings.fill.locked == f"{times[1] - 1:g} walk 12 30 0 1"
    for k, frame in enumerate(POSES):
        here, there = (heads(blocked, one, at) for one, at in ((action, times[k]), (bpy.data.actions["walk"], frame)))
        np.testing.assert_allclose(here, there, atol=1e-5)
    with pytest.raises(RuntimeError, match="no longer those of the preview"):
        material.press(blocked, "move_poses")  # a second press fails until the preview has followed


def test_after_a_pose_was_moved_in_time_the_fill_follows(blocked):
    settings, action = bpy.context.scene.action_loom, blocked.animation_data.action
    settings.fill.gaps, settings.fill.locked = "12 0 1; 30 0 -1", "12 walk 0 20 0 1"
    for curve in material.fcurves(action):
        point = curve.keyframe_points[1]
        assert point.co.x == 13
        point.co.x = 16
        curve.update()
    assert material.press(blocked, "fill") == {"FINISHED"}  # the choice for the gap after frame 13 lost its gap
    made = blocked.animation_data.action
    kinds = {round(p.co[0]) for c in material.fcurves(made) for p in c.keyframe_points if p.type == "KEYFRAME"}
    assert kinds >= {1, 16, 31, 49}
    assert 13 not in kinds
    np.testing.assert_allclose(heads(blocked, made, 16), heads(blocked, action, 16), atol=1e-5)


def test_a_capture_from_which_keys_were_deleted_is_a_block_out(blocked, loom):
    """All keys are of type Generated (before Blender 4.3 Breakdown) and count as poses, since no other types exist."""
    action, keyed_poses = blocked.animation_data.action, loom("addon.bridge.keyed_poses")
    for curve in material.fcurves(action):
        for point in curve.keyframe_points:
            point.type = "GENERATED" if bpy.app.version >= (4, 3) else "BREAKDOWN"
    slot = loom("addon.bridge.curves").choose_slot(action, blocked)
    assert keyed_poses.frames_of(action, slot) == list(POSES)


def test_what_is_missing_is_said(blocked):
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = False
    with pytest.raises(RuntimeError, match="Tick the actions to fill from"):
        material.press(blocked, "fill")
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = True
    block(blocked, "one pose", (13,))
    with pytest.raises(RuntimeError, match="it has 1"):
        material.press(blocked, "fill")
    blocked.animation_data.action = bpy.data.actions.new("empty")
    with pytest.raises(RuntimeError, match="empty"):
        material.press(blocked, "fill")
    blocked.animation_data.action = None
    with pytest.raises(RuntimeError, match="Biped has no action"):
        material.press(blocked, "fill")


def test_a_gap_of_an_hour_is_refused_before_it_is_read(blocked):
    at_other_times(blocked, "hour", POSES[:2], (1, 86401))
    began = time.perf_counter()
    with pytest.raises(RuntimeError, match="are 3600 s; 60 s can be filled: key a pose between"):
        material.press(blocked, "fill")
    assert time.perf_counter() - began < 5.0  # reading it would take a minute


def test_keyed_scale_stays(blocked):
    for frame in POSES:
        blocked.pose.bones["chest"].scale = (1.0 + 0.005 * frame,) * 3
        blocked.pose.bones["chest"].keyframe_insert("scale", frame=frame)
    material.press(blocked, "fill")
    for frame in POSES:
        pose(blocked, blocked.animation_data.action, frame)
        np.testing.assert_allclose(blocked.pose.bones["chest"].scale, 1.0 + 0.005 * frame, atol=1e-5)


def test_another_body_fills_and_a_rest_pose_does_not(blocked, capfd):
    other = material.biped(name="Other", units=2.0)
    material.key_walk(other, "theirs", frames=60)
    rest = material.key_walk(blocked, "rest", frames=60, stride=0.0, reach=0.0)
    bpy.context.view_layer.objects.active = blocked
    blocked.select_set(True)
    other.select_set(True)
    blocked.animation_data.action = bpy.data.actions["blocking"]
    bpy.ops.action_loom.add_sources()
    bpy.ops.action_loom.add_selected_sources()
    lines = bpy.context.scene.action_loom.rigs[0].sources
    for name, said in (("theirs", "Carried from Other"), (rest.name, "nothing was found like frames 1 to 13")):
        blocked.animation_data.action = bpy.data.actions["blocking"]
        for line in lines:
            line.use = line.action.name == name
        assert material.press(blocked, "fill") == {"FINISHED"}
        assert said in capfd.readouterr().out


def test_what_is_unlike_is_said_in_frames_of_the_scene(blocked, capfd):
    block(blocked, "later", (101, 131))
    for k, curve in enumerate(material.fcurves(blocked.animation_data.action)):
        for point in curve.keyframe_points:
            point.co.y += 0.8 * (-1) ** k  # a pose far from any walk
        curve.update()
    assert material.press(blocked, "fill", plant_feet=False) == {"FINISHED"}
    assert "nothing was found like frames 101 to 131:" in capfd.readouterr().out
