"""glTF and FBX of the playing action: original speed, checked by reading the file back, in an unchanged scene."""

import json
import struct

import bpy
import characters
import file_state
import material
import numpy as np
import pytest

pytestmark = material.needs_shared
KINDS = [".glb", ".fbx"]


@pytest.fixture
def walker():
    """A game character with a capture of 120 frames per second on it, in a scene of 24."""
    rig = characters.character("boxman", rate=24)
    material.import_motion(characters.file_of(characters.WALK), play=True, onto="ACTIVE")
    return rig


def gltf(path):
    data = path.read_bytes()
    return json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])


def seconds_of(path):
    """Return the last and the first second of a file's animations, and their number, read from its bytes."""
    content = gltf(path)
    times = [content["accessors"][one["input"]] for each in content["animations"] for one in each["samplers"]]
    return max(one["max"][0] for one in times), min(one["min"][0] for one in times), len(content["animations"])


def export(path, **options):
    return bpy.ops.action_loom.export_motion(filepath=str(path), **options)


def test_an_engine_plays_a_capture_as_fast_as_it_was_made(walker, tmp_path):
    action = walker.animation_data.action
    first, last = action.frame_range
    assert export(tmp_path / "out.glb") == {"FINISHED"}
    longest, begins, count = seconds_of(tmp_path / "out.glb")
    assert count == 1
    assert gltf(tmp_path / "out.glb")["animations"][0]["name"] == action.name
    assert begins == pytest.approx(0.0, abs=1e-6)
    assert longest == pytest.approx((last - first) / action["action_loom_rate"], abs=0.01)
    assert any(mesh for mesh in gltf(tmp_path / "out.glb")["meshes"])
    assert len(gltf(tmp_path / "out.glb")["skins"]) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_scene_is_changed(walker, tmp_path, kind):
    other = next(one for one in bpy.data.actions if one != walker.animation_data.action)
    material.show(walker, other)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(5)
    bpy.context.scene.use_preview_range = True
    before = file_state.state(), characters.inventory(), bpy.context.mode, bpy.context.scene.use_preview_range
    assert export(tmp_path / f"out{kind}") == {"FINISHED"}
    assert walker.animation_data.action == other
    after = file_state.state(), characters.inventory(), bpy.context.mode, bpy.context.scene.use_preview_range
    assert before == after
    assert sorted(one.name for one in tmp_path.iterdir()) == [f"out{kind}"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_back_is_what_is_seen(walker, tmp_path, kind, loom):
    assert export(tmp_path / f"out{kind}") == {"FINISHED"}
    (clip,) = loom("addon.services.files.model_files").read(bpy.context, str(tmp_path / f"out{kind}"))
    action = walker.animation_data.action
    first, last = action.frame_range
    places = loom("core.motion.kinematics").world(clip)[1]
    for share in (0.0, 0.37, 1.0):
        at = round(share * (len(clip) - 1))
        frame = first + at / (len(clip) - 1) * (last - first)
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        for bone in walker.pose.bones:
            if bone.name in clip.skeleton.names:
                seen = np.array(walker.matrix_world @ bone.head)
                assert np.linalg.norm(places[at, clip.skeleton.index(bone.name)] - seen) < 2e-3


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_exists_is_not_replaced_unasked(walker, tmp_path, kind):
    path = tmp_path / f"out{kind}"
    path.write_text("mine")
    with pytest.raises(RuntimeError, match="exists already"):
        export(path)
    assert path.read_text() == "mine"
    assert export(path, overwrite=True) == {"FINISHED"}
    assert path.stat().st_size > 1000


def test_what_plays_another_time_than_the_action_is_not_kept(walker, tmp_path, loom, monkeypatch):
    models = loom("addon.services.files.export_models")
    monkeypatch.setattr(models, "LATE", -100.0)
    with pytest.raises(RuntimeError, match=r"out.glb: it plays for .* s where the action takes .* s: nothing was kept"):
        export(tmp_path / "out.glb")
    assert list(tmp_path.iterdir()) == []


def test_several_actions_become_a_file_each(walker, tmp_path):
    names = [action.name for action in bpy.data.actions][:2]
    assert export(tmp_path, kind=".glb", actions=[{"name": name} for name in names]) == {"FINISHED"}
    assert len(list(tmp_path.glob("*.glb"))) == 2


def test_the_browser_gives_a_name_the_ending_of_its_format():
    class Browser:
        filepath, kind = "/tmp/walk.bvh", ".glb"

    check = bpy.types.ACTION_LOOM_OT_export_motion.check
    browser = Browser()
    assert check(browser, bpy.context)
    assert browser.filepath == "/tmp/walk.glb"
    assert not check(browser, bpy.context)
    browser.filepath, browser.kind = "/tmp/walk.final", ".fbx"
    assert check(browser, bpy.context)
    assert browser.filepath == "/tmp/walk.final.fbx"


def test_an_end_between_frames_is_said(walker, tmp_path, capfd):
    bpy.ops.action_loom.match_rate(how="ACTION")
    action = walker.animation_data.action
    _, last = action.frame_range
    assert last != round(last)
    assert export(tmp_path / "out.glb") == {"FINISHED"}
    off = 1000.0 * abs(last - round(last)) / material.scene_rate()
    assert f"ends between frames: its file ends {off:.0f} ms off" in capfd.readouterr().out


@pytest.mark.parametrize("beyond", [0.2, 0.8])
def test_an_end_between_frames_becomes_a_frame(walker, tmp_path, beyond):
    """The glTF exporter drops the last part of a frame, so actions of imported characters could not be exported."""
    action = walker.animation_data.action
    action.use_frame_range, action.frame_start, action.frame_end = True, 1.0, 20.0 + beyond
    assert export(tmp_path / "out.glb") == {"FINISHED"}
    assert (action.use_frame_range, action.frame_start) == (True, 1.0)
    assert action.frame_end == pytest.approx(20.0 + beyond)
