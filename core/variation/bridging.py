"""Bring a variation exactly to its keyed poses, to a place at its end, or along a path (methods: Variations)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..edit import pose_warp
from ..graph import assemble
from ..graph.ground_path import GroundPath
from ..motion import root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from .wishes import Key, Stretch

REACH = 0.5  # s before and after a key over which the correction to its pose fades
AGAIN = 0.15  # s before and after a key over which the effect of planting fades
PADDING = 0.4  # s before and after a kept stretch over which the effect of planting fades
SHARPEST = 60.0  # degrees; limit for bending a metre of the body's path
STILL = 0.3  # m; a shorter path is not bent, and its turn is spread over time
ITERATIONS = 30
WAY = 0.8  # s; sigma for smoothing the body's path before it follows the requested path


def through_keys(clip: Clip, keys: Sequence[Key], stretches: Sequence[Stretch]) -> tuple[Clip, list[float]]:
    """Return a clip that passes exactly through keyed poses, and the largest rotation of a joint at each key, degrees.

    The poses are placed at the position and facing that the clip has at the keys.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> from action_loom.core.variation import source, wishes
        >>> rows = source.gather(inputs.gather([actions.wave()], images=False))
        >>> wished = wishes.read(rows, [], 61, [(1.0, 1, 20)], [])
        >>> from action_loom.core.variation import bridging
        >>> clip, apart = bridging.through_keys(actions.wave(), wished.keys, ())
        >>> len(clip), len(apart)
        (109, 1)
    """
    if not keys:
        return clip, []
    ground, facing = root_motion.ground_frames(clip)
    every = np.arange(len(clip.skeleton))
    corrections, apart = [], []
    for key in keys:
        pose = root_motion.beginning_at(_like(key.pose, clip), ground[key.at], float(facing[key.at]))
        made = pose_warp.correction(clip, key.at, pose, every)
        corrections.append(made)
        apart.append(float(np.degrees(np.linalg.norm(made.turns, axis=1).max(initial=0.0))))
    none = np.zeros((len(every), 3))
    for one in stretches:
        corrections += [pose_warp.Correction(frame, every, none, none) for frame in (one.at, one.at + one.count)]
    reach = pose_warp.Reach(REACH * clip.rate, REACH * clip.rate)
    return pose_warp.spread(clip, corrections, reach), apart


def _like(pose: Clip, clip: Clip) -> Clip:
    return replace(pose, scales=None if clip.scales is None else pose.scales, channels={})


def restore(changed: Clip, clip: Clip, keys: Sequence[Key], stretches: Sequence[Stretch]) -> Clip:
    """Return a planted clip whose keyed frames and kept stretches are those before planting; a loop is closed.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.variation import bridging
        >>> wave = actions.wave()
        >>> bridging.restore(wave, wave, (), ()) is wave
        True
    """
    if changed is clip:
        return changed
    held = _hold(changed, clip, keys, stretches) if keys or stretches else changed
    return _close(held) if clip.cyclic else held


def _close(clip: Clip) -> Clip:
    """Return a loop whose last pose equals its first one, at the position and facing of the last frame."""
    ground, facing = root_motion.ground_frames(clip)
    pose = root_motion.beginning_at(clip.cut(0, 1), ground[-1], float(facing[-1]))
    last = pose_warp.correction(clip, len(clip) - 1, pose, np.arange(len(clip.skeleton)))
    reach = pose_warp.Reach(REACH * clip.rate, REACH * clip.rate)
    return replace(pose_warp.spread(replace(clip, cyclic=False), [last], reach), cyclic=True)


def _hold(planted: Clip, clip: Clip, keys: Sequence[Key], stretches: Sequence[Stretch]) -> Clip:
    """Return a planted clip with keyed frames and kept stretches from before planting, and eases around them."""
    frames = np.arange(len(clip))
    kept = np.zeros(len(clip))
    spans = [(key.at, key.at, AGAIN) for key in keys] + [(s.at, s.at + s.count, PADDING) for s in stretches]
    for first, last, reach in spans:
        away = np.maximum(np.maximum(first - frames, frames - last), 0) / (reach * clip.rate)
        near = np.clip(1.0 - away, 0.0, 1.0)
        kept = np.maximum(kept, near * near * (3.0 - 2.0 * near))
    rows = np.flatnonzero(kept > 0.0)
    mixed = assemble.blend_frames(planted, clip.take_frames(rows), rows, kept[rows])
    whole = np.flatnonzero(kept == 1.0)
    rotations, translations = mixed.rotations.copy(), mixed.translations.copy()
    rotations[whole], translations[whole] = clip.rotations[whole], clip.translations[whole]
    return replace(mixed, rotations=rotations, translations=translations, cyclic=planted.cyclic)


def to_end(clip: Clip, end: Sequence[float], stretches: Sequence[Stretch]) -> tuple[Clip, float]:
    """Return a clip that ends at a place and facing, and the shift in metres needed in addition to bending.

    end : metres to the right and ahead of where it begins, and degrees turned to the left

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> from action_loom.core.variation import bridging
        >>> clip, _ = bridging.to_end(actions.walk(), (0.0, 4.0, 0.0), ())
        >>> ground = root_motion.ground_frames(clip)[0]
        >>> round(float(abs(ground[-1] - ground[0]).max()), 2)
        4.0
    """
    ground, facing = root_motion.ground_frames(clip)
    places = ground @ np.array([1.0, 1j])
    ahead = np.exp(1j * float(facing[0]))
    goal = places[0] + ahead * complex(end[0], end[1])
    turn = np.radians(end[2]) - float(facing[-1] - facing[0])
    turn -= 2.0 * np.pi * np.round(turn / (2.0 * np.pi))
    steps = np.diff(places)
    share = _share(np.abs(steps), stretches)
    bends = _bends(steps, share, turn, goal - places[0])
    angle = _angle(share, turn, bends)
    bent = places[0] + np.concatenate([[0.0], np.cumsum(steps * np.exp(1j * 0.5 * (angle[1:] + angle[:-1])))])
    rest = goal - bent[-1]
    bent = bent + rest * share
    shift = bent - np.exp(1j * angle) * places
    return root_motion.place_clip(clip, angle, np.column_stack([shift.real, shift.imag])), float(abs(rest))


def lead_along(clip: Clip, path: GroundPath) -> tuple[Clip, float, float]:
    """Return a clip whose smoothed path follows a given path, the metres that it travels, and the metres that it slips.

    Each frame turns with the path. Beyond the end of the path, the clip continues straight ahead.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import ground_path
        >>> from action_loom.core.motion import root_motion
        >>> from action_loom.core.variation import bridging
        >>> corner = ground_path.through([(0, 0), (0, 2), (2, 2)], closed=False)
        >>> clip, gone, _ = bridging.lead_along(actions.walk(), corner)
        >>> round(gone, 1), root_motion.ground_frames(clip)[0][-1].round().tolist()
        (4.2, [2.0, 2.0])
    """
    ground = root_motion.ground_frames(clip)[0]
    smooth = root_motion.smooth(ground, WAY * clip.rate)
    places, way = ground @ np.array([1.0, 1j]), smooth @ np.array([1.0, 1j])
    steps = np.gradient(smooth, axis=0)
    ahead = root_motion.smooth(steps, WAY * clip.rate) @ np.array([1.0, 1j])
    gone = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(way)))])
    inside = np.minimum(gone, path.length)
    facing = path.facing_at(inside) + 0.5 * np.pi
    turn = root_motion.smooth(np.unwrap(facing - np.angle(ahead)), WAY * clip.rate)
    new = path.at(inside) + (gone - inside) * np.exp(1j * facing) + np.exp(1j * turn) * (places - way)
    slips = np.abs(np.diff(new) - np.exp(0.5j * (turn[1:] + turn[:-1])) * np.diff(places))
    shift = new - np.exp(1j * turn) * places
    placed = root_motion.place_clip(clip, turn, np.column_stack([shift.real, shift.imag]))
    return placed, float(gone[-1]), float(slips.sum())


def _share(steps: Array, stretches: Sequence[Stretch]) -> Array:
    """Return the share (F,) of the path travelled at each frame, or of the time on a short path.

    It is constant in kept stretches.
    """
    steps = steps + max(STILL, float(steps.sum())) * 0.02 / max(len(steps), 1)
    for one in stretches:
        steps[max(one.at, 0) : one.at + one.count] = 0.0
    gone = np.concatenate([[0.0], np.cumsum(steps)])
    return gone / gone[-1] if gone[-1] > 0.0 else np.linspace(0.0, 1.0, len(gone))


def _angle(share: Array, turn: float, bends: Array) -> Array:
    return turn * share + bends[0] * 4.0 * share * (1.0 - share) + bends[1] * np.sin(2.0 * np.pi * share)


def _bends(steps: NDArray[np.complex128], share: Array, turn: float, wanted: complex) -> Array:
    """Return the two bends that bring a path of steps (F − 1,) nearest to a displacement (Gauss and Newton)."""
    bends, length = np.zeros(2), float(np.abs(steps).sum())
    if length < STILL:
        return bends
    most = np.radians(SHARPEST) * length / 4.0

    def missed(values: Array) -> complex:
        angle = _angle(share, turn, values)
        return complex((steps * np.exp(1j * 0.5 * (angle[1:] + angle[:-1]))).sum() - wanted)

    for _ in range(ITERATIONS):
        now, small = missed(bends), 1e-5
        slopes = [(missed(bends + small * axis) - now) / small for axis in np.eye(2)]
        matrix = np.array([[s.real for s in slopes], [s.imag for s in slopes]])
        weight = 1e-3 * float((matrix**2).sum()) + 1e-12
        change = np.linalg.solve(matrix.T @ matrix + weight * np.eye(2), -matrix.T @ np.array([now.real, now.imag]))
        bends = np.clip(bends + np.clip(change, -0.5, 0.5), -most, most)
    return bends
