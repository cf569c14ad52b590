"""A set exported for an engine: read back by Blender and by an independent glTF reader, with its page."""

import json

import bpy
import material
import numpy as np
import pytest
from gltf_reader import Animations
from test_take import clip_of, listed, tick

pytestmark = material.needs_shared


@pytest.fixture(scope="module")
def woven_file(cut_file, tmp_path_factory):
    """A file with a woven set of a few rows, so that it is woven once."""
    rig = material.armature_of(cut_file)
    tick("Walk", "Walk Back", "Walk Left", "Walk to Walk Left")
    material.pressed(rig, "cut_out", roots={"ROOT", "IN_PLACE"})
    return material.saved(tmp_path_factory.mktemp("woven") / "woven.blend")


@pytest.fixture
def woven(woven_file):
    return material.armature_of(woven_file)


def export(folder, **options):
    return bpy.ops.action_loom.export_set(directory=str(folder), **options)


def names():
    return sorted(one.name for one in bpy.data.actions if "action_loom" in one)


def seen(rig, action, frame):
    """Return {bone: world position of its head} at a frame of an action."""
    material.show(rig, action)
    bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
    return {one.name: np.array(rig.matrix_world @ one.head) for one in rig.pose.bones}


def same_places(rig, name, places, seconds):
    """Return the largest distance of exported joints, {name: (F, 3)}, from their places in the action."""
    action = bpy.data.actions[name]
    first, last = action.frame_range
    worst, count = 0.0, len(seconds)
    for k in (0, count // 3, count - 1):
        heads = seen(rig, action, first + (last - first) * k / (count - 1))
        worst = max(worst, *(float(np.linalg.norm(places[joint][k] - heads[joint])) for joint in heads))
    return worst


@pytest.mark.parametrize("together", [True, False])
def test_a_reader_of_gltf_finds_each_action_where_it_is_seen(woven, tmp_path, together):
    if not together:
        next(one for one in listed().take_rows if one.name == "Walk Back").use = False
    assert export(tmp_path / "set", engine="GODOT", together=together, rate="60") == {"FINISHED"}
    paths = sorted((tmp_path / "set").glob("*.glb"))
    wanted = [name for name in names() if together or not name.startswith("Walk Back")]
    assert len(paths) == (1 if together else len(wanted))
    found = {}
    for path in paths:
        found |= {animation.name: animation for animation in Animations(path)}
    assert sorted(found) == wanted
    for name in ("Walk", "Walk Left", "Walk Right", "Walk to Walk Left", "Walk_InPlace"):
        places, seconds = found[name].places()
        assert np.allclose(np.diff(seconds), 1.0 / 60.0, atol=1e-4)
        assert same_places(woven, name, places, seconds) < 1e-3, name


@pytest.mark.parametrize(("engine", "together"), [("UNREAL", False), ("UNITY", True)])
def test_blender_reads_fbx_of_a_set_as_it_was(woven, tmp_path, loom, engine, together):
    assert export(tmp_path / "set", engine=engine, together=together) == {"FINISHED"}
    models, kinematics = loom("addon.services.files.model_files"), loom("core.motion.kinematics")
    for name in ("Walk", "Walk to Walk Left"):
        path = tmp_path / "set" / ("09_12.fbx" if together else f"{name}.fbx")
        read = models.read(bpy.context, str(path))
        clip = next(one for one in read if one.name.rpartition("|")[2].removesuffix(".001") == name)
        places, action = kinematics.world(clip)[1], bpy.data.actions[name]
        first, last = action.frame_range
        for k in (0, len(clip) // 3, len(clip) - 1):
            heads = seen(woven, action, first + (last - first) * k / (len(clip) - 1))
            for joint in clip.skeleton.names:
                if joint in heads:
                    apart = np.linalg.norm(places[k, clip.skeleton.index(joint)] - heads[joint])
                    assert apart < 1e-3, (name, k, joint)


def test_the_page_tells_an_engine_what_it_needs(woven, tmp_path, loom):
    assert export(tmp_path / "set", engine="GODOT") == {"FINISHED"}
    page = json.loads((tmp_path / "set" / "set.json").read_text(encoding="utf-8"))
    rows = {one["name"]: one for one in page["actions"]}
    assert sorted(rows) == names()
    walk, left = rows["Walk"], rows["Walk to Walk Left"]
    assert walk["loop"]
    assert 0.9 < walk["speed_m_s"] < 1.8
    assert rows["Walk_InPlace"]["speed_m_s"] == pytest.approx(walk["speed_m_s"], rel=0.02)
    assert "Walk to Walk Left" in walk["may_follow"]
    assert left["ends"] == {"loop": "Walk Left", "frame": 0}
    assert rows["Walk to Walk Right"]["ends"]["loop"] == "Walk Right"
    assert not any(name.endswith("_InPlace") for name in walk["may_follow"])
    assert walk["contacts"]
    assert walk["contacts"][0]["foot"] == "L"
    assert all(one["file"] == "09_12.glb" for one in rows.values())
    items = loom("core.verbs.take.take_set").make(clip_of(woven, bpy.data.actions["09_12"], loom)).items
    loops = {item.name: item for item in items if item.loop}
    for name, item in loops.items():
        assert rows[name]["speed_m_s"] == pytest.approx(loom("core.verbs.take.loops").speed(item.clip)[0], rel=0.02)


def test_nothing_of_the_scene_is_changed_and_nothing_is_half_written(woven, tmp_path):
    scene, data = bpy.context.scene, woven.animation_data
    bpy.ops.object.mode_set(mode="POSE")
    before = (
        scene.render.fps,
        scene.frame_start,
        scene.frame_end,
        scene.name,
        woven.name,
        data.action,
        len(data.nla_tracks),
    )
    actions = {action.name: material.fingerprint(action) for action in bpy.data.actions}
    assert export(tmp_path / "set", engine="UNREAL") == {"FINISHED"}
    after = (
        scene.render.fps,
        scene.frame_start,
        scene.frame_end,
        scene.name,
        woven.name,
        data.action,
        len(data.nla_tracks),
    )
    assert before == after
    assert bpy.context.mode == "POSE"
    assert {action.name: material.fingerprint(action) for action in bpy.data.actions} == actions
    assert sorted(path.name for path in tmp_path.iterdir()) == ["set"]
    with pytest.raises(RuntimeError, match="exists already: choose another name, or Overwrite"):
        export(tmp_path / "set", engine="UNREAL")
    with pytest.raises(RuntimeError, match="must have {name}"):
        export(tmp_path / "other", engine="UNREAL", names="{take}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["set"]


def test_lengths_are_scaled_and_other_tracks_of_the_nla_take_no_part(woven, tmp_path):
    assert material.pressed(woven, "push_down_set") == {}
    assert export(tmp_path / "set", engine="GODOT", scale=100.0) == {"FINISHED"}
    (path,) = (tmp_path / "set").glob("*.glb")
    found = {one.name: one for one in Animations(path)}
    assert sorted(found) == names()
    assert not any(track.mute for track in woven.animation_data.nla_tracks)
    places, seconds = found["Walk"].places()
    scaled = {joint: at / 100.0 for joint, at in places.items()}
    assert same_places(woven, "Walk", scaled, seconds) < 1e-3
