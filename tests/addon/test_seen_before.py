"""Evaluated poses are evaluated again after any change that could change them, and only then."""

import bpy
import material
import numpy as np
import pytest

IK = 'pose.bones["bone3"].constraints["IK"].influence'


@pytest.fixture
def rig():
    """Make a chain with inverse kinematics whose influence follows a property, towards a bone of its own."""
    rig = material.armature(modes=("QUATERNION", "XYZ"), connected=True)
    material.edit_bones(
        rig, lambda bones: setattr(bones["side"], "parent", None)
    )  # a target below the chain would be a cycle
    ik = rig.pose.bones["bone3"].constraints.new("IK")
    ik.target, ik.subtarget, ik.chain_count = rig, "side", 3
    rig.pose.bones["bone0"]["switch"] = 0.7
    driver = rig.driver_add(IK).driver
    driver.type, variable = "SUM", driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = rig, 'pose.bones["bone0"]["switch"]'
    copy = rig.pose.bones["bone2"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget, copy.influence = rig, "bone0", 0.3
    return rig


@pytest.fixture
def action(rig):
    """Key every bone except the target of the inverse kinematics."""
    action = material.key_by_hand(rig, "walk", seed=0)
    for frame in (1, 9, 20, 33):
        for name in ("location", "rotation_quaternion"):
            rig.pose.bones["side"].keyframe_delete(name, frame=frame)
    rig.animation_data.action = None
    return action


@pytest.fixture
def see(loom, rig, action):
    """Return `see()`: the evaluated poses as the verbs read them, checked against an evaluation without memory."""
    evaluated, steps = loom("addon.bridge.evaluated_action"), loom("addon.ground.steps")

    def see():
        slot = loom("addon.bridge.curves").choose_slot(action, rig)
        body = loom("addon.bridge.unkeyed_pose").with_posed(rig, loom("addon.bridge.rig").read(rig))
        what = bpy.context.scene, rig, (action, slot), body, body.bones, np.arange(1.0, 30.0, 4.0)
        known = steps.at_once(evaluated.seen_before_in_steps)(*what)
        for one, other in zip(known, evaluated.seen_in_the_world(*what), strict=True):
            np.testing.assert_array_equal(one, other)
        return known

    return see


def add_modifier(rig):
    rig.animation_data.drivers[0].modifiers.new("GENERATOR").coefficients[1] = 0.5


def move_target(rig):
    rig.pose.bones["side"].location = (0.3, 0.1, 0.2)


def add_constraint(rig):
    one = rig.pose.bones["bone1"].constraints.new("LIMIT_ROTATION")
    one.use_limit_x, one.max_x = True, 0.1


def move_tail(bones):
    bones["bone3"].tail.x += 0.2


CHANGES = {
    "a property": lambda rig: rig.pose.bones["bone0"].__setitem__("switch", 0.2),
    "an influence": lambda rig: setattr(rig.pose.bones["bone2"].constraints[0], "influence", 0.6),
    "a driver": lambda rig: setattr(rig.animation_data.drivers[0].driver, "type", "MIN"),
    "a driver's curve": add_modifier,
    "a driver's variable": lambda rig: setattr(
        rig.animation_data.drivers[0].driver.variables[0].targets[0], "data_path", "scale.x"
    ),
    "a constraint": add_constraint,
    "a constraint's target": lambda rig: setattr(rig.pose.bones["bone3"].constraints[0], "subtarget", "bone0"),
    "a muted constraint": lambda rig: setattr(rig.pose.bones["bone2"].constraints[0], "mute", True),
    "the pose of a bone without keys": move_target,
    "a bone at rest": lambda rig: material.edit_bones(rig, move_tail),
    "a limit": lambda rig: setattr(rig.pose.bones["bone1"], "lock_ik_x", True),
    "inherited scale": lambda rig: setattr(rig.data.bones["bone1"], "inherit_scale", "NONE"),
    "the object's scale": lambda rig: setattr(rig, "scale", (2.0, 2.0, 2.0)),
    "a key": lambda _: None,
}


@pytest.mark.parametrize("change", CHANGES)
def test_poses_are_evaluated_again_after_a_change(rig, action, see, change):
    before = see()
    assert see() is before
    CHANGES[change](rig)
    if change == "a key":
        material.fcurves(action)[0].keyframe_points[1].co[1] += 0.2
    bpy.context.view_layer.update()
    assert see() is not before


def test_a_shown_frame_and_a_property_of_ours_change_nothing(rig, action, see):
    before = see()
    rig["action_loom_notes"] = "text"
    rig.animation_data.action = action
    bpy.context.scene.frame_set(9)
    assert see() is before


def test_poses_that_other_data_moves_are_evaluated_each_time(rig, see):
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    rig.pose.bones["bone3"].constraints[0].target = target
    before = see()
    target.location = (0.5, 0.5, 0.5)
    bpy.context.view_layer.update()
    assert see() is not before


def test_a_driver_that_calls_python_is_evaluated_each_time(rig, see):
    driver = rig.animation_data.drivers[0].driver
    driver.type, driver.expression = "SCRIPTED", "len('ab') / 4"
    assert see() is not see()
