"""Find frames in which a tracker has exchanged left and right, and undo the exchange (methods: Points)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..motion import arrays
from ..motion.quat import Array
from . import body
from .track import Flags, Track

_FARTHEST = 0.5  # m; upper limit of a point's step, and of its change, in the cost of movement
_LENGTH = 0.15  # m; upper limit of a length error in the cost of a pose, and the cost of an opposite direction
_CHANGE = 4.0  # cost of each change between exchanged and not, in median costs of movement
# Cost of each exchanged frame: this share of the sum of the median cost of movement and _OF_HEIGHT · body height.
_SWAPPED = 0.06
_OF_HEIGHT = 0.02
_LONGEST = 0.5  # s; longer runs of exchanged frames are not believed
_CUT = 0.7  # the exchange must reduce the steps into and out of a run below this share
_LINKS = tuple((f"hip.{side}", f"shoulder.{side}", 1.0) for side in body.SIDES)


def repair(track: Track) -> tuple[Track, list[tuple[int, int]]]:
    """Return a track with corrected sides, and the first and last frame of each exchanged run."""
    changed = np.zeros(len(track), dtype=bool)
    everything = tuple(dict.fromkeys(part for group in body.GROUPS for part in group))
    for group in (everything, *body.GROUPS):
        flags = _find_exchanged(track, group)
        if flags.any():
            track = exchange(track, flags, group)
            changed |= flags
    return track, runs(changed)


def exchange(track: Track, flags: Flags, parts: Sequence[str]) -> Track:
    """Return a track with left and right of some parts exchanged in flagged frames (F,)."""
    order = list(range(len(track.names)))
    for part in parts:
        if track.has(f"{part}.L", f"{part}.R"):
            left, right = track.columns((f"{part}.L", f"{part}.R"))
            order[left], order[right] = right, left
    return replace(
        track,
        places=np.where(flags[:, None, None], track.places[:, order], track.places),
        measured=np.where(flags[:, None], track.measured[:, order], track.measured),
        trust=np.where(flags[:, None], track.trust[:, order], track.trust),
    )


def runs(flags: Flags) -> list[tuple[int, int]]:
    """Return the first and last frame of each run of flagged frames.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.points import sides
        >>> sides.runs(np.array([False, True, True, False, True]))
        [(1, 2), (4, 4)]
    """
    return [(first, end - 1) for first, end in arrays.find_runs(flags)]


def _find_exchanged(track: Track, parts: Sequence[str]) -> Flags:
    """Return whether each frame (F,) has the sides of a group of parts exchanged."""
    parts = [part for part in parts if track.has(f"{part}.L", f"{part}.R")]
    none = np.zeros(len(track), dtype=bool)
    if not parts or len(track) < 3:
        return none
    moving = _moving_cost(track, parts)
    usual = float(np.median(moving[0, 0, 0]))
    states = _cheapest_states(moving, _own_cost(track, parts), _CHANGE * usual, usual, track.height)
    accepted = none.copy()
    columns = track.columns([f"{part}.{side}" for part in parts for side in body.SIDES])
    swapped = exchange(track, states, parts)
    for first, last in runs(states):
        if last - first + 1 > max(1.0, _LONGEST * track.rate):
            continue
        edges = [at for at in (first, last + 1) if 0 < at < len(track)]
        before, after = (_steps(one.places[:, columns], edges) for one in (track, swapped))
        if edges and after < _CUT * before:
            accepted[first : last + 1] = True
    return accepted


def _steps(places: Array, frames: Sequence[int]) -> float:
    """Return the sum of the distances that points (F, P, 3) move into each of some frames from the frame before."""
    return sum(float(np.nansum(np.linalg.norm(places[frame] - places[frame - 1], axis=1))) for frame in frames)


def _moving_cost(track: Track, parts: Sequence[str]) -> Array:
    """Return the cost of movement (2, 2, 2, F) by the states two frames before, one frame before and in each frame."""
    left = track.columns([f"{part}.L" for part in parts])
    right = track.columns([f"{part}.R" for part in parts])
    orders = ([*left, *right], [*right, *left])
    place = [np.where(track.measured[..., None], track.places, np.nan)[:, order] for order in orders]
    costs = np.zeros((2, 2, 2, len(track)))
    for a, b, c in product(range(2), repeat=3):
        bend = np.linalg.norm(place[c][2:] - 2.0 * place[b][1:-1] + place[a][:-2], axis=-1)
        step = np.linalg.norm(place[c][2:] - place[b][1:-1], axis=-1)
        known = np.isfinite(bend)
        cost = np.where(known, np.minimum(bend, _FARTHEST) + 0.5 * np.minimum(step, _FARTHEST), 0.0)
        costs[a, b, c, 2:] = cost.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return costs


def _own_cost(track: Track, parts: Sequence[str]) -> Array:
    """Return the cost (2, F) of the pose in each frame, first with its sides as they are, then exchanged."""
    costs = np.zeros((2, len(track)))
    own = {f"{part}.{side}" for part in parts for side in body.SIDES}
    for state in range(2):
        one = exchange(track, np.full(len(track), bool(state)), parts)
        off = []
        for first, second, _ in (*body.bones_between(track.names), *_LINKS):
            if (first in own) != (second in own):
                length = np.linalg.norm(one.at(first) - one.at(second), axis=1)
                usual = np.nanmedian(np.linalg.norm(track.at(first) - track.at(second), axis=1))
                off.append(np.minimum(np.abs(length - usual), _LENGTH))
        if off:
            known = np.isfinite(off)
            costs[state] += np.nansum(off, axis=0) / np.maximum(known.sum(axis=0), 1)
        hips = one.at("hip.R") - one.at("hip.L")
        if ("hip" in parts) != ("shoulder" in parts):
            shoulders = one.at("shoulder.R") - one.at("shoulder.L")
            costs[state] += _LENGTH * np.maximum(0.0, -_cosine(hips, shoulders))
        if "hip" in parts and one.has("toe.L", "toe.R"):
            up = one.middle("shoulder") - one.middle("hip")
            toes = one.middle("toe") - one.middle("ankle")
            costs[state] += _LENGTH * np.maximum(0.0, -_cosine(toes, np.cross(up, hips)))
    return costs


def _cosine(one: Array, other: Array) -> Array:
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.nan_to_num(np.sum(one * other, axis=1) / np.maximum(lengths, 1e-12))


def _cheapest_states(moving: Array, own: Array, change: float, usual: float, height: float) -> NDArray[np.bool_]:
    """Return whether each frame is exchanged in the cheapest sequence, by dynamic programming over pairs of frames."""
    frames = own.shape[1]
    own = own + np.array([[0.0], [_SWAPPED * (usual + _OF_HEIGHT * height)]])
    changes = change * (1.0 - np.eye(2))
    best = own[:, 0, None] + own[None, :, 1] + changes  # (state before, state)
    back = np.zeros((frames, 2, 2), dtype=np.int64)
    for frame in range(2, frames):
        total = best[:, :, None] + moving[:, :, :, frame] + changes[None] + own[None, None, :, frame]
        back[frame] = total.argmin(axis=0)
        best = total.min(axis=0)
    states = np.zeros(frames, dtype=np.int64)
    states[-2], states[-1] = np.unravel_index(int(best.argmin()), (2, 2))
    for frame in range(frames - 1, 1, -1):
        states[frame - 2] = back[frame, states[frame - 1], states[frame]]
    return states.astype(bool)
