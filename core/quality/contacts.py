"""Foot contacts: balls and ankles in contact by their height above the floor and their speed, with hysteresis.

Method: Foot contacts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ..motion import arrays, root_motion
from ..motion import feet as feet_of
from ..motion.clip import Clip
from ..motion.feet import Footing
from ..motion.quat import Array
from . import world_pose
from .world_pose import WorldPose

# Heights in body heights and speeds in body heights a second: thresholds to enter a contact and to stay in it.
HEIGHT = (0.03, 0.05)
WALKING_SPEED = (0.25, 0.45)
RUNNING_SPEED = (0.5, 1.0)
# median ground speed of the body, body heights a second; thresholds are interpolated between them
WALKS, RUNS = 1.0, 1.6
SMOOTHING = 0.012  # s; sigma of the positions before speeds and heights are measured
EVEN = 0.01  # body heights; on an even floor the lowest point is at most this far below it
FLOOR = 0.5  # s before and after a frame in which its floor height is measured; each step of stairs has its own height
# A point that moves farther (body heights) and faster (body heights a second) in a contact shuffles.
SHUFFLE_LENGTH, SHUFFLE_SPEED = 0.12, 0.46
SHORTEST_GAP = 0.050  # s; shorter gaps are closed
SHORTEST_CONTACT = 0.080  # s; shorter contacts are dropped

# The feet and their readable names; bodies with four legs have front feet, with more legs also feet between.
NAMES = {
    "L": "left foot", "R": "right foot", "front L": "left front foot", "front R": "right front foot",
    "middle L": "left middle foot", "middle R": "right middle foot",
    "second L": "left second foot", "second R": "right second foot",
}  # fmt: skip

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Foot:
    """Paths (F, 3) of ball and ankle of a foot, with their contact flags (F,), computed on first use.

    A foot is in contact if one of its points is. Slides are measured on the ball only, because a striking heel, and an
    ankle that rolls over a planted ball, move.
    """

    ball: Array
    ankle: Array
    rate: float
    standing: Callable[[Array], Flags]

    @cached_property
    def ball_stands(self) -> Flags:
        return self.standing(self.ball)

    @cached_property
    def ankle_stands(self) -> Flags:
        return self.standing(self.ankle)

    @cached_property
    def stands(self) -> Flags:
        # During heel-to-ball roll a foot may briefly touch with neither point; it is still in contact.
        neither = ~(self.ball_stands | self.ankle_stands)
        return ~_without_short_runs(neither, SHORTEST_GAP * self.rate, inner_only=True)

    def ball_speed(self, rate: float) -> Array:
        """Return the horizontal speed (F,) of the ball, m/s, for three frames or more."""
        return np.asarray(np.linalg.norm(np.gradient(self.ball[:, :2], axis=0), axis=1) * rate)


_known: WeakKeyDictionary[WorldPose, dict[str, Foot]] = WeakKeyDictionary()


def detect(clip: Clip) -> dict[str, Flags]:
    """Return flags (F,) of contact for each foot (see `NAMES`), on its ball or heel.

    Example:
        >>> from action_loom.core.quality import contacts
        >>> from action_loom.core.demo_character import actions
        >>> standing = contacts.detect(actions.walk(cycles=1))
        >>> {foot: contacts.runs(flags) for foot, flags in standing.items()}
        {'L': [(0, 20)], 'R': [(0, 4), (15, 33)]}
    """
    return {side: foot.stands for side, foot in standing_feet(world_pose.pose(clip)).items()}


def feet(clip: Clip) -> dict[str, Array]:
    """Return the paths (F, 3) of the ball of each foot (see `NAMES`); empty for a body without known feet.

    Example:
        >>> from action_loom.core.quality import contacts
        >>> from action_loom.core.demo_character import actions
        >>> {foot: path.shape for foot, path in contacts.feet(actions.walk()).items()}
        {'L': (97, 3), 'R': (97, 3)}
    """
    return {side: ball for side, (ball, _) in _paths(world_pose.pose(clip)).items()}


def standing_feet(body: WorldPose) -> dict[str, Foot]:
    """Return the known feet of a body by name, with their contacts.

    Example:
        >>> from action_loom.core.quality import contacts, world_pose
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> left = contacts.standing_feet(world_pose.pose(walk))["L"]
        >>> round(float(left.stands.mean()), 2), bool(left.ball_speed(walk.rate)[left.ball_stands].max() < 0.1)
        (0.64, True)
    """
    if body not in _known:
        standing = _measure(body)
        _known[body] = {side: Foot(*paths, body.clip.rate, standing) for side, paths in _paths(body).items()}
    return _known[body]


def footing(clip: Clip) -> Footing:
    """Return the positions (F, S) of the balls of all S feet on the ground, and their contacts.

    Example:
        >>> from action_loom.core.quality import contacts
        >>> from action_loom.core.demo_character import actions
        >>> footing = contacts.footing(actions.walk())
        >>> footing.balls.shape, footing.stands.mean(axis=0).round(1).tolist()
        ((97, 2), [0.6, 0.6])
    """
    known = standing_feet(world_pose.pose(clip)).values()
    balls = [foot.ball[:, 0] + 1j * foot.ball[:, 1] for foot in known]
    stands = [foot.ball_stands for foot in known]
    none = np.empty((len(clip), 0))
    return Footing(np.column_stack([none.astype(complex), *balls]), np.column_stack([none.astype(bool), *stands]))


def _measure(body: WorldPose) -> Callable[[Array], Flags]:
    """Return a function that gives the contact flags of a point's path (F, 3)."""
    clip = body.clip
    height = clip.skeleton.height
    limits = _speed_limits(_ground_speed(body) / height) if height > 0.0 else WALKING_SPEED
    raised = body.points[:, root_motion.travelling_joint(clip.skeleton), 2]
    return lambda path: _standing(path, raised, clip.rate, height, limits)


def _speed_limits(pace: float) -> tuple[float, float]:
    """Return the speed thresholds to enter and to stay in a contact, for a pace in body heights a second.

    They are interpolated between walk and run, because a switch would make measures jump in between.
    """
    running = min(max((pace - WALKS) / (RUNS - WALKS), 0.0), 1.0)
    enter, stay = (walk + running * (run - walk) for walk, run in zip(WALKING_SPEED, RUNNING_SPEED, strict=True))
    return enter, stay


def _paths(body: WorldPose) -> dict[str, tuple[Array, Array]]:
    """Return the paths (F, 3) of ball and ankle of each foot; the same path twice if there is only one point."""
    points = feet_of.balls_and_ankles(body.clip.skeleton)
    return {name: (body.points[:, ball], body.points[:, ankle]) for name, (ball, ankle) in points.items()}


def _ground_speed(body: WorldPose) -> float:
    if len(body.clip) < 2:
        return 0.0
    return float(np.median(np.linalg.norm(np.diff(body.ground, axis=0), axis=1)) * body.clip.rate)


def _standing(path: Array, raised: Array, rate: float, body: float, speed_limits: tuple[float, float]) -> Flags:
    """Return contact flags of a point (F, 3); body : its height, m; raised (F,) : height of the hips."""
    if len(path) < 3:
        return np.zeros(len(path), dtype=bool)
    smooth = root_motion.smooth(path, SMOOTHING * rate)
    heights, speed = smooth[:, 2], np.linalg.norm(np.gradient(smooth, axis=0), axis=1) * rate
    lowest = float(np.quantile(heights[speed <= np.quantile(speed, 0.4)], 0.2))
    enter, stay = (speed < limit * body for limit in speed_limits)
    floor = _floor(heights, stay, round(FLOOR * rate))
    over_floor = heights - np.clip(lowest, floor, floor + EVEN * body)
    flags = hysteresis(enter & (over_floor < HEIGHT[0] * body), stay & (over_floor < HEIGHT[1] * body))
    flags = ~_without_short_runs(~flags, SHORTEST_GAP * rate, inner_only=True)
    flags = _on_the_ground(flags, heights - lowest, raised, HEIGHT[0] * body)
    flags = _without_shuffles(flags, smooth[:, :2], rate, body)
    return _without_short_runs(flags, SHORTEST_CONTACT * rate)


def _on_the_ground(flags: Flags, lifted: Array, raised: Array, slack: float) -> Flags:
    """Return the contacts, except those whose height above the clip's floor exceeds the rise of the body in them.

    A stair raises the body; a foot held in the air does not.
    """
    level = flags & (lifted < slack)
    usual = float(np.median(raised[level])) if level.any() else np.inf
    out = flags.copy()
    for start, end in runs(flags):
        higher = float(raised[start:end].max()) - usual
        out[start:end] = lifted[start:end].min() < slack + max(higher, 0.0)
    return out


def _without_shuffles(flags: Flags, ground: Array, rate: float, body: float) -> Flags:
    """Return the contacts, except those in which the point (F, 2) moves far and fast, because the foot is dragged."""
    out = flags.copy()
    for start, end in runs(flags):
        way = float(np.linalg.norm(ground[end - 1] - ground[start]))
        if way > SHUFFLE_LENGTH * body and way * rate > SHUFFLE_SPEED * body * (end - start):
            out[start:end] = False
    return out


def _floor(heights: Array, slow: Flags, reach: int) -> Array:
    """Return the height (F,) of the floor under a point: its lowest in slow frames within reach; infinite without any.

    Frames in which the point itself is fast have no contact, so their floor does not matter.
    """
    known = np.pad(np.where(slow, heights, np.inf), reach, constant_values=np.inf)
    return np.asarray(sliding_window_view(known, 2 * reach + 1).min(axis=1))


def runs(flags: Flags) -> list[tuple[int, int]]:
    """Return the runs (start, end) of true flags, end exclusive.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.quality import contacts
        >>> contacts.runs(np.array([True, True, False, False, True]))
        [(0, 2), (4, 5)]
    """
    return arrays.find_runs(flags)


def hysteresis(enter: Flags, stay: Flags) -> Flags:
    """Return the runs of `stay` that contain one of `enter`.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.quality import contacts
        >>> stay = np.array([True, True, False, True])
        >>> contacts.hysteresis(np.array([False, True, False, False]), stay).tolist()
        [True, True, False, False]
    """
    out = np.zeros_like(stay)
    for start, end in runs(stay | enter):
        out[start:end] = enter[start:end].any()
    return out


def _without_short_runs(flags: Flags, shortest: float, *, inner_only: bool = False) -> Flags:
    out = flags.copy()
    for start, end in runs(flags):
        at_edge = start == 0 or end == len(flags)
        if end - start < shortest and not (inner_only and at_edge):
            out[start:end] = False
    return out
