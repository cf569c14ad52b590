"""An action made at another rate than the scene's plays at its original speed after either is adapted."""

import re

import bpy
import material
import numpy as np
import pytest
from drawing import draw_all


@pytest.fixture
def quick():
    """A walk made at 60 frames per second in a scene of 24, with handles, a manual range and a marker."""
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=60) or bpy.data.actions["walk"]
    action["action_loom_rate"] = 60.0
    action.use_frame_range, action.frame_start, action.frame_end = True, 1.0, 61.0
    action.pose_markers.new("down").frame = 31
    material.show(rig, action)
    bpy.ops.action_loom.add_sources()
    return rig


def values_at(action, seconds, rate):
    return np.array([curve.evaluate(1.0 + seconds * rate) for curve in material.fcurves(action)])


@pytest.mark.parametrize(("how", "rate"), [("SCENE", 60.0), ("ACTION", 24.0)])
def test_what_plays_is_as_fast_as_it_was_made(quick, how, rate):
    action = quick.animation_data.action
    before = [values_at(action, seconds, 60.0) for seconds in (0.0, 0.31, 0.77, 1.0)]
    bpy.context.scene.action_loom.every_warning = True
    assert "action_loom.match_rate" in str(draw_all()["weave"])
    assert bpy.ops.action_loom.match_rate(how=how) == {"FINISHED"}
    assert material.scene_rate() == rate
    after = [values_at(action, seconds, rate) for seconds in (0.0, 0.31, 0.77, 1.0)]
    assert np.abs(np.array(after) - before).max() < 1e-5
    assert action.frame_end == pytest.approx(1.0 + rate)
    assert action.pose_markers["down"].frame == round(1.0 + 0.5 * rate)
    assert "action_loom.match_rate" not in str(draw_all()["weave"])
    assert bpy.ops.action_loom.match_rate(how=how) == {"CANCELLED"}


def test_no_key_is_lost(quick):
    action = quick.animation_data.action
    before = [len(curve.keyframe_points) for curve in material.fcurves(action)]
    bpy.ops.action_loom.match_rate(how="ACTION")
    assert [len(curve.keyframe_points) for curve in material.fcurves(action)] == before


@material.needs_shared
def test_the_answer_is_remembered_for_the_next_import(loom):
    first, second = (material.SHARED / "cmu" / f"cmu_mb_{name}.bvh" for name in ("07_01", "35_01"))
    material.import_motion(first, play=True)
    rig = bpy.context.object
    assert rig.animation_data.action["action_loom_rate"] == pytest.approx(120.0, rel=1e-3)
    bpy.ops.action_loom.match_rate(how="ACTION")
    walk = rig.animation_data.action
    material.import_motion(second, play=True)
    run = rig.animation_data.action
    assert run != walk
    assert loom("addon.bridge.rates").rate_of(run) == 0.0
    text = second.read_text()
    count, step = (float(re.search(rf"^{what}:\s*(\S+)", text, re.MULTILINE)[1]) for what in ("Frames", "Frame Time"))
    seconds = (run.frame_range[1] - run.frame_range[0]) / material.scene_rate()
    assert seconds == pytest.approx(count * step, abs=0.3)  # without a T-pose at its beginning


def scaled(action, factor, *, last_alone=False):
    for curve in material.fcurves(action):
        points = list(curve.keyframe_points)
        for key in points[-1:] if last_alone else points:
            for place in (key.co, key.handle_left, key.handle_right):
                place.x *= factor
        curve.update()


@pytest.mark.parametrize(
    ("factor", "last_alone", "rate"), [(0.25, False, 30.0), (2.0, False, 240.0), (1.5, True, 120.0)]
)
def test_a_stored_rate_follows_keys_that_are_scaled_in_time(loom, factor, last_alone, rate):
    rates, action = loom("addon.bridge.rates"), material.key_walk(material.biped(), "walk", frames=24)
    rates.set_rate(action, 120.0)
    assert rates.rate_of(action) == 120.0
    scaled(action, factor, last_alone=last_alone)
    assert rates.rate_of(action) == pytest.approx(rate)
