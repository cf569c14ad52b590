"""Imported files in other programs' conventions move like their originals, and doubts are reported."""

import base64
import json
import subprocess
import sys

import bpy
import material
import numpy as np
import pytest

TOOL = material.SHARED.parent / "tools" / "vary_bvh.py"
WALK = material.SHARED / "cmu" / "cmu_mb_02_01.bvh"


def varied(path, *options, frames="1:200"):
    """A captured walk in another convention, with the same motion."""
    subprocess.run([sys.executable, TOOL, WALK, path, "--frames", frames, *options], check=True)
    return path


def heads(rig, frame):
    """The places of the joints in the scene, as Blender evaluates them."""
    bpy.context.scene.frame_set(frame)
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: np.array(rig.matrix_world @ bone.head) for bone in evaluated.pose.bones}


def imported(path, **options):
    """The armature of an imported file."""
    before = set(bpy.data.objects)
    assert material.import_motion(path, onto="NEW", trim=False, **options) == {"FINISHED"}
    return sorted(set(bpy.data.objects) - before, key=lambda one: one.name)


@pytest.mark.parametrize(
    "options",
    [
        ("--rest", "x"),
        ("--world", "z"),
        ("--world", "down"),
        ("--root-up", "z"),
        ("--rest", "random:7", "--world", "z"),
        ("--static-root",),
        ("--line-ends", "cr"),
    ],
    ids=" ".join,
)
def test_a_walk_stands_where_the_original_does(tmp_path, options):
    (plain,) = imported(varied(tmp_path / "plain.bvh"))
    (other,) = imported(varied(tmp_path / "other.bvh", *options))
    for frame in (1, 60, 150):
        ours, theirs = heads(other, frame), heads(plain, frame)
        assert max(np.abs(ours[name] - place).max() for name, place in theirs.items()) < 1e-3
        assert theirs["Head"][2] - theirs["LeftFoot"][2] > 1.0


def test_a_file_with_two_bodies_becomes_two_armatures(tmp_path):
    first, second = imported(varied(tmp_path / "two.bvh", "--two-bodies"))
    assert len(first.pose.bones) == len(second.pose.bones) == 31
    assert {first.animation_data.action.name, second.animation_data.action.name} == {"two Hips", "two Hips_B"}


def test_how_a_file_is_read_is_shown_before_it_is_imported(loom, tmp_path):
    conventions = loom("addon.services.files.found_conventions")
    slow = conventions.look(str(varied(tmp_path / "slow.bvh", "--declare", "24")))
    found = {one.part: (one.value, one.by) for one in slow}
    assert (found["up"], found["rate"], found["sides"]) == (("y", "measured"), ("24", "stated"), ("names", "measured"))
    (doubt,) = [one.doubt for one in slow if one.doubt]
    assert "times too slow; 120 would fit" in doubt
    assert conventions.describe(slow).startswith("Read with y (measured) up, unit cmu (assumed), 24 (stated) fps")
    assert conventions.look(str(tmp_path / "none.bvh")) == ()


def test_the_rate_of_a_file_can_be_set(tmp_path):
    path = varied(tmp_path / "slow.bvh", "--declare", "24")
    imported(path, file_rate=120.0, match_rate=True)
    assert bpy.context.scene.render.fps == 120


@pytest.mark.parametrize(
    ("times", "rate"), [((0.0, 0.1, 1.0), 30.0), ((0.0, 0.1, 0.25, 1.0), 60.0), ((0.0, 1 / 30, 0.5), 30.0)]
)
def test_gltf_is_read_at_the_rate_of_its_nearest_keys(loom, tmp_path, times, rate):
    data = base64.b64encode(np.array(times, "<f4").tobytes()).decode()
    content = {
        "animations": [{"samplers": [{"input": 0}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": len(times)}],
        "bufferViews": [{"buffer": 0}],
        "buffers": [{"uri": f"data:application/octet-stream;base64,{data}"}],
    }
    path = tmp_path / "keys.gltf"
    path.write_text(json.dumps(content))
    assert loom("addon.services.files.model_files").rate_of_gltf(str(path)) == rate


def test_a_giant_and_a_toy_of_a_model_file_stay_what_they_are(loom, tmp_path):
    for size in (5.64, 0.38):
        bpy.ops.wm.read_homefile(use_empty=True)
        bpy.ops.action_loom.add_demo()
        rig = bpy.context.view_layer.objects.active
        rig.scale = [size / 1.7] * 3
        path = tmp_path / f"figure {size}.glb"
        bpy.ops.export_scene.gltf(filepath=str(path), export_animation_mode="ACTIONS")
        clips = loom("addon.services.files.model_files").read(bpy.context, str(path))
        assert clips[0].skeleton.height == pytest.approx(size, rel=0.1)


def test_roles_that_only_the_motion_shows_are_kept_on_the_new_armature(loom, tmp_path):
    (plain,) = imported(varied(tmp_path / "plain.bvh", frames="0:200"))
    # Its first frame is a T-pose, without which the roles of limbs would stay unknown.
    (other,) = imported(varied(tmp_path / "other.bvh", "--rest", "x", "--names", "numbers", frames="0:200"))
    rigs = loom("addon.bridge.rig")
    wanted, found = rigs.read(plain).skeleton, rigs.read(other).skeleton
    limbs = [role for role in wanted.roles if role.startswith(("thigh", "shin", "foot"))]
    assert len(limbs) == 6
    assert {role: found.roles[role] for role in limbs} == {role: wanted.roles[role] for role in limbs}
    assert rigs.chosen_roles(plain) == {}
