"""Linked and overridden rigs, and rigs with Stretch To, B-bones or Spline IK, get right keys or one sentence."""

import bpy
import material
import numpy as np
import pytest
from hand_rigs import SIDES, add_bone, found_parts, person, state, with_legs_on_ik
from mathutils import Matrix
from test_rig_keys import check, moving, solve  # noqa: F401 - fixtures


def linked(path, name="Person"):
    """Link the rig of a saved file into an empty scene."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = [name]
    rig = bpy.data.objects[name]
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.update()
    return rig


@pytest.mark.parametrize("overridden", [False, True])
@pytest.mark.parametrize("limbs", ["fk", "ik"])
def test_a_linked_rig(find_controls, solve, moving, tmp_path, overridden, limbs):  # noqa: F811
    with_legs_on_ik()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    rig = linked(tmp_path / "rig.blend")
    if overridden:
        rig = rig.override_create(remap_local_usages=True)
        bpy.context.view_layer.update()
    before = state(rig)
    found, parts = found_parts(find_controls(rig))
    assert state(rig) == before
    assert (found.notes, parts["Left leg"].ik, parts["Left leg"].has_fk) == ((), "goal.L", True)
    names, wanted = moving(rig, found)
    solved = solve(rig, found, names, wanted, limbs)
    assert state(rig) == before
    assert max(far.max() for far in solved.millimetres.values()) <= 0.5


def stretching():
    """Make a person with legs that IK may stretch."""
    rig = with_legs_on_ik()
    for side in SIDES:
        for part in ("thigh", "shin"):
            rig.pose.bones[f"{part}.{side}"].ik_stretch = 0.1
    return rig


def with_b_bones():
    rig = with_legs_on_ik()
    for part in ("thigh", "shin"):
        for side in SIDES:
            rig.data.bones[f"{part}.{side}"].bbone_segments = 8
    return rig


@pytest.mark.parametrize(("roll", "axis", "low", "high"), [
    (0.0, "x", 5.0, 150.0), (np.pi, "x", -150.0, -5.0), (0.5 * np.pi, "z", 5.0, 150.0), (0.0, "x", -20.0, 150.0),
])  # fmt: skip
def test_a_leg_is_as_long_as_its_solver_lets_it_be(find_controls, loom, roll, axis, low, high):
    rig = with_legs_on_ik()
    bpy.ops.object.mode_set(mode="EDIT")
    for part in ("shin", "thigh"):
        rig.data.edit_bones[f"{part}.L"].roll += roll
    bpy.ops.object.mode_set(mode="OBJECT")
    shin = rig.pose.bones["shin.L"]
    for one in "xyz":
        setattr(shin, f"lock_ik_{one}", one != axis)
    setattr(shin, f"use_ik_limit_{axis}", True)
    setattr(shin, f"ik_min_{axis}", np.radians(low))
    setattr(shin, f"ik_max_{axis}", np.radians(high))
    _, parts = found_parts(find_controls(rig))
    reach = loom("addon.bridge.rig_controls.limits").reach(rig, parts["Left leg"], inverse=True)
    goal = rig.pose.bones["goal.L"]
    goal.matrix = Matrix.Translation((0.0, 0.0, -0.5)) @ goal.matrix  # out of reach
    bpy.context.view_layer.update()
    pose = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    hip, knee, ankle = (pose[f"{part}.L"].head for part in ("thigh", "shin", "foot"))
    assert reach == pytest.approx((ankle - hip).length / ((knee - hip).length + (ankle - knee).length), abs=1e-4)
    assert (reach < 0.999) == (abs(low) != 20.0)


def test_limits_that_keep_a_knee_from_bending_put_its_leg_on_fk_and_that_is_said(find_controls, solve, moving, loom):  # noqa: F811
    rig = with_legs_on_ik()
    shin = rig.pose.bones["shin.L"]
    shin.use_ik_limit_x, shin.ik_min_x, shin.ik_max_x = True, np.radians(-150.0), 0.0
    shin.lock_ik_y = shin.lock_ik_z = True
    before = state(rig)
    found, parts = found_parts(find_controls(rig))
    assert state(rig) == before
    sentence = "Left leg: the IK limits of shin.L don't let it bend; keyed on FK"
    assert (found.notes, parts["Left leg"].ik, parts["Right leg"].ik) == ((sentence,), "", "goal.R")
    solved = check(rig, found, solve, moving, "ik")
    assert {"thigh.L", "shin.L", "goal.R"} <= set(solved.basis)
    assert "goal.L" not in solved.basis
    assert loom("addon.bridge.control_body").body_of(rig).note == f"{rig.name}: {sentence}"


@pytest.mark.parametrize("build", [stretching, with_b_bones])
def test_legs_that_stretch_or_bend_are_keyed_as_well(find_controls, solve, moving, build):  # noqa: F811
    rig = build()
    solved = check(rig, find_controls(rig), solve, moving, "ik")
    if build is stretching:
        assert solved.settings['pose.bones["thigh.L"].ik_stretch'] == 0.0


def test_a_mirrored_object_is_refused_until_its_scale_is_applied(bridge, loom):
    rig = with_legs_on_ik()
    rig.scale = (-1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    with pytest.raises(bridge.RigError, match="Person is mirrored, .* apply its scale first"):
        loom("addon.bridge.control_body").body_of(rig)
    rig.select_set(True)
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    assert loom("addon.bridge.control_body").body_of(rig).controls.found.notes == ()


def test_a_tail_on_a_curve_is_no_matter(find_controls, solve, moving):  # noqa: F811
    rig = with_legs_on_ik()
    bpy.ops.object.mode_set(mode="EDIT")
    above = "hips"
    for k in range(4):
        add_bone(rig.data.edit_bones, f"tail.{k}", above, (0, 0.1 + 0.1 * k, 1.0), (0, 0.2 + 0.1 * k, 1.0))
        above = f"tail.{k}"
    bpy.ops.object.mode_set(mode="OBJECT")
    path = material.draw_curve([(0.0, 0.1 + 0.1 * k, 1.0 + 0.02 * k) for k in range(4)], "tail")
    one = rig.pose.bones["tail.3"].constraints.new("SPLINE_IK")
    one.target, one.chain_count = path, 4
    bpy.context.view_layer.update()
    found, parts = found_parts(find_controls(rig))
    assert found.notes == ()
    assert parts["Left leg"].ik == "goal.L"
    check(rig, found, solve, moving, "ik")


def test_a_spine_on_a_curve_is_left_out_in_one_sentence(find_controls):
    rig = person()
    bpy.ops.object.mode_set(mode="OBJECT")
    path = material.draw_curve([(0.0, 0.0, 1.0 + 0.2 * k) for k in range(4)], "spine")
    one = rig.pose.bones["chest"].constraints.new("SPLINE_IK")
    one.target, one.chain_count = path, 3
    bpy.context.view_layer.update()
    before = state(rig)
    _, parts = found_parts(find_controls(rig))
    assert state(rig) == before
    assert parts["Trunk"].note.startswith("Trunk: the constraint Spline IK on chest follows spine")
    assert not parts["Trunk"].fk
