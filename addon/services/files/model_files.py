"""Read clips from files that Blender itself imports: .fbx, .glb, .gltf.

The import runs in a scene of its own, which is removed afterwards with everything in it: only the clips stay.
"""

import json
import os
import re
import struct
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import bpy

from ....core.errors import LoomError
from ....core.motion.clip import Clip
from ...bridge import clip as clips
from ...bridge import curves, rig
from ...bridge.stage import unheard
from ...ground import rates
from ...ground.blender_types import armature_data, present
from ...ground.formats import MODELS
from ..sources import source_list

USUAL_RATE = 30.0  # frames per second of files whose keys do not tell the rate
_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0)
_NEAR = 0.01  # tolerance as a share of the rate: key times are rounded
_OF_CODE = re.compile(r"^ |^Location:|Traceback")  # lines of an error that name places in code
_WORDS = 120  # letters of what an importer said
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
    with _away(context) as (scene, before):
        scene.render.fps, scene.render.fps_base = max(round(rate), 1), max(round(rate), 1) / rate
        _import(path, ending)
        imported = [action for action in bpy.data.actions if action not in before]
        found = [clip for armature in _armatures(scene) for clip in _clips(scene, armature, imported)]
    if not found:
        raise LoomError(f"{name}: it has no animation of an armature's bones")
    return [replace(found[0], name=os.path.splitext(name)[0])] if len(found) == 1 else found


def rate_of_gltf(path: str) -> float:
    """Return the highest key rate of a glTF file's animations; 0 where it is unknown."""
    try:
        content = _json_of(path)
        inputs = {one["input"] for animation in content.get("animations", ()) for one in animation["samplers"]}
        times = [content["accessors"][place] for place in inputs]
        found = [(one["count"] - 1) / (one["max"][0] - one["min"][0]) for one in times if one["count"] > 1]
    except (OSError, ValueError, KeyError, IndexError, TypeError, ZeroDivisionError, struct.error):
        return 0.0  # Blender's importer will report what is wrong with the file
    rate = max(found, default=0.0)
    return next((usual for usual in _RATES if abs(usual - rate) <= _NEAR * usual), float(round(rate)))


def _json_of(path: str) -> Any:
    with open(path, "rb") as file:
        head = file.read(20)
        if head[:4] != b"glTF":
            return json.loads(head + file.read())
        return json.loads(file.read(struct.unpack_from("<I", head, 12)[0]))


@contextmanager
def _away(context: bpy.types.Context) -> Iterator[tuple[bpy.types.Scene, set[bpy.types.ID]]]:
    """Show a temporary scene in the window, and remove everything new afterwards; yields it and the earlier data.

    Blender's importers work in the window's scene, whatever context they are called in.
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
        raise LoomError(f"{os.path.basename(path)}: Blender can't import it ({_said(str(error), path)})") from None


def _said(message: str, path: str) -> str:
    """Return what an importer said of a file in a few words: no traceback, no place in code, no folder."""
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
        body = rig.read(armature, moving_object=clips.moves_object(action, slot))
        clip = clips.read(armature, action, body, rates.of_scene(scene), slot).clip
        # Before 4.4 each object gets its own action, named after the animation and the object.
        yield replace(clip, name=action.name.removesuffix(f"_{armature.name}"))
