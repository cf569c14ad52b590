"""Find a moment in a registration's picture: its place, the corresponding frames, and both bodies' poses.

No Blender data is needed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....core.motion import kinematics, root_motion
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ....core.motion.skeleton import Skeleton
from ....core.sync import alignment
from ....core.sync.registration_curve import Registration
from ....core.weave.preprocess import PreparedClips
from ...bitmaps import match_bitmap
from ...bitmaps.match_bitmap import Layout, Match

REFERENCE, OTHER = 0, 1  # sides of a registration: across and up


@dataclass(frozen=True)
class Playhead:
    """A moment of the reference and of the other clip.

    cells : its place in the matrix, across and up
    frames : scene frames of both clips
    beyond : whether the requested frame corresponds to none; this is then the nearest one that does
    """

    cells: tuple[float, float]
    frames: tuple[float, float]
    beyond: bool = False


def at_frame(match: Match, frame: float, side: int = REFERENCE) -> Playhead:
    """Return the moment at a scene frame of one side; cycles repeat for ever."""
    axes, known, other = (match.across, match.up), match.curve[:, side], match.curve[:, 1 - side]
    cell = (frame - axes[side].first) / axes[side].step
    if match.cyclic:
        inside = known[0] + (cell - known[0]) % (known[-1] - known[0])
    else:
        inside = min(max(cell, known[0]), known[-1])
    found = [float(inside), float(np.interp(inside, known, other))]
    if match.cyclic:
        # A curve that began in the middle of the other's cycle wraps to its start.
        counts = axes[side].count, axes[1 - side].count
        found = [at % count for at, count in zip(found, counts, strict=True)]
    cells = (found[0], found[1]) if side == REFERENCE else (found[1], found[0])
    first, second = (axis.first + axis.step * at for axis, at in zip(axes, cells, strict=True))
    return Playhead(cells, (first, second), not match.cyclic and abs(inside - cell) > 0.5)


def pixel_of(layout: Layout, cells: tuple[float, float]) -> tuple[float, float]:
    """Return the pixels of matrix cells in a picture with axes."""
    (across, up), (wide, high) = cells, layout.scale
    return layout.left + (across + 0.5) * wide, layout.bottom + (up + 0.5) * high


def at_pixel(match: Match, layout: Layout, x: float) -> Playhead:
    """Return the moment at a pixel across a picture with axes, clamped to the plot's ends."""
    cell = min(max((x - layout.left) / layout.scale[0] - 0.5, 0.0), match.across.count - 1.0)
    return at_frame(match, match.across.first + match.across.step * cell)


def in_plot(layout: Layout, match: Match, x: float, y: float) -> bool:
    """Return whether a pixel of a picture with axes is in the plot."""
    right = layout.left + match.across.count * layout.scale[0]
    top = layout.bottom + match.up.count * layout.scale[1]
    return layout.left <= x < right and layout.bottom <= y < top


@dataclass(frozen=True, eq=False)
class SideView:
    """A body seen from its right: points (F, P, 3) ahead of its place, left of it, and above the ground, metres.

    lines (L, 2) : pairs of joined points
    weights (P,) : weight of each point in comparisons of point clouds
    """

    points: Array
    lines: NDArray[np.int64]
    weights: Array

    def at(self, frame: float) -> Array:
        """Return the line ends (L, 2, 2) at a frame of the clip, clamped to its ends."""
        return self.seen(self.cloud(frame))

    def cloud(self, frame: float) -> Array:
        """Return the points (P, 3) at a frame of the clip, clamped to its ends."""
        place = min(max(frame, 0.0), len(self.points) - 1.0)
        here = min(int(place), max(len(self.points) - 2, 0))
        before, after = self.points[here], self.points[min(here + 1, len(self.points) - 1)]
        return np.asarray(before + (place - here) * (after - before))

    def seen(self, cloud: Array) -> Array:
        """Return the line ends (L, 2, 2) of points (P, 3), ahead and above."""
        return np.asarray(cloud[:, [0, 2]][self.lines])


def side_view(clip: Clip) -> SideView:
    """Return a clip's body from the side, without its travel and heading."""
    points = kinematics.points(clip)
    ground, facing = root_motion.ground_frames(clip)
    local = (points[..., 0] + 1j * points[..., 1] - (ground[:, :1] + 1j * ground[:, 1:])) * np.exp(-1j * facing)[
        :, None
    ]
    view = np.stack([local.imag, -local.real, points[..., 2]], axis=-1)
    return SideView(view, body_lines(clip.skeleton), clip.skeleton.point_weights)


def laid_over(cloud: Array, other: Array, weights: Array) -> Array:
    """Return another cloud (P, 3) after the best turn and shift on the ground towards a cloud (P, 3)."""
    ground, moved = (each[:, 0] + 1j * each[:, 1] for each in (cloud, other))
    best = alignment.align(ground[None], moved[None], weights)
    there = np.exp(1j * best.turn) * moved + best.shift
    return np.stack([there.real, there.imag, other[:, 2]], axis=-1)


def body_lines(skeleton: Skeleton) -> NDArray[np.int64]:
    """Return pairs (L, 2) of joined points: each joint with its parent, and with its tip."""
    hanging = [(int(above), joint) for joint, above in enumerate(skeleton.bearers) if above >= 0]
    tips = [(int(joint), len(skeleton) + k) for k, joint in enumerate(skeleton.tipped) if skeleton.body[joint]]
    return np.array(hanging + tips, dtype=np.int64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Stage:
    """The playhead data of one picture.

    every : clip frames in a cell of the matrix
    """

    match: Match
    layout: Layout
    bodies: tuple[SideView, SideView]
    every: int

    def poses(self, now: Playhead, *, aligned: bool) -> tuple[Array, Array]:
        """Return the line ends (L, 2, 2) of both bodies at a moment; aligned: the other one laid over the reference."""
        one, other = (body.cloud(at * self.every) for body, at in zip(self.bodies, now.cells, strict=True))
        if aligned:
            other = laid_over(one, other, self.bodies[REFERENCE].weights)
        return self.bodies[REFERENCE].seen(one), self.bodies[OTHER].seen(other)

    @property
    def reach(self) -> tuple[float, float, float, float]:
        """The bodies' extent over all frames: least and most ahead, least and most above, metres."""
        every = np.concatenate([body.points[:, np.unique(body.lines)].reshape(-1, 3) for body in self.bodies])
        (left, _, low), (right, _, high) = every.min(axis=0), every.max(axis=0)
        return float(left), float(right), float(low), float(high)


def stage_of(prepared: PreparedClips, registered: Registration, which: int, starts: tuple[float, ...]) -> Stage:
    """Return the playhead data of a clip and the reference; `starts` are the clips' first scene frames."""
    match = match_bitmap.match_of(prepared, registered, which, starts)
    bodies = side_view(prepared.clips[registered.reference]), side_view(prepared.clips[which])
    return Stage(match, match_bitmap.layout_of(match), bodies, registered.curves[which].every)
