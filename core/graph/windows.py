"""Windows of motion as rows, whose distance after optimal alignment is two products (methods: Motion graph)."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..motion.feet import Footing
from ..motion.quat import Array
from ..quality import contacts
from ..sync import alignment, exact_sums
from ..sync.alignment import Clouds
from . import inputs
from .inputs import GraphInputs

SAMPLES = 11  # per window; this distance correlates 0.999 with the one of all 41 frames
ANALYSIS_RATE = 30.0  # windows a second, approximately
MOST = 12_000  # windows to compare, which takes about 20 s; if there are more, every second, third … is used


@dataclass(frozen=True, eq=False)
class Bodies:
    """The weighted points of all clips, concatenated.

    ground (F, P) : x + iy; heights (F, P); both times the square roots of the points' weights
    firsts (N + 1,) : the first frame of each clip, and the end of the last one
    roots (P,) : square roots of the points' weights
    half : frames of half a window
    samples (K,) : compared frames of a window, relative to its middle
    step : frames from window to window
    sparse : whether the step was increased because of more than MOST windows
    feet : the balls of the feet, and their contacts, in all frames (F, S)
    """

    ground: NDArray[np.complex128]
    heights: Array
    firsts: NDArray[np.int64]
    roots: Array
    half: int
    samples: NDArray[np.int64]
    step: int
    sparse: bool
    rate: float
    feet: Footing

    @cached_property
    def gone(self) -> Array:
        """Mean distance (F,) travelled by the points, m, over all clips."""
        steps = np.hypot(np.abs(np.diff(self.ground, axis=0)), np.diff(self.heights, axis=0)) @ self.roots
        return np.concatenate([[0.0], np.cumsum(steps)])

    @cached_property
    def places(self) -> NDArray[np.complex128]:
        """The points (F, P) on the ground, x + iy, without their weights."""
        return self.ground / self.roots

    def frames(self, clip: int) -> NDArray[np.int64]:
        """Return the middles of a clip's windows that are compared before refinement."""
        return np.arange(self.half, self.firsts[clip + 1] - self.firsts[clip] - self.half, self.step)


@dataclass(frozen=True, eq=False)
class Windows(Clouds):
    """The windows (R,) of some clips, and their positions.

    speed (R,) : mean speed of the points, m/s
    between (R,) : metres from a window to the windows halfway to the next ones, 0 unless the step is sparse
    clip, frame (R,) : of the middles; clip −1 for rows without a window, which separate the clips
    """

    speed: NDArray[np.float32]
    between: NDArray[np.float32]
    clip: NDArray[np.int64]
    frame: NDArray[np.int64]


def bodies(ready: GraphInputs, transition: float) -> Bodies:
    """Return the points of all clips; transition : seconds of a window, and thus of a transition.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs, windows
        >>> windows.bodies(inputs.gather([actions.walk()], images=False), 1 / 3).half
        5
    """
    points = [inputs.points(clip) for clip in ready.clips]
    skeleton, rate = ready.clips[0].skeleton, ready.clips[0].rate
    roots = np.sqrt(skeleton.point_weights[skeleton.point_weights > 0.0])
    half = max(1, round(0.5 * transition * rate))
    every = np.concatenate(points)
    feet = [contacts.footing(clip) for clip in ready.clips]
    step = max(1, round(rate / ANALYSIS_RATE))
    times = max(1, math.ceil(sum(len(range(half, len(one) - half, step)) for one in points[: ready.given]) / MOST))
    return Bodies(
        every[..., 0] + 1j * every[..., 1],
        # Subtracting the common mean pose reduces rounding errors.
        np.ascontiguousarray(every[..., 2] - every[..., 2].mean(axis=0)),
        np.cumsum([0, *map(len, points)]),
        roots,
        half,
        np.unique(np.round(np.linspace(-half, half, SAMPLES)).astype(np.int64)),
        times * step,
        times > 1,
        rate,
        Footing(np.concatenate([each.balls for each in feet]), np.concatenate([each.stands for each in feet])),
    )


def windows_of(body: Bodies, clips: range) -> Windows:
    """Return the windows compared before refinement, with an empty row after each clip."""
    clip, frame = [], []
    for k in clips:
        frames = body.frames(k)
        clip.append(np.append(np.full(len(frames), k), -1))
        frame.append(np.append(frames, 0))
    at_clip, at_frame = np.concatenate(clip), np.concatenate(frame)
    clouds = clouds_of(body, np.maximum(at_clip, 0), np.where(at_clip < 0, body.half, at_frame))
    ground, heights = exact_sums.round_rows(clouds[0]), exact_sums.round_rows(clouds[1])
    square = (ground.real**2 + ground.imag**2).sum(axis=1) + (heights**2).sum(axis=1)
    square[at_clip < 0] = np.inf
    return Windows(
        ground,
        heights,
        square,
        speed(body, at_clip, at_frame),
        _between(body, at_clip, at_frame),
        at_clip,
        at_frame,
    )


def _between(body: Bodies, clip: NDArray[np.int64], frame: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the distance (R,) of windows from the windows halfway to the next ones, 0 unless the step is sparse."""
    if not body.sparse:
        return np.zeros(len(clip), dtype=np.float32)
    first = np.where(clip < 0, 0, body.firsts[clip])
    last = np.where(clip < 0, 0, body.firsts[clip + 1] - 1 - body.half)
    here = first + np.where(clip < 0, body.half, frame)
    away = []
    for off in (-(body.step // 2), body.step // 2):
        there = np.clip(here + off, first + body.half, np.maximum(last, first + body.half))
        pairs = np.stack([here, there], axis=1)
        away.append(
            alignment.nearest_nearby(body.ground, body.heights, body.roots, body.samples, pairs, pairs, pairs)[1]
        )
    return np.maximum(*away).astype(np.float32)


def clouds_of(body: Bodies, clip: NDArray[np.int64], frame: NDArray[np.int64]) -> tuple[NDArray[np.complex128], Array]:
    """Return the ground points (relative to their means) and heights of windows as rows (R, K·P).

    Rows are scaled so that sums of their products are means over the window.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs, windows
        >>> body = windows.bodies(inputs.gather([actions.walk()], images=False), 1 / 3)
        >>> ground, heights = windows.clouds_of(body, np.array([0]), np.array([9]))
        >>> ground.shape == heights.shape
        True
    """
    rows = rows_of(body, clip, frame)
    count, scale = len(rows), 1.0 / np.sqrt(len(body.samples))
    ground = body.ground[rows]
    means = (ground @ body.roots).mean(axis=1)
    ground -= means[:, None, None] * body.roots
    ground *= scale
    heights = body.heights[rows]
    heights *= scale
    return ground.reshape(count, -1), heights.reshape(count, -1)


def rows_of(body: Bodies, clip: NDArray[np.int64], frame: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the samples (R, K) of windows as frames numbered over all clips, clamped to their clips.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs, windows
        >>> body = windows.bodies(inputs.gather([actions.walk()], images=False), 1 / 3)
        >>> windows.rows_of(body, np.array([0]), np.array([9]))[0, [0, -1]].tolist()
        [4, 14]
    """
    first, last = body.firsts[clip], body.firsts[clip + 1] - 1
    rows = (first + frame)[:, None] + body.samples
    return np.clip(rows, first[:, None], last[:, None])


def speed(body: Bodies, clip: NDArray[np.int64], frame: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the mean speed (R,) of the points in windows, m/s."""
    sums = body.gone
    first = body.firsts[np.maximum(clip, 0)] + np.where(clip < 0, body.half, frame)
    last = np.minimum(first + body.half, len(sums) - 1)
    moved = sums[last] - sums[np.maximum(first - body.half, 0)]
    return (moved * body.rate / (2.0 * body.half)).astype(np.float32)
