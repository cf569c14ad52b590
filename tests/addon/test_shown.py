"""Blender shows the motion of a result: other influences on the body are named, or the result is refused."""

import bpy
import material
import numpy as np
import pytest


@pytest.fixture
def rig():
    rig = material.biped()
    material.key_walk(rig, "one", frames=30)
    material.key_walk(rig, "two", frames=24, stride=1.6)
    material.list_sources(rig, "one", "two")
    return rig


def weave(**options):
    return bpy.ops.action_loom.blend(
        sources=[{"name": "one", "weight": 1.0}, {"name": "two", "weight": 1.0}], **options
    )


def results():
    return [action for action in bpy.data.actions if action.name not in ("one", "two")]


def refused(words, **options):
    with pytest.raises(RuntimeError, match=words):
        weave(**options)
    assert results() == []


def test_legs_that_hang_on_live_ik_refuse_what_they_would_not_show(rig):
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (0.3, 0.2, 0.1)
    ik = rig.pose.bones["shin.L"].constraints.new("IK")
    ik.target, ik.chain_count = target, 2
    refused(r"IK on shin\.L follows Target, which is not .*; thigh\.L is shown .* cm and .*° off at frame \d+")
    ik.mute = True
    assert weave() == {"FINISHED"}


def test_a_driver_is_named(rig):
    curve = rig.driver_add('pose.bones["spine"].rotation_euler', 0)
    curve.driver.expression = "0.5"
    refused("moved by 'a driver of its rotation_euler'")


def test_layers_of_the_nla_are_seen_where_the_result_is_to_play(rig):
    data = rig.animation_data_create()
    track = data.nla_tracks.new()
    track.strips.new("layer", 1, bpy.data.actions["two"])
    data.action_blend_type = "ADD"
    with pytest.raises(RuntimeError, match="the layers of the NLA|the action's own blending"):
        weave()
    assert weave(assign=False) == {"FINISHED"}


def test_a_disabled_armature_is_evaluated_all_the_same(rig):
    rig.hide_viewport = True
    assert weave(visual=True) == {"FINISHED"}
    (made,) = results()
    values = {}
    for curve in material.fcurves(made):
        points = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", points)
        values[curve.data_path, curve.array_index] = np.ptp(points[1::2])
    assert max(values.values()) > 0.3
    assert rig.hide_viewport


def test_a_helper_without_keys_and_role_may_move_as_it_likes(rig):
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    helper = rig.data.edit_bones.new("twist")
    helper.head, helper.tail = (0.0, 0.0, 1.0), (0.0, 0.0, 1.1)
    helper.parent = rig.data.edit_bones["chest"]
    bpy.ops.object.mode_set(mode="OBJECT")
    copy = rig.pose.bones["twist"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget = rig, "shin.L"
    assert weave() == {"FINISHED"}


def test_a_small_change_is_a_warning_and_the_action_stays(rig, capsys):
    copy = rig.pose.bones["head"].constraints.new("LIMIT_ROTATION")
    copy.use_limit_x, copy.min_x, copy.max_x, copy.owner_space = True, 0.035, 0.035, "LOCAL"
    assert weave() == {"FINISHED"}
    assert "moved by" in capsys.readouterr().out


@material.needs_shared
def test_a_file_imported_onto_legs_that_something_else_poses_is_refused():
    rig = material.import_bvh("cmu_mb_02_01")
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    ik = rig.pose.bones["LeftLeg"].constraints.new("IK")
    ik.target, ik.chain_count = target, 2
    with bpy.context.temp_override(action_loom_armature=rig):
        path = material.SHARED / "cmu" / "cmu_mb_07_01.bvh"
        before = set(bpy.data.actions)
        with pytest.raises(RuntimeError, match=r"IK on LeftLeg follows Target, .*; LeftUpLeg is shown .* off"):
            material.import_motion(path, onto="ACTIVE")
        assert set(bpy.data.actions) == before
