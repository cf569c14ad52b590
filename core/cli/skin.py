"""action-loom skin: deform a mesh by a clip, from an OBJ file and its weights to OBJ files or arrays."""

import argparse
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ClipError, LoomError, OptionError
from ..formats import obj, weights
from ..formats.obj import ObjMesh
from ..formats.weights import Weights
from ..motion.clip import Clip
from ..motion.quat import Array
from ..options import Choice, Option, by_name
from ..skin import fit, playing
from ..skin.skin import Skin, skin
from . import common, cuts, outputs, reading, skin_files
from .host import Host
from .skin_files import FACES, MOVED, Surface

_RANGE = re.compile(r"([0-9]{1,9})(?::([0-9]{1,9})(?::([0-9]{1,9}))?)?")
OPTIONS = by_name(
    Option("frames", "", "Which frames, counted from 0: FIRST:LAST, FIRST:LAST:STEP or a single one (default: all)"),
    Option(
        "method",
        playing.LINEAR,
        "How bones are mixed: the usual way, or keeping the volume of twisted limbs",
        choices=(Choice(playing.LINEAR), Choice(playing.DUAL)),
    ),
    Option(
        "normals",
        MOVED,
        "Whether normals turn with the vertices, or are worked out from the faces of each frame",
        choices=(Choice(MOVED), Choice(FACES)),
    ),
    Option("bind", "", "The motion file in whose pose the mesh was made (default: the clip)"),
    Option("bind_frame", -1, "Which frame of it that pose is, counted from 0; -1: its rest pose", minimum=-1),
    Option(
        "scale",
        1.0,
        "What the mesh's lengths are to be multiplied by to be in the clip's unit: 100 for metres with centimetres",
        minimum=1e-5,
        maximum=1e5,
    ),
    Option("matrix", False, "The weights are a matrix: a line for each vertex, a number for each joint"),
) | dict(reading.MISSING)


def add_arguments(parser: argparse.ArgumentParser, _host: Host) -> None:
    parser.add_argument("clip", metavar="CLIP", help=f"a motion file; {cuts.HELP}")
    parser.add_argument("mesh", metavar="MESH.obj")
    parser.add_argument(
        "weights", metavar="WEIGHTS.txt", help="lines of: vertex (from 1), joint (name, or number from 0), weight"
    )
    common.add_options(parser, OPTIONS)
    common.add_common(parser)
    text = "all frames as arrays (.npz), OBJ files in a folder (FOLDER/), or a single frame (.obj)"
    parser.add_argument("-o", "--output", metavar="OUT.npz | FOLDER/", required=True, help=text)
    parser.set_defaults(run=run)


def run(_host: Host, arguments: argparse.Namespace) -> None:
    """Read clip, mesh and weights, and write the mesh of every requested frame."""
    began = time.perf_counter()
    settings = common.settings(OPTIONS, arguments)
    report = None if arguments.report is None else Path(arguments.report)
    with common.progress(arguments.quiet) as progress:
        progress.at(0.0, "Reading")
        # Files are used as written, without axis conversion, and a metre of the clip is a unit of the mesh.
        clip = _as_written(arguments.clip, settings)
        frames = _frames(settings["frames"], len(clip), arguments.clip)
        title = f"{Path(arguments.mesh).stem}_{clip.name}"
        destination = skin_files.destination(arguments.output, title, frames)
        inputs = [cuts.split(arguments.clip).clip, settings["skeleton"], arguments.mesh, arguments.weights]
        outputs.check([*destination.paths, report], arguments.force, destination.folders, inputs)
        mesh = obj.read(arguments.mesh)
        bound = _bind_mesh(arguments, settings, clip, mesh)
        poses = playing.play(
            bound.surface.points, bound.bind, clip.take_frames(frames), bound.joints, settings["method"]
        )
        rate = clip.rate / (int(frames[1] - frames[0]) if len(frames) > 1 else 1)
        facts = {"frames": frames, "rate": rate, "joints": np.array(clip.skeleton.names)}
        skin_files.write(destination, bound.surface, poses, facts, progress.part(0.1, 1.0), arguments.force)
    done = {
        "verb": "skin",
        **{name: getattr(arguments, name) for name in ("clip", "mesh", "weights", "output")},
        **settings,
        "frames": frames.tolist(),
        "rate": rate,
        "vertices": len(mesh.vertices),
        "faces": len(mesh.begins) - 1,
        "influences": bound.surface.points.most,
        "warnings": [*bound.notes, *destination.notes(mesh)],
        "seconds_taken": round(time.perf_counter() - began, 4),
    }
    if report is not None:
        outputs.write({report: outputs.as_json(done)}, arguments.force)
    if not arguments.quiet:
        print("\n".join(_lines(title, done)))


def _lines(title: str, report: Mapping[str, Any]) -> list[str]:
    count = len(report["frames"])
    return [
        f"{title}: {count} frame{'s' * (count != 1)} of {report['vertices']:,} vertices at {report['rate']:g} a second",
        f"  {report['method']}, at most {report['influences']} joints a vertex",
        *(f"  note: {note}" for note in report["warnings"]),
        f"  {report['seconds_taken']:.2f} s",
    ]


def _as_written(path: str, settings: Mapping[str, Any]) -> Clip:
    """Return the clip of a file, or a part of it, in the file's own axes and in the unit of the mesh."""
    file = reading.read(cuts.split(path).clip, repr(1.0 / settings["scale"]), "z", settings)
    return cuts.part_of(path, file.clip)


def _frames(text: str, count: int, path: str) -> NDArray[np.int64]:
    """Return the requested frames; raises OptionError, and ClipError for frames outside the clip."""
    if not text:
        return np.arange(count)
    found = _RANGE.fullmatch(text)
    first, last, step = (None if one is None else int(one) for one in found.groups()) if found else (None, None, None)
    if first is None or step == 0:
        raise OptionError(f"frames is {text!r}, but must be like 0:100, 0:100:2 or 12")
    last = first if last is None else last
    if first > last:
        raise OptionError(f"frames is {text!r}, but must not end before it begins")
    _check_frame(path, last, count)
    return np.arange(first, last + 1, step or 1)


def _check_frame(path: str, frame: int, count: int) -> None:
    if frame >= count:
        raise ClipError(f"{path}: there is no frame {frame}; it has {count}, from 0 to {count - 1}")


@dataclass(frozen=True, eq=False)
class _Bound:
    """A surface bound to bones: their matrices (B, 4, 4) in the bind pose, and their joints (B,) in the clip."""

    surface: Surface
    bind: Array
    joints: Sequence[int]
    notes: list[str]


def _bind_mesh(arguments: argparse.Namespace, settings: Mapping[str, Any], clip: Clip, mesh: ObjMesh) -> _Bound:
    path = settings["bind"] or arguments.clip
    bind = _as_written(path, settings) if settings["bind"] else clip
    names = bind.skeleton.names  # the weights belong to the skeleton of the bind pose
    given = weights.read(arguments.weights, names, len(mesh.vertices), matrix=settings["matrix"])
    used = np.unique(given.joints).tolist()
    if not used:
        raise LoomError(f"{arguments.weights}: no vertex has a weight")
    moving = [_place(clip, names[joint], arguments.clip) for joint in used]
    if settings["bind_frame"] < 0:
        matrices = playing.at_rest(bind.skeleton, used)
    else:
        _check_frame(path, settings["bind_frame"], len(bind))
        matrices = playing.in_frame(bind, settings["bind_frame"], used)
    surface = _skin(mesh, given, used, arguments.mesh)
    notes = fit.notes(surface, matrices, given.totals)
    if settings["bind"]:
        notes += fit.rest_notes(bind.skeleton, clip.skeleton, [names[joint] for joint in used])
    return _Bound(skin_files.surface(mesh, surface, settings["normals"]), matrices, moving, notes)


def _place(clip: Clip, name: str, path: str) -> int:
    if name not in clip.skeleton.names:
        raise LoomError(f"{path}: it has no joint {name!r}, which the mesh hangs on; take a clip of the same skeleton")
    return clip.skeleton.index(name)


def _skin(mesh: ObjMesh, given: Weights, used: Sequence[int], path: str) -> Skin:
    bones = np.searchsorted(used, given.joints)
    try:
        return skin(mesh.vertices, (given.first, bones, given.weights), (mesh.corners, mesh.begins))
    except ClipError as error:
        raise LoomError(f"{path}: {error}") from None
