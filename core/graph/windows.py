"""Windows of motion as rows of numbers whose distance, after the best turn and shift, is two products.

Method: Motion graph.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..check import contacts
from ..motion.feet import Footing
from ..motion.quat import Array
from ..sync.alignment import Clouds
from . import inputs
from .inputs import GraphInputs

SAMPLES = 11  # of a window; against all of its 41 frames the distance is 0.999 correlated
ANALYSIS_RATE = 30.0


@dataclass(frozen=True, eq=False)
class Bodies:
    """The weighted points of all clips, one clip after the other, and where each begins.

    ground (F, P) : x + iy; heights (F, P); firsts (N + 1,) : first frame of each clip, and the end of the last
    half : frames of half a window; samples (K,) : the frames of a window about its middle that are compared
    step : frames from window to window
    roots (P,) : of the points' weights, which the points are multiplied by
    feet : where the balls of the feet are, and stand, in all frames (F, S)
    """

    ground: NDArray[np.complex128]
    heights: Array
    firsts: NDArray[np.int64]
    roots: Array
    half: int
    samples: NDArray[np.int64]
    step: int
    rate: float
    feet: Footing

    def frames(self, clip: int) -> NDArray[np.int64]:
        """Return the middles of the windows of a clip that are compared at first."""
        return np.arange(self.half, self.firsts[clip + 1] - self.firsts[clip] - self.half, self.step)


@dataclass(frozen=True, eq=False)
class Windows(Clouds):
    """The windows (R,) of some clips, and where they are.

    speed (R,) : mean speed of the points, m/s
    clip, frame (R,) : where it is; clip −1 is none, between those of one clip and of the next
    """

    speed: NDArray[np.float32]
    clip: NDArray[np.int64]
    frame: NDArray[np.int64]


def bodies(ready: GraphInputs, transition: float) -> Bodies:
    """Return the points of all clips; transition : seconds that windows, and transitions, are long."""
    points = [inputs.points(clip) for clip in ready.clips]
    skeleton, rate = ready.clips[0].skeleton, ready.clips[0].rate
    roots = np.sqrt(skeleton.point_weights[skeleton.point_weights > 0.0])
    half = max(1, round(0.5 * transition * rate))
    every = np.concatenate(points)
    feet = [contacts.footing(clip) for clip in ready.clips]
    return Bodies(
        every[..., 0] + 1j * every[..., 1],
        # Less the mean pose, which all share: fewer digits are lost in float32.
        np.ascontiguousarray(every[..., 2] - every[..., 2].mean(axis=0)),
        np.cumsum([0, *(len(one) for one in points)]),
        roots,
        half,
        np.unique(np.round(np.linspace(-half, half, SAMPLES)).astype(np.int64)),
        max(1, round(rate / ANALYSIS_RATE)),
        rate,
        Footing(np.concatenate([one.balls for one in feet]), np.concatenate([one.stands for one in feet])),
    )


def windows_of(body: Bodies, clips: range) -> Windows:
    """Return the windows of some clips that are compared at first, with a row of none after each clip."""
    clip, frame = [], []
    for k in clips:
        frames = body.frames(k)
        clip.append(np.append(np.full(len(frames), k), -1))
        frame.append(np.append(frames, 0))
    at_clip, at_frame = np.concatenate(clip), np.concatenate(frame)
    ground, heights = _clouds(body, np.maximum(at_clip, 0), np.where(at_clip < 0, body.half, at_frame))
    square = (ground.real**2 + ground.imag**2).sum(axis=1) + (heights**2).sum(axis=1)
    square[at_clip < 0] = np.inf
    return Windows(
        ground.astype(np.complex64),
        heights.astype(np.float32),
        square.astype(np.float32),
        speed(body, at_clip, at_frame),
        at_clip,
        at_frame,
    )


def _clouds(body: Bodies, clip: NDArray[np.int64], frame: NDArray[np.int64]) -> tuple[NDArray[np.complex128], Array]:
    """Windows in these frames of these clips as rows (R, K·P) on the ground, about their means, and of heights.

    Sums of products of rows are means over the window.
    """
    rows = rows_of(body, clip, frame)
    count, scale = len(rows), 1.0 / np.sqrt(len(body.samples))
    ground = body.ground[rows]
    means = (ground @ body.roots).mean(axis=1)
    ground = (ground - means[:, None, None] * body.roots).reshape(count, -1) * scale
    return ground, body.heights[rows].reshape(count, -1) * scale


def rows_of(body: Bodies, clip: NDArray[np.int64], frame: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which frames (R, K) of all clips together the samples of windows are; ends clamped to the clip."""
    first, last = body.firsts[clip], body.firsts[clip + 1] - 1
    rows = (first + frame)[:, None] + body.samples
    return np.clip(rows, first[:, None], last[:, None])


def speed(body: Bodies, clip: NDArray[np.int64], frame: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the mean speed (R,) of the points in windows, m/s."""
    steps = np.hypot(np.abs(np.diff(body.ground, axis=0)), np.diff(body.heights, axis=0)) @ body.roots
    sums = np.concatenate([[0.0], np.cumsum(steps)])
    first = body.firsts[np.maximum(clip, 0)] + np.where(clip < 0, body.half, frame)
    last = np.minimum(first + body.half, len(steps))
    moved = sums[last] - sums[np.maximum(first - body.half, 0)]
    return (moved * body.rate / (2.0 * body.half)).astype(np.float32)
