"""The rows of the clips that a variation is made of: poses, velocities, contacts and flights (methods: Variations)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import GraphError, LoomError
from ..graph import inputs, windows
from ..graph.inputs import GraphInputs
from ..graph.windows import Bodies
from ..motion import kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..weight import flights

DIGITS = 6  # decimals to which features and costs are rounded
TALL = 1.7  # m; all lengths are scaled to a body of this height
COMPONENTS = 24  # number of principal components of poses
VELOCITY = 0.15  # s; metres of pose difference equivalent to 1 m/s of velocity
TURNING = 0.10  # metres of pose difference equivalent to 1 rad/s of turning
CONTACT = 0.03  # m of pose difference equivalent to the contact of a foot
FACING_SIGMA = 0.1  # s; sigma for smoothing the facing
FAR = 1.0  # s; least time between two rows compared for `Source.scale`
VARIANCE = 0.01  # share of the features' variance; least value of `Source.scale`, because cycles repeat exactly
SAMPLE = 1500  # largest number of rows to compare for it

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Source:
    """N rows of prepared clips, about 30 a second.

    window : seconds compared around a jump
    body : points and contacts of all frames; step : frames from row to row; unit : the body's height in `TALL`
    clip, frame (N,) : the clip and the frame of each row; firsts (K + 1,) : the first row of each clip
    same (N,) : the row itself, or the same row in the first cycle of a repeated cycle
    features (N, D) : pose components, pace, turn and contacts, metres of a body of `TALL`
    air (N, 2) : seconds from the row to the start and the end of the flight that a jump there would change, else 0
    scale : usual squared distance of a row from the nearest one at another time
    mean (E,), axes (E, C) : mean and principal axes of poses; the first columns of `features` are these components
    """

    inputs: GraphInputs
    window: float
    body: Bodies
    step: int
    unit: float
    clip: Indices
    frame: Indices
    firsts: Indices
    same: Indices
    features: Array
    air: Array
    scale: float
    mean: Array
    axes: Array

    def __len__(self) -> int:
        return len(self.clip)

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.inputs.clips[0].rate / self.step

    @property
    def half(self) -> int:
        """Rows on each side of a compared window."""
        return self.count(0.5 * self.window)

    def stay(self, seconds: float) -> int:
        """Return the least number of rows between two jumps; it is at most half of the longest clip."""
        return max(2, min(self.count(seconds), int(np.diff(self.firsts).max()) // 2))

    def count(self, seconds: float) -> int:
        """Return a duration in rows, at least 1."""
        return max(1, round(seconds * self.rate))

    def rows_of(self, clip: int) -> slice:
        return slice(int(self.firsts[clip]), int(self.firsts[clip + 1]))

    def poses_of(self, clips: Sequence[Clip]) -> Array:
        """Return the pose components (F, C) of rows of other clips on the same body."""
        return np.round((_poses(clips, self.step, self.unit)[0] - self.mean) @ self.axes, DIGITS)

    def seconds(self) -> float:
        """Return the duration of all clips in seconds; a repeated cycle counts once."""
        return len(np.unique(self.same)) / self.rate


def gather(ready: GraphInputs, window: float = 1.0 / 3.0) -> Source:
    """Return the rows of prepared clips; window : seconds compared around a jump.

    Raises GraphError if all have one pose only.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> from action_loom.core.variation import source
        >>> rows = source.gather(inputs.gather([actions.wave()], images=False))
        >>> len(rows), round(rows.seconds(), 1)
        (109, 3.6)
    """
    body = windows.bodies(ready, window)
    step = _step(body.rate, [maps.cycle for maps in ready.frame_maps])
    frames = [np.arange(0, len(clip), step) for clip in ready.clips]
    firsts = np.cumsum([0, *map(len, frames)])
    height = ready.clips[0].skeleton.height
    unit = height / TALL if height > 0.0 else 1.0
    clip = np.repeat(np.arange(len(frames)), np.diff(firsts))
    features, mean, axes = _features(ready.clips, body, step, unit)
    same = np.concatenate(
        [first + _in_cycle(len(rows), maps.cycle / step) for first, rows, maps in _zip(firsts, frames, ready)]
    )
    if max(map(len, frames)) < 2:
        raise GraphError(f"{ready.clips[0].name} has one pose only, so nothing goes on from it")
    return Source(
        ready, window, body, step, unit, clip, np.concatenate(frames), firsts, same, features,
        np.concatenate([_air(one, rows, 0.5 * window) for one, rows in zip(ready.clips, frames, strict=True)]),
        _usual_distance(features, same, body.rate / step), mean, axes,
    )  # fmt: skip


def _step(rate: float, cycles: Sequence[int]) -> int:
    """Return the frames from row to row: about 30 rows a second, and whole rows in every cycle."""
    step = max(1, round(rate / windows.ANALYSIS_RATE))
    return next(k for k in range(step, 0, -1) if not any(cycle % k for cycle in cycles))


def _zip(firsts: Indices, frames: list[Indices], ready: GraphInputs) -> list[tuple[int, Indices, inputs.FrameMap]]:
    return list(zip(firsts[:-1].tolist(), frames, ready.frame_maps, strict=True))


def _in_cycle(count: int, cycle: float) -> Indices:
    rows = np.arange(count)
    return np.minimum(np.round(rows % cycle).astype(np.int64), rows) if cycle >= 1.0 else rows


def _poses(clips: Sequence[Clip], step: int, unit: float) -> tuple[Array, Array]:
    """Return poses (N, E) of rows relative to the body's position and facing, and its weighted velocities (N, 3)."""
    rate, poses, paces = clips[0].rate / step, [], []
    weights = clips[0].skeleton.point_weights
    roots = np.sqrt(weights[weights > 0.0])
    for clip in clips:
        rotations, positions = kinematics.world(clip)
        ground = positions[:, root_motion.travelling_joint(clip.skeleton), :2] @ np.array([1.0, 1j])
        facing = root_motion.raw_heading(clip.skeleton, rotations, positions)
        facing = root_motion.smooth(facing, FACING_SIGMA * clip.rate)
        points = inputs.points(clip)[::step]
        local = points[..., 0] + 1j * points[..., 1] - ground[::step, None] * roots
        local *= np.exp(-1j * facing[::step])[:, None]
        poses.append(np.hstack([local.real, local.imag, points[..., 2]]))
        gone, turned = ground[::step], facing[::step]
        if len(gone) > 1:
            pace = np.gradient(gone) * rate * np.exp(-1j * turned)
            paces.append(np.column_stack([pace.real, pace.imag, np.gradient(turned) * rate]))
        else:
            paces.append(np.zeros((1, 3)))
    return np.concatenate(poses) / unit, np.concatenate(paces) * np.array([VELOCITY / unit, VELOCITY / unit, TURNING])


def _features(clips: Sequence[Clip], body: Bodies, step: int, unit: float) -> tuple[Array, Array, Array]:
    """Return the features (N, D) of rows, and the mean and the axes of their poses."""
    pose, pace = _poses(clips, step, unit)
    mean = pose.mean(axis=0)
    axes = np.linalg.eigh((pose - mean).T @ (pose - mean))[1][:, ::-1][:, :COMPONENTS]
    axes = axes * _signs(axes)
    stands = np.concatenate(
        [body.feet.stands[a:b][::step] for a, b in zip(body.firsts[:-1], body.firsts[1:], strict=True)]
    )
    # Values are rounded because their last bits, which differ between processors, must not decide between rows.
    poses = np.round((pose - mean) @ axes, DIGITS)
    return np.hstack([poses, np.round(pace - pace.mean(axis=0), DIGITS), CONTACT * stands]), mean, axes


def _air(clip: Clip, frames: Indices, reach: float) -> Array:
    """Return seconds (N, 2) from frames to the start and the end of a flight nearer than `reach`, s; 0 without one."""
    air = np.zeros((len(frames), 2))
    try:
        found = flights.find_flights(clip).flights
    except LoomError:  # the feet or the unit of the body are unknown
        return air
    for one in found:
        ahead = np.array([one.start, one.end]) - frames[:, None] / clip.rate
        near = (ahead[:, 0] < reach) & (ahead[:, 1] > -reach)
        air[near] = ahead[near]
    return air


def _signs(axes: Array) -> Array:
    """Return signs (C,) that make the first large number of each axis (E, C) positive, since libraries choose any."""
    large = np.abs(axes) >= 0.5 * np.abs(axes).max(axis=0)
    return np.sign(np.take_along_axis(axes, large.argmax(axis=0)[None], axis=0)[0])


def _usual_distance(features: Array, same: Indices, rate: float) -> float:
    """Return the median squared distance of rows from the nearest one at another time, at least 1 % of the variance."""
    every = np.arange(0, len(features), 1 + len(features) // SAMPLE)
    some, place = features[every], same[every]
    square = (some**2).sum(axis=1)
    apart = square[:, None] + square - 2.0 * some @ some.T
    apart[np.abs(place[:, None] - place) < FAR * rate] = np.inf
    nearest = apart.min(axis=1)
    least = max(VARIANCE * float(features.var(axis=0).sum()), 1e-9)
    return max(float(np.median(nearest[np.isfinite(nearest)])), least) if np.isfinite(nearest).any() else least
