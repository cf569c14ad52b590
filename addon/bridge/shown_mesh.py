"""Compare the evaluated mesh and bones of a written action with the armature's own actions."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.motion.quat import Array
from ...core.quality import kept_places, surface
from ...core.quality.kept_places import KeptPlace
from ...core.quality.surface import Difference, Extent
from ..ground import memory
from ..ground.blender_types import Slot, SlottedAction, present
from . import few_frames, fingerprint, mesh, own_poses, vertex_weights
from .rig import Rig
from .stage import bone_matrices, each_frame, on_stage, without_other_modifiers

SAMPLE, FEWEST = 32, 6  # frames of an action; fewer for larger meshes
LARGE = 100_000  # vertices of all meshes that are still evaluated on SAMPLE frames
MOST = 20_000  # vertices, and edges, of each mesh
OWN = 12  # own actions, and frames of each, that a clip of another body is compared with
SOURCES = 12  # of a result that are evaluated, and all others only if it has a fault beside these
_UNIT = "cm"
MOST_OFTEN = 0.7  # share of these frames in which a bone keeps its place: some action may throw the sword

Played = tuple[SlottedAction, Array]  # an action with its slot, and the scene frames (F,) that count
_known, _kept = memory.cache(128), memory.cache(32)


class Worn(NamedTuple):
    """The meshes that an armature moves, and which vertices and edges of them count.

    vertices : rows of each mesh; edges (E, 2) : pairs of all these rows together
    """

    objects: tuple[bpy.types.Object, ...]
    vertices: tuple[NDArray[np.int64], ...]
    edges: NDArray[np.int64]


class Shown(NamedTuple):
    """Mesh and bones of an action, evaluated on some frames.

    extent : of the mesh; axes (F, B, 3, 3), places (F, B, 3) : of all bones in the world, metres
    """

    extent: Extent
    axes: Array
    places: Array


def find_meshes(armature: bpy.types.Object) -> Worn:
    """Return the meshes moved by an armature: deformed ones, and ones parented to its bones."""
    drawn = [one for one in bpy.data.objects if one.type == "MESH" and one.users_scene]
    objects = [*mesh.skinned_objects(armature, drawn)]
    objects += [one for one in mesh.on_bones(armature, drawn) if one not in objects]
    objects.sort(key=lambda one: one.name_full)
    rows, edges, count = [], [np.empty((0, 2), dtype=np.int64)], 0
    for one in objects:
        data = one.data
        assert isinstance(data, bpy.types.Mesh)
        pairs = np.empty(2 * len(data.edges), dtype=np.int32)
        data.edges.foreach_get("vertices", pairs)
        pairs = pairs.reshape(-1, 2)[:: max(1, -(-len(data.edges) // MOST))]
        chosen = np.union1d(np.arange(0, len(data.vertices), max(1, -(-len(data.vertices) // MOST))), pairs)
        rows.append(chosen.astype(np.int64))
        edges.append(count + np.searchsorted(chosen, pairs))
        count += len(chosen)
    return Worn(tuple(objects), tuple(rows), np.concatenate(edges))


class Judge:
    """Compares evaluated actions of an armature, which do not change meanwhile.

    body : as the actions were read and written
    contents : hashes of actions with these slots when they were read, "" if unknown
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        armature: bpy.types.Object,
        body: Rig,
        contents: Iterable[tuple[SlottedAction, str]] = (),
    ) -> None:
        self._scene, self._armature, self._body = scene, armature, body
        self._worn = find_meshes(armature)
        vertices = sum(len(one.data.vertices) for one in self._worn.objects if isinstance(one.data, bpy.types.Mesh))
        self._count = max(FEWEST, min(SAMPLE, SAMPLE * LARGE // max(vertices, 1)))
        meshes = tuple(mesh.content(one) for one in self._worn.objects)
        self._about = armature.session_uid, fingerprint.of_body(body), meshes
        self._contents: dict[tuple[int, str], str] = {}
        self._read = {_identify(*one): content for one, content in contents}

    def sentences(
        self,
        written: Played,
        own: Sequence[Played] | None,
        floor: float | None = 0.0,
        known: Sequence[str] = (),
        also: Sequence[float] = (),
    ) -> list[str]:
        """Return a sentence for each fault of a written action that its sources do not have.

        own : the sources; None for a clip of another body, which is compared with the armature's own actions, including
            the floor height of the feet
        floor : metres by which the floor is higher than in the sources, None if unknown
        known : sentences already reported; the same fault is not repeated with another number
        also : scene frames to evaluate besides evenly spaced ones, such as one where a bone is lowest
        """
        if not sum(map(len, self._worn.vertices)):
            return []
        chosen = np.union1d(_choose_frames(written[1], self._count), also)
        shown = self._evaluate(written, chosen)
        frames = chosen.round().astype(int).tolist()
        said = self._compare(written, own and own[:SOURCES], shown, frames, floor)
        if said and own and len(own) > SOURCES:  # the others may have the same fault
            said = self._compare(written, own, shown, frames, floor)
        return [one for one in said if not (what := _what_of(one)) or what not in " ".join(known)]

    def _compare(
        self,
        written: Played,
        own: Sequence[Played] | None,
        shown: tuple[Array, Array, Array],
        frames: Sequence[int],
        floor: float | None,
    ) -> list[str]:
        """Return a sentence for each fault of an evaluated action (see `_evaluate`) compared with others."""
        others = [(one, _spread(one[0])) for one in self._others(written)] if own is None else []
        reference: Sequence[Played | None] = own or others or [None]
        extents = [self._evaluate_kept(one).extent for one in reference]
        if others:  # imported actions can scale the object, so that it plays them at another size
            rest = self._evaluate_kept(None).extent
            size = np.median(rest.lengths) if len(rest.lengths) else 0.0
            extents = [one for one in extents if not size or 0.5 < np.median(one.lengths) / size < 2.0] or [rest]
        extent = surface.join_extents(extents)
        places, axes, heads = shown
        action = written[0][0]
        found = surface.compare(places, self._worn.edges, extent)
        said = _of_mesh(action, found, frames, None if own is None else floor)
        kept = self._kept_places(own or others, extent, share=MOST_OFTEN if own is None else 1.0)
        gap = kept_places.largest_gap(kept, axes, heads, extent.height)
        if gap is not None:
            bones, frame, far = present(self._armature.pose).bones, frames[gap.frame], 100.0 * gap.metres
            name, on = bones[gap.joint].name, bones[gap.on].name
            said.append(f"{action.name}: {name} is {far:.0f} cm from its place on {on} at frame {frame}: look there")
        if own is None and abs(found.off_floor) > surface.OFF_FLOOR * found.height:
            off = 100.0 * abs(found.off_floor)
            over = f"{action.name}: the mesh is {off:.0f} cm over the floor"
            under = f"{action.name}: the mesh is {off:.0f} cm under the floor"
            said.append(over if found.off_floor > 0.0 else under)
        return said

    def _others(self, written: Played) -> Iterator[SlottedAction]:
        """Return some of the armature's own actions, without the written one."""
        own = own_poses.own_actions_and_slots(self._armature)
        return islice((one for one in own if one[0] != written[0][0] and np.isfinite(one[0].frame_range[:]).all()), OWN)

    def _kept_places(self, known: Sequence[Played], extent: Extent, *, share: float) -> list[KeptPlace]:
        if not known:
            return []
        names = {bone.name: k for k, bone in enumerate(present(self._armature.pose).bones)}
        parents = [names[bone.parent.name] if bone.parent else -1 for bone in present(self._armature.pose).bones]

        def find() -> list[KeptPlace]:
            drawn = {one.parent_bone for one in self._worn.objects}.union(*map(_groups, self._worn.objects))
            moves = np.array([name in drawn for name in names])
            shown = [self._evaluate_kept(one) for one in known]
            axes, heads = np.concatenate([one.axes for one in shown]), np.concatenate([one.places for one in shown])
            return kept_places.find_kept_places(axes, heads, np.array(parents), moves, extent.height, share=share)

        found: list[KeptPlace] = _kept.made((share, *map(self._key, known)), find)
        return found

    def _evaluate_kept(self, played: Played | None) -> Shown:
        """Return the evaluated mesh and bones of an action, or of the rest pose for None.

        The result is kept until the action or the body changes.
        """

        def look() -> Shown:
            places, axes, heads = self._evaluate(played)
            return Shown(surface.measure_extent(places, self._worn.edges), axes, heads)

        found: Shown = _known.made(self._key(played), look)
        return found

    def _key(self, played: Played | None) -> tuple[object, ...]:
        if played is None:
            return self._about, None
        (action, slot), frames = played
        at = _identify(action, slot)
        read = self._about, self._read.get(at), frames.tobytes()
        if read in _known:  # as it was when the result was made of it
            return read
        if at not in self._contents:
            self._contents[at] = fingerprint.fingerprint(action, slot)
        return self._about, self._contents[at], frames.tobytes()

    def _evaluate(self, played: Played | None, chosen: Array | None = None) -> tuple[Array, Array, Array]:
        """Return vertices (F, V, 3), and axes and places of bones, while an action plays; None is at rest.

        chosen (F,) : scene frames, by default evenly spaced
        """
        if played is None:
            return self._at((None, None), np.zeros(1))
        action, frames = played
        chosen = _choose_frames(frames, self._count) if chosen is None else chosen
        with few_frames.of(self._armature, action, chosen, len(frames)) as some:
            return self._at(some, chosen)

    def _at(self, played: SlottedAction | tuple[None, None], frames: Array) -> tuple[Array, Array, Array]:
        (action, slot), on, armature = played, self._worn, self._armature
        count = len(present(armature.pose).bones)
        places = np.empty((len(frames), sum(map(len, on.vertices)), 3), dtype=np.float32)
        matrices = np.empty((len(frames), count, 4, 4), dtype=np.float32)
        with on_stage(self._scene, armature, action, slot, self._body, on.objects) as (stage, copies):
            for one in on.objects:
                without_other_modifiers(copies[one], copies[armature])
            for k, now in enumerate(each_frame(stage, frames)):
                each = [_vertices(copies[one].evaluated_get(now)) for one in on.objects]
                np.concatenate([one[rows] for one, rows in zip(each, on.vertices, strict=True)], out=places[k])
                seen = copies[armature].evaluated_get(now)
                matrices[k] = np.array(seen.matrix_world) @ bone_matrices(seen)
        axes, metres = matrices[..., :3, :3], np.float32(self._body.world_metres)
        sizes = np.maximum(np.linalg.norm(axes, axis=-2, keepdims=True), 1e-12)
        return np.asarray(places * metres), axes / sizes, np.asarray(matrices[..., :3, 3] * metres)


def _identify(action: bpy.types.Action, slot: Slot) -> tuple[int, str]:
    return action.session_uid, "" if slot is None else slot.identifier


def _of_mesh(action: bpy.types.Action, found: Difference, frames: Sequence[int], floor: float | None) -> list[str]:
    """Return a sentence for each limit that the mesh exceeds; floor : see `sentences`, None ignores heights."""
    sinking, said = found.sinking + (floor or 0.0), []
    if floor is not None and sinking > surface.LOWER * found.height:
        low, frame = 100.0 * sinking, frames[found.sinking_at]
        said.append(f"{action.name}: the mesh is {low:.1f} cm lower than in the sources at frame {frame}")
    if found.stretching > surface.STRETCHED:
        times, frame = found.stretching, frames[found.stretching_at]
        said.append(f"{action.name}: the mesh is stretched {times:.1f} times at frame {frame}")
    return said


def _what_of(sentence: str) -> str:
    """Return the words of a sentence that follow its centimetres."""
    return " ".join(sentence.partition(f" {_UNIT} ")[2].split()[:4])


def _spread(action: bpy.types.Action) -> Array:
    first, last = action.frame_range[:]
    return np.linspace(first, last, OWN)


def _choose_frames(frames: Array, count: int) -> Array:
    """Return evenly spaced frames, in short actions also between whole ones, where dense keys may overshoot."""
    chosen = np.linspace(frames[0], frames[-1], count if len(frames) > 1 else 1)
    return chosen.round() if len(frames) >= few_frames.LONG else chosen


def _groups(drawn: bpy.types.Object) -> set[str]:
    data = drawn.data
    assert isinstance(data, bpy.types.Mesh)
    return vertex_weights.find_used_groups(drawn, data)


def _vertices(seen: bpy.types.Object) -> Array:
    data, matrix = seen.data, np.array(seen.matrix_world)
    assert isinstance(data, bpy.types.Mesh)
    return np.asarray(mesh.coordinates(data.vertices, "co") @ matrix[:3, :3].T + matrix[:3, 3])
