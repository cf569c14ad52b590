"""Windows of clips between two poses: their features, and their departures from interpolation (methods: Fill)."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from ..motion import kinematics, mirror, quat, resample, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from .rows import FEWEST, RATE, Longs, Singles

MOVES = 1e-5  # radians, body heights; joints that turn or move less in all clips are not learnt
TOGETHER = 1000  # windows computed at once
WAVES = 6  # least number of sine waves that describe a departure
MORE = 8  # rows of a gap for each further wave


class Around(NamedTuple):
    """Distances in rows, from the first key back and from the last key on, of poses known beside the gap."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Poses:
    """N poses of a body; lengths in body heights.

    turns (N, J, 4) : of joints about their rest frames; points (N, P, 3) : of the described joints, the travelling
    one first; facing (N,) : radians
    shifts (N, M, 3) : locations of the joints that move; axes (N, M, 4) : from these to the world
    """

    turns: Array
    points: Array
    facing: Array
    shifts: Array
    axes: Array

    def __len__(self) -> int:
        return len(self.turns)


def list_described_joints(skeleton: Skeleton) -> list[int]:
    """Return the joints that describe a pose, the travelling one first: with roles, or all of a body without roles.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.inbetween import windows
        >>> len(windows.list_described_joints(body.skeleton()))
        21
    """
    travelling = root_motion.travelling_joint(skeleton)
    known = sorted(set(skeleton.roles.values()))
    if len(known) < FEWEST:
        known = [k for k in range(len(skeleton)) if skeleton.point_weights[k] > 0.0]
    return [travelling, *(joint for joint in known if joint != travelling)]


def list_moving_joints(clips: Sequence[Clip]) -> list[int]:
    """Return the joints whose locations change in some clips on one body."""
    limit = MOVES * clips[0].skeleton.height
    return np.flatnonzero(
        np.max([np.ptp(clip.translations, axis=0).max(axis=-1) for clip in clips], axis=0) > limit
    ).tolist()


def pose_of(clip: Clip, moving: Sequence[int]) -> Poses:
    """Return the poses of all frames of a clip; moving : the joints whose locations are learnt."""
    skeleton = clip.skeleton
    rotations, points = kinematics.pose_clip(clip)
    parents = skeleton.parents[list(moving)]
    axes = np.broadcast_to(skeleton.orients[list(moving)], (len(clip), len(moving), 4))
    above = np.where((parents >= 0)[:, None], rotations[:, np.maximum(parents, 0)], quat.IDENTITY)
    return Poses(
        clip.rotations,
        (points[:, list_described_joints(skeleton)] / skeleton.height),
        root_motion.raw_heading(skeleton, rotations, points),
        (clip.translations[:, list(moving)] / skeleton.height),
        quat.mul(above, axes),
    )


def pose_all(clips: Sequence[Clip], moving: Sequence[int], *, mirrored: bool) -> Poses:
    """Return the poses of clips at 30 a second in the order of `rows.of_clips`, with mirror images if `mirrored`."""
    even = [resample.to_rate(replace(clip, channels={}), RATE) for clip in clips]
    parts = [pose_of(clip, moving) for clip in even]
    if mirrored:
        parts += [pose_of(mirror.mirror_clip(clip), moving) for clip in even]
    return Poses(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Poses)))


def describe_windows(
    poses: Poses, first: Longs, last: Longs, before: Sequence[Longs], after: Sequence[Longs]
) -> list[Any]:
    """Return blocks of features (W, ·) of windows, in the frame of the body at their first poses.

    first, last (W,) : indices of the poses at both ends; before, after : indices of poses known beside them
    """
    facing, ground = poses.facing[first], poses.points[first, 0] * np.array([1.0, 1.0, 0.0])

    def place(at: Longs) -> Array:
        return _turn(poses.points[at] - ground[:, None], -facing)

    def turned(at: Longs, to: Longs) -> Array:
        return quat.log(quat.mul(quat.inv(poses.turns[at]), poses.turns[to]))

    begin, end = place(first), place(last)
    travel, turn = end[:, 0, :2].copy(), poses.facing[last] - facing
    end[..., :2] -= travel[:, None]
    blocks = [begin, end, np.column_stack([travel, np.cos(turn), np.sin(turn)]), turned(first, last)]
    for here, others in ((first, before), (last, after)):
        own = place(here)
        for at in others:
            apart = place(at) - own
            blocks += [apart[:, 0], apart - apart[:, :1], turned(here, at)]
    return [np.reshape(block, (len(first), -1)).astype(np.float32) for block in blocks]


def waves(rows: int, share: Array) -> Array:
    """Return sine waves (F, K) at shares of a gap of some rows; all are zero at both ends."""
    count = min(rows - 1, WAVES + rows // MORE)
    return np.sin(np.pi * np.outer(share, np.arange(1, count + 1)))


def measure_departures(poses: Poses, starts: Longs, rows: int) -> Singles:
    """Return for windows of some rows the departure from interpolation as coefficients (W, K, 3 J + 3 M) of waves."""
    share = np.arange(1, rows) / rows
    onto = (2.0 / rows * waves(rows, share)).astype(np.float32)
    joints, moving = poses.turns.shape[1], poses.shifts.shape[1]
    out = np.empty((len(starts), onto.shape[1], 3 * (joints + moving)), dtype=np.float32)
    for begin in range(0, len(starts), TOGETHER):
        first = starts[begin : begin + TOGETHER]
        last, inside = first + rows, first[:, None] + np.arange(1, rows)
        whole = quat.log(quat.mul(quat.inv(poses.turns[first]), poses.turns[last]))[:, None]
        even = quat.mul(poses.turns[first][:, None], quat.exp(share[:, None, None] * whole))
        turns = quat.log(quat.mul(quat.inv(even), poses.turns[inside]))
        way = (poses.shifts[last] - poses.shifts[first])[:, None]
        moves = poses.shifts[inside] - poses.shifts[first][:, None] - share[:, None, None] * way
        moves = quat.rotate(to_body(poses, first)[:, None], moves)
        parts = [part.reshape(len(first), rows - 1, -1) for part in (turns, moves)]
        out[begin : begin + TOGETHER] = np.einsum("wfd,fk->wkd", np.concatenate(parts, axis=-1), onto, optimize=True)
    return out


def depart(even: Clip, moving: Sequence[int], first: Poses, rows: int, coefficients: Array) -> Clip:
    """Return an interpolation of two poses (both included) with a departure (K, 3 J + 3 M) added; ends are exact."""
    share = np.linspace(0.0, 1.0, len(even))
    along = waves(rows, share)
    along[[0, -1]] = 0.0
    joints = len(even.skeleton)
    values = (along @ coefficients).reshape(len(even), -1, 3)
    moves = even.skeleton.height * quat.rotate(
        quat.inv(to_body(first, np.zeros(1, dtype=np.int64))), values[:, joints:]
    )
    translations = even.translations.copy()
    translations[:, list(moving)] += moves
    rotations = quat.mul(even.rotations, quat.exp(values[:, :joints]))
    return replace(even, rotations=rotations, translations=translations)


def to_body(poses: Poses, at: Longs) -> Array:
    """Return the rotations (W, M, 4) from the axes of locations to the frame of the body."""
    return quat.mul(quat.about_axis("Z", -poses.facing[at])[:, None], poses.axes[at])


def _turn(vectors: Array, angle: Array) -> Array:
    """Return vectors (W, P, 3) turned about the vertical by angles (W,)."""
    return quat.rotate(quat.about_axis("Z", angle)[:, None], vectors)
