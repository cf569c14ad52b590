"""Results keep the event markers of actions at their poses, as Blender evaluates both actions."""

import bpy
import material
import numpy as np
import pytest

LIMBS = [f"{bone}.{side}" for bone in ("thigh", "shin", "upper_arm") for side in "LR"]


@pytest.fixture
def walker():
    """A biped with two listed walks of 36 and 24 frames, each marked where its left thigh is farthest forward."""
    rig = material.biped()
    for name, frames, leads in (("slow", 36, "L"), ("quick", 24, "R")):
        action = material.key_walk(rig, name, frames=frames, leads=leads)
        action.pose_markers.new("step_L").frame = 1 if leads == "L" else 13
        action.pose_markers.new("step_R").frame = 19 if leads == "L" else 1
        action.pose_markers.new("L down 1").frame = 5
    material.list_all()
    return rig


def named(*names):
    return [{"name": name, "weight": 1.0} for name in names]


def markers(action, name):
    return sorted(marker.frame for marker in action.pose_markers if marker.name == name)


def limbs(rig, action, frame):
    """Angles of thighs, shins and upper arms, degrees."""
    material.show(rig, action)
    bpy.context.scene.frame_set(round(frame))
    return np.degrees([rig.pose.bones[name].matrix_basis.to_euler().x for name in LIMBS])


def forward(rig, action, side, frames):
    """Return the frame at which a thigh is turned farthest in the direction of its own step."""
    thigh = LIMBS.index(f"thigh.{side}")
    sign = np.sign(limbs(rig, bpy.data.actions["slow"], 1 if side == "L" else 19)[thigh])
    return frames[int(np.argmax([sign * limbs(rig, action, frame)[thigh] for frame in frames]))]


def range_of(action):
    first, last = action.curve_frame_range
    return list(range(round(first), round(last) + 1))


@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.0, 3.0)])
def test_a_blend_has_one_marker_of_both_where_its_thigh_is_forward(walker, weights):
    sources = [{"name": name, "weight": weight} for name, weight in zip(("slow", "quick"), weights, strict=True)]
    bpy.data.actions["quick"].pose_markers.new("breath").frame = 7
    assert bpy.ops.action_loom.blend(sources=sources, plant_feet=False) == {"FINISHED"}
    made = walker.animation_data.action
    frames = range_of(made)
    for side in "LR":
        (at,) = markers(made, f"step_{side}")
        length = len(frames) - 1
        off = abs(at - forward(walker, made, side, frames[:-1])) % length
        assert min(off, length - off) <= 2
    assert len(markers(made, "breath")) == 1
    assert not markers(made, "L down 1")


def test_connected_actions_have_their_markers_at_their_poses(walker):
    assert bpy.ops.action_loom.connect(sources=named("slow", "quick"), plant_feet=False) == {"FINISHED"}
    made = walker.animation_data.action
    (seam,) = markers(made, "Seam 1")
    at = sorted((frame, name) for name in ("step_L", "step_R") for frame in markers(made, name))
    assert len(at) >= 3
    for frame, name in at:
        of = "slow" if frame < seam else "quick"
        (own,) = markers(bpy.data.actions[of], name)
        if abs(frame - seam) > 8:
            np.testing.assert_allclose(limbs(walker, made, frame), limbs(walker, bpy.data.actions[of], own), atol=0.1)
        near = [other for other in range_of(made) if abs(other - frame) <= 3]
        assert abs(frame - forward(walker, made, name[-1], near)) <= 2


def test_a_loop_has_each_marker_once_and_as_often_as_it_repeats(walker):
    slow = bpy.data.actions["slow"]
    for repeat in (1, 3):
        material.show(walker, slow)
        assert bpy.ops.action_loom.loop(sources=named("slow"), repeat=repeat, phase=0.25) == {"FINISHED"}
        made = walker.animation_data.action
        at = markers(made, "step_L")
        assert len(at) == repeat
        assert set(np.diff(at)) <= {36}
        for frame in at:
            np.testing.assert_allclose(limbs(walker, made, frame), limbs(walker, slow, 1), atol=0.5)


def test_an_action_on_the_upper_body_brings_its_markers(walker):
    for bone in walker.pose.bones:
        bone.rotation_euler = bone.location = (0.0, 0.0, 0.0)
    walker.animation_data.action = None
    for frame, raised in ((1, 0.0), (15, 1.2), (25, 0.0)):
        walker.pose.bones["upper_arm.L"].rotation_euler = (raised, 0.0, 0.0)
        walker.pose.bones["upper_arm.L"].keyframe_insert("rotation_euler", frame=frame)
        walker.pose.bones["hips"].keyframe_insert("location", frame=frame)
    wave = walker.animation_data.action
    wave.name = "wave"
    wave.pose_markers.new("top").frame = 15
    assert bpy.ops.action_loom.splice(sources=named("slow", "wave"), timing="own", if_shorter="hold") == {"FINISHED"}
    made = walker.animation_data.action
    assert markers(made, "step_L") == [1]
    assert markers(made, "step_R") == [19]
    (top,) = markers(made, "top")
    arm = LIMBS.index("upper_arm.L")
    raised = [abs(limbs(walker, made, frame)[arm]) for frame in range_of(made)]
    assert abs(range_of(made)[int(np.argmax(raised))] - top) <= 1


def test_key_poses_have_the_markers_of_their_poses(walker):
    poses = "1 0 0; 2 12 0.5; 2 5 1"
    assert bpy.ops.action_loom.key_poses(sources=named("slow", "quick"), poses=poses) == {"FINISHED"}
    made = walker.animation_data.action
    second = round(0.5 * bpy.context.scene.render.fps)
    assert markers(made, "step_L") == [1, 1 + second]
    assert not markers(made, "step_R")


def test_a_retimed_action_keeps_the_pose_of_its_markers(walker):
    assert bpy.ops.action_loom.retime(sources=named("slow", "quick")) == {"FINISHED"}
    made = walker.animation_data.action
    for side in "LR":
        (at,) = markers(made, f"step_{side}")
        (own,) = markers(bpy.data.actions["quick"], f"step_{side}")
        thigh = LIMBS.index(f"thigh.{side}")
        now, then = limbs(walker, made, at)[thigh], limbs(walker, bpy.data.actions["quick"], own)[thigh]
        assert abs(now - then) < 3.0


def test_a_mirrored_action_names_the_other_side(walker):
    slow = bpy.data.actions["slow"]
    for name in ("bright", "left hand", "FootLeft", "hit.R", "L hook"):
        slow.pose_markers.new(name).frame = 9
    material.show(walker, slow)
    (made,) = material.pressed(walker, "mirror", replace=False).values()
    assert markers(made, "step_R") == [1]
    assert markers(made, "step_L") == [19]
    assert {"bright", "right hand", "FootRight", "hit.L", "R hook"} <= {marker.name for marker in made.pose_markers}


def test_a_rebuild_renews_the_markers_and_keeps_those_made_by_hand(walker):
    assert bpy.ops.action_loom.connect(sources=named("slow", "quick")) == {"FINISHED"}
    made = walker.animation_data.action
    made.pose_markers.new("mine").frame = 4
    was = sorted((marker.name, marker.frame) for marker in made.pose_markers)
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    assert sorted((marker.name, marker.frame) for marker in made.pose_markers) == was
    marker = next(one for one in bpy.data.actions["slow"].pose_markers if one.name == "step_R")
    marker.frame = 11
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    assert 11 in markers(made, "step_R")
    assert 19 not in markers(made, "step_R")
    assert markers(made, "mine") == [4]


def assert_marked_where_it_steps(walker):
    made = walker.animation_data.action
    frames = range_of(made)
    at = [(frame, side) for side in "LR" for frame in markers(made, f"step_{side}")]
    assert len(at) >= 4
    near = [abs(forward(walker, made, s, [f for f in frames if abs(f - frame) <= 6]) - frame) for frame, s in at]
    assert np.median(near) <= 1
    assert max(near) <= 4


def test_a_path_is_walked_with_the_markers_of_its_stretches(walker):
    material.draw_curve([(0.0, 0.0), (0.0, -4.0)])
    assert bpy.ops.action_loom.follow(sources=named("slow", "quick"), curve="Path", plant_feet=False) == {"FINISHED"}
    assert_marked_where_it_steps(walker)


def test_what_is_asked_for_has_a_marker_of_all_where_its_thigh_is_forward(walker):
    bpy.data.actions["quick"].pose_markers.new("breath").frame = 7
    assert bpy.ops.action_loom.ask(sources=named("slow", "quick"), speed=1.0, basis="clips") == {"FINISHED"}
    made = walker.animation_data.action
    frames = range_of(made)
    length = len(frames) - 1
    for side in "LR":
        (at,) = markers(made, f"step_{side}")
        off = abs(at - forward(walker, made, side, frames[:-1])) % length
        assert min(off, length - off) <= 2
    assert len(markers(made, "breath")) == 1
    assert not markers(made, "L down 1")


def test_a_drive_that_was_settled_has_the_markers_of_what_it_walks(walker):
    asked = {"wishes": "0 0 1; 4 0 0; 5 0 0", "along_line": True, "mirror": False, "plant_feet": False}
    assert bpy.ops.action_loom.drive(sources=named("slow", "quick"), **asked) == {"FINISHED"}
    assert_marked_where_it_steps(walker)


@pytest.mark.parametrize("operator", ["in_place", "fewer_keys", "bake"])
def test_an_edited_action_keeps_its_markers(walker, operator):
    slow = bpy.data.actions["slow"]
    material.show(walker, slow)
    before = set(bpy.data.actions)
    with bpy.context.temp_override(action_loom_armature=walker):
        assert getattr(bpy.ops.action_loom, operator)("INVOKE_DEFAULT", replace=False) == {"FINISHED"}
    for made in set(bpy.data.actions) - before:
        assert (markers(made, "step_L"), markers(made, "step_R")) == ([1], [19])


def test_a_stretch_that_is_cut_out_has_the_markers_in_it(walker):
    slow = bpy.data.actions["slow"]
    slow.pose_markers.new("before").frame = 4
    row = {"name": "Turn Left", "start": 9, "end": 31, "kind": "ACTION", "loop": False, "begins": "", "ends": ""}
    assert bpy.ops.action_loom.cut_out(sources=named("slow"), rows=[row], mirror=True) == {"FINISHED"}
    seen = {action.name: action for action in bpy.data.actions if action.name.startswith("Turn")}
    assert len(seen) == 2
    for name, made in seen.items():
        first, last = made.curve_frame_range
        assert last - first == 22
        side = "R" if name == "Turn Left" else "L"
        assert [(one.name, one.frame - first) for one in made.pose_markers] == [(f"step_{side}", 19 - 9)]
        now, then = limbs(walker, made, first + 10), limbs(walker, slow, 19)
        np.testing.assert_allclose(np.sort(now), np.sort(then), atol=0.5)
