"""Poses are read as Blender evaluates them: constraints, drivers, inverse kinematics, generated rigs."""

import json
import subprocess
import sys
from pathlib import Path

import bpy
import material
import numpy as np
import pytest
import random_rigs


def constrained():
    """Make a chain with inverse kinematics, a copied rotation and a driven bone."""
    rig = material.armature(modes=("QUATERNION", "XYZ"), connected=True)
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (0.8, 0.5, 0.4)
    for frame, place in ((1, (0.8, 0.5, 0.4)), (20, (0.1, -0.6, 0.9))):
        target.location = place
        target.keyframe_insert("location", frame=frame)
    ik = rig.pose.bones["bone3"].constraints.new("IK")
    ik.target, ik.chain_count = target, 3
    copy = rig.pose.bones["side"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget = rig, "bone2"
    driver = rig.pose.bones["bone0"].driver_add("rotation_quaternion", 1).driver
    driver.expression = "sin(frame / 9) / 3"
    return rig


def seen_error(bridge, rig, source, body):
    """Return the largest distance between the clip's joints and Blender's, in body heights."""
    _, ours = bridge.kinematics.world(source.clip)
    ours = ours[:, 1:] if body.moving_object else ours
    errors = [
        np.abs(material.pose_positions(rig, body.bones, source.first_frame + k) * body.world_metres - ours[k]).max()
        for k in range(0, len(source.clip), 3)
    ]
    return max(errors) / body.skeleton.height


def test_constraints_drivers_and_inverse_kinematics_are_read_as_seen(bridge):
    rig = constrained()
    action = material.key_by_hand(rig, "by hand", seed=1)
    body = bridge.rig.read(rig)
    seen = bridge.evaluated_action.read(bpy.context.scene, rig, action, body, 24.0)
    assert seen_error(bridge, rig, seen, body) < 1e-5
    keyed = bridge.clip.read(rig, action, body, 24.0)
    assert seen_error(bridge, rig, keyed, body) > 0.01  # the keys alone give other poses
    assert "pose 'bone0', 'bone1', 'bone2', 'bone3' and 1 more; results key these as the sources do" in seen.notes[-1]


def positions(rig, frames):
    names = [bone.name for bone in rig.pose.bones]
    return np.array([material.pose_positions(rig, names, frame) for frame in frames])


def partly_constrained():
    """Make the same chain with constraints that leave keys a part of the pose."""
    rig = constrained()
    for name, kind, influence in (("bone2", "COPY_ROTATION", 0.5), ("side", "CHILD_OF", 1.0)):
        constraint = rig.pose.bones[name].constraints.new(kind)
        constraint.influence, constraint.target = influence, bpy.data.objects["Target"]
    limit = rig.pose.bones["bone1"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x, limit.max_x = True, 0.1
    return rig


@pytest.mark.parametrize("make", [constrained, partly_constrained])
def test_a_blend_of_one_action_alone_is_seen_as_that_action(make):
    rig = make()
    one, two = (material.key_by_hand(rig, name, seed=k) for k, name in enumerate(("one", "two")))
    rig.animation_data.action = one
    frames = range(1, 34, 4)
    expected = positions(rig, frames)
    sources = [{"name": "one", "weight": 1.0}, {"name": "two", "weight": 0.0}]
    assert bpy.ops.action_loom.blend(sources=sources, ends="pinned", visual=True) == {"FINISHED"}
    assert rig.animation_data.action not in (one, two)
    assert np.abs(positions(rig, frames) - expected).max() < 2e-5


def without_curves(action, *bones):
    """Remove the curves of some bones from an action."""
    holder = action.layers[0].strips[0].channelbags[0] if hasattr(action, "slots") else action
    for curve in [c for c in holder.fcurves if any(f'"{bone}"' in c.data_path for bone in bones)]:
        holder.fcurves.remove(curve)
    return action


def test_a_bone_that_only_some_sources_key_under_a_constraint_is_keyed_in_all(bridge):
    rig = constrained()
    keyed, bare = (material.key_by_hand(rig, name, seed=k) for k, name in enumerate(("keyed", "bare")))
    without_curves(bare, "side")
    both = [(action, action.slots[0] if hasattr(action, "slots") else None) for action in (keyed, bare)]
    carried = bridge.evaluated_action.carried_targets(rig, both)
    assert {target.bone for target in carried} == {"bone0", "bone1", "bone2", "bone3", "side"}
    body = bridge.rig.read(rig)
    read = bridge.evaluated_action.read(bpy.context.scene, rig, bare, body, 24.0, carried=carried)
    rest = [read.clip.channels[f'pose.bones["side"].rotation_quaternion[{k}]'].values for k in range(4)]
    assert np.array_equal(np.unique(rest, axis=1), [[1.0], [0.0], [0.0], [0.0]])


def test_limits_trim_keys_and_do_not_hide_them(bridge):
    rig = material.armature()
    limit = rig.pose.bones["bone1"].constraints.new("LIMIT_ROTATION")
    copy = rig.pose.bones["side"].constraints.new("COPY_ROTATION")
    assert bridge.evaluated_action.posed_by_others(rig) == {"side"}
    limit.influence = 0.5
    assert bridge.evaluated_action.posed_by_others(rig) == {"side", "bone1"}
    copy.mute = True
    assert bridge.evaluated_action.posed_by_others(rig) == {"bone1"}


def state(rig):
    """Return the data of the file that reading could change."""
    data = rig.animation_data
    pose = [np.array(bone.matrix_basis) for bone in rig.pose.bones]
    slot = getattr(data, "action_slot", None)
    kept = (bpy.data.objects, bpy.data.scenes, bpy.data.armatures, bpy.data.actions)
    return {
        "pose": np.array(pose).tobytes() + np.array(rig.matrix_world).tobytes(),
        "action": (data.action, slot, data.use_nla),
        "frame": (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe),
        "there": [[(one.name, one.users) for one in some] for some in kept],
        "actions": [material.fingerprint(action) for action in bpy.data.actions],
    }


def test_everything_is_as_before_afterwards(bridge):
    rig = constrained()
    first, _ = (material.key_by_hand(rig, name, seed=k) for k, name in enumerate(("first", "second")))
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("strip", 1, first)
    bpy.context.scene.frame_set(7, subframe=0.25)
    rig.pose.bones["side"].location = (1.0, 2.0, 3.0)  # unkeyed: the artist's own, and dropped by a frame change
    calls = []
    bpy.app.handlers.frame_change_post.append(calls.append)
    before = state(rig)
    bridge.evaluated_action.read(bpy.context.scene, rig, first, bridge.rig.read(rig), 24.0)
    assert state(rig) == before
    assert not calls
    assert bpy.app.handlers.frame_change_post[-1] == calls.append
    with pytest.raises(Exception, match="no slot with bone curves|moves no bone"):
        bridge.evaluated_action.read(bpy.context.scene, rig, bpy.data.actions.new("empty"), bridge.rig.read(rig), 24.0)
    bpy.data.actions.remove(bpy.data.actions["empty"])
    assert state(rig) == before
    bpy.app.handlers.frame_change_post.remove(calls.append)


def test_bones_that_an_action_does_not_key_are_at_rest_whatever_was_played_before(bridge):
    rig = material.armature()
    every = material.key_by_hand(rig, "every", seed=1)
    part = without_curves(material.key_by_hand(rig, "part", seed=2), "side", "bone3")
    body = bridge.rig.read(rig)
    seen = []
    for assigned in (every, part, None):
        rig.animation_data.action = assigned
        bpy.context.scene.frame_set(12)
        seen.append(bridge.evaluated_action.read(bpy.context.scene, rig, part, body, 24.0).clip)
    keyed = bridge.clip.read(rig, part, body, 24.0).clip
    for clip in seen:
        assert np.abs(bridge.kinematics.points(clip) - bridge.kinematics.points(keyed)).max() < 1e-6


@pytest.mark.parametrize("moving", [False, True])
def test_the_way_of_a_parent_is_not_counted(bridge, moving):
    rig = material.armature()
    action = material.key_by_hand(rig, "walk", seed=1)
    if moving:
        for frame, place in ((1, 0.0), (33, 2.0)):
            rig.location.y = place
            rig.keyframe_insert("location", frame=frame)
    train = bpy.data.objects.new("Train", None)
    bpy.context.scene.collection.objects.link(train)
    rig.parent = train
    rig.matrix_parent_inverse.translation = (0.0, 0.0, -0.5)
    for frame, place in ((1, (0.0, 0.0, 0.5)), (33, (3.0, 0.0, 0.5))):
        train.location = place
        train.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    body = bridge.rig.read(rig, moving_object=moving)
    seen = bridge.evaluated_action.read(bpy.context.scene, rig, action, body, 24.0).clip
    keyed = bridge.clip.read(rig, action, body, 24.0).clip
    assert np.abs(bridge.kinematics.points(seen) - bridge.kinematics.points(keyed)).max() < 1e-5


def test_what_hangs_on_the_armature_and_moves_it_goes_along(bridge):
    rig = material.armature(connected=False)
    target, beyond = (bpy.data.objects.new(name, None) for name in ("Hanging", "Beyond"))
    for one in (target, beyond):
        bpy.context.scene.collection.objects.link(one)
    target.parent, target.parent_type, target.parent_bone = rig, "BONE", "side"
    target.matrix_parent_inverse.translation = (0.1, 0.0, 0.2)
    follow = beyond.constraints.new("COPY_LOCATION")  # not a child, but it depends on the armature
    follow.target, follow.subtarget = rig, "bone0"
    ik = rig.pose.bones["bone3"].constraints.new("IK")
    ik.target, ik.chain_count = target, 2
    turn = rig.pose.bones["side"].driver_add("rotation_quaternion", 1).driver
    variable = turn.variables.new()
    variable.type, variable.name = "TRANSFORMS", "away"
    variable.targets[0].id, variable.targets[0].transform_type = beyond, "LOC_X"
    turn.expression = "away"
    action = material.key_by_hand(rig, "by hand", seed=1)
    other = material.key_by_hand(rig, "other", seed=3)
    body = bridge.rig.read(rig)
    for assigned in (action, other):
        rig.animation_data.action = assigned
        bpy.context.scene.frame_set(20)
        seen = bridge.evaluated_action.read(bpy.context.scene, rig, action, body, 24.0)
        rig.animation_data.action = action
        assert seen_error(bridge, rig, seen, body) < 1e-5


def test_a_body_in_rest_position_is_read_as_it_is_keyed(bridge):
    rig = material.armature()
    action = material.key_by_hand(rig, "walk", seed=1)
    rig.data.pose_position = "REST"
    body = bridge.rig.read(rig)
    seen = bridge.evaluated_action.read(bpy.context.scene, rig, action, body, 24.0).clip
    keyed = bridge.clip.read(rig, action, body, 24.0).clip
    assert np.abs(bridge.kinematics.points(seen) - bridge.kinematics.points(keyed)).max() < 1e-6
    assert (rig.data.pose_position, len(bpy.data.armatures)) == ("REST", 1)


@pytest.mark.parametrize("seed", range(4))
def test_without_constraints_seen_and_keyed_are_the_same(bridge, seed):
    rig = random_rigs.rig(seed, bones=12)
    rig.scale, rig.rotation_euler = (0.01,) * 3, (1.5708, 0.0, 0.4)
    bpy.context.view_layer.update()
    action = random_rigs.key(rig, seed)
    body = bridge.rig.read(rig)
    seen = bridge.evaluated_action.read(bpy.context.scene, rig, action, body, 24.0)
    assert seen_error(bridge, rig, seen, body) < 1e-5
    keyed = bridge.clip.read(rig, action, body, 24.0)
    points = bridge.kinematics.points
    assert np.abs(points(seen.clip) - points(keyed.clip)).max() < 1e-5 * body.skeleton.height


def test_there_is_no_longest_action(bridge, loom):
    reading, requests = loom("addon.services.weaving.reading"), loom("core.recipes.reading")
    rig = material.armature()
    material.key_by_hand(rig, "long", seed=1)
    for curve in material.fcurves(bpy.data.actions["long"]):
        for point in curve.keyframe_points:
            point.co.x = 1.0 + (point.co.x - 1.0) * 31_000.0 / 32.0
        curve.update()
    seen, keyed = (
        reading.read(
            bpy.context,
            rig,
            requests.Request(sources=(requests.Source(name="long"),), reading=requests.ReadingOptions(visual=visual)),
        ).clips[0]
        for visual in (True, False)
    )
    assert len(seen) == len(keyed) == 31_001
    assert np.abs(bridge.kinematics.points(seen) - bridge.kinematics.points(keyed)).max() < 1e-5


@pytest.mark.parametrize("make", [constrained, material.armature])
def test_in_steps_the_same_is_seen(bridge, loom, monkeypatch, make):
    rig = make()
    action = material.key_by_hand(rig, "by hand", seed=1)
    body = bridge.rig.read(rig)
    at_once = bridge.evaluated_action.read(bpy.context.scene, rig, action, body, 24.0).clip
    monkeypatch.setattr(bridge.evaluated_action, "SOME", 4)
    loom("addon.ground.memory").forget()
    before, found = state(rig), []
    steps = bridge.evaluated_action.read_in_steps(bpy.context.scene, rig, action, body, 24.0)
    try:
        while True:
            found.append(next(steps))
            assert state(rig) == before
    except StopIteration as end:
        in_steps = end.value.clip
    assert found[2] == (8 / 33, "Reading frame 8 of 33")
    assert len(found) == 9
    assert np.array_equal(in_steps.rotations, at_once.rotations)
    assert np.array_equal(in_steps.translations, at_once.translations)


# This runs in a process of its own that ends at once: Blender 4.2 crashes at exit with Rigify's classes loaded.
GENERATED = """
import json, os, sys
from importlib import import_module

import bpy
import addon_utils

sys.path.insert(0, sys.argv[2])
import material, numpy as np

package = sys.argv[1]
addon_utils.enable(package, default_set=True)
addon_utils.enable("rigify", default_set=True)
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.object.armature_human_metarig_add()
bpy.ops.pose.rigify_generate()
rig = bpy.context.object
for frame, bend in ((1, 0.0), (10, 0.6)):
    for name in ("hand_ik.L", "foot_ik.R", "torso"):
        bone = rig.pose.bones[name]
        bone.location = (0.1 * bend, -0.3 * bend, 0.2 * bend)
        bone.keyframe_insert("location", frame=frame)
loom = lambda name: import_module(f"{package}.{name}")
body = loom("addon.bridge.rig").read(rig)
source = loom("addon.bridge.evaluated_action").read(bpy.context.scene, rig, rig.animation_data.action, body, 24.0)
_, ours = loom("core.motion.kinematics").world(source.clip)
blender = material.pose_positions(rig, body.bones, 8.0) * body.world_metres
deform = [k for k, name in enumerate(body.bones) if name.startswith("DEF-")]
print("ANSWER", json.dumps({
    "error": float(np.abs(blender - ours[7])[deform].max() / body.skeleton.height),
    "moved": float(np.abs(ours[9] - ours[0])[deform].max()),
    "deform": len(deform),
    "roles": {role: body.bones[joint] for role, joint in body.skeleton.roles.items()},
}), flush=True)
os._exit(0)
"""


def test_a_generated_rigs_deform_bones_are_read_as_seen(extension):
    command = [sys.executable, "-c", GENERATED, extension, str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "ANSWER" in done.stdout, done.stdout + done.stderr
    answer = json.loads(done.stdout.partition("ANSWER")[2].splitlines()[0])
    assert answer["deform"] > 60
    assert answer["moved"] > 0.05
    assert answer["error"] < 1e-5
    roles = answer["roles"]
    assert roles["hips"] == "DEF-spine"
    assert (roles["neck"], roles["head"]) == ("DEF-spine.004", "DEF-spine.006")
    assert (roles["thigh.L"], roles["clavicle.R"]) == ("DEF-thigh.L", "DEF-shoulder.R")
