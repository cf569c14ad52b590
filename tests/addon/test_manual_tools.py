"""The manual's pages on repair, feet, sources and troubles, done step by step as they say."""

import bpy
import material
import numpy as np
import pytest
from manual_steps import hint, lines, tick, weave

pytestmark = pytest.mark.core_result

DONE = {"FINISHED"}


# --- Repair ---------------------------------------------------------------------------------------------------------


def edited(tool, **options):
    """Press the button of a tool and return the new action."""
    bpy.context.scene.action_loom.edit = tool
    before, old = set(bpy.data.actions), hint().animation_data.action
    assert getattr(bpy.ops.action_loom, tool)(**options) == DONE
    action = hint().animation_data.action
    assert action not in before
    assert old.name in bpy.data.actions
    return action


def test_bake_puts_the_keys_back_that_fewer_keys_left_out(on_demo):
    material.show(on_demo, bpy.data.actions["Sneak"])
    few = edited("fewer_keys")
    made = edited("bake")
    frames = round(made.frame_range[1] - made.frame_range[0]) + 1
    assert {len(curve.keyframe_points) for curve in material.fcurves(made)} == {frames}
    assert any(len(curve.keyframe_points) < frames / 2 for curve in material.fcurves(few))


def test_spread_pose(on_demo):
    material.show(on_demo, bpy.data.actions["Sneak"])
    bpy.context.scene.frame_set(20)
    bpy.ops.object.mode_set(mode="POSE")
    bone = on_demo.pose.bones["upper_arm.R"]
    bone.rotation_mode = "QUATERNION"
    before = bone.matrix.copy()
    bone.rotation_quaternion = (0.7, 0.7, 0.0, 0.0)
    bpy.context.view_layer.update()
    wanted = np.array(bone.matrix)
    edited("warp")
    bpy.context.scene.frame_set(20)
    bpy.context.view_layer.update()
    assert np.abs(np.array(bone.matrix) - wanted).max() < 1e-3
    assert np.abs(np.array(before) - wanted).max() > 0.05


def test_move_events(on_demo, tab):
    material.show(on_demo, bpy.data.actions["Wave"])
    bpy.context.scene.frame_set(30)
    assert bpy.ops.action_loom.add_event() == DONE
    bpy.context.scene.frame_set(34)
    assert bpy.ops.action_loom.event_to_here() == DONE
    assert (tab.events[0].first, tab.events[0].to) == (30, 34)
    length = bpy.data.actions["Wave"].frame_range[1]
    assert edited("move_events").frame_range[1] == length


def test_reach_at_the_cursor(on_demo, tab):
    material.show(on_demo, bpy.data.actions["Wave"])
    bpy.context.scene.frame_set(10)
    hand = np.array(material.pose_positions(on_demo, ["hand.R"], 10)[0])
    target = hand + np.array([0.0, -0.1, 0.1])
    bpy.context.scene.cursor.location = target
    bpy.context.scene.frame_set(10)
    edited("reach")
    assert np.linalg.norm(material.pose_positions(on_demo, ["hand.R"], 10)[0] - target) < 0.02


# --- Plant Feet -----------------------------------------------------------------------------------------------------


def test_contacts_as_rows_and_as_markers(on_demo, tab):
    sneak = bpy.data.actions["Sneak"]
    for curve in material.fcurves(sneak):
        if curve.data_path == 'pose.bones["hips"].location':
            for point in curve.keyframe_points:
                point.co.y *= 0.8  # its feet slide now
    material.show(on_demo, sneak)
    action = edited("plant")
    held = next(one for one in tab.contacts if len(one.rows))
    count = len(held.rows)
    assert bpy.ops.action_loom.contacts_to_markers() == DONE
    names = {marker.name for marker in action.pose_markers}
    assert {"left ball 1 down", "left ball 1 up"} <= names
    assert bpy.ops.action_loom.contacts_from_markers() == DONE
    assert len(held.rows) == count
    held.rows[0].last += 1
    assert bpy.ops.action_loom.rebuild() == DONE  # Weave Again
    assert on_demo.animation_data.action.name == action.name
    assert bpy.ops.action_loom.find_contacts() == DONE


def test_feet_that_stand_still_already_are_not_listed(on_demo, tab):
    tick("Walk", "Sneak")
    weave("blend")
    assert bpy.ops.action_loom.find_contacts() == DONE
    assert not any(len(one.rows) for one in tab.contacts)


# --- Preview, Sources, Check, Other bodies, Library -----------------------------------------------------------------


def test_synchronise_shows_which_frames_correspond(on_demo, tab):
    tick("Walk", "Sneak")
    assert bpy.ops.action_loom.analyse() == DONE
    assert bpy.ops.action_loom.show_registration() == DONE
    assert bpy.ops.action_loom.retime() == DONE
    assert on_demo.animation_data.action.name == "Sneak in time with Walk"


def test_actions_of_another_armature(on_demo, tab):
    other = material.biped(name="Hero", units=1.0)
    material.key_walk(other, "theirs", frames=30)
    on_demo.select_set(True)
    other.select_set(True)
    bpy.context.view_layer.objects.active = other
    assert bpy.ops.action_loom.retarget(which="PLAYED") == DONE
    assert other.animation_data.action.name == "Walk on Hero"
    bpy.context.view_layer.objects.active = on_demo
    assert bpy.ops.action_loom.add_selected_sources() == DONE


# --- If something looks wrong ---------------------------------------------------------------------------------------


def said_when(capsys, call):
    """Return the message of an operator, whether printed or raised."""
    capsys.readouterr()
    try:
        call()
    except RuntimeError as error:
        return str(error)
    return capsys.readouterr().out


def test_an_action_of_another_rate_is_red_and_says_so(on_demo):
    lines()["Sneak"].rate = 6.0  # it was made at the scene's
    tick("Sneak", "Walk")
    weave("connect")
    assert "? At 6 frames it makes" in lines()["Sneak"].warning


def test_an_action_that_does_not_repeat_is_no_loop(capsys):
    material.two_actions()
    bpy.ops.action_loom.add_sources()
    tick("one")
    assert "does not repeat itself" in said_when(capsys, lambda: weave("loop"))


def test_without_turns_a_corner_cannot_be_walked(on_demo, capsys, tab):
    tab.mode = "follow"
    bpy.ops.action_loom.new_curve()
    for point, place in zip(tab.curve.data.splines[0].bezier_points, ((0, 0), (0, -2), (2, -2), (2, 0)), strict=True):
        point.co = (*place, 0.0)
    tick("Walk")
    tab.follow.bend = 0.0
    assert "widen its bends, or add a clip that turns" in said_when(capsys, lambda: weave("follow"))


def test_a_constrained_bone_is_named_by_check(on_demo, loom):
    copy = on_demo.pose.bones["head"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget = on_demo, "hand.L"
    assert bpy.ops.action_loom.check() == DONE
    found = loom("addon.services.sources.rig_checks").of(on_demo.session_uid, on_demo.animation_data.action.name)
    assert any("turn on Visual" in note for note in found.notes)
