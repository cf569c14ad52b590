"""Clips of .fbx, .glb and .gltf files through Blender's own importers: their content, and no leftovers."""

import json
from pathlib import Path

import bpy
import material
import numpy as np
import pytest
from characters import inventory
from mathutils import Matrix, Quaternion

CHARACTERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "characters"


@pytest.fixture
def model_files(loom):
    return loom("addon.services.files.model_files")


@pytest.fixture
def here():
    """The scene of an artist: a character in Pose Mode at frame 7."""
    rig = material.biped()
    material.key_walk(rig, "slow", frames=36)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(7)
    return rig


@pytest.mark.parametrize(("name", "rate", "count"), [("Fox", 24.0, 3), ("RobotExpressive", 24.0, 14)])
def test_every_animation_is_a_clip_and_nothing_else_stays(model_files, here, name, rate, count):
    before, scene = inventory(), bpy.context.scene
    clips = model_files.read(bpy.context, str(CHARACTERS / f"{name}.glb"))
    assert len(clips) == count
    assert {clip.rate for clip in clips} == {rate}
    assert all(len(clip.skeleton) > 20 for clip in clips)
    assert inventory() == before
    assert bpy.context.scene == scene
    assert (bpy.context.mode, scene.frame_current, bpy.context.object) == ("POSE", 7, here)


def places_in_file(content, binary, animation, times):
    """Return {joint: positions (T, 3), Z up} of a glTF file's nodes; all that no channel moves keep their own place."""
    nodes, moved = content["nodes"], {}
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        values = [accessor(content, binary, sampler[end]) for end in ("input", "output")]
        moved[channel["target"]["node"], channel["target"]["path"]] = values
    above = {child: k for k, node in enumerate(nodes) for child in node.get("children", ())}

    def matrix(k, time):
        rows = {"translation": (0, 0, 0), "rotation": (0, 0, 0, 1), "scale": (1, 1, 1)}
        rows = {path: nodes[k].get(path, row) for path, row in rows.items()}
        for path in rows:
            if (k, path) in moved:
                keys, values = moved[k, path]
                after = int(np.clip(np.searchsorted(keys[:, 0], time), 1, max(len(keys) - 1, 1)))
                ends = values[[after - 1, min(after, len(keys) - 1)]]
                ends[1] *= -1.0 if path == "rotation" and ends[0] @ ends[1] < 0.0 else 1.0
                share = (
                    np.clip((time - keys[after - 1]) / np.ptp(keys[[after - 1, after]]), 0.0, 1.0)
                    if len(keys) > 1
                    else 0.0
                )
                rows[path] = (1.0 - share) * ends[0] + share * ends[1]
        x, y, z, w = rows["rotation"]
        own = Matrix.LocRotScale(rows["translation"], Quaternion((w, x, y, z)).normalized(), rows["scale"])
        return matrix(above[k], time) @ own if k in above else own

    joints = content["skins"][0]["joints"]
    names = [nodes[k]["name"] for k in joints]
    points = np.array([[matrix(k, time).translation for k in joints] for time in times])
    return dict(zip(names, np.moveaxis(points[:, :, [0, 2, 1]] * (1, -1, 1), 1, 0), strict=True))


def accessor(content, binary, place):
    one = content["accessors"][place]
    view = content["bufferViews"][one["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[one["type"]]
    start = view.get("byteOffset", 0) + one.get("byteOffset", 0)
    return np.frombuffer(binary, "<f4", one["count"] * width, start).reshape(-1, width).astype(float)


@pytest.mark.parametrize("skin", [True, False], ids=["skin", "no skin"])
@pytest.mark.parametrize("name", ["Fox", "RobotExpressive"])
def test_bones_are_where_the_nodes_of_the_file_are(model_files, loom, tmp_path, name, skin):
    """Also bones without keys, which have their place in the file, and in libraries that leave meshes and skins out."""
    path = str(CHARACTERS / f"{name}.glb")
    content, binary = model_files._contents_of(path)
    if not skin:
        bare = {key: content[key] for key in ("asset", "accessors", "animations", "bufferViews", "scene", "scenes")}
        bare["nodes"] = [{key: node[key] for key in node if key not in ("mesh", "skin")} for node in content["nodes"]]
        bare["buffers"] = [{"uri": "away.bin", "byteLength": len(binary)}]
        (tmp_path / "away.bin").write_bytes(binary)
        path = str(tmp_path / "bare.gltf")
        Path(path).write_text(json.dumps(bare))
    before = inventory()
    clips = model_files.read(bpy.context, path)
    assert inventory() == before
    names = [node["name"] for node in content["nodes"]]
    for clip in clips:
        animation = next(one for one in content["animations"] if one["name"] == clip.name)
        keys = np.concatenate([accessor(content, binary, one["input"]) for one in animation["samplers"]])
        frames = np.array([0, len(clip) // 3, len(clip) - 1])  # the first and the last are the first and the last key
        times = keys.min() + frames / frames[-1] * np.ptp(keys)
        there = places_in_file(content, binary, animation, times)
        places = loom("core.motion.kinematics").world(clip)[1][frames]
        for joint in there:
            if names.count(joint) == 1 and joint in clip.skeleton.names:
                apart = np.abs(places[:, clip.skeleton.index(joint)] - there[joint]).max()
                assert apart < 1e-3 * clip.skeleton.height, (clip.name, joint)


def test_a_clip_of_an_fbx_is_what_was_exported(model_files, loom, tmp_path):
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.view_layer.objects.active
    scene = bpy.context.scene
    scene.render.fps = 30
    for one in list(bpy.data.actions):
        if one.name != "Walk":
            bpy.data.actions.remove(one)
    scene.frame_start, scene.frame_end = (round(frame) for frame in bpy.data.actions["Walk"].frame_range)
    path = tmp_path / "Walking.fbx"
    bpy.ops.export_scene.fbx(filepath=str(path), object_types={"ARMATURE"}, bake_anim_simplify_factor=0.0)
    (clip,) = model_files.read(bpy.context, str(path))
    assert clip.name == "Walking"
    assert clip.rate == 30.0
    kinematics = loom("core.motion.kinematics")
    _, places = kinematics.world(clip)
    for frame in (0, 7, 19):
        scene.frame_set(scene.frame_start + frame)
        for bone in rig.pose.bones:
            there = np.array((rig.matrix_world @ bone.matrix).translation)
            assert np.abs(places[frame, clip.skeleton.index(bone.name)] - there).max() < 1e-3


def test_what_can_not_be_read_is_said_and_nothing_stays(model_files, loom, here, tmp_path):
    broken, still = tmp_path / "broken.glb", tmp_path / "still.gltf"
    broken.write_bytes(b"glTF but nothing more")
    still.write_text('{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "Thing"}]}')
    before = inventory()
    for path, words in (
        (broken, "broken.glb: Blender can't import it"),
        (still, "still.gltf: it has no animation of an armature's bones"),
        (tmp_path / "none.fbx", "none.fbx: no such file"),
    ):
        with pytest.raises(loom("core.errors").LoomError, match=words):
            model_files.read(bpy.context, str(path))
        assert inventory() == before
    assert bpy.context.mode == "POSE"


DAMAGED = {
    "short.glb": (b"glTF" + bytes(30), "GLB version must be 2; got 0"),
    "cut.gltf": (b"{", "json error: Expecting property name"),
    "pointing.gltf": (
        b'{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [5]}], "nodes": []}',
        "KeyError: 5",
    ),
    "away.gltf": (
        b'{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],'
        b' "buffers": [{"uri": "no.bin", "byteLength": 4}], "bufferViews": [{"buffer": 0, "byteLength": 4}],'
        b' "accessors": [{"bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3"}],'
        b' "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}',
        "no.bin",
    ),
    "rubbish.fbx": (b"rubbish", ""),
    "cut.fbx": (b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0" + b"\1" * 40, ""),
    "empty.fbx": (b"", ""),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_said_in_a_few_words_without_places_in_code(model_files, loom, tmp_path, name):
    content, words = DAMAGED[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(loom("core.errors").LoomError) as refused:
        model_files.read(bpy.context, str(path))
    said = str(refused.value)
    assert said.startswith(f"{name}: Blender can't import it (")
    assert words in said
    assert len(said) < 200
    assert not any(word in said for word in (".py", "Location", "Traceback", str(tmp_path), "/tmp"))


def places_of(rig, action, frame):
    """Return {bone: world position of its head} at a frame of an action."""
    material.show(rig, action)
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame % 1.0)
    return {bone.name: np.array((rig.matrix_world @ bone.matrix).translation) for bone in rig.pose.bones}


@pytest.mark.parametrize(("name", "rate"), [("Fox", 24), ("godot_player", 30), ("mannequiny", 24)])
def test_files_dropped_onto_their_character_become_its_actions(loom, model_files, name, rate):
    path = str(CHARACTERS / f"{name}.glb")
    assert model_files.rate_of_gltf(path) == rate
    bpy.context.scene.render.fps = rate
    bpy.ops.import_scene.gltf(filepath=path)
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    called = [animation["name"] for animation in model_files._contents_of(path)[0]["animations"]]
    own = {n: next(one for one in bpy.data.actions if one.name in (n, f"{n}_{rig.name}")) for n in called}
    for action in own.values():
        action.name = f"own {action.name}"
    objects = set(bpy.data.objects)
    bpy.context.view_layer.objects.active = rig
    assert material.import_motion(path, select=False) == {"FINISHED"}
    assert set(bpy.data.objects) == objects
    for bare, action in own.items():
        made = bpy.data.actions[bare]
        if action.frame_range[1] % 1.0:
            continue  # with an end between frames its rate was adapted
        assert loom("addon.bridge.rates").rate_of(made) == rate
        first = action.frame_range[0]
        for frame in (0, 3, 6):
            theirs, ours = places_of(rig, action, first + frame), places_of(rig, made, 1 + frame)
            size = np.ptp([*theirs.values()], axis=0).max()
            assert max(np.abs(theirs[bone] - ours[bone]).max() for bone in theirs) < 2e-4 * size


def test_without_a_character_they_get_an_armature_of_their_own():
    before = {kind: set(getattr(bpy.data, kind).keys()) for kind in ("meshes", "materials", "images")}
    assert material.import_motion(str(CHARACTERS / "Fox.glb")) == {"FINISHED"}
    (rig,) = [one for one in bpy.data.objects if one.type == "ARMATURE"]
    assert len(bpy.data.actions) == 3
    assert {kind: set(getattr(bpy.data, kind).keys()) for kind in before} == before
    assert len(bpy.context.scene.action_loom.rigs[0].sources) == 3
    assert bpy.context.view_layer.objects.active == rig


def damaged_fox(path, change):
    """Write a glTF file of the fox's first animation whose content or binary was changed."""
    data = (CHARACTERS / "Fox.glb").read_bytes()
    end = 20 + int.from_bytes(data[12:16], "little")
    content, binary = json.loads(data[20:end]), bytearray(data[end + 8 :])
    content["animations"] = content["animations"][:1]
    change(content, binary)
    content["buffers"] = [{"uri": "fox.bin", "byteLength": len(binary)}]
    (path.parent / "fox.bin").write_bytes(binary)
    path.write_text(json.dumps(content))
    return str(path)


def test_an_animation_of_a_million_frames_is_refused_before_it_is_read(model_files, loom, tmp_path):
    def delay_last_key(content, binary):
        for place in {one["input"] for one in content["animations"][0]["samplers"]}:
            one = content["accessors"][place]
            view = content["bufferViews"][one["bufferView"]]
            last = view.get("byteOffset", 0) + one.get("byteOffset", 0) + 4 * (one["count"] - 1)
            binary[last : last + 4] = np.float32(60_000.0).tobytes()

    path = damaged_fox(tmp_path / "fox.gltf", delay_last_key)
    with pytest.raises(loom("core.errors").LoomError, match="can be read at once"):
        model_files.read(bpy.context, path)


def test_a_new_armature_whose_action_is_refused_does_not_stay(tmp_path):
    def scale_a_leg(content, binary):
        samplers = content["animations"][0]["samplers"]
        turned = next(one for one in content["animations"][0]["channels"] if one["target"]["path"] == "rotation")
        keys = content["accessors"][samplers[turned["sampler"]]["input"]]["count"]
        content["accessors"].append({"bufferView": len(content["bufferViews"]), "componentType": 5126, "type": "VEC3"})
        content["accessors"][-1]["count"] = keys
        content["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": 12 * keys})
        binary += np.linspace(1.0, 3.0, 3 * keys, dtype=np.float32).tobytes()
        samplers.append(samplers[turned["sampler"]] | {"output": len(content["accessors"]) - 1})
        target = {"node": turned["target"]["node"], "path": "scale"}
        content["animations"][0]["channels"].append({"sampler": len(samplers) - 1, "target": target})

    before = inventory()
    with pytest.raises(RuntimeError, match="scaled, which can't change bodies yet"):
        material.import_motion(damaged_fox(tmp_path / "fox.gltf", scale_a_leg))
    assert inventory() == before
