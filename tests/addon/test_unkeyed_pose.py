"""Actions with unkeyed bones are read as seen, independent of the action played before; measured on evaluated bones."""

import bpy
import characters
import material
import numpy as np
import pytest

FRAMES = np.arange(1, 25)
ARM = "upper_arm.L"


@pytest.fixture
def rig(loom):
    """A walker with two actions that do not key the left arm."""
    made, curves = material.biped(), loom("addon.bridge.curves")
    for name, stride in (("one", 1.2), ("two", 1.6)):
        action = material.key_walk(made, name, frames=24, stride=stride)
        arm = [curve.data_path for curve in material.fcurves(action) if f'"{ARM}"' in curve.data_path]
        curves.remove(action, curves.choose_slot(action, made), arm)
    material.show(made, bpy.data.actions["one"])
    rest(made)
    return made


def rest(rig):
    pose(rig, rotation_euler=(0.0, 0.0, 0.0), location=(0.0, 0.0, 0.0), scale=(1.0, 1.0, 1.0))


def seen(rig, action):
    """Return the world matrices (F, B, 4, 4) of bones while an action plays on the current pose."""
    material.show(rig, action)
    poses = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(int(frame))
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        poses.append([np.array(posed.matrix_world @ bone.matrix) for bone in posed.pose.bones])
    return np.array(poses)


def pose(rig, **values):
    bone = rig.pose.bones[ARM]
    for what, value in values.items():
        setattr(bone, what, value)
    bpy.context.view_layer.update()


def key_arm(rig, name, turns):
    """Key only the left arm in a new action, about its own x axis in Euler angles."""
    rig.animation_data.action = None
    for frame, turn in zip((1, 12, 24), turns, strict=True):
        rig.pose.bones[ARM].rotation_euler = (turn, 0.0, 0.0)
        rig.pose.bones[ARM].keyframe_insert("rotation_euler", frame=frame)
    action = rig.animation_data.action
    action.name, action.use_fake_user = name, True
    return action


@pytest.mark.parametrize("visual", [True, False])
def test_results_do_not_depend_on_what_was_played_or_on_deleted_results(visual):
    rig = characters.character("RobotExpressive")
    first = None
    for played in ("", "Dance", "WalkJump", "Punch"):
        if played:
            material.show(rig, bpy.data.actions[played])
            bpy.context.scene.frame_set(5)
        made = material.weave("blend", "Idle", "WalkJump", visual=visual)
        keys = {
            (c.data_path, c.array_index): [tuple(key.co) for key in c.keyframe_points] for c in material.fcurves(made)
        }
        first = first or keys
        assert keys == first
        material.show(rig, made)
        bpy.context.scene.frame_set(12)
        bpy.data.actions.remove(made)  # its pose remains on bones that Idle does not key


def leave_pose(rig):
    """Weave a result that moves the left arm, show it in frame 12, and delete it; the pose stays."""
    wave = key_arm(rig, "wave", (0.0, 1.2, 0.7))
    made = material.weave("splice", "one", "wave")
    material.show(rig, made)
    bpy.context.scene.frame_set(12)
    bpy.data.actions.remove(wave)
    return made


def test_a_pose_of_a_deleted_result_is_not_posed(rig):
    before = seen(rig, material.weave("loop", "one", whole="yes"))
    rest(rig)
    bpy.data.actions.remove(leave_pose(rig))
    assert np.abs(seen(rig, material.weave("loop", "one", whole="yes")) - before).max() < 1e-4


def test_a_new_pose_after_a_result_was_deleted_is_posed(rig, tmp_path):
    bpy.data.actions.remove(leave_pose(rig))
    material.saved(tmp_path / "scene.blend")
    rig = material.armature_of(tmp_path / "scene.blend")
    bpy.context.view_layer.objects.active = rig
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    pose(rig, rotation_euler=(0.4, 0.1, -0.3))
    source = seen(rig, bpy.data.actions["one"])
    assert np.abs(seen(rig, material.weave("loop", "one", whole="yes")) - source).max() < 1e-4


@pytest.mark.parametrize("deleted", ["before", "after"])
def test_a_pose_of_a_deleted_result_is_not_posed_after_the_file_was_opened_again(rig, tmp_path, deleted):
    before = seen(rig, material.weave("loop", "one", whole="yes"))
    rest(rig)
    made = leave_pose(rig)
    if deleted == "before":
        bpy.data.actions.remove(made)
    name = rig.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    rig = bpy.data.objects[name]
    for action in [one for one in bpy.data.actions if one.name not in ("one", "two")]:
        bpy.data.actions.remove(action)
    assert np.linalg.norm(rig.pose.bones[ARM].rotation_euler) > 0.3
    bpy.context.view_layer.objects.active = rig
    assert np.abs(seen(rig, material.weave("loop", "one", whole="yes")) - before).max() < 1e-4


def test_the_same_of_a_library_override(rig, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, here):
        here.objects, here.actions = ["Biped"], ["one", "two"]
    rig = here.objects[0].override_create()
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    before = seen(rig, material.weave("loop", "one", whole="yes"))
    rest(rig)
    bpy.data.actions.remove(leave_pose(rig))
    material.saved(tmp_path / "shot.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    rig = next(one for one in bpy.data.objects if one.override_library is not None)
    bpy.context.view_layer.objects.active = rig
    assert np.linalg.norm(rig.pose.bones[ARM].rotation_euler) > 0.3
    assert np.abs(seen(rig, material.weave("loop", "one", whole="yes")) - before).max() < 1e-4


def test_an_action_of_an_arm_stays_one(rig):
    action = key_arm(rig, "wave", (0.0, 1.2, 0.7))
    material.show(rig, action)
    made = material.weave("loop", "wave", whole="yes")
    assert {curve.data_path for curve in material.fcurves(made)} == {f'pose.bones["{ARM}"].rotation_euler'}


def test_a_pose_that_most_actions_begin_with_counts_where_another_action_has_moved_it(rig):
    for name in ("wave", "point", "salute"):
        key_arm(rig, name, (0.8, 1.2, 1.0))
    material.show(rig, bpy.data.actions["wave"])
    bpy.context.scene.frame_set(12)
    made = material.weave("loop", "one", whole="yes")
    rig.animation_data.action = None
    pose(rig, rotation_euler=(0.8, 0.0, 0.0))
    source = seen(rig, bpy.data.actions["one"])
    assert np.abs(seen(rig, made) - source).max() < 1e-3


def test_a_pose_that_all_actions_begin_with_counts_although_one_passes_the_rest_pose(rig):
    for name in ("wave", "point", "salute"):
        key_arm(rig, name, (0.2, -0.2, 0.2))
    material.show(rig, bpy.data.actions["wave"])
    bpy.context.scene.frame_set(12)
    made = material.weave("loop", "one", whole="yes")
    rig.animation_data.action = None
    pose(rig, rotation_euler=(0.2, 0.0, 0.0))
    source = seen(rig, bpy.data.actions["one"])
    assert np.abs(seen(rig, made) - source).max() < 1e-3


def test_a_driven_property_is_not_posed(rig, loom):
    driver = rig.driver_add(f'pose.bones["{ARM}"].rotation_euler', 0).driver
    driver.expression = "frame * 0.01"
    bpy.context.scene.frame_set(30)
    body = loom("addon.bridge.unkeyed_pose").with_posed(rig, loom("addon.bridge.rig").read(rig))
    assert not any(target.bone == ARM for target in body.posed)


def test_a_result_that_keys_a_posed_property_keeps_its_value(rig, loom):
    curves, action = loom("addon.bridge.curves"), bpy.data.actions["one"]
    for name in ("one", "two"):
        holder = curves.holders(bpy.data.actions[name], curves.choose_slot(bpy.data.actions[name], rig))[0]
        side = [c for c in holder.fcurves if c.data_path.endswith("location") and c.array_index == 0]
        holder.fcurves.remove(side[0])
    rig.pose.bones["hips"].location.x = 0.5
    source = seen(rig, action)
    placed = material.weave("place", "one", where="at", x=3.0, y=1.0)
    seen(rig, placed)
    made = material.weave("loop", "one", whole="yes")
    assert np.abs(seen(rig, made) - source).max() < 1e-3
