"""Move the first and last pose of a stretch onto poses of loops (methods: A take becomes a set)."""

from dataclasses import dataclass, replace

import numpy as np

from ...motion import cycles, quat, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...weave.seam import repairs

FADE = 0.3  # s over which the correction fades out
AHEAD = 0.1  # s; velocities times this are compared like positions
LARGEST = 0.12  # body heights, root mean square; ends farther from a loop's pose are not moved


@dataclass(frozen=True)
class Pose:
    """A frame of a loop, named by the loop."""

    loop: str
    frame: int = 0


def shapes(clip: Clip, *, repeats: bool = False) -> Array:
    """Return weighted positions and velocities of body points (F, C) in the ground frame, in metres.

    repeats : whether the clip is a cycle, so that velocities at its ends are computed across the seam
    """
    if repeats:
        length = len(clip) - 1
        return shapes(cycles.unroll_cycle(clip, 1, 1))[length : 2 * length + 1]
    local = cycles.in_ground_frames(clip)
    weights = clip.skeleton.point_weights
    local = local * np.sqrt(weights[weights > 0.0])[:, None]
    speeds = np.gradient(local, axis=0) * clip.rate * AHEAD if len(clip) > 1 else np.zeros_like(local)
    return np.concatenate([local, speeds], axis=1).reshape(len(clip), -1)


def nearest(among: Array, shape: Array, alike: float = 0.0) -> tuple[int, float]:
    """Return the row of shapes (F, C) nearest to a shape (C,), and its distance in metres.

    alike : metres; returns the first row that is at most this much farther than the nearest

    Example:
        >>> import numpy as np
        >>> from action_loom.core.verbs.take import meeting
        >>> meeting.nearest(np.array([[0.0], [3.0], [5.0]]), np.array([4.5]))
        (2, 0.5)
        >>> meeting.nearest(np.array([[0.0], [3.0], [5.0]]), np.array([4.5]), alike=1.0)
        (1, 1.5)
    """
    apart = np.linalg.norm(among - shape, axis=1)
    row = int(np.argmax(apart <= apart.min() + alike))
    return row, float(apart[row])


def meet_poses(part: Clip, first: Clip | None, last: Clip | None) -> Clip:
    """Return a clip whose end poses are replaced by poses from one-frame clips; None leaves an end unchanged.

    The poses are placed in the ground frames of the ends. The correction fades out within 0.3 s of each end, or within
    the clip if that is shorter.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles
        >>> from action_loom.core.motion.clip import join_clips
        >>> from action_loom.core.verbs.take import meeting
        >>> walk, sneak = actions.walk(), actions.sneak()
        >>> there = meeting.meet_poses(walk, sneak.cut(0, 1), None)
        >>> round(cycles.gap(join_clips([sneak.cut(0, 1), there.cut(0, 1)])), 6)
        0.0
    """
    count = min(max(2, round(FADE * part.rate)), len(part) - 1)
    falling = 1.0 - np.concatenate([[0.0], repairs.fade(count - 1), [1.0]])
    for pose, end in ((first, 0), (last, len(part) - 1)):
        if pose is None:
            continue
        share = np.zeros(len(part))
        if end == 0:
            share[: count + 1] = falling
        else:
            share[len(part) - 1 - count :] = falling[::-1]
        part = _add_offset(part, _at(pose, part, end), end, share)
    return part


def _at(pose: Clip, part: Clip, frame: int) -> Clip:
    """Return a one-frame clip placed in the ground frame of a frame of another clip."""
    ground, facing = root_motion.ground_frames(part.cut(frame, frame + 1))
    here, now = root_motion.ground_frames(pose)
    turn = float(facing[0] - now[0])
    place = np.array([np.exp(1j * turn)]) * (here[0] @ np.array([1.0, 1j]))
    shift = ground[0] - np.array([place[0].real, place[0].imag])
    return root_motion.place_clip(pose, turn, shift)


def _add_offset(part: Clip, pose: Clip, frame: int, share: Array) -> Clip:
    """Return a clip with the offset from one of its frames to a pose added, weighted by `share` (F,) per frame."""
    change = quat.log(quat.same_side(quat.mul(pose.rotations[0], quat.inv(part.rotations[frame])), quat.IDENTITY))
    moved = pose.translations[0] - part.translations[frame]
    return replace(
        part,
        rotations=quat.normalize(quat.mul(quat.exp(share[:, None, None] * change), part.rotations)),
        translations=part.translations + share[:, None, None] * moved,
        cyclic=False,
    )


def gap(one: Clip, other: Clip) -> tuple[float, float]:
    """Return the largest distance (m) and joint angle (degrees) between two poses, each in its ground frame.

    one, other : clips of one frame
    """
    places = cycles.in_ground_frames(one)[0] - cycles.in_ground_frames(other)[0]
    turned = quat.mul(quat.inv(one.rotations[0]), _at(other, one, 0).rotations[0])
    angle = 2.0 * np.degrees(np.arcsin(np.clip(np.linalg.norm(turned[:, 1:], axis=1), 0.0, 1.0)))
    return float(np.linalg.norm(places, axis=1).max()), float(angle.max())
