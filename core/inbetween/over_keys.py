"""Make velocities continuous at keys by fading their jumps on both sides; keyed frames do not change (methods:
Fill)."""

from dataclasses import replace

import numpy as np

from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from .rows import Longs

FADE = 0.25  # s of fading half of a jump on each side, or half of a shorter gap


def smooth_over_keys(clip: Clip, keys: Longs, filled: list[bool]) -> Clip:
    """Return a clip with continuous velocities at keys (sorted frames); the keyed frames do not change.

    filled : whether the frames of each gap may change; next to a fixed gap, the other side takes the whole jump

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import over_keys
        >>> from action_loom.core.edit import filtering
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> same = over_keys.smooth_over_keys(walk, np.array([0, 16, 32]), [True, True])
        >>> bool(filtering.turned_by(walk, same).mean() < 0.01)  # it has none but where heels strike
        True
    """
    if len(clip) < 3:
        return clip
    turns = quat.log(quat.mul(quat.inv(clip.rotations[:-1]), clip.rotations[1:]))
    moves = np.diff(clip.translations, axis=0)
    offsets = np.zeros_like(clip.translations), np.zeros_like(clip.translations)
    free = [False, *filled, False]
    borders = [0, *keys.tolist(), len(clip) - 1]
    for k, key in enumerate(keys.tolist()):
        sides = free[k], free[k + 1]
        if not (any(sides) and 0 < key < len(clip) - 1):
            continue
        share = 0.5 if all(sides) else 1.0
        for out, steps in zip(offsets, (turns, moves), strict=True):
            jump = _speed(steps[key:]) - _speed(steps[:key][::-1])
            if sides[0]:
                _fade(out, key, -_reach(clip, key - borders[k]), share * jump)
            if sides[1]:
                _fade(out, key, _reach(clip, borders[k + 2] - key), -share * jump)
    return replace(
        clip,
        rotations=quat.mul(clip.rotations, quat.exp(offsets[0])),
        translations=clip.translations + offsets[1],
    )


def _speed(steps: Array) -> Array:
    """Return the velocity (J, 3), per frame, at the start of steps (N, J, 3) away from a key."""
    return np.asarray(steps[0] if len(steps) < 2 else 1.5 * steps[0] - 0.5 * steps[1])


def _reach(clip: Clip, gap: int) -> int:
    return max(1, min(round(FADE * clip.rate), gap // 2))


def _fade(out: Array, key: int, reach: int, slope: Array) -> None:
    """Add a curve that starts at a key with a slope (J, 3) per frame and ends after `reach` frames (< 0: back)."""
    frames = np.arange(1, abs(reach))
    u = frames / abs(reach)
    size = np.sign(reach) * abs(reach) * u * (1.0 - u) ** 2
    out[key + np.sign(reach) * frames] += size[:, None, None] * slope
