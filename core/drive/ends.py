"""Link clips that end with a pose of a loop, such as stops, starts and turns of a set, to that loop.

Method: Drive.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..motion import cycles, root_motion
from ..motion.clip import Clip, join_clips
from ..motion.quat import Array

APART = 0.003  # body heights, root mean square; poses with a smaller distance count as equal

Into = tuple[int, int]  # a looping clip, and a frame of its first cycle


def loops_after(clips: Sequence[Clip], lengths: Sequence[int]) -> list[Into | None]:
    """Return for each clip the loop that contains its last pose, and its frame there; None if there is none.

    lengths : frames of the cycle that each clip repeats, 0 for acyclic clips; only these can lead into a loop

    Example:
        >>> from action_loom.core.drive import ends
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=3)
        >>> ends.loops_after([walk, walk.cut(0, 50), actions.wave()], [32, 0, 0])
        [None, (0, 17), None]
    """
    weights = np.sqrt(clips[0].skeleton.point_weights)
    weights = weights[weights > 0.0][:, None]
    shapes = {
        k: cycles.in_ground_frames(clips[k].cut(0, length)) * weights for k, length in enumerate(lengths) if length
    }
    near = APART * clips[0].skeleton.height
    found: list[Into | None] = []
    for clip, length in zip(clips, lengths, strict=True):
        last = cycles.in_ground_frames(clip.cut(len(clip) - 1, len(clip))) * weights
        found.append(None if length else _nearest(shapes, last, near))
    return found


def _nearest(shapes: Mapping[int, Array], shape: Array, near: float) -> Into | None:
    """Return the loop and its frame nearest to a shape (1, P, 3), None if none is within `near`."""
    found = None
    for k, among in shapes.items():
        apart = np.sqrt(((among - shape) ** 2).sum(axis=(1, 2)))
        if apart.min() < near:
            found, near = (k, int(np.argmin(apart))), float(apart.min())
    return found


def gone_on(clip: Clip, loop: Clip, frame: int, frames: int) -> Clip:
    """Return a clip extended by `frames` frames of a loop, which is one cycle, starting at one of its frames.

    Example:
        >>> from action_loom.core.drive import ends
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles
        >>> walk = actions.walk(cycles=1)
        >>> len(ends.gone_on(walk.cut(0, 20), walk, 19, 40))
        60
    """
    after = cycles.unroll_cycle(loop, 0, -(-(frame + frames) // (len(loop) - 1)))
    after = replace(after, cyclic=False).cut(frame, frame + frames + 1)
    (ends, facing), (begins, faced) = (root_motion.ground_frames(one) for one in (clip, after))
    turn = float(facing[-1] - faced[0])
    shift = complex(*ends[-1]) - np.exp(1j * turn) * complex(*begins[0])
    after = root_motion.place_clip(after, turn, np.array([shift.real, shift.imag]))
    return join_clips([replace(clip, cyclic=False), after.cut(1, frames + 1)])
