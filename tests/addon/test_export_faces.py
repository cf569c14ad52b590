"""An exported action has its own face and no other, as Blender's importers show."""

import bpy
import judge
import material
import numpy as np
import pytest

KINDS = [".glb", ".fbx"]
FACES = {"Smiles": {"smile": 0.8}, "Plain": {}, "Frowns": {"frown": 0.6}}  # the greatest value of each shape key


@pytest.fixture
def rig():
    """A walker with a face: one action smiles, one lacks face keys, one frowns; it plays the first at its smile."""
    rig = material.biped()
    data = material.add_face(rig, "smile", "frown")
    keys = data.shape_keys
    for name, values in FACES.items():
        action = material.key_walk(rig, name, frames=24, stride=1.2)
        for key, most in values.items():
            animation = keys.animation_data or keys.animation_data_create()
            animation.action = action
            animation.action_slot = action.slots.new("KEY", keys.name)
            for frame, value in ((1, 0.0), (13, most), (25, 0.1)):
                keys.key_blocks[key].value = value
                keys.key_blocks[key].keyframe_insert("value", frame=frame)
    keys.key_blocks["frown"].value = 0.0
    judge.play(rig, bpy.data.actions["Smiles"])
    bpy.context.scene.frame_set(13)
    return rig


def state():
    keys = bpy.data.meshes["Face"].shape_keys
    data = keys.animation_data
    values = [round(one.value, 5) for one in keys.key_blocks]
    tracks = [(track.name, track.mute) for track in data.nla_tracks]
    return data.action.name, data.action_slot.identifier, data.use_nla, tracks, values


def greatest(path, animation=None):
    """Return the greatest value of each shape key in a file, as Blender imports it."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.import_scene.fbx(filepath=str(path))
    (keys,) = [one for one in bpy.data.shape_keys if "smile" in one.key_blocks]
    last = max((action.frame_range[1] for action in bpy.data.actions), default=30.0)
    found = dict.fromkeys(("smile", "frown"), 0.0)
    for frame in np.arange(0, last + 1):
        bpy.context.scene.frame_set(int(frame))
        found = {name: max(value, keys.key_blocks[name].value) for name, value in found.items()}
    return found


@pytest.mark.parametrize("name", FACES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_has_the_face_of_its_action_alone(rig, tmp_path, kind, name):
    before = state()
    assert bpy.ops.action_loom.export_motion(filepath=str(tmp_path / f"out{kind}"), actions=[{"name": name}]) == {
        "FINISHED"
    }
    assert state() == before
    found = greatest(tmp_path / f"out{kind}")
    assert found == pytest.approx({"smile": 0.0, "frown": 0.0} | FACES[name], abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_a_face_in_the_nla_is_not_exported_with_another_action(rig, tmp_path, kind):
    data = bpy.data.meshes["Face"].shape_keys.animation_data
    action, slot = data.action, data.action_slot
    data.action = None
    strip = data.nla_tracks.new().strips.new("Smiles", 1, action)
    strip.action_slot = slot
    path = tmp_path / f"out{kind}"
    assert bpy.ops.action_loom.export_motion(filepath=str(path), actions=[{"name": "Plain"}]) == {"FINISHED"}
    assert data.use_nla
    assert data.action is None
    assert greatest(path) == pytest.approx({"smile": 0.0, "frown": 0.0}, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_a_face_of_no_action_of_the_body_is_exported_as_it_plays(rig, tmp_path, kind):
    """A face action that belongs to no body action, like a separate capture, is exported as it plays."""
    keys = bpy.data.meshes["Face"].shape_keys
    keys.animation_data.action = None
    keys.key_blocks["smile"].value = 0.3
    keys.key_blocks["smile"].keyframe_insert("value", frame=1)
    keys.key_blocks["frown"].value = 0.2  # by hand
    before = state()
    path = tmp_path / f"out{kind}"
    assert bpy.ops.action_loom.export_motion(filepath=str(path), actions=[{"name": "Plain"}]) == {"FINISHED"}
    assert state() == before
    assert greatest(path) == pytest.approx({"smile": 0.3, "frown": 0.2}, abs=0.02)


@pytest.mark.parametrize("name", FACES)
@pytest.mark.parametrize("kind", KINDS)
def test_each_action_of_a_set_has_its_own_face(rig, tmp_path, loom, kind, name):
    sets = loom("addon.services.files.export_sets")
    before, path = state(), tmp_path / f"out{kind}"
    writing = sets.Writing(suffix=kind, rate=60.0)
    with sets._stage_tracks(bpy.context, rig, [bpy.data.actions[one] for one in FACES], writing) as tracks:
        assert len(tracks) == len(FACES)
        for track in sorted(tracks, key=lambda one: one.action.name == name):  # the wanted one after the others
            assert sets._write_one(bpy.context, rig, tracks, track, path, writing) == []
    assert state() == before
    assert greatest(path) == pytest.approx({"smile": 0.0, "frown": 0.0} | FACES[name], abs=0.02)


@pytest.mark.parametrize("rate", [0.0, 60.0])
def test_each_action_of_one_fbx_file_has_its_own_face(rig, tmp_path, loom, rate):
    sets = loom("addon.services.files.export_sets")
    keys = bpy.data.meshes["Face"].shape_keys
    wanted = {name: seen_of(name) for name in FACES}
    judge.play(rig, bpy.data.actions["Smiles"])
    bpy.context.scene.frame_set(13)
    before, path, writing = state(), tmp_path / "out.fbx", sets.Writing(suffix=".fbx", rate=rate)
    with sets._stage_tracks(bpy.context, rig, [bpy.data.actions[one] for one in FACES], writing) as tracks:
        notes = sets._write_all(bpy.context, rig, tracks, [], path, writing)
        places = [(track.track.strips[0].frame_start, track.track.strips[0].frame_end) for track in tracks]
    assert places == [(0.0, track.last) for track in tracks]
    assert state() == before
    assert not keys.animation_data.nla_tracks
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)
    if bpy.app.version[:2] == (5, 0):  # its exporter writes a shape key that stays at 0 as 1
        assert ["faces stay at rest" in note for note in notes] == [True]
        faces = [curve for one in bpy.data.actions if of_face(one) for curve in material.fcurves(one)]
        assert all(not any(key.co[1] for key in curve.keyframe_points) for curve in faces)
        return
    assert not notes
    for name, values in wanted.items():
        (action,) = [one for one in bpy.data.actions if f"|{name}" in one.name and of_face(one)]
        for key in ("smile", "frown"):
            (curve,) = [one for one in material.fcurves(action) if f'"{key}"' in one.data_path]
            first, last = curve.range()
            each = values[key][::2]  # frames that fall on frames at 60 a second, too
            seen = [curve.evaluate(frame) for frame in np.linspace(first, last, len(each))]
            assert seen == pytest.approx(each, abs=1e-4)


def of_face(action):
    return any("key_blocks" in curve.data_path for curve in material.fcurves(action))


def seen_of(name):
    """Return the values of the shape keys on the frames of an action that plays alone."""
    keys, found = bpy.data.meshes["Face"].shape_keys, {"smile": [], "frown": []}
    action, keys.animation_data.action = bpy.data.actions[name], None
    for key in keys.key_blocks:
        key.value = 0.0
    slot = next((one for one in action.slots if one.target_id_type == "KEY"), None)
    if slot is not None:
        keys.animation_data.action = action
        keys.animation_data.action_slot = slot
    for frame in range(1, 26):
        bpy.context.scene.frame_set(frame)
        for key, values in found.items():
            values.append(keys.key_blocks[key].value)
    return found
