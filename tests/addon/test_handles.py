"""Handles of tools and of the path in the 3D view: their positions, and the values that dragging changes."""

import math

import bpy
import material
import numpy as np
import operator_calls
import pytest
from mathutils import Vector


@pytest.fixture
def walker():
    """An armature of two units per metre that plays a walk."""
    rig = material.biped(units=2.0)
    material.key_walk(rig, "walk", frames=36)
    rig.animation_data.action = bpy.data.actions["walk"]
    bpy.ops.action_loom.add_sources()
    return rig


@pytest.fixture
def handles(loom):
    return loom("addon.services.preview.tool_handles")


def settings():
    return bpy.context.scene.action_loom


def opened(tool):
    bpy.ops.action_loom.open_tool(tool=tool)


def test_handles_are_there_while_their_tool_is_open(walker, handles):
    context = bpy.context
    assert handles.reach_at(context) is None
    assert handles.place_at(context) is None
    opened("reach")
    assert handles.reach_at(context) == context.scene.cursor.location
    assert handles.place_at(context) is None
    opened("place")
    assert handles.reach_at(context) is None
    assert handles.place_at(context) is not None
    settings().place.where = "own"
    assert handles.place_at(context) is None
    opened("")
    assert handles.place_at(context) is None


def test_the_target_of_reach_goes_where_it_is_dragged(walker, handles, loom):
    opened("reach")
    metres = loom("addon.bridge.rig").read(walker).world_metres
    handles.set_reach(bpy.context, Vector((1.0, -2.0, 3.0)))
    assert [float(number) for number in settings().reach.target.split()] == pytest.approx(
        [metres * value for value in (1.0, -2.0, 3.0)], abs=1e-3
    )
    assert handles.reach_at(bpy.context)[:] == pytest.approx((1.0, -2.0, 3.0), abs=1e-3)
    assert bpy.context.scene.cursor.location == Vector()
    settings().reach.target = ""
    goal = bpy.data.objects.new("goal", None)
    bpy.context.scene.collection.objects.link(goal)
    settings().reach_object = goal
    handles.set_reach(bpy.context, Vector((0.5, 0.5, 1.0)))
    assert goal.location[:] == pytest.approx((0.5, 0.5, 1.0))
    assert not settings().reach.target


def test_a_target_that_moves_or_cannot_be_read_has_no_handle(walker, handles):
    opened("reach")
    for text in ("0 1 2 3; 5 1 2 3", "one two three", "1 2"):
        settings().reach.target = text
        assert handles.reach_at(bpy.context) is None


def test_what_is_dragged_is_what_the_tool_makes(walker, handles, loom):
    opened("place")
    handles.set_place(bpy.context, Vector((2.0, 3.0, 0.0)))
    handles.set_heading(bpy.context, math.radians(450.0))
    assert settings().place.facing == pytest.approx(90.0)
    assert settings().place.face == "way"
    assert handles.place_at(bpy.context)[:2] == pytest.approx((2.0, 3.0), abs=1e-3)
    with loom("addon.model.target_armature").as_from_panel(bpy.context, walker):
        assert bpy.ops.action_loom.place() == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    hips = walker.matrix_world @ walker.pose.bones["hips"].head
    assert hips[:2] == pytest.approx((2.0, 3.0), abs=0.02)


def test_the_ghost_of_a_tool_follows(walker, handles, loom):
    previews = loom("addon.services.preview.previews")
    opened("place")
    handles.set_place(bpy.context, Vector((2.0, 3.0, 0.0)))
    handles.preview_tool(bpy.context)
    ghost = previews.of(walker.session_uid)
    assert ghost.recipe.verb == "place"
    root = ghost.trails[0].points[0]
    assert root[:2] == pytest.approx((2.0, 3.0), abs=0.02)


def test_the_ghost_of_weight_follows_its_slider_and_shows_how_the_body_falls(walker, handles, loom, monkeypatch):
    previews, trails = (loom(f"addon.services.preview.{name}") for name in ("previews", "trails"))
    operator_calls.let_float(bpy.data.actions["walk"], rise=0.07)
    opened("weight")
    settings().weight.strength = 0.0
    handles.preview_tool(bpy.context)
    off = previews.of(walker.session_uid)
    assert [one.color for one in off.trails].count(trails.WORST) == 1  # a parabola beside it, as it should be
    asked = []
    monkeypatch.setattr(handles, "follow_soon", lambda name: asked.append(name))
    handles.look_soon(bpy.context)
    handles.look_soon(bpy.context)
    assert asked == []
    settings().weight.strength = 1.0
    handles.look_soon(bpy.context)
    assert len(asked) == 1
    handles.preview_tool(bpy.context)
    right = previews.of(walker.session_uid)
    assert trails.WORST not in [one.color for one in right.trails]
    assert right.figures[-1].points[:, :, 2].max() > off.figures[-1].points[:, :, 2].max() + 0.03


def with_a_curve(walker):
    bpy.ops.action_loom.new_curve()
    bpy.context.view_layer.objects.active = walker
    settings().mode = "follow"
    return settings().curve


def test_ends_of_stretches_are_dragged_along_the_curve(walker, handles):
    curve = with_a_curve(walker)
    places = handles.path_shown(bpy.context)
    assert places[0] == pytest.approx((curve.matrix_world @ curve.data.splines[0].bezier_points[0].co)[:], abs=1e-3)
    lengths = np.linalg.norm(np.diff(places[:, :2], axis=0), axis=1)
    assert lengths.max() < 1.05 * lengths.min()
    bpy.ops.action_loom.add_stretch()
    one = settings().stretches[0]
    handles.set_stretch(bpy.context, 0, "start", 20.0)
    handles.set_stretch(bpy.context, 0, "end", 150.0)
    assert (one.start, one.end) == pytest.approx((20.0, 100.0))
    handles.set_stretch(bpy.context, 0, "end", 5.0)
    assert one.end == pytest.approx(one.start + handles.LEAST)


def test_the_speed_is_where_the_walk_is_after_a_second(walker, handles, loom):
    with_a_curve(walker)
    walk = settings().follow
    metres = loom("addon.bridge.rig").read(walker).world_metres
    places = metres * handles.path_shown(bpy.context)[:, :2]
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    assert walk.speed == 0.0
    walk.speed = 1.5
    there = handles.speed_at(bpy.context)
    assert np.interp(there, np.linspace(0.0, 100.0, len(gone)), gone) == pytest.approx(1.5, abs=1e-3)
    handles.set_speed(bpy.context, 2.0 * there)
    assert walk.speed == pytest.approx(3.0, abs=0.01)
    handles.set_speed(bpy.context, 0.0)
    assert walk.speed == 0.0  # any
    assert 0.0 < handles.speed_at(bpy.context) < 100.0  # visible and within reach
    settings().mode = "blend"
    assert handles.speed_at(bpy.context) is None


def test_the_start_is_dragged_with_its_curve(walker, handles):
    with_a_curve(walker)
    before = handles.path_shown(bpy.context)
    handles.move_path(bpy.context, Vector((1.0, 2.0, 9.0)))
    bpy.context.view_layer.update()
    after = handles.path_shown(bpy.context)
    assert after[0][:2] == pytest.approx((1.0, 2.0), abs=1e-3)
    assert after - after[0] == pytest.approx(before - before[0], abs=1e-3)
    assert after[:, 2] == pytest.approx(before[:, 2])


def test_a_curve_that_is_no_path_has_no_handles(walker, handles):
    curve = with_a_curve(walker)
    curve.data.splines.new("POLY")
    assert handles.path_shown(bpy.context) is None
    settings().mode = "blend"
    assert handles.path_shown(bpy.context) is None


def test_the_mesh_follows_the_hand_that_is_dragged(walker, handles, loom):
    """The ghost of a box on the hand follows the dragged hand, and stays in place elsewhere."""
    hand = walker.data.bones["hand.R"]
    mesh = bpy.data.meshes.new("Box")
    corners = [hand.head_local + Vector((x, y, z)) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    mesh.from_pydata([corner[:] for corner in corners], [], [(0, 1, 3, 2), (4, 5, 7, 6)])
    drawn = bpy.data.objects.new("Box", mesh)
    bpy.context.scene.collection.objects.link(drawn)
    drawn.parent = walker
    drawn.vertex_groups.new(name="hand.R").add(range(8), 1.0, "REPLACE")
    drawn.modifiers.new("Armature", "ARMATURE").object = walker
    bpy.context.scene.frame_set(18)
    at = walker.matrix_world @ walker.pose.bones["hand.R"].head
    opened("reach")
    settings().reach.limb, settings().reach.from_frame, settings().ghost_mesh = "right_arm", 17, True
    for lift in (0.0, 0.4):
        handles.set_reach(bpy.context, at + Vector((0.0, 0.0, lift)))
        handles.preview_tool(bpy.context)
        ghost = loom("addon.services.preview.previews").of(walker.session_uid)
        posed, standing = ghost.body.at(18)
        skinning = loom("core.skin.skinning")
        found = skinning.linear(ghost.body.linear, skinning.moves(ghost.body.rest, posed))[0]
        middle = (found @ standing[:3, :3].T + standing[:3, 3]).mean(axis=0)
        assert middle == pytest.approx(at + Vector((0.0, 0.0, lift)), abs=1e-3)
