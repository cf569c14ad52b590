"""Remove and restore travel as new actions: undo, unchanged sources, exactness, and messages beside a source."""

import bpy
import material
import numpy as np
import pytest

pytestmark = pytest.mark.core_result


@pytest.fixture
def demo(loom):
    """The demo figure with its actions."""
    bpy.ops.action_loom.add_demo()
    return bpy.context.object


def places(armature, action, frames):
    """Return the world positions (F, B, 3) of all bones at frames of an action."""
    armature.animation_data.action = action
    if hasattr(action, "slots") and action.slots:
        armature.animation_data.action_slot = action.slots[0]
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append([(armature.matrix_world @ bone.matrix).translation[:] for bone in armature.pose.bones])
    return np.array(found)


@pytest.mark.parametrize("name", ["Walk", "Turn Left"])
def test_travel_is_taken_off_and_given_back(demo, name):
    source = bpy.data.actions[name]
    was, frames = material.fingerprint(source), range(1, int(source.frame_range[1]) + 1)
    walked = places(demo, source, frames)
    still = material.weave("in_place", name)
    stood = places(demo, still, frames)
    assert np.ptp(stood.mean(axis=1)[:, :2], axis=0).max() < 0.3 < np.ptp(walked.mean(axis=1)[:, :2], axis=0).max()
    assert all(name in demo for name in ("Way Aside", "Way Ahead", "Way Turn"))
    back = material.weave("travel", still.name)
    assert np.abs(places(demo, back, frames) - walked).max() < 2e-6
    assert material.fingerprint(source) == was
    assert not any(curve.data_path.startswith('["Way') for curve in material.fcurves(back))


def test_by_its_feet_a_walk_goes_on_as_it_did(demo):
    still = material.weave("in_place", "Walk")
    for curve in [curve for curve in material.fcurves(still) if curve.data_path.startswith('["Way')]:
        curve.mute = True  # muted curves are not read
    frames = range(1, 60)
    made = material.weave("travel", still.name)
    assert np.abs(places(demo, made, frames) - places(demo, bpy.data.actions["Walk"], frames)).max() < 0.01


def test_whose_feet_disagree_on_the_spot_is_said_beside_its_line(demo, loom):
    still = material.weave("in_place", "Walk")
    settings = material.list_sources(demo, still.name)

    def warned():
        bpy.ops.action_loom.travel(sources=[{"name": still.name, "weight": 1.0}])
        (line,) = [one for one in settings.rigs[0].sources if one.action == still]
        return line.warning

    assert warned() == ""  # its feet agree, so travel can be restored
    for curve in material.fcurves(still):
        if "thigh.L" in curve.data_path or "thigh_L" in curve.data_path:
            for point in curve.keyframe_points:
                point.co.y = 0.3 * point.co.y + 0.7 * curve.keyframe_points[0].co.y
    assert f"{still.name}: its feet disagree" in warned()


def test_typed_values_come_from_the_panel(demo, loom):
    still = material.weave("in_place", "Walk")
    settings = material.list_sources(demo, still.name)
    settings.travel.speed = 2.0
    before = set(bpy.data.actions)
    assert bpy.ops.action_loom.travel("INVOKE_DEFAULT") == {"FINISHED"}
    (made,) = set(bpy.data.actions) - before
    recipe = loom("addon.model.storage").read_stored(made).recipe
    assert (recipe.verb, recipe.speed) == ("travel", 2.0)


@pytest.mark.parametrize(
    ("operator", "name", "why"),
    [
        ("travel", "Walk", "Info: Walk travels already, at 1.30 m/s: nothing was given"),
        ("in_place", "Walk in place", "Info: Walk in place: nothing needed changing"),
        ("plant", "Walk", "Info: Walk: its feet slide too little to plant: nothing was changed"),
    ],
)
def test_what_needs_no_change_makes_no_action(demo, capfd, operator, name, why):
    material.weave("in_place", "Walk")
    before, woven_now = set(bpy.data.actions), demo.animation_data.action
    capfd.readouterr()
    run = getattr(bpy.ops.action_loom, operator)
    assert run(sources=[{"name": name, "weight": 1.0}]) == {"FINISHED"}
    assert set(bpy.data.actions) == before
    assert demo.animation_data.action == woven_now
    said = capfd.readouterr().out
    assert why in said
    assert ": nothing was changed, so no action was made" in said
    assert run(sources=[{"name": name, "weight": 1.0}], keys="FEW") == {"FINISHED"}
    assert len(set(bpy.data.actions) - before) == 1


def test_of_several_only_those_that_change_become_actions(demo, capfd):
    spot = material.weave("in_place", "Walk")
    before = set(bpy.data.actions)
    sources = [{"name": name, "weight": 1.0} for name in (spot.name, "Turn Left")]
    assert bpy.ops.action_loom.in_place(sources=sources) == {"FINISHED"}
    assert [action.name for action in set(bpy.data.actions) - before] == ["Turn Left in place"]
    assert "Walk in place: nothing needed changing" in capfd.readouterr().out


def test_the_way_that_a_result_keeps_is_no_pose_that_another_action_left(demo, capfd):
    still = material.weave("in_place", "Walk")
    demo.animation_data.action = still
    bpy.context.scene.frame_set(20)
    assert abs(demo["Way Ahead"]) > 0.1
    capfd.readouterr()
    material.weave("mirror", "Run")
    assert "Way Ahead" not in capfd.readouterr().out
    # The note about a property of the artist remains.
    demo["smile"] = 0.0
    demo.keyframe_insert('["smile"]', frame=1)
    demo["smile"] = 1.0
    demo.keyframe_insert('["smile"]', frame=20)
    bpy.context.scene.frame_set(20)
    material.weave("mirror", "Run")
    assert "has 'smile' as another action left it" in capfd.readouterr().out
