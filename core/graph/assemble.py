"""From a walk through a graph to a clip: its edges one after the other, blended where they are transitions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import quat, root_motion
from ..motion.clip import Channel, Clip, joined
from ..motion.quat import Array
from . import climbs, edge_table
from .motion_graph import Indices, MotionGraph


@dataclass(frozen=True)
class WalkPiece:
    """A stretch of a walk: frames first … last of a clip, or an edge that is a transition, which begins at `first`.

    edge : −1 for a stretch of a clip; bend : radians a metre that the root path turns further
    """

    clip: int
    first: int
    last: int
    edge: int = -1
    bend: float = 0.0


@dataclass(frozen=True, eq=False)
class Origin:
    """What the frames (F,) of a walk are made of: a frame of a clip, and in a transition a share of another's.

    other is −1 outside transitions; edge is that of the transition, else −1; bend : radians a metre
    piece : which of the walk's pieces a frame belongs to
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
    """A walk as a clip, what its frames are made of, and its smoothed root path: places (F,) x + iy, facing (F,).

    climbed (F,) : how high the ground is under it
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
    """Say whether a walk is a stretch of one clip as it is: without transitions, and without bends."""
    origin = walked.origin
    return len(set(origin.piece.tolist())) == 1 and not (origin.other >= 0).any() and not origin.bend.any()


def pieces(graph: MotionGraph, edges: Sequence[int] | Indices, bends: Sequence[float] | Array) -> list[WalkPiece]:
    """Return a walk over edges as pieces; edges of one clip with one bend, one after the other, are one piece."""
    found: list[WalkPiece] = []
    for edge, bend in zip(edges, bends, strict=True):
        start, end = graph.start[edge], graph.end[edge]
        clip, first = int(graph.clip[start]), int(graph.frame[start])
        if graph.crosses[edge]:
            found.append(WalkPiece(clip, first, first + 2 * graph.half, int(edge), float(bend)))
        elif found and found[-1].edge < 0 and (found[-1].clip, found[-1].last, found[-1].bend) == (clip, first, bend):
            found[-1] = replace(found[-1], last=int(graph.frame[end]))
        else:
            found.append(WalkPiece(clip, first, int(graph.frame[end]), -1, float(bend)))
    return found


def assemble(
    graph: MotionGraph, walk: Sequence[WalkPiece], place: complex = 0j, facing: float = 0.0, height: float = 0.0
) -> AssembledWalk:
    """Return a walk as a clip that begins at a place (x + iy) on the ground, facing a way (radians), at a height.

    Places and facings are those of the smoothed root path.
    """
    parts = [_led(graph, piece, number) for number, piece in enumerate(walk)]
    turns, shifts, places, faced, climbed = [], [], [], [], []
    for k, part in enumerate(parts):
        rest = slice(0 if k == 0 else 1, None)  # the first frame is the last one of the piece before
        turn = facing - part.facing[0] + part.turned
        shift = place + np.exp(1j * (facing - part.facing[0])) * (part.led - part.places[0])
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
            name: np.concatenate([one[name][0 if k == 0 else 1 :] for k, one in enumerate(origins)])
            for name in origins[0]
        }
    )
    higher = np.concatenate(climbed)
    clip = _posed(graph, origin, np.concatenate(turns), np.concatenate(shifts))
    clip = climbs.lifted(clip, higher) if higher.any() else clip
    return AssembledWalk(clip, origin, np.concatenate(places), np.concatenate(faced), higher)


@dataclass(frozen=True, eq=False)
class _Led:
    """A piece on the ground of its clip: its root path, the same bent, how far that has turned; its ground's height."""

    origin: Origin
    places: NDArray[np.complex128]
    facing: Array
    led: NDArray[np.complex128]
    turned: Array
    climbed: Array


def _led(graph: MotionGraph, piece: WalkPiece, number: int) -> _Led:
    frames = np.arange(piece.first, piece.last + 1)
    other, other_frame, share = np.full(len(frames), -1), np.zeros(len(frames), dtype=np.int64), np.zeros(len(frames))
    if piece.edge < 0:
        rows = graph.tracks.firsts[piece.clip] + frames
        places, facing, climbed = (
            each[rows] for each in (graph.tracks.ground, graph.tracks.facing, graph.tracks.climbed)
        )
    else:
        end = graph.end[piece.edge]
        places, facing, climbed = (one[0] for one in edge_table.crossing(graph, np.array([piece.edge])))
        other = np.full(len(frames), graph.clip[end])
        other_frame = graph.frame[end] - 2 * graph.half + np.arange(len(frames))
        share = edge_table.fade(2 * graph.half)
    led, turned = edge_table.bent(places, piece.bend)
    origin = Origin(
        np.full(len(frames), piece.clip), frames, other, other_frame, share, np.full(len(frames), piece.edge),
        np.full(len(frames), piece.bend), np.full(len(frames), number),
    )  # fmt: skip
    return _Led(origin, places, facing, led, turned, climbed)


def _posed(graph: MotionGraph, origin: Origin, turn: Array, shift: NDArray[np.complex128]) -> Clip:
    """The clip of these frames, each turned and moved on the ground."""
    clips = _alike(graph.clips)
    one = root_motion.placed(_taken(clips, origin.clip, origin.frame), turn, _plane(shift))
    mixed = np.flatnonzero(origin.share > 0.0)
    if len(mixed) == 0:
        return one
    edges = origin.edge[mixed]
    there = turn[mixed] + graph.turn[edges]
    moved = np.exp(1j * turn[mixed]) * graph.shift[edges] + shift[mixed]
    other = _taken(clips, origin.other[mixed], origin.other_frame[mixed])
    other = root_motion.placed(other, there, _plane(moved))
    return _blended(one, other, mixed, origin.share[mixed])


def _blended(one: Clip, other: Clip, rows: Indices, share: Array) -> Clip:
    """The clip with some of its frames gone over, by their share (M,), into frames (M,) of another."""
    part = share[:, None, None]
    rotations, translations = one.rotations.copy(), one.translations.copy()
    apart = quat.log(quat.mul(quat.inv(rotations[rows]), other.rotations))
    rotations[rows] = quat.mul(rotations[rows], quat.exp(part * apart))
    translations[rows] += part * (other.translations - translations[rows])
    scales = one.scales
    if scales is not None and other.scales is not None:
        scales = scales.copy()
        scales[rows] += part * (other.scales - scales[rows])
    channels = {}
    for name, channel in one.channels.items():
        values, theirs = channel.values.copy(), other.channels[name].values
        values[rows] += (share >= 0.5 if channel.discrete else share) * (theirs - values[rows])
        channels[name] = Channel(values, channel.discrete)
    return replace(one, rotations=rotations, translations=translations, scales=scales, channels=channels)


def _alike(clips: Sequence[Clip]) -> list[Clip]:
    """The clips with the channels and scales that all of them have."""
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


def _taken(clips: Sequence[Clip], clip: Indices, frame: Indices) -> Clip:
    """Frames (F,) of clips (F,) as one clip. Large graphs are not copied: each clip gives its own only."""
    used = np.unique(clip)
    parts = joined([clips[k].taken(frame[clip == k]) for k in used])
    order = np.argsort(clip, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return parts.taken(place)


def _plane(places: NDArray[np.complex128]) -> Array:
    return np.column_stack([places.real, places.imag])
