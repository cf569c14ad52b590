"""Frames of clips as rows: limb positions relative to the body's ground point, path and facing (methods: Fill).

Facing is not smoothed, so that a single pose has a row, too. Every clip is included twice, as it is and mirrored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import SkeletonError
from ..motion import cycles, joint_matching, kinematics, mirror, resample, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

RATE = 30.0  # rows a second
LOWER = ("hips", "shin.L", "shin.R", "foot.L", "foot.R", "toe.L", "toe.R")
UPPER = ("chest", "head", "forearm.L", "forearm.R", "hand.L", "hand.R")
SPARSE = ("hips", "foot.L", "foot.R", "hand.L", "hand.R")  # roles known in a pose blocked with controls
FEWEST = 5  # roles; bodies with fewer compare all points

Singles = NDArray[np.float32]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rows:
    """N rows of frames; lengths in body heights.

    places (N, K, 3) : compared points relative to the ground point: right, forward, up
    speeds (N, K, 3) : their world velocities, in the same axes, body heights a second
    path (N, 2) : of the body, x and y; facing (N,) : radians, continuous within a clip
    clips (N,) : index of the clip; frames (N,) : of the clip, counted at 30 frames a second
    left (N,) : number of following rows of the same clip; mirrored (N,) : whether it is the mirror image
    """

    places: Singles
    speeds: Singles
    path: Array
    facing: Array
    clips: Longs
    frames: Longs
    left: Longs
    mirrored: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.places)

    @property
    def passed(self) -> Longs:
        """The number (N,) of rows before of the same clip."""
        begins = np.concatenate([[0], np.flatnonzero(self.left[:-1] == 0) + 1])
        at = np.arange(len(self))
        return np.asarray(at - begins[np.searchsorted(begins, at, side="right") - 1])


def list_compared_points(skeleton: Skeleton) -> tuple[list[int], int]:
    """Return the compared points of a body, lower half first, and the number of points in the lower half.

    Example:
        >>> from action_loom.core.inbetween import rows
        >>> from action_loom.core.demo_character import body
        >>> points, lower = rows.list_compared_points(body.skeleton())
        >>> len(points), lower
        (13, 7)
    """
    lower, upper = ([skeleton.roles[role] for role in some if role in skeleton.roles] for some in (LOWER, UPPER))
    if len(lower) + len(upper) >= FEWEST:
        return lower + upper, len(lower)
    every = np.flatnonzero(skeleton.point_weights > 0.0).tolist()
    return every, len(every)


def of_poses(clip: Clip, *, sparse: bool = False) -> Rows:
    """Return a row for every frame of a clip at its own rate; velocities are computed at that rate, too.

    sparse : compare only hips, hands and feet, and take the facing from the hips only
    Raises SkeletonError for a body without height.

    Example:
        >>> from action_loom.core.inbetween import rows
        >>> from action_loom.core.demo_character import actions
        >>> walk = rows.of_poses(actions.walk())
        >>> walk.places.shape, round(float(walk.speeds[40, 0, 1]), 2)  # hips ahead, body heights a second
        ((97, 13, 3), 0.76)
    """
    skeleton, count = clip.skeleton, len(clip)
    if skeleton.height <= 0.0:
        raise SkeletonError(f"{clip.name}: its body has no height")
    rotations, points = kinematics.pose_clip(clip)
    ground = points[:, root_motion.travelling_joint(skeleton), :2]
    heading = root_motion.raw_pelvis_heading if sparse else root_motion.raw_heading
    facing = heading(skeleton, rotations, points)
    places = points[:, _points(skeleton, sparse=sparse)]
    speeds = np.gradient(places, 1.0 / clip.rate, axis=0) if count > 1 else np.zeros_like(places)
    about = places.copy()
    about[..., :2] -= ground[:, None]
    scale = 1.0 / skeleton.height
    return Rows(
        (scale * _turn_vectors(about, facing)).astype(np.float32),
        (scale * _turn_vectors(speeds, facing)).astype(np.float32),
        scale * ground,
        facing,
        np.zeros(count, dtype=np.int64),
        np.arange(count),
        np.arange(count)[::-1].copy(),
        np.zeros(count, dtype=bool),
    )


def _points(skeleton: Skeleton, *, sparse: bool) -> list[int]:
    return [skeleton.roles[role] for role in SPARSE] if sparse else list_compared_points(skeleton)[0]


def of_clips(clips: Sequence[Clip], *, sparse: bool = False, images: bool = True) -> Rows:
    """Return the rows of clips on one body, 30 a second, and of their mirror images if the body allows it.

    sparse : as in `of_poses`; images : whether mirror images are wanted

    Example:
        >>> from action_loom.core.inbetween import rows
        >>> from action_loom.core.demo_character import actions
        >>> found = rows.of_clips([actions.walk(), actions.wave()])
        >>> len(found), int(found.mirrored.sum())
        (412, 206)
    """
    parts = [
        replace_clip(of_poses(resample.to_rate(_plain(clip), RATE), sparse=sparse), k) for k, clip in enumerate(clips)
    ]
    swapped = _list_swapped_points(clips[0], sparse=sparse) if images else None
    if swapped is not None:
        parts += [_mirror_rows(part, swapped) for part in parts]
    return Rows(*(np.concatenate([getattr(part, name) for part in parts]) for name in Rows.__dataclass_fields__))


def replace_clip(rows: Rows, number: int) -> Rows:
    """Return rows with the clip index replaced."""
    return replace(rows, clips=np.full(len(rows), number))


def lengthen_clip(clip: Clip, seconds: float) -> Clip:
    """Return a closed clip repeated to last at least `seconds`; other clips unchanged.

    Example:
        >>> from action_loom.core.inbetween import rows
        >>> from action_loom.core.demo_character import actions
        >>> round(rows.lengthen_clip(actions.walk(cycles=1), 4.0).seconds, 1)
        4.3
    """
    if len(clip) < 3 or clip.seconds >= seconds or not (clip.cyclic or cycles.closes(clip)):
        return clip
    return cycles.unroll_cycle(clip, 0, int(np.ceil(seconds / clip.seconds)) - 1)


def _plain(clip: Clip) -> Clip:
    return replace(clip, channels={})


def _turn_vectors(vectors: Array, facing: Array) -> Array:
    """Return world vectors (F, K, 3) in the frame of a body with a facing (F,)."""
    c, s = np.cos(facing)[:, None], np.sin(facing)[:, None]
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([c * x + s * y, c * y - s * x, vectors[..., 2]], axis=-1)


def _list_swapped_points(clip: Clip, *, sparse: bool) -> list[int] | None:
    """Return the opposite of each compared point; None for a body without mirror image."""
    points = _points(clip.skeleton, sparse=sparse)
    if len(points) != len(set(points)) or any(point >= len(clip.skeleton) for point in points):
        return None
    try:
        mirror.mirror_clip(_plain(clip.cut(0, 1)))
    except SkeletonError:
        return None
    partner = joint_matching.across(clip.skeleton)
    opposite = [int(partner[point]) for point in points]
    return [points.index(point) for point in opposite] if set(opposite) == set(points) else None


def _mirror_rows(rows: Rows, swapped: list[int]) -> Rows:
    across = np.array([-1.0, 1.0, 1.0], dtype=np.float32)
    return replace(
        rows,
        places=rows.places[:, swapped] * across,
        speeds=rows.speeds[:, swapped] * across,
        path=rows.path * across[:2],
        facing=-rows.facing,
        mirrored=np.ones(len(rows), dtype=bool),
    )


def stretch(clip: Clip, frames: Array, *, mirrored: bool) -> Clip:
    """Return a clip at rows' frames (F,), 30 a second, held at its ends, and optionally mirrored.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import rows
        >>> from action_loom.core.demo_character import actions
        >>> len(rows.stretch(actions.walk(), np.linspace(10.0, 40.0, 25), mirrored=True))
        25
    """
    at = frames * clip.rate / RATE
    cut = resample.sample(_plain(clip), np.clip(at, 0.0, len(clip) - 1.0))
    return mirror.mirror_clip(cut) if mirrored else cut
