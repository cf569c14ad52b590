"""Few keys in Blender: evaluated poses stay within the bound in every rotation mode; cycles, markers and undo."""

from itertools import pairwise

import bpy
import material
import numpy as np
import pytest
from numpy.testing import assert_allclose

MODES = ("QUATERNION", "XYZ", "YZX", "AXIS_ANGLE")  # the six orders differ in core, which tests each
MM = 1e-3


def baked(rig, name="baked", seed=4, frames=60):
    """An action with a key on every frame and bone, as captured motion has: hand-keyed poses, and a little noise."""
    by_hand = material.key_by_hand(rig, "by hand", seed=seed, frames=(1, 18, 40, frames))
    rng = np.random.default_rng(seed)
    action = by_hand.copy()
    action.name, action.use_fake_user = name, True
    for curve in material.fcurves(action):
        values = [curve.evaluate(frame) for frame in range(1, frames + 1)] + 2e-4 * rng.normal(size=frames)
        while len(curve.keyframe_points):
            curve.keyframe_points.remove(curve.keyframe_points[0], fast=True)
        curve.keyframe_points.add(frames)
        curve.keyframe_points.foreach_set("co", np.stack([np.arange(1, frames + 1), values], axis=1).ravel())
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
        curve.update()
    material.show(rig, action)
    return action


def places(rig, action, frames):
    """Return heads and tails (F, 2 J, 3) of all bones as Blender shows them."""
    material.show(rig, action)
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append([(rig.matrix_world @ at)[:] for bone in rig.pose.bones for at in (bone.head, bone.tail)])
    return np.array(found)


def off(rig, one, other, frames):
    """Return the largest distance (m) of bones between two actions."""
    return float(np.linalg.norm(places(rig, one, frames) - places(rig, other, frames), axis=2).max())


def newest(before):
    (made,) = set(bpy.data.actions) - set(before)
    return made


def fewer(rig, action, **options):
    """Press Fewer Keys and return the new action."""
    before = list(bpy.data.actions)
    material.show(rig, action)
    assert bpy.ops.action_loom.fewer_keys(sources=[{"name": action.name, "weight": 1.0}], **options) == {"FINISHED"}
    return newest(before)


@pytest.mark.parametrize("mode", MODES)
def test_every_rotation_mode(mode):
    rig = material.armature(modes=(mode,), connected=False)
    action = baked(rig)
    was = material.fingerprint(action)
    made = fewer(rig, action, within=10.0)
    assert material.fingerprint(action) == was
    assert off(rig, action, made, range(1, 61)) < 10.0 * MM + 1e-5
    assert material.key_count(made) < 0.7 * material.key_count(action)
    for curve in material.fcurves(made):
        points = curve.keyframe_points
        assert {point.interpolation for point in points} == {"BEZIER"}
        assert {point.handle_left_type for point in points} | {point.handle_right_type for point in points} == {"FREE"}
        frames = [point.co.x for point in points]
        assert frames == [round(frame) for frame in frames]
        assert (frames[0], frames[-1]) == (1.0, 60.0)
        for here, there in pairwise(points):
            third = (there.co.x - here.co.x) / 3.0
            assert_allclose(
                [here.handle_right.x, there.handle_left.x], [here.co.x + third, there.co.x - third], rtol=1e-6
            )


def test_modes_may_differ_and_bones_have_frames_of_their_own():
    rig = material.armature(modes=MODES, connected=False)
    made = fewer(rig, baked(rig), within=10.0)
    assert off(rig, bpy.data.actions["baked"], made, range(1, 61)) < 10.0 * MM + 1e-5
    frames = {}
    for curve in material.fcurves(made):
        frames.setdefault(curve.data_path, set()).add(tuple(point.co.x for point in curve.keyframe_points))
    assert {len(found) for found in frames.values()} == {1}  # all of a rotation are keyed together
    assert len(set.union(*frames.values())) > 5


@pytest.mark.parametrize("mode", ["QUATERNION", "YZX", "AXIS_ANGLE"])
def test_blender_evaluates_what_core_does(bridge, loom, mode):
    rig = material.armature(modes=(mode,), connected=False)
    action = baked(rig)
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, action, body, material.scene_rate())
    few = loom("addon.bridge.few_curves").Few(5.0 * MM)
    with loom("addon.bridge.curves").whole("few", rig) as into:
        found = bridge.clip.fill(into, source.clip, body, first_frame=1.0, targets=source.targets, few=few)
    curves = loom("addon.bridge.curves")
    by_path = {(curve.data_path, curve.array_index): curve for curve in material.fcurves(into[0])}
    at = np.arange(0.0, 59.0, 0.37)
    worst = 0.0
    for joint, bone in enumerate(body.bones):
        for keys, what in (
            (found.keyed.rotations[joint], loom("core.motion.rotation_modes").property_of(mode)),
            (found.keyed.translations[joint], "location"),
        ):
            for index, values in enumerate(keys.at(at).T):
                curve = by_path[curves.path_of(curves.Target(bone, what)), index]
                worst = max(worst, np.abs([curve.evaluate(1.0 + frame) for frame in at] - values).max())
    assert worst < 1e-5


def test_markers_and_frames_that_are_given_are_keyed():
    rig = material.armature(connected=False)
    action = baked(rig)
    for name, frame in (("hit", 23), ("outside", 500)):
        action.pose_markers.new(name).frame = frame
    made = fewer(rig, action, within=100.0, keep_frames="7 30")
    for curve in material.fcurves(made):
        assert {1.0, 8.0, 23.0, 31.0, 60.0} <= {point.co.x for point in curve.keyframe_points}
    assert made.pose_markers["hit"].frame == 23


def test_markers_that_move_with_their_events_are_keyed_where_they_come_to():
    rig = material.armature(connected=False)
    action = baked(rig)
    action.pose_markers.new("hit").frame = 31
    before = list(bpy.data.actions)
    given = {"sources": [{"name": action.name, "weight": 1.0}], "keys": "FEW", "keys_within": 100.0}
    assert bpy.ops.action_loom.move_events(events="30 34", **given) == {"FINISHED"}
    made = newest(before)
    assert made.pose_markers["hit"].frame == 35
    for curve in material.fcurves(made):
        assert {1.0, 35.0, 60.0} <= {point.co.x for point in curve.keyframe_points}


def test_in_place_of_the_action():
    rig = material.armature(connected=False)
    action = baked(rig)
    count = material.key_count(action)
    assert bpy.ops.action_loom.fewer_keys(
        sources=[{"name": action.name, "weight": 1.0}], within=10.0, replace=True
    ) == {"FINISHED"}
    assert material.key_count(action) < 0.7 * count
    (before,) = [one for one in bpy.data.actions if one.name.startswith("baked before")]
    assert material.key_count(before) == count
    assert off(rig, action, before, range(1, 61)) < 10.0 * MM + 1e-5


@pytest.fixture
def walks():
    return material.two_walks(mode="QUATERNION", root=True)


def woven(verb, **options):
    before = list(bpy.data.actions)
    sources = [{"name": name, "weight": 1.0} for name in ("slow", "quick")]
    if verb in ("loop", "mirror", "fewer_keys"):
        sources = sources[:1]
    assert getattr(bpy.ops.action_loom, verb)(sources=sources, **options) == {"FINISHED"}
    return newest(before)


# All verbs share one writing function: tried with a blend, a transition, a cycle, a path and a single action.
VERBS = {
    "blend": {},
    "connect": {"trim": False},
    "loop": {"trim": False},
    "follow": {"path": "0 0; 0 -3", "threshold": 1.0},
    "mirror": {},
}


@pytest.mark.parametrize("verb", VERBS)
def test_results_of_verbs_can_have_few_keys(walks, verb):
    every = woven(verb, **VERBS[verb])
    few = woven(verb, **VERBS[verb], keys="FEW", keys_within=3.0)
    first, last = map(round, every.curve_frame_range)
    assert tuple(map(round, few.curve_frame_range)) == (first, last)
    assert off(walks, every, few, range(first, last + 1)) < 3.0 * MM + 1e-5
    assert material.key_count(few) < 0.7 * material.key_count(every)
    paths = [{(curve.data_path, curve.array_index) for curve in material.fcurves(one)} for one in (every, few)]
    assert paths[0] == paths[1]


def test_cycles_repeat(walks):
    made = woven("fewer_keys", within=1.0)
    assert made.use_cyclic
    slow = bpy.data.actions["slow"]
    assert off(walks, slow, made, range(-60, 150, 3)) < 1.0 * MM + 1e-5
    for curve in material.fcurves(made):
        assert curve.modifiers[0].type == "CYCLES"
        points = curve.keyframe_points
        first, last = points[0], points[-1]
        leaving = (first.handle_right.y - first.co.y) / (first.handle_right.x - first.co.x)
        arriving = (last.co.y - last.handle_left.y) / (last.co.x - last.handle_left.x)
        assert leaving == pytest.approx(arriving, abs=2e-4)


def test_feet_have_their_own_bound_and_the_line_says_it(walks):
    made = woven("fewer_keys", within=5.0, feet=0.5)
    slow = bpy.data.actions["slow"]
    frames = range(1, 38)
    bones = [bone.name for bone in walks.pose.bones for _ in "ht"]
    feet = [k for k, name in enumerate(bones) if name.startswith(("hips", "thigh", "shin", "foot"))]
    away = np.linalg.norm(places(walks, slow, frames) - places(walks, made, frames), axis=2).max(axis=0)
    assert away[feet].max() < 0.5 * MM + 1e-5 < away.max() < 5.0 * MM
    line = bpy.context.scene.action_loom.rigs[0].last if len(bpy.context.scene.action_loom.rigs) else None
    assert line is None or "mm off" in line


def test_other_channels_go_along():
    rig = material.armature(connected=False)
    action = baked(rig)
    bone = rig.pose.bones["side"]
    bone["open"], bone["on"] = 0.0, False
    for frame in range(1, 61):
        bone["open"], bone["on"] = float(np.sin(frame / 9.0)), 20 <= frame < 40
        bone.keyframe_insert('["open"]', frame=frame)
        bone.keyframe_insert('["on"]', frame=frame)
    made = fewer(rig, action, within=10.0)
    curves = {curve.data_path.rpartition("[")[2]: curve for curve in material.fcurves(made) if "][" in curve.data_path}
    on, amount = curves['"on"]'], curves['"open"]']
    assert [(point.co.x, point.co.y, point.interpolation) for point in on.keyframe_points] == [
        (1.0, 0.0, "CONSTANT"),
        (20.0, 1.0, "CONSTANT"),
        (40.0, 0.0, "CONSTANT"),
        (60.0, 0.0, "CONSTANT"),
    ]
    assert len(amount.keyframe_points) < 20
    assert_allclose([amount.evaluate(f) for f in range(1, 61)], np.sin(np.arange(1, 61) / 9.0), atol=2.1e-3)


def test_a_result_is_made_anew_as_it_was_and_knows_edits(walks, loom):
    made = woven("fewer_keys", within=1.0, assign=True)
    was, storage = material.fingerprint(made), loom("addon.model.storage")
    assert not storage.edited_by_hand(made)
    bpy.ops.action_loom.rebuild()
    assert material.fingerprint(made) == was
    material.fcurves(made)[0].keyframe_points[1].handle_left.y += 0.5
    assert storage.edited_by_hand(made)


@pytest.mark.parametrize("mode", ["QUATERNION", "ZXY"])
def test_stretched_bones(mode):
    rig = material.armature(modes=(mode,), connected=False)
    rng = np.random.default_rng(2)
    action = baked(rig)
    for frame in (1, 20, 45, 60):
        rig.pose.bones["bone1"].scale = 1.0 + 0.2 * rng.random(3)
        rig.pose.bones["bone1"].keyframe_insert("scale", frame=frame)
    made = fewer(rig, action, within=10.0)
    assert off(rig, action, made, range(1, 61)) < 10.0 * MM + 1e-5
    assert sum(curve.data_path.endswith("scale") for curve in material.fcurves(made)) == 3


@pytest.mark.parametrize("mode", MODES)
def test_bones_that_stay_away_from_their_rest(mode):
    """Travel on an unkeyed root, moved and turned in the pose: few keys show the same motion as keys on every frame."""
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    root = bones.new("root")
    root.head, root.tail, root.roll = (0.0, 0.1, 0.0), (0.0, 0.3, 0.2), 0.7
    bones["hips"].parent = root
    bpy.ops.object.mode_set(mode="OBJECT")
    bone = rig.pose.bones["root"]
    bone.rotation_mode = "QUATERNION"
    bone.location, bone.rotation_quaternion = (0.2, 0.1, 1.0), (np.sqrt(0.6), 0.0, np.sqrt(0.1), np.sqrt(0.3))
    bone.rotation_mode = mode  # Blender turns the values with it
    sources = [{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 1.0}]
    made = []
    for keys in ("EVERY", "FEW"):
        before = list(bpy.data.actions)
        bpy.ops.action_loom.blend(sources=sources, travel="ROOT", keys=keys)
        made.append(newest(before))
    every, few = made
    assert "root" in {curve.data_path.split('"')[1] for curve in material.fcurves(few) if '"' in curve.data_path}
    first, last = map(round, every.curve_frame_range)
    assert off(rig, every, few, range(first, last + 1)) < 2.0 * MM + 1e-5
    assert material.key_count(few) < 0.7 * material.key_count(every)


def test_every_operator_of_results_asks_for_it(loom):
    for verb, row in loom("core.verbs").OF_ONE_BODY.items():
        if row.makes == "clip":
            name = {"sync": "retime"}.get(verb, verb)
            known = getattr(bpy.ops.action_loom, name).get_rna_type().properties
            assert {"keys", "keys_within", "keys_feet"} <= set(known.keys()), verb


def test_a_blend_with_few_keys_is_made_anew_with_few(walks):
    made = woven("blend", keys="FEW", keys_within=3.0)
    was = material.fingerprint(made)
    material.show(walks, made)
    bpy.ops.action_loom.rebuild()
    assert material.fingerprint(made) == was
    bpy.ops.action_loom.edit_recipe()
    settings = bpy.context.scene.action_loom.result
    assert (getattr(settings, "keys"), settings.keys_within) == ("FEW", 3.0)  # noqa: B009


def test_few_keys_can_be_made_fewer(walks):
    once = woven("blend", keys="FEW", keys_within=1.0)
    again = fewer(walks, once, within=5.0)
    first, last = map(round, once.curve_frame_range)
    assert off(walks, once, again, range(first, last + 1)) < 5.0 * MM + 1e-5
    assert material.key_count(again) < material.key_count(once)
