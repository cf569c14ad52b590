"""Analysing and re-timing: the curve, the content that identifies it, and whether the panel knows that it holds."""

import bpy
import material
import pytest
from numpy.testing import assert_allclose, assert_array_equal


def state(analysis, rig):
    return analysis.state(bpy.context.scene, rig)


def clips_of(loom, rig, *names):
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body = rigs.read(rig)
    return [clips.read(rig, bpy.data.actions[name], body, material.scene_rate()).clip for name in names]


def move_a_key(name, by):
    point = material.fcurves(bpy.data.actions[name])[0].keyframe_points[1]
    point.co.y += by
    bpy.context.view_layer.update()


def test_a_script_finds_the_curve_that_core_finds(loom, analysis):
    rig = material.two_actions()
    material.analyse(metric="points", window=0.1)
    matching = loom("core.recipes.matching").Matching(metric="points", window=0.1, ends="pinned")
    wanted = loom("core.weave.preprocess").register(clips_of(loom, rig, "one", "two"), matching)
    known = analysis.analysis_of(rig)
    found = known.registered.curves[1]
    assert_array_equal(found.frames, wanted.registration.curves[1].frames)
    (pair,) = known.pairs
    (reported,) = loom("core.weave.reporting").describe(wanted.prepared, wanted.registration)
    assert (pair.name, known.reference) == ("two", "one")
    assert (pair.likeness, pair.ends, list(pair.kept), pair.limit) == (
        reported["likeness"],
        "pinned",
        reported["kept"],
        reported["slope_limit"],
    )


def test_the_panel_knows_whether_the_analysis_holds(analysis, listed):
    matching = bpy.context.scene.action_loom.matching
    assert state(analysis, listed) == "not analysed"
    material.analyse()
    assert state(analysis, listed) == "up to date"
    matching.window = 0.1
    assert state(analysis, listed) == "options changed"
    material.analyse(window=0.1)
    assert state(analysis, listed) == "up to date"
    line = bpy.context.scene.action_loom.rigs[0].sources[0]
    line.rate = 12.0
    assert state(analysis, listed) == "options changed"
    line.rate = 0.0
    line.use = False
    assert state(analysis, listed) == "not analysed"
    line.use = True
    bpy.context.scene.action_loom.rigs[0].reference = 1
    assert state(analysis, listed) == "options changed"


def give(rig, name):
    rig.animation_data.action = bpy.data.actions[name]
    if hasattr(rig.animation_data, "action_slot"):
        rig.animation_data.action_slot = bpy.data.actions[name].slots[0]
    bpy.context.view_layer.update()


def test_an_edited_key_is_noticed_and_content_decides(analysis, listed):
    material.analyse()
    give(listed, "one")
    first = analysis.analysis_of(listed).registered
    move_a_key("one", 0.5)
    assert state(analysis, listed) == "sources may have changed"
    material.analyse()
    assert state(analysis, listed) == "up to date"
    assert analysis.analysis_of(listed).registered is not first
    move_a_key("one", -0.5)
    assert state(analysis, listed) == "sources may have changed"
    material.analyse()
    assert analysis.analysis_of(listed).registered is first  # unchanged, so nothing is registered again


def test_an_edit_that_nobody_noticed_counts_too(analysis, listed):
    material.analyse()
    first = analysis.analysis_of(listed).registered
    points = material.fcurves(bpy.data.actions["one"])[0].keyframe_points
    points.foreach_set("co", [value for k, p in enumerate(points) for value in (p.co.x, p.co.y + 0.3 * k)])
    material.analyse()
    assert analysis.analysis_of(listed).registered is not first


def test_looking_at_actions_changes_none(analysis, listed):
    material.analyse()
    for name in ("one", "two", "one"):
        give(listed, name)
        bpy.context.scene.frame_set(9)
        bpy.context.view_layer.update()
        assert state(analysis, listed) == "up to date"
    listed.location.x += 1.0
    bpy.context.view_layer.update()
    assert state(analysis, listed) == "up to date"
    move_a_key("one", 0.5)
    assert state(analysis, listed) == "sources may have changed"


def test_poses_as_seen_are_no_change_of_their_actions(analysis, listed):
    bpy.context.scene.action_loom.result.visual = True
    material.analyse(visual=True)
    bpy.context.view_layer.update()
    assert state(analysis, listed) == "up to date"


def test_what_weaving_finds_is_analysed_and_the_other_way_round(loom, analysis, listed):
    prepared = loom("addon.services.weaving.prepared")
    loom("addon.ground.memory").forget()
    material.analyse()
    registered = analysis.analysis_of(listed).registered
    kept = list(prepared._REGISTERED)
    bpy.ops.action_loom.blend(sources=material.BOTH, ends="pinned")
    assert analysis.analysis_of(listed).registered is registered
    assert state(analysis, listed) == "up to date"
    bpy.ops.action_loom.retime(sources=material.BOTH, ends="pinned")
    assert analysis.analysis_of(listed).registered is registered
    assert list(prepared._REGISTERED) == kept
    bpy.context.scene.action_loom.matching.metric = "points"
    bpy.ops.action_loom.blend(sources=material.BOTH, ends="pinned", metric="points")
    assert state(analysis, listed) == "up to date"
    registered = analysis.analysis_of(listed).registered
    material.analyse(metric="points")
    assert analysis.analysis_of(listed).registered is registered


def test_weights_that_do_not_close_leave_the_analysis_of_cycles_alone(analysis):
    rig = material.biped()
    material.key_walk(rig, "one", frames=24)
    material.key_walk(rig, "two", frames=30)
    bpy.ops.action_loom.blend(sources=material.BOTH, weight_keys="0 1 0; 1 0 1")
    assert analysis.analysis_of(rig) is None
    bpy.ops.action_loom.blend(sources=material.BOTH)
    assert analysis.analysis_of(rig).pairs[0].ends == "cyclic"


def test_retime_makes_what_core_makes(loom):
    rig = material.two_actions()
    assert bpy.ops.action_loom.retime(sources=material.BOTH, ends="pinned") == {"FINISHED"}
    result = rig.animation_data.action
    assert result.name == "two in time with one"
    assert tuple(result.frame_range) == (1.0, 33.0)
    recipe = loom("core.verbs").Synchronise(ends="pinned")
    woven = loom("core.verbs").apply(recipe, clips_of(loom, rig, "one", "two")).clip
    (again,) = clips_of(loom, rig, result.name)
    points = loom("core.motion.kinematics").points
    assert_allclose(points(again), points(woven), rtol=0.0, atol=1e-5)
    assert loom("addon.model.storage").recipe_of(result) == recipe


def test_undo_takes_a_re_timed_action_back_in_one_step(analysis, listed):
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.action_loom.retime("EXEC_DEFAULT", True, sources=material.BOTH, ends="pinned")
    assert "two in time with one" in bpy.data.actions
    rig = bpy.context.object
    assert state(analysis, rig) == "up to date"
    bpy.ops.ed.undo()
    assert set(bpy.data.actions.keys()) == {"one", "two"}
    assert state(analysis, bpy.context.object) == "sources may have changed"
    material.analyse()
    assert state(analysis, bpy.context.object) == "up to date"


def test_analysing_changes_nothing(listed):
    before = {a.name: material.fingerprint(a) for a in bpy.data.actions}, listed.animation_data.action
    material.analyse()
    assert ({a.name: material.fingerprint(a) for a in bpy.data.actions}, listed.animation_data.action) == before
    assert len(bpy.data.images) == 0


def test_another_file_begins_without_analysis(analysis):
    rig = material.two_actions()
    material.analyse()
    assert analysis.analysis_of(rig) is not None
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert len(analysis._last) == 0


def test_errors_are_sentences(analysis):
    with pytest.raises(RuntimeError, match="Select an armature"):
        bpy.ops.action_loom.analyse()
    rig = material.two_actions()
    with pytest.raises(RuntimeError, match="Analyse the sources first"):
        bpy.ops.action_loom.show_registration()
    with pytest.raises(RuntimeError, match="takes 2 or more clips; 1 given"):
        bpy.ops.action_loom.analyse(sources=material.BOTH[:1])
    with pytest.raises(RuntimeError, match="There is no action named 'gone'"):
        bpy.ops.action_loom.analyse(sources=[material.BOTH[0], {"name": "gone", "weight": 1.0}])
    assert analysis.analysis_of(rig) is None
    material.analyse()
    with pytest.raises(RuntimeError, match="There is no picture of 'one'; there are of two"):
        bpy.ops.action_loom.show_registration(source="one")
    material.key_by_hand(rig, "three", seed=3)
    with pytest.raises(RuntimeError, match="Re-time to Reference takes 2 clips; 3 given"):
        bpy.ops.action_loom.retime(sources=[*material.BOTH, {"name": "three", "weight": 1.0}])
    assert set(bpy.data.actions.keys()) == {"one", "two", "three"}
    assert len(bpy.data.images) == 0
