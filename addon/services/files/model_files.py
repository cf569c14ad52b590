"""Read clips from files that Blender itself imports: .fbx, .glb, .gltf.

The import runs in a temporary scene, which is removed afterwards with everything in it except the clips.
"""

import base64
import json
import os
import re
import struct
import tempfile
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import unquote

import bpy
import numpy as np

from ....core import files
from ....core.errors import LoomError
from ....core.motion import limits
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ...bridge import clip as clips
from ...bridge import curves, left_poses, rates, rig, unkeyed_pose
from ...bridge.curves import Target
from ...bridge.left_poses import Values
from ...ground.blender_types import armature_data, present
from ...ground.formats import MODELS
from ...ground.handlers import unheard
from ..sources import source_list

USUAL_RATE = 30.0  # frames per second of files whose keys do not determine the rate
_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0)
_NEAR = 0.01  # tolerance as a share of the rate: key times are rounded
_OFF_FRAME = 0.05  # frames; likewise
_FLOAT = 5126  # the component type of single precision in glTF
_OF_NODE = ("name", "children", "translation", "rotation", "scale", "matrix")  # keys of a node that a bone needs
_WITHOUT_MESHES = ("asset", "accessors", "animations", "bufferViews", "scene", "scenes", "skins")
_LEAST_MOVED = 2  # channels that move something in a file
_OF_CODE = re.compile(r"^ |^Location:|Traceback")  # lines of an error that refer to source code
_WORDS = 120  # maximal length of an importer's message
_HANDLERS = ("depsgraph_update_pre", "depsgraph_update_post", "frame_change_pre", "frame_change_post")


def read(context: bpy.types.Context, path: str) -> list[Clip]:
    """Return the clips of a file on its own skeletons, in metres, at the rate of its keys.

    A single clip is named after the file, several after their animations. Raises LoomError for files Blender can't
    import, and for files without an animation of an armature's bones.
    """
    name = os.path.basename(path)
    if not os.path.isfile(path):
        raise LoomError(f"{path}: no such file")
    ending = os.path.splitext(path)[1].lower()
    if ending not in MODELS:
        raise LoomError(f"{name}: Blender's own importers read {', '.join(MODELS)}")
    rate = USUAL_RATE if ending == ".fbx" else rate_of_gltf(path) or USUAL_RATE
    with _use_temporary_scene(context) as (scene, before), tempfile.TemporaryDirectory() as folder:
        scene.render.fps, scene.render.fps_base = max(round(rate), 1), max(round(rate), 1) / rate
        stands, skinned = ({}, path) if ending == ".fbx" else _read_stance(scene, path, folder)
        _import(skinned, ending, name)
        imported = [action for action in bpy.data.actions if action not in before]
        found = [clip for armature in _armatures(scene, stands) for clip in _clips(scene, armature, imported)]
    if not found:
        raise LoomError(f"{name}: it has no animation of an armature's bones")
    return [replace(found[0], name=os.path.splitext(name)[0])] if len(found) == 1 else found


def _read_stance(scene: bpy.types.Scene, path: str, folder: str) -> tuple[dict[str, dict[Target, Values]], str]:
    """Return the pose of each armature in a glTF file, where bones stay that an animation leaves out, and its path.

    Once the importer has played an animation, the pose is lost. A file without skins gets one, in a folder. Libraries
    of animations (Ready Player Me, VRM) leave skins out, and the importer makes armatures of joints of skins only.
    """
    try:
        content, binary = _contents_of(path)
        moved = [_moved_nodes(animation) for animation in content.get("animations", ())]
        every = set().union(*moved)
        bare = {key: content[key] for key in _WITHOUT_MESHES if key in content}
        bare["nodes"] = [{key: node[key] for key in _OF_NODE if key in node} for node in content["nodes"]]
        buffers = [_buffer(path, content, binary, place) for place in range(len(content.get("buffers", ())))]
        skinned = bool(bare.get("skins"))
        if not skinned:
            bare["skins"] = [{"joints": _joints(content["nodes"], {node for node, _ in every})}]
    except (OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error):
        return {}, path  # Blender's importer will report the error
    if (skinned and all(some == every for some in moved)) or len(every) < _LEAST_MOVED:
        return {}, path
    for place, data in enumerate(buffers):
        files.write(os.path.join(folder, f"{place}.bin"), data)
    bare["buffers"] = [{"byteLength": len(data), "uri": f"{place}.bin"} for place, data in enumerate(buffers)]
    before = set(bpy.data.user_map())
    still = _write(folder, "still.gltf", {key: bare[key] for key in bare if key != "animations"})
    _import(still, ".gltf", os.path.basename(path))
    stands = {one.name: left_poses.pose_of(one) for one in _armatures(scene, {})}
    bpy.data.batch_remove([data for data in bpy.data.user_map() if data not in before])
    return stands, path if skinned else _write(folder, "animated.gltf", bare)


def _write(folder: str, name: str, content: Any) -> str:
    path = os.path.join(folder, name)
    files.write(path, json.dumps(content).encode())
    return path


def _moved_nodes(animation: Any) -> set[tuple[int, str]]:
    """Return the nodes that an animation moves, with the moved property."""
    targets = [channel["target"] for channel in animation["channels"]]
    return {(target["node"], target["path"]) for target in targets if target["path"] in _OF_NODE}


def _joints(nodes: Any, moved: set[int]) -> list[int]:
    """Return the topmost of some nodes and all nodes below; raises ValueError where nodes form a cycle."""
    below: dict[int, list[int]] = {}
    for node in moved:
        below[node] = list(nodes[node].get("children", ()))
        for one in below[node]:  # grows
            below[node] += nodes[one].get("children", ())
            if len(below[node]) > len(nodes):
                raise ValueError(node)
    tops = moved - {one for some in below.values() for one in some}
    return sorted({one for top in tops for one in (top, *below[top])})


def rate_of_gltf(path: str) -> float:
    """Return the rate of the closest keys of a glTF file's animations; 0 if it is unknown.

    If all keys are sparse, it is the lowest usual rate with a frame at every key.
    """
    try:
        content, binary = _contents_of(path)
        inputs = {one["input"] for animation in content.get("animations", ()) for one in animation["samplers"]}
        times = [_key_times(path, content, binary, place) for place in sorted(inputs)]
    except (OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error):
        return 0.0  # Blender's importer will report the error
    gaps = np.concatenate([np.zeros(0), *map(np.diff, times)])
    gaps = gaps[gaps > 1.0 / (1.5 * _RATES[-1])]
    if not len(gaps):
        return 0.0
    fastest = 1.0 / float(gaps.min())
    if fastest > (1.0 - _NEAR) * _RATES[0]:
        return next((usual for usual in _RATES if abs(usual - fastest) <= _NEAR * usual), float(round(fastest)))
    steps = np.concatenate([keys - keys[0] for keys in times])
    return next((rate for rate in _RATES if _has_frames(rate, steps)), USUAL_RATE)


def _has_frames(rate: float, seconds: Array) -> bool:
    """Return whether a rate has a frame at each of some times."""
    frames = rate * seconds
    return bool(np.abs(frames - np.round(frames)).max() < _OFF_FRAME)


def _key_times(path: str, content: Any, binary: bytes, place: int) -> Array:
    """Return the times of an accessor with one single-precision number per element; raises ValueError for another."""
    accessor = content["accessors"][place]
    view = content["bufferViews"][accessor["bufferView"]]
    if accessor["componentType"] != _FLOAT or accessor["type"] != "SCALAR":
        raise ValueError(accessor)
    binary = _buffer(path, content, binary, view["buffer"])
    first = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    stride = view.get("byteStride", 4)
    return np.ndarray(accessor["count"], "<f4", binary, first, (stride,)).astype(np.float64)


def _buffer(path: str, content: Any, binary: bytes, place: int) -> bytes:
    """Return the bytes of a buffer: in the file itself, in its JSON, or in another file."""
    uri = content["buffers"][place].get("uri", "")
    if uri.startswith("data:"):
        return base64.b64decode(uri.partition(",")[2])
    return files.read(os.path.join(os.path.dirname(path), unquote(uri))) if uri else binary


def _contents_of(path: str) -> tuple[Any, bytes]:
    """Return the JSON of a glTF file, and its binary data, b"" if there is none."""
    data = files.read(path)
    if data[:4] != b"glTF":
        return files.read_json(data), b""
    end = 20 + struct.unpack_from("<I", data, 12)[0]
    return files.read_json(data[20:end]), data[end + 8 :]


@contextmanager
def _use_temporary_scene(context: bpy.types.Context) -> Iterator[tuple[bpy.types.Scene, set[bpy.types.ID]]]:
    """Show a temporary scene in the window, and remove all new data afterwards; yields the scene and the earlier data.

    Blender's importers work in the window's scene, regardless of the context.
    """
    window = context.window
    if window is None:
        raise LoomError("Blender's importers need a window: open one first")
    before, shown = set(bpy.data.user_map()), window.scene
    with unheard(*_HANDLERS):
        scene = bpy.data.scenes.new("Action Loom")
        try:
            window.scene = scene
            yield scene, before
        finally:
            window.scene = shown
            bpy.data.batch_remove([data for data in bpy.data.user_map() if data not in before])


def _import(path: str, ending: str, name: str) -> None:
    """Import a file; name : of the artist's file, for messages."""
    ours: Any = bpy.ops
    importers = [ours.wm.fbx_import, ours.import_scene.fbx] if ending == ".fbx" else [ours.import_scene.gltf]
    there = next((one for one in importers if _is_there(one)), None)
    if there is None:
        raise LoomError(f"{name}: enable the extension that imports {ending} in Blender's preferences")
    try:
        there(filepath=path)
    except RuntimeError as error:
        raise LoomError(f"{name}: Blender can't import it ({_shorten_message(str(error), path)})") from None


def _shorten_message(message: str, path: str) -> str:
    """Shorten an importer's message: no traceback, code location or folder."""
    lines = [line for line in message.splitlines() if line.strip() and not _OF_CODE.search(line)]
    last = (lines or [message])[-1].replace(os.path.join(os.path.dirname(path), ""), "")
    return textwrap.shorten(last.removeprefix("Error:"), _WORDS)


def _is_there(operator: Any) -> bool:
    try:
        operator.get_rna_type()
    except KeyError:
        return False
    return True


def _armatures(scene: bpy.types.Scene, stands: Mapping[str, dict[Target, Values]]) -> list[bpy.types.Object]:
    """Return the armatures of a scene; stands : the poses of some before an action played, by name."""
    found = [one for one in scene.objects if one.type == "ARMATURE" and len(armature_data(one).bones)]
    for armature in found:
        if armature.name in stands:
            unkeyed_pose.keep_pose(armature, stands[armature.name])
    present(scene.view_layers[0]).update()
    return found


def _clips(scene: bpy.types.Scene, armature: bpy.types.Object, imported: list[bpy.types.Action]) -> Iterator[Clip]:
    for action in imported:
        if not source_list.moves(action, armature).bones:
            continue
        slot = curves.choose_slot(action, armature)
        moving, still = clips.moves_object(action, slot), partial(unkeyed_pose.still_bones, armature)
        body = rig.read(armature, moving_object=moving, in_metres=True, still=still)
        body = unkeyed_pose.with_posed(armature, body)
        limits.check_reading(action.name, *curves.frame_range(action, slot), len(body.skeleton))
        clip = clips.read(armature, action, body, rates.of_scene(scene), slot).clip
        # Before 4.4 each object gets its own action, named after the animation and the object.
        yield replace(clip, name=action.name.removesuffix(f"_{armature.name}"))
