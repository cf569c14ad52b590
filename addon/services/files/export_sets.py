"""Export the actions of a set for an engine: one file each or one for all, at a chosen rate, with a JSON description.

Blender's exporters write the files, which are read back for verification before they are moved to the folder.
"""

import json
import os
import re
import struct
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import bpy
import numpy as np

from ....core import files
from ....core.errors import LoomError
from ....core.motion.quat import Array
from ....core.recipes.reading import ReadingOptions, Request, Source
from ....core.verbs import CutOut
from ....core.verbs.take import naming, of_recipes, take_set
from ...bridge import curves, rates, unkeyed_pose, worn_slots
from ...ground import steps
from ...ground.blender_types import Slot, present, scene_of
from ...model import storage
from ...model.take_rows import IN_PLACE
from ..weaving import reading
from . import export_models, model_files

JSON = "set.json"
SURVEY = 0.2  # of the progress, for reading the actions
_AXES = {"axis_forward": "-Z", "axis_up": "Y"}
# Blender 5.0 exports a shape key that stays at 0 as 1, so one FBX file of several actions has no faces there.
FACES_TOGETHER = bpy.app.version[:2] != (5, 0)
# FBX scaling for each engine: FBX with its scale in the file's unit (so that no bone is scaled), glTF in metres.
FBX = {
    "UNREAL": {**_AXES, "apply_scale_options": "FBX_SCALE_UNITS", "primary_bone_axis": "Y", "secondary_bone_axis": "X"},
    "UNITY": {**_AXES, "apply_scale_options": "FBX_SCALE_ALL", "primary_bone_axis": "Y", "secondary_bone_axis": "X"},
    "GODOT": {**_AXES, "apply_scale_options": "FBX_SCALE_ALL", "primary_bone_axis": "Y", "secondary_bone_axis": "X"},
}
ROOT_OBJECT = "Armature"  # Unreal does not create a bone for an object of this name


@dataclass(frozen=True)
class Writing:
    """Options for writing a set.

    engine : a key of FBX; suffix : .glb or .fbx; together : all actions in one file
    rate : frames per second, 0 for the actions' own rates; scale : factor of all lengths
    """

    engine: str = "GODOT"
    suffix: str = ".glb"
    together: bool = False
    names: str = "{name}{root}"
    rate: float = 0.0
    scale: float = 1.0
    deform_only: bool = True
    overwrite: bool = False


class _Track(NamedTuple):
    """An action on its own track, from scene frame 0 to `last`; worn : tracks of attached meshes and shape keys."""

    action: bpy.types.Action
    track: bpy.types.NlaTrack
    worn: list[bpy.types.NlaTrack]
    last: int
    rate: float
    unkeyed: dict[curves.Target, tuple[float, ...]]


class ExportedSet(NamedTuple):
    """The number of exported actions, their folder, the number of files beside the description, and messages."""

    actions: int
    folder: Path
    files: int
    notes: tuple[str, ...]


def export_in_steps(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    take: str,
    actions: Sequence[bpy.types.Action],
    folder: Path,
    writing: Writing,
) -> steps.Steps[ExportedSet]:
    """Write actions of a set into a folder. Raises LoomError.

    Files appear only after all of them were written and read back. Nothing remains in Blender between steps.
    """
    about = yield from _describe_in_steps(context, armature, actions)
    names = _file_names(take, actions, about, writing)
    places = [folder / name for name in dict.fromkeys([*names, JSON])]
    there = [place.name for place in places if place.exists()]
    if there and not writing.overwrite:
        raise LoomError(f"{folder / there[0]} exists already: choose another name, or Overwrite")
    if not folder.parent.is_dir():
        place = folder
        raise LoomError(f"{place}: there is no folder {place.parent}")
    notes: list[str] = []
    with tempfile.TemporaryDirectory(dir=folder if folder.is_dir() else folder.parent, prefix=".action_loom") as made:
        parts = [Path(made) / (f"{k}{writing.suffix}" if writing.together else name) for k, name in enumerate(names)]
        if not writing.together or writing.suffix == ".glb":
            for k, (action, path) in enumerate(zip(actions, parts, strict=True)):
                yield SURVEY + (0.9 - SURVEY) * k / len(actions), f"writing {action.name}"
                with _stage_tracks(context, armature, actions, writing) as tracks:
                    notes += _write_one(context, armature, tracks, tracks[k], path, writing)
        if writing.together:
            yield 0.9, f"writing {names[0]}"
            with _stage_tracks(context, armature, actions, writing) as tracks:
                notes += _write_all(context, armature, tracks, parts, Path(made) / names[0], writing)
        page = _page(take, about, tracks_rates=[_rate(context, one, writing) for one in actions], names=names)
        folder.mkdir(exist_ok=True)
        for name in dict.fromkeys(names):
            os.replace(Path(made) / name, folder / name)
        files.write(folder / JSON, page)
    return ExportedSet(len(actions), folder, len(places) - 1, tuple(dict.fromkeys(notes)))


def _rate(context: bpy.types.Context, action: bpy.types.Action, writing: Writing) -> float:
    return writing.rate or rates.rate_of(action) or rates.of_scene(scene_of(context))


def _file_names(
    take: str, actions: Sequence[bpy.types.Action], about: Sequence[dict[str, Any]], writing: Writing
) -> list[str]:
    if writing.together:
        stems = [_stem(action.name) for action in actions]
        twice = next((stem for stem in stems if stems.count(stem) > 1), None)
        if twice is not None:
            raise LoomError(f"Two actions are called {twice}, but for a number: rename one, or export a file each")
        return [files.file_name(take, writing.suffix)] * len(actions)
    pattern, names = naming.check_pattern(writing.names), []
    for action, one in zip(actions, about, strict=True):
        still = action.name.endswith(IN_PLACE)
        fields = {
            "take": take,
            "name": action.name.removesuffix(IN_PLACE),
            "root": IN_PLACE if still else "",
            "speed": f"{one['speed_m_s']:.1f}",
        }
        names.append(files.file_name(naming.fill_pattern(pattern, fields), writing.suffix))
    repeated = files.find_repeated(map(Path, names))
    if repeated is not None:
        raise LoomError(f"names is {pattern!r}, which gives two actions the name {repeated}")
    return names


def _describe_in_steps(
    context: bpy.types.Context, armature: bpy.types.Object, actions: Sequence[bpy.types.Action]
) -> steps.Steps[list[dict[str, Any]]]:
    """Return the entries of the actions in the JSON description."""
    made = []
    for k, action in enumerate(actions):
        yield SURVEY * k / len(actions), f"reading {action.name}"
        recipe = storage.recipe_of(action)
        if not isinstance(recipe, CutOut):
            raise LoomError(f"{action.name} was not cut out of a take: export it by itself")
        request = Request(sources=(Source(name=action.name_full),), reading=ReadingOptions())
        made_of = [(action, curves.choose_slot(action, armature))]
        (read,) = reading.read_actions(scene_of(context), armature, made_of, request).sources
        made.append((action.name, recipe, read.clip))
    return take_set.items_json(of_recipes.items(made))


def _page(take: str, about: Sequence[dict[str, Any]], *, tracks_rates: list[float], names: list[str]) -> bytes:
    rows = [
        {key: value for key, value in one.items() if key != "score"} | {"rate": rate, "file": name}
        for one, rate, name in zip(about, tracks_rates, names, strict=True)
    ]
    return (json.dumps({"take": take, "actions": rows}, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


@contextmanager
def _stage_tracks(
    context: bpy.types.Context, armature: bpy.types.Object, actions: Sequence[bpy.types.Action], writing: Writing
) -> Iterator[list[_Track]]:
    """Put each action on its own track, at the requested rate; everything is restored afterwards."""
    scene, data = scene_of(context), present(armature.animation_data)
    others, muted, called = list(data.nla_tracks), [one.mute for one in data.nla_tracks], armature.name
    tracks: list[_Track] = []
    worn = worn_slots.on_tracks(armature, actions)
    with export_models.stage_export(context, armature) as unkeyed, worn:
        try:
            data.use_nla, data.action = True, None
            for track in others:
                track.mute = True
            if writing.engine == "UNREAL" and ROOT_OBJECT not in bpy.data.objects:
                armature.name = ROOT_OBJECT
            tracks += [_track(scene, armature, action, writing.rate, unkeyed) for action in actions]
            yield tracks
        finally:
            for added in tracks:
                data.nla_tracks.remove(added.track)
            for track, was in zip(others, muted, strict=True):
                track.mute = was
            armature.name = called


def _track(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    action: bpy.types.Action,
    rate: float,
    unkeyed: dict[curves.Target, tuple[float, ...]],
) -> _Track:
    """Put an action on a new, muted track from frame 0, with its length rounded to whole frames."""
    own = rates.rate_of(action) or rates.of_scene(scene)
    rate = rate or own
    first, last = (float(frame) for frame in action.frame_range[:])
    frames = max(round((last - first) * rate / own), 1)
    track = _add_track(armature, action, curves.choose_slot(action, armature), frames)
    worn = [_add_track(owner, action, slot, frames) for owner, slot in worn_slots.slots(armature, action)]
    return _Track(action, track, worn, frames, rate, unkeyed)


def _add_track(owner: Any, action: bpy.types.Action, slot: Slot, frames: int) -> bpy.types.NlaTrack:
    """Return a new, muted track on which an action takes a number of frames."""
    first, last = action.frame_range[:]
    track: bpy.types.NlaTrack = present(owner.animation_data).nla_tracks.new()
    track.name, track.mute = action.name, True
    strip = track.strips.new(action.name, 0, action)
    if slot is not None:
        strip.action_slot = slot
    strip.use_sync_length = False
    strip.action_frame_start, strip.action_frame_end = first, max(last, first + 1.0)
    strip.scale = frames / max(last - first, 1.0)
    strip.frame_start, strip.frame_end = 0.0, float(frames)
    strip.extrapolation = "HOLD"
    return track


def _play(context: bpy.types.Context, armature: bpy.types.Object, tracks: Sequence[_Track], one: _Track) -> None:
    """Play only one track, over the whole scene range, without the pose of another track."""
    scene = scene_of(context)
    for other in tracks:
        for track in (other.track, *other.worn):
            track.mute = other.track != one.track
    worn_slots.rest(armature, [other.action for other in tracks])
    export_models.play_at(scene, one.rate, 0, one.last)
    scene.name = one.action.name
    unkeyed_pose.put(armature, one.unkeyed)
    scene.frame_set(0)


def _write_one(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    tracks: Sequence[_Track],
    one: _Track,
    path: Path,
    writing: Writing,
) -> list[str]:
    _play(context, armature, tracks, one)
    gltf = {"export_animation_mode": "SCENE", "export_nla_strips_merged_animation_name": one.action.name}
    fbx = FBX[writing.engine] | {"global_scale": writing.scale}
    export_models.write(path, one.action.name, deform_only=writing.deform_only, gltf=gltf, fbx=fbx)
    if not path.is_file():
        raise LoomError(f"{path.name}: Blender's exporter wrote no file")
    if path.suffix == ".glb" and writing.scale != 1.0:
        _scale_file(path, writing.scale)
    return _compare_file(context, armature, one, model_files.read(context, str(path)), path.name, writing)


def _write_all(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    tracks: Sequence[_Track],
    parts: Sequence[Path],
    path: Path,
    writing: Writing,
) -> list[str]:
    """Write one file with all actions: joined glTF files, or FBX with a strip each."""
    if path.suffix == ".glb":
        _join_files(parts, path)
    else:
        _play(context, armature, tracks, max(tracks, key=lambda one: one.last))
        if len({one.rate for one in tracks}) > 1:
            raise LoomError("The actions have several rates: choose 30 or 60 frames a second for one file")
        more = {"bake_anim_use_nla_strips": True} | FBX[writing.engine] | {"global_scale": writing.scale}
        with _in_a_row(tracks):
            worn_slots.rest(armature, [one.action for one in tracks])
            export_models.write(path, path.stem, deform_only=writing.deform_only, gltf={}, fbx=more)
        if not path.is_file():
            raise LoomError(f"{path.name}: Blender's exporter wrote no file")
    clips = {_stem(clip.name.rpartition("|")[2]): clip for clip in model_files.read(context, str(path))}
    if len(tracks) == 1:
        clips = {_stem(tracks[0].action.name): next(iter(clips.values()))}
    notes: list[str] = []
    if path.suffix != ".glb" and not FACES_TOGETHER and any(_faces(one) for one in tracks):
        notes.append(
            f"{path.name}: faces stay at rest, as Blender 5.0 would export them wrongly: write a file for each action"
        )
    for one in tracks:
        if _stem(one.action.name) not in clips:
            raise LoomError(f"{path.name}: {one.action.name} was not read back: nothing was kept")
        _play(context, armature, tracks, one)
        notes += _compare_file(context, armature, one, [clips[_stem(one.action.name)]], path.name, writing)
    return notes


@contextmanager
def _in_a_row(tracks: Sequence[_Track]) -> Iterator[None]:
    """Play all tracks, one after the other, each with its shape keys.

    Blender writes an animation for each strip of an object, and evaluates everything else as it plays in these frames.
    """
    start = 0.0
    for one in tracks:
        one.track.mute = False
        _start(one, start, "NOTHING")
        start += one.last + 1.0
    try:
        yield
    finally:
        for one in tracks:
            _start(one, 0.0, "HOLD")


def _faces(one: _Track) -> list[bpy.types.NlaTrack]:
    return [track for track in one.worn if isinstance(track.id_data, bpy.types.Key)]


def _start(one: _Track, frame: float, faces: Literal["NOTHING", "HOLD"]) -> None:
    """Let the strips of a track begin at a frame; faces : extrapolation of its shape keys."""
    keys = [track for track in _faces(one) if FACES_TOGETHER]
    for track in one.worn:
        track.mute = track not in keys  # a strip of another object would be an animation of its own
    for track in (one.track, *keys):
        strip = track.strips[0]
        strip.frame_end = max(strip.frame_end, frame + one.last)  # no strip may end before it starts
        strip.frame_start = frame
        strip.frame_end = frame + one.last
        if track != one.track:
            strip.extrapolation = faces


def _stem(name: str) -> str:
    """Return a name without the number that Blender adds to duplicates, which also happens when a file is read back."""
    return re.sub(r"\.\d{3}$", "", name)


def _compare_file(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    one: _Track,
    clips: list[Any],
    name: str,
    writing: Writing,
) -> list[str]:
    """Return messages on an exported action that was read back; raises LoomError if it differs."""
    frames: Array = np.arange(0.0, one.last + 1.0)
    metres = scene_of(context).unit_settings.scale_length if name.endswith(".fbx") else 1.0
    shown = export_models.evaluate_heads(context, armature, frames, metres * writing.scale)
    return export_models.check_file(clips, name, one.last / one.rate, shown, armature)


# --- glTF files ------------------------------------------------------------------------------------------------------


def _parts_of(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return the JSON and the bytes of a .glb file."""
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    start = 20 + length + 8
    return json.loads(data[20 : 20 + length]), data[start : start + struct.unpack_from("<I", data, 20 + length)[0]]


def _put(path: Path, content: dict[str, Any], binary: bytes) -> None:
    content["buffers"][0]["byteLength"] = len(binary)
    text = json.dumps(content, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary))
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    files.write(path, head + chunks)


def _join_files(parts: Sequence[Path], path: Path) -> None:
    """Join files that differ only in their animations: all animations, and everything else from the first file."""
    content, binary = _parts_of(parts[0])
    for part in parts[1:]:
        other, more = _parts_of(part)
        if len(other["nodes"]) != len(content["nodes"]):
            raise LoomError(f"{path.name}: the actions move different nodes: export a file each")
        moved: dict[int, int] = {}  # indices of its accessors in the new file
        for sampler in (one for animation in other["animations"] for one in animation["samplers"]):
            for end in ("input", "output"):
                if sampler[end] not in moved:
                    accessor = other["accessors"][sampler[end]]
                    view = other["bufferViews"][accessor["bufferView"]]
                    start = view.get("byteOffset", 0)
                    binary += b"\0" * (-len(binary) % 4)
                    content["bufferViews"].append(view | {"byteOffset": len(binary)})
                    content["accessors"].append(accessor | {"bufferView": len(content["bufferViews"]) - 1})
                    binary += more[start : start + view["byteLength"]]
                    moved[sampler[end]] = len(content["accessors"]) - 1
                sampler[end] = moved[sampler[end]]
        content["animations"] += other["animations"]
    _put(path, content, binary)


def _scale_file(path: Path, factor: float) -> None:
    """Parent everything in a file to a node that scales it."""
    content, binary = _parts_of(path)
    scene = content["scenes"][content.get("scene", 0)]
    content["nodes"].append({"name": "Scale", "scale": [factor] * 3, "children": scene["nodes"]})
    scene["nodes"] = [len(content["nodes"]) - 1]
    _put(path, content, binary)
