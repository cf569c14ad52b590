"""Find outliers and fill missing points, in coordinate systems that move with the body (methods: Points)."""

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..motion.quat import Array
from . import sides
from .track import Flags, Track

_WINDOW = 0.1  # s on each side over which a running median is taken
_SIGMAS, _LEAST = 4.0, 0.06  # standard deviations, and body heights, from that median; an outlier is beyond both
_SIGMA_OF_MEDIAN = 1.4826
_FILLED = 0.15  # weight of a filled point right beside a measured one
_FADES = 0.1  # s from the nearest measured point at which this weight is halved
_PARENTS = {
    "knee": "hip",
    "ankle": "knee",
    "heel": "ankle",
    "toe": "ankle",
    "elbow": "shoulder",
    "wrist": "elbow",
    **dict.fromkeys(("index", "pinky", "knuckle", "thumb"), "wrist"),
}
_TRUNK = ("hip.L", "hip.R", "shoulder.L", "shoulder.R")


def _filter_median(values: Array, reach: int) -> Array:
    """Return the running median (F, …) of values with gaps."""
    padded = np.pad(values, [(reach, reach), *[(0, 0)] * (values.ndim - 1)], constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of windows without a value
        return np.asarray(np.nanmedian(windows, axis=-1))


def trunk_frames(track: Track) -> tuple[Array, Array]:
    """Return the axes (F, 3, 3), as columns, and the origin (F, 3) of the trunk."""
    origin = track.middle("hip")
    x = track.at("hip.R") - track.at("hip.L") + track.at("shoulder.R") - track.at("shoulder.L")
    return axes_of(track.middle("shoulder") - origin, x), origin


def axes_of(up: Array, right: Array) -> Array:
    """Return axes (…, 3, 3) with the columns right, front and up; `up` is exact, `right` is made orthogonal to it."""
    z = up / np.maximum(np.linalg.norm(up, axis=-1, keepdims=True), 1e-12)
    y = np.cross(z, right)
    y = y / np.maximum(np.linalg.norm(y, axis=-1, keepdims=True), 1e-12)
    return np.stack([np.cross(y, z), y, z], axis=-1)


def _steady_trunk(track: Track) -> tuple[Array, Array]:
    """Return the axes and the origin of the trunk from running medians, which its outliers and gaps do not affect."""
    columns = track.columns(_TRUNK)
    places = np.where(track.measured[..., None], track.places, np.nan)
    steady = places.copy()
    steady[:, columns] = _filter_median(places[:, columns], max(1, round(_WINDOW * track.rate)))
    for column in columns:
        steady[:, column] = fill_across(steady[:, column], np.asarray(np.isfinite(steady[:, column]).all(axis=1)))
    return trunk_frames(track.of(steady))


def drop_outliers(track: Track) -> tuple[Track, float]:
    """Return a track without outliers, and the outliers' share of the measured points."""
    axes, origin = _steady_trunk(track)
    places = np.where(track.measured[..., None], track.places, np.nan)
    inside = np.einsum("fki,fpk->fpi", axes, places - origin[:, None])
    off = np.linalg.norm(inside - _filter_median(inside, max(1, round(_WINDOW * track.rate))), axis=-1)
    limit = np.maximum(_SIGMAS * _SIGMA_OF_MEDIAN * np.nanmedian(off, axis=0), _LEAST * track.height)
    bad = np.nan_to_num(off) > limit
    measured = track.measured & ~bad
    share = float(bad.sum() / max(track.measured.sum(), 1))
    return replace(track, measured=measured, trust=np.where(bad, 0.0, track.trust)), share


def fill(track: Track) -> Track:
    """Return a track whose gaps are filled by interpolation.

    A gap is filled in the coordinate system (world, trunk or parent point) in which its two ends are nearest.
    """
    places = np.where(track.measured[..., None], track.places, np.nan)
    for column in track.columns(_TRUNK):
        places[:, column] = fill_across(places[:, column], track.measured[:, column])
    axes, origin = trunk_frames(track.of(places))
    inwards = {name: _PARENTS.get(name.partition(".")[0], "") for name in track.names}
    for name in sorted(track.names, key=lambda one: _depth(one, inwards)):
        column = track.names.index(name)
        known = track.measured[:, column]
        if name in _TRUNK or known.all():
            continue
        one = places[:, column]
        parent = f"{inwards[name]}{name[-2:]}"
        frames = [(np.eye(3)[None], np.zeros((1, 3))), (axes, origin)]
        if inwards[name] and parent in track.names:
            frames.append((np.eye(3)[None], places[:, track.names.index(parent)]))
        places[:, column] = _in_nearest(one, known, frames)
    return replace(track, places=places, trust=_trust(track))


def _depth(name: str, inwards: dict[str, str]) -> int:
    depth = 0
    while part := inwards.get(name, ""):
        name, depth = f"{part}{name[-2:]}", depth + 1
    return depth


def _in_nearest(values: Array, known: Flags, frames: Sequence[tuple[Array, Array]]) -> Array:
    """Return values (F, 3); each gap is filled in the coordinate system in which its two ends are nearest."""
    filled, apart = [], []
    last = len(values) - 1
    for axes, origin in frames:
        inside = np.einsum("...ki,...k->...i", np.broadcast_to(axes, (len(values), 3, 3)), values - origin)
        inside = fill_across(inside, known)
        back = np.einsum("...ik,...k->...i", np.broadcast_to(axes, (len(values), 3, 3)), inside) + origin
        filled.append(back)
        apart.append(inside)
    out = values.copy()
    for first, end in sides.runs(~known):
        before, after = max(first - 1, 0), min(end + 1, last)
        inner = first == 0 or end == last  # a gap at an end of the track has one known side: it moves with the body
        steps = [float(np.linalg.norm(one[after] - one[before])) for one in apart]
        best = len(frames) - 1 if inner else int(np.argmin(steps))
        out[first : end + 1] = filled[best][first : end + 1]
    return out


def fill_across(values: Array, known: Flags) -> Array:
    """Return values (F, K) with gaps filled linearly; before the first and after the last known value it is held."""
    if known.all() or not known.any():
        return np.nan_to_num(values) if not known.any() else values
    frames, there = np.arange(len(values)), np.flatnonzero(known)
    return np.stack([np.interp(frames, there, values[there, k]) for k in range(values.shape[1])], axis=1)


def _trust(track: Track) -> Array:
    """Return weights (F, P); that of a filled point falls with the time to the nearest measured one."""
    frames = np.arange(len(track), dtype=np.float64)
    trust = track.trust.copy()
    for column in range(len(track.names)):
        there = np.flatnonzero(track.measured[:, column])
        if len(there) == len(track):
            continue
        place = np.clip(np.searchsorted(there, frames), 1, max(len(there) - 1, 1))
        near = np.minimum(np.abs(frames - there[place - 1]), np.abs(frames - there[np.minimum(place, len(there) - 1)]))
        away = _FILLED / (1.0 + (near / (_FADES * track.rate)) ** 2)
        trust[:, column] = np.where(track.measured[:, column], trust[:, column], away)
    return trust
