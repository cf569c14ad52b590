"""A motion graph as one file: its clips, nodes and edges, and its report (methods: Motion graph)."""

import io
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import files
from ..errors import GraphError, LoomError
from ..motion import frame_map
from ..motion.clip import Channel, Clip
from ..motion.frame_map import FrameMap, LeftOut
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import integrity
from .inputs import GraphInputs
from .motion_graph import MotionGraph

VERSION = 1
_ARRAYS = ("clip", "frame", "start", "end", "distance", "turn", "shift", "component")


def save(graph: MotionGraph, path: str | os.PathLike[str]) -> None:
    """Write a graph atomically; raises LoomError if it can't be written."""
    files.write(path, compose(graph))


def compose(graph: MotionGraph) -> bytes:
    """Return the contents of a graph's file, without mirror images, which are recreated on reading.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import build, storage
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> len(storage.compose(graph)) > 10_000  # bytes
        True
    """
    given = graph.clips[: graph.inputs.given]
    skeleton = given[0].skeleton
    about = {
        "version": VERSION,
        "name": graph.name,
        "half": graph.half,
        "rate": graph.rate,
        "names": list(skeleton.names),
        "roles": skeleton.roles,
        "leg_count": skeleton.leg_count,
        "legs": skeleton.legs,
        "clips": [_about(clip) for clip in given],
        "firsts": [frames.first for frames in graph.inputs.frame_maps],
        "scales": [frames.step for frames in graph.inputs.frame_maps],
        "cycles": [frames.cycle for frames in graph.inputs.frame_maps],
        "labels": list(graph.inputs.labels),
        "mirrored": graph.inputs.mirrored,
        "dropped": frame_map.as_report(graph.inputs.left_out),
        "climbs": bool(graph.inputs.grounds),
        "report": graph.report,
    }
    arrays: dict[str, Any] = {name: getattr(graph, name) for name in _ARRAYS}
    arrays |= {name: getattr(skeleton, name) for name in ("parents", "offsets", "orients", "tips")}
    moved = np.flatnonzero(np.any([np.abs(clip.translations).max(axis=(0, 2)) > 0.0 for clip in given], axis=0))
    arrays["moved"] = moved
    arrays["rotations"] = np.concatenate([clip.rotations for clip in given])
    arrays["translations"] = np.concatenate([clip.translations[:, moved] for clip in given])
    for k, ground in enumerate(graph.inputs.grounds):
        arrays[f"ground {k}"] = ground
    for k, clip in enumerate(given):
        if clip.scales is not None:
            arrays[f"scales {k}"] = clip.scales
        for n, channel in enumerate(clip.channels.values()):
            arrays[f"channel {k} {n}"] = channel.values
    arrays["about"] = np.frombuffer(json.dumps(about).encode("utf-8"), dtype=np.uint8)
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _about(clip: Clip) -> dict[str, Any]:
    """Return the description of a clip in a graph's file."""
    channels = [{"name": name, "discrete": channel.discrete} for name, channel in clip.channels.items()]
    return {"name": clip.name, "frames": len(clip), "scaled": clip.scales is not None, "channels": channels}


def load(path: str | os.PathLike[str]) -> MotionGraph:
    """Return a graph read from a file; raises LoomError with the file's name if it is unreadable or not a graph.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import build, storage
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     size = Path(folder, "walk.graph").write_bytes(storage.compose(graph))
        ...     again = storage.load(Path(folder, "walk.graph"))
        >>> bool((again.start == graph.start).all())
        True
    """
    try:
        content = files.read(path)
    except OSError as error:
        raise LoomError(f"{path}: can't be read ({error.strerror})") from None
    try:
        with np.load(files.open_archive(content), allow_pickle=False) as arrays:
            about = files.read_json(arrays["about"].tobytes())
            if about["version"] == VERSION:
                graph = _graph(about, files.read_numbers(arrays, planar="shift"))
                integrity.check(graph)
                return graph
    except GraphError as error:
        raise LoomError(f"{path}: this is no motion graph that can be walked through: {error}") from None
    except Exception:  # a broken or foreign file can raise anything in its readers
        raise LoomError(f"{path}: this is not a motion graph that Action Loom has made") from None
    raise LoomError(f"{path}: this graph was made by another version of Action Loom; build it again")


def _graph(about: dict[str, Any], arrays: Mapping[str, Any]) -> MotionGraph:
    """Return the graph of a file's description and arrays."""
    skeleton = Skeleton(
        tuple(about["names"]),
        arrays["parents"],
        arrays["offsets"],
        arrays["orients"],
        arrays["tips"],
        about["roles"],
        leg_count=about.get("leg_count", 0),
        legs={foot: tuple(joints) for foot, joints in about.get("legs", {}).items()},
    )
    ends = np.cumsum([0, *(clip["frames"] for clip in about["clips"])])
    rotations, moved = arrays["rotations"], arrays["moved"]
    if rotations.shape != (ends[-1], len(skeleton), 4):  # before more memory is taken than the file has
        raise ValueError
    if max(np.abs(skeleton.offsets).max(), np.abs(skeleton.tips).max()) > 1e6:  # metres, so squares stay finite
        raise ValueError
    translations = np.zeros((len(rotations), len(skeleton), 3))
    translations[:, moved] = arrays["translations"]
    given = [
        _clip(clip, k, about["rate"], skeleton, rotations[first:last], translations[first:last], arrays)
        for k, (clip, first, last) in enumerate(zip(about["clips"], ends[:-1], ends[1:], strict=True))
    ]
    ready = GraphInputs(
        tuple(given),
        tuple(
            FrameMap(first, step, cycle)
            for first, step, cycle in zip(
                about["firsts"], about["scales"], about.get("cycles", len(given) * [0]), strict=True
            )
        ),
        tuple(about["labels"]),
        len(given),
        tuple(LeftOut(**entry) for entry in about["dropped"]),
        grounds=tuple(arrays[f"ground {k}"] for k in range(len(given))) if about.get("climbs") else (),
    )
    return MotionGraph(
        name=about["name"],
        inputs=ready.with_images() if about["mirrored"] else ready,
        half=about["half"],
        report=about["report"],
        **{name: arrays[name] for name in _ARRAYS},
    )


def _clip(
    about: dict[str, Any], k: int, rate: float, skeleton: Skeleton, rotations: Array, translations: Array,
    arrays: Mapping[str, Any],
) -> Clip:  # fmt: skip
    """Return clip `k` of a graph's file by its description."""
    channels = {
        channel["name"]: Channel(arrays[f"channel {k} {n}"], channel["discrete"])
        for n, channel in enumerate(about["channels"])
    }
    scales = arrays[f"scales {k}"] if about["scaled"] else None
    return Clip(about["name"], skeleton, rate, rotations, translations, scales, channels)
