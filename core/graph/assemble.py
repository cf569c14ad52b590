"""Assemble a walk through a graph into a clip: concatenate edges and blend transitions (methods: Motion graph)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import quat, root_motion
from ..motion.clip import Channel, Clip, join_clips
from ..motion.quat import Array
from . import climbs, edge_table, posture
from .motion_graph import Indices, MotionGraph


@dataclass(frozen=True)
class WalkPiece:
    """A piece of a walk: frames first … last of a clip, or a transition that starts at `first`.

    edge : the transition, −1 for a stretch of a clip
    bend : additional turn of the root path, radians a metre
    """

    clip: int
    first: int
    last: int
    edge: int = -1
    bend: float = 0.0


@dataclass(frozen=True, eq=False)
class Origin:
    """The sources of the frames (F,) of a walk: a frame of a clip, in transitions blended with a frame of another.

    other, edge : the other clip and the transition, −1 outside transitions
    bend : radians a metre
    piece : index of the walk's piece to which a frame belongs
    """

    clip: Indices
    frame: Indices
    other: Indices
    other_frame: Indices
    share: Array
    edge: Indices
    bend: Array
    piece: Indices

    def cut(self, end: int | None) -> "Origin":
        return Origin(**{name: values[:end] for name, values in vars(self).items()})


@dataclass(frozen=True, eq=False)
class AssembledWalk:
    """A walk as a clip, the sources of its frames, and its smoothed root path.

    places (F,) : x + iy, metres; facing (F,) : radians
    climbed (F,) : height of the ground under it, metres
    """

    clip: Clip
    origin: Origin
    places: NDArray[np.complex128]
    facing: Array
    climbed: Array

    def cut(self, end: int | None) -> "AssembledWalk":
        """Return the frames before `end`."""
        clip = self.clip.cut(0, len(self.clip) if end is None else end)
        return AssembledWalk(clip, self.origin.cut(end), self.places[:end], self.facing[:end], self.climbed[:end])


def of_one_clip(walked: AssembledWalk) -> bool:
    """Return whether a walk is an unchanged stretch of one clip, without transitions and bends.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import assemble, build
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> walk = assemble.assemble(graph, [assemble.WalkPiece(0, 10, 40)])
        >>> len(walk.clip), assemble.of_one_clip(walk)
        (31, True)
    """
    origin = walked.origin
    return len(set(origin.piece.tolist())) == 1 and not (origin.other >= 0).any() and not origin.bend.any()


def pieces(graph: MotionGraph, edges: Sequence[int] | Indices, bends: Sequence[float] | Array) -> list[WalkPiece]:
    """Return a walk over edges as pieces; successive edges of one clip with the same bend are merged.

    bends : radians a metre, of each edge

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import assemble, build
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> edges = np.flatnonzero(~graph.crosses)[:3]
        >>> len(assemble.pieces(graph, edges, [0.0, 0.0, 0.0])), len(assemble.pieces(graph, edges, [0.0, 0.0, 0.1]))
        (1, 2)
    """
    walk: list[WalkPiece] = []
    for edge, bend in zip(edges, bends, strict=True):
        start, end = graph.start[edge], graph.end[edge]
        clip, first = int(graph.clip[start]), int(graph.frame[start])
        if graph.crosses[edge]:
            walk.append(WalkPiece(clip, first, first + 2 * graph.half, int(edge), float(bend)))
        elif walk and walk[-1].edge < 0 and (walk[-1].clip, walk[-1].last, walk[-1].bend) == (clip, first, bend):
            walk[-1] = replace(walk[-1], last=int(graph.frame[end]))
        else:
            walk.append(WalkPiece(clip, first, int(graph.frame[end]), -1, float(bend)))
    return walk


def assemble(
    graph: MotionGraph, walk: Sequence[WalkPiece], place: complex = 0j, facing: float = 0.0, height: float = 0.0
) -> AssembledWalk:
    """Return a walk as a clip that starts at a place (x + iy) on the ground, with a facing (radians), at a height.

    Place and facing refer to the smoothed root path.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import assemble, build
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> walk = assemble.assemble(graph, [assemble.WalkPiece(0, 0, 64)], place=2.0 + 1.0j, facing=0.0)
        >>> walk.places[[0, -1]].round(1).tolist()  # facing 0 is +y
        [(2+1j), (2+3.8j)]
    """
    parts = [_path_of(graph, piece, number) for number, piece in enumerate(walk)]
    turns, shifts, places, faced, climbed = [], [], [], [], []
    for k, part in enumerate(parts):
        rest = slice(0 if k == 0 else 1, None)  # the first frame repeats the last one of the previous piece
        turn = facing - part.facing[0] + part.turned
        shift = place + np.exp(1j * (facing - part.facing[0])) * (part.bent - part.places[0])
        shift -= np.exp(1j * turn) * part.places
        turns.append(turn[rest])
        shifts.append(shift[rest])
        places.append((np.exp(1j * turn) * part.places + shift)[rest])
        faced.append((part.facing + turn)[rest])
        climbed.append((height + part.climbed - part.climbed[0])[rest])
        place, facing = complex(places[-1][-1]), float(faced[-1][-1])
        height += float(part.climbed[-1] - part.climbed[0])
    origins = [vars(part.origin) for part in parts]
    origin = Origin(
        **{
            name: np.concatenate([values[name][0 if k == 0 else 1 :] for k, values in enumerate(origins)])
            for name in origins[0]
        }
    )
    higher = np.concatenate(climbed)
    clip = _place_frames(graph, origin, np.concatenate(turns), np.concatenate(shifts))
    clip = posture.ease_posture(graph, clip, origin.edge, origin.frame)
    clip = climbs.lift_frames(clip, higher) if higher.any() else clip
    return AssembledWalk(clip, origin, np.concatenate(places), np.concatenate(faced), higher)


@dataclass(frozen=True, eq=False)
class _PiecePath:
    """The root path of a piece in its clip: original, bent, and the turn from bending; and the ground's height."""

    origin: Origin
    places: NDArray[np.complex128]
    facing: Array
    bent: NDArray[np.complex128]
    turned: Array
    climbed: Array


def _path_of(graph: MotionGraph, piece: WalkPiece, number: int) -> _PiecePath:
    """Return the root path of piece number `number` of a walk."""
    frames = np.arange(piece.first, piece.last + 1)
    other, other_frame, share = np.full(len(frames), -1), np.zeros(len(frames), dtype=np.int64), np.zeros(len(frames))
    if piece.edge < 0:
        rows = graph.tracks.firsts[piece.clip] + frames
        places, facing, climbed = (
            each[rows] for each in (graph.tracks.ground, graph.tracks.facing, graph.tracks.climbed)
        )
    else:
        end = graph.end[piece.edge]
        places, facing, climbed = (each[0] for each in edge_table.crossing(graph, np.array([piece.edge])))
        other = np.full(len(frames), graph.clip[end])
        other_frame = graph.frame[end] - 2 * graph.half + np.arange(len(frames))
        share = edge_table.fade(2 * graph.half)
    bent, turned = edge_table.bend_path(places, piece.bend)
    origin = Origin(
        np.full(len(frames), piece.clip), frames, other, other_frame, share, np.full(len(frames), piece.edge),
        np.full(len(frames), piece.bend), np.full(len(frames), number),
    )  # fmt: skip
    return _PiecePath(origin, places, facing, bent, turned, climbed)


def _place_frames(graph: MotionGraph, origin: Origin, turn: Array, shift: NDArray[np.complex128]) -> Clip:
    """Return the clip of these frames, each turned and shifted on the ground."""
    clips = unify_channels(graph.clips)
    clip = root_motion.place_clip(_take_frames(clips, origin.clip, origin.frame), turn, _plane(shift))
    mixed = np.flatnonzero(origin.share > 0.0)
    if len(mixed) == 0:
        return clip
    edges = origin.edge[mixed]
    other_turn = turn[mixed] + graph.turn[edges]
    other_shift = np.exp(1j * turn[mixed]) * graph.shift[edges] + shift[mixed]
    other = _take_frames(clips, origin.other[mixed], origin.other_frame[mixed])
    other = root_motion.place_clip(other, other_turn, _plane(other_shift))
    return blend_frames(clip, other, mixed, origin.share[mixed])


def blend_frames(clip: Clip, other: Clip, rows: Indices, share: Array) -> Clip:
    """Return the clip with some of its frames (M,) blended by a share (M,) into frames (M,) of another.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import assemble
        >>> walk, rows = actions.walk(), np.array([3])
        >>> made = assemble.blend_frames(walk, walk.take_frames(rows), rows, np.array([0.5]))
        >>> bool(np.allclose(made.rotations, walk.rotations))
        True
    """
    part = share[:, None, None]
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    apart = quat.log(quat.mul(quat.inv(rotations[rows]), other.rotations))
    rotations[rows] = quat.mul(rotations[rows], quat.exp(part * apart))
    translations[rows] += part * (other.translations - translations[rows])
    scales = clip.scales
    if scales is not None and other.scales is not None:
        scales = scales.copy()
        scales[rows] += part * (other.scales - scales[rows])
    channels = {}
    for name, channel in clip.channels.items():
        values, theirs = channel.values.copy(), other.channels[name].values
        values[rows] += (share >= 0.5 if channel.discrete else share) * (theirs - values[rows])
        channels[name] = Channel(values, channel.discrete)
    return replace(clip, rotations=rotations, translations=translations, scales=scales, channels=channels)


def unify_channels(clips: Sequence[Clip]) -> list[Clip]:
    """Return the clips with only their common channels, and with scales if any has them.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import assemble
        >>> len(assemble.unify_channels([actions.walk(), actions.wave()]))
        2
    """
    names = [name for name in clips[0].channels if all(name in clip.channels for clip in clips)]
    scaled = any(clip.scales is not None for clip in clips)
    return [
        replace(
            clip,
            channels={name: clip.channels[name] for name in names},
            scales=np.ones_like(clip.translations) if scaled and clip.scales is None else clip.scales,
        )
        for clip in clips
    ]


def _take_frames(clips: Sequence[Clip], clip: Indices, frame: Indices) -> Clip:
    """Return frames (F,) of clips (F,) as one clip; only these frames are copied, since graphs can be large."""
    used = np.unique(clip)
    parts = join_clips([clips[k].take_frames(frame[clip == k]) for k in used])
    order = np.argsort(clip, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return parts.take_frames(place)


def _plane(places: NDArray[np.complex128]) -> Array:
    return np.column_stack([places.real, places.imag])
