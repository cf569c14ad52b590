"""Endless variations in Blender: from the panel, with limits, undone, and several for a crowd."""

import bpy
import characters
import material
import numpy as np
import pytest

pytestmark = pytest.mark.core_result


@pytest.fixture
def waver():
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    settings = material.list_sources(rig, "Wave", mode="walk")
    settings.walk.seconds = 6.0
    return rig


def made_by(operator, *how, **options):
    before = set(bpy.data.actions)
    assert operator(*how, **options) == {"FINISHED"}
    return sorted(set(bpy.data.actions) - before, key=lambda action: action.name)


def sizes(action):
    """Return the keyed values of each curve without their signs, since a quaternion and its negative are one turn."""
    curves = material.fcurves(action)
    return {(c.data_path, c.array_index): np.abs([key.co[1] for key in c.keyframe_points]).round(6) for c in curves}


def test_the_button_makes_what_the_panel_asks_for(waver):
    (made,) = made_by(bpy.ops.action_loom.walk, "INVOKE_DEFAULT")
    first, last = made.frame_range
    rate = material.scene_rate()
    assert (last - first) / rate == pytest.approx(6.0, abs=1.0 / rate)
    assert "seam" in bpy.context.scene.action_loom.rigs[0].last


def test_the_same_seed_gives_the_same_and_the_next_another(waver):
    (one,) = made_by(bpy.ops.action_loom.walk, "INVOKE_DEFAULT", result_name="one")
    (same,) = made_by(bpy.ops.action_loom.walk, "INVOKE_DEFAULT", result_name="same")
    (other,) = made_by(bpy.ops.action_loom.walk, "INVOKE_DEFAULT", result_name="other", seed=2)
    first, again, third = (sizes(action) for action in (one, same, other))
    assert all(np.array_equal(first[path], again[path]) for path in first)
    assert any(len(first[path]) != len(third[path]) or (first[path] != third[path]).any() for path in first)


def test_a_keyed_pose_is_in_the_written_action(waver):
    settings = bpy.context.scene.action_loom
    settings.walk.poses = "2 1 30"
    (made,) = made_by(bpy.ops.action_loom.walk, "INVOKE_DEFAULT")
    rate, first = material.scene_rate(), made.frame_range[0]
    arm = waver.pose.bones["forearm.R"]

    def turn(action, frame):
        material.show(waver, action)
        bpy.context.scene.frame_set(round(frame))
        return np.array(arm.matrix_basis.to_quaternion())

    wave = bpy.data.actions["Wave"]
    pose, key = turn(made, first + 2.0 * rate), turn(wave, wave.frame_range[0] + 30)
    assert abs(float(pose @ key)) > 1.0 - 1e-6


def test_what_does_not_fit_is_refused_with_a_reason(waver):
    settings = bpy.context.scene.action_loom
    settings.walk.poses = "20 1 30"
    with pytest.raises(RuntimeError, match="20 s lies outside the result"):
        bpy.ops.action_loom.walk("INVOKE_DEFAULT")


def test_it_is_led_along_a_curve(waver):
    settings = material.list_sources(waver, "Walk", mode="walk")
    settings.ask_curve = material.draw_curve([(0, 0), (0, -4), (3, -6)], "Way")
    settings.walk.seconds = 6.0
    (made,) = made_by(bpy.ops.action_loom.walk, "INVOKE_DEFAULT")
    several = made_by(bpy.ops.action_loom.walks, "INVOKE_DEFAULT", count=2)
    for action in (made, *several):
        material.show(waver, action)
        bpy.context.scene.frame_set(round(action.frame_range[1]))
        there = (waver.matrix_world @ waver.pose.bones["hips"].matrix).translation
        gone = 1.3 * 6.0 - np.hypot(3.0, 2.0) - 4.0  # metres a second
        assert np.hypot(there.x - 3.0 - 0.83 * gone, there.y + 6.0 + 0.55 * gone) < 1.0
    settings.ask_curve = None
    assert bpy.ops.action_loom.edit_recipe(action=made.name) == {"FINISHED"}
    assert settings.ask_curve.name == "Way"


def test_an_animal_changes_its_gait_where_its_feet_stand_alike_and_names_what_it_leaves_out(loom):
    rig = characters.character("Fox")
    names = [
        next(one.name for one in bpy.data.actions if one.name.startswith(name)) for name in ("Walk", "Run", "Survey")
    ]
    reading, recipes = loom("addon.services.weaving.reading"), loom("core.recipes.reading")
    verbs, jumps = loom("core.verbs"), loom("core.variation.jumps")
    sources = tuple(recipes.Source(name=name) for name in names)
    clips = reading.read(bpy.context, rig, recipes.Request(sources=sources)).clips
    rows = verbs.prepare(verbs.Walk(), clips)
    found, stands = jumps.find(rows, 1.0), rows.body.feet.stands
    assert stands.shape[1] == 4
    start, end = found.start[~found.cycles], found.end[~found.cycles]
    frames = [rows.frame[ends] + rows.body.firsts[rows.clip[ends]] for ends in (start, end)]
    half = rows.half * rows.step
    windows = [np.array([stands[at - half : at + half + 1].mean(axis=0) > 0.5 for at in some]) for some in frames]
    differ = (windows[0] != windows[1]).sum(axis=1)
    assert (rows.clip[start] != rows.clip[end]).any()  # from the walk to the run
    assert differ.max() <= 1
    made = verbs.apply(verbs.Walk(seconds=8.0), clips, prepared=rows)
    shares, told = made.report["walk"]["shares"], " ".join(made.report["warnings"])
    assert all(f"{name} has 0 %" in told for name, share in shares.items() if share == 0.0)
    gaits = verbs.apply(verbs.Walk(seconds=12.0, shares=((1.0, 1.0),)), clips[:2])
    assert min(gaits.report["walk"]["shares"].values()) > 0.2 or "% of the result, not" in " ".join(
        gaits.report["warnings"]
    )
