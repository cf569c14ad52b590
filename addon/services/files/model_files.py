"""Read clips from files that Blender itself imports: .fbx, .glb, .gltf.

The import runs in a temporary scene, which is removed afterwards with everything in it except the clips.
"""

import base64
import os
import re
import struct
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import bpy
import numpy as np

from ....core import files
from ....core.errors import LoomError
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ...bridge import clip as clips
from ...bridge import curves, rates, rig
from ...ground.blender_types import armature_data, present
from ...ground.formats import MODELS
from ...ground.handlers import unheard
from ..sources import source_list

USUAL_RATE = 30.0  # frames per second of files whose keys do not determine the rate
_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0)
_NEAR = 0.01  # tolerance as a share of the rate: key times are rounded
_OFF_FRAME = 0.05  # frames; likewise
_FLOAT = 5126  # the component type of single precision in glTF
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
    with _use_temporary_scene(context) as (scene, before):
        scene.render.fps, scene.render.fps_base = max(round(rate), 1), max(round(rate), 1) / rate
        _import(path, ending)
        imported = [action for action in bpy.data.actions if action not in before]
        found = [clip for armature in _armatures(scene) for clip in _clips(scene, armature, imported)]
    if not found:
        raise LoomError(f"{name}: it has no animation of an armature's bones")
    return [replace(found[0], name=os.path.splitext(name)[0])] if len(found) == 1 else found


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
    buffer = content["buffers"][view["buffer"]].get("uri", "")
    if buffer.startswith("data:"):
        binary = base64.b64decode(buffer.partition(",")[2])
    elif buffer:
        binary = files.read(os.path.join(os.path.dirname(path), unquote(buffer)))
    first = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    stride = view.get("byteStride", 4)
    return np.ndarray(accessor["count"], "<f4", binary, first, (stride,)).astype(np.float64)


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


def _import(path: str, ending: str) -> None:
    ours: Any = bpy.ops
    importers = [ours.wm.fbx_import, ours.import_scene.fbx] if ending == ".fbx" else [ours.import_scene.gltf]
    there = next((one for one in importers if _is_there(one)), None)
    if there is None:
        raise LoomError(
            f"{os.path.basename(path)}: enable the extension that imports {ending} in Blender's preferences"
        )
    try:
        there(filepath=path)
    except RuntimeError as error:
        raise LoomError(
            f"{os.path.basename(path)}: Blender can't import it ({_shorten_message(str(error), path)})"
        ) from None


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


def _armatures(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    present(scene.view_layers[0]).update()
    return [one for one in scene.objects if one.type == "ARMATURE" and len(armature_data(one).bones)]


def _clips(scene: bpy.types.Scene, armature: bpy.types.Object, imported: list[bpy.types.Action]) -> Iterator[Clip]:
    for action in imported:
        if not source_list.moves(action, armature).bones:
            continue
        slot = curves.choose_slot(action, armature)
        body = rig.read(armature, moving_object=clips.moves_object(action, slot), in_metres=True)
        clip = clips.read(armature, action, body, rates.of_scene(scene), slot).clip
        # Before 4.4 each object gets its own action, named after the animation and the object.
        yield replace(clip, name=action.name.removesuffix(f"_{armature.name}"))
