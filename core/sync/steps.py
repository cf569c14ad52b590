"""Match the ends of steps one by one: contacts for runs, turning points of the feet otherwise.

A run differs from a quicker walk: the time between one foot's farthest forward position and the other's farthest
backward position is 0.18 s in a walk, and 0.02 s in a run. A smooth curve shortens this time and misses both.

Method: Time registration.
"""

from collections.abc import Mapping

import numpy as np

from ..motion import feet, root_motion
from ..motion.quat import Array
from ..quality import contacts
from ..quality.contacts import Flags
from .posed_clip import PosedClip

CLEAR = 0.05  # body heights that a foot moves back on both sides of a step's end
FINE = 0.02  # s; sigma for smoothing a foot's path before its ends are found
NEAR = 0.12  # s; ends of steps with a larger distance do not correspond
STRIKE, OFF = 2.0, 1.0  # weights of strikes and of lifts if the slope limits do not allow both to be matched
TOGETHER = 0.03  # share of time with both feet in contact, at most, in a run
SMOOTH = 0.02  # s; sigma for smoothing the correction


def correct_step_ends(reference: PosedClip, retimed: PosedClip, limit: float) -> Array:
    """Return the frames (F,) at which the steps of a re-timed clip end as in its reference (F frames each).

    limit : of the slopes, which decides between ends that can't all be matched
    """
    count, rate = len(reference), reference.clip.rate
    even = np.arange(float(count))
    ends = _ends(reference), _ends(retimed)
    standing = _standing(reference), _standing(retimed)
    if all(map(_runs, standing)):
        ends = _contacts(standing[0]), _contacts(standing[1])
    pairs = _pairs(*ends, NEAR * rate)
    pairs = [pair for pair in pairs if NEAR * rate < pair[0] < count - 1 - NEAR * rate]
    if not pairs:
        return even
    ours, theirs, weights = np.array(sorted(pairs)).T
    least = np.concatenate([[0.0], np.cumsum(np.diff(ours) / limit)])
    met = _increasing(theirs - least, weights) + least
    moved = np.interp(even, [0.0, *ours, count - 1.0], [0.0, *met, count - 1.0])
    moved[1:-1] = root_motion.smooth(moved, SMOOTH * rate)[1:-1]  # rounding would move the ends
    return np.asarray(moved)


def _standing(body: PosedClip) -> dict[str, Flags]:
    return {foot: found.stands for foot, found in contacts.standing_feet(body.pose).items()}


def _runs(standing: Mapping[str, Flags]) -> bool:
    """Return whether only one foot at a time is in contact."""
    each = np.array(list(standing.values()))
    return bool(each.any()) and float((each.sum(axis=0) > 1).mean()) <= TOGETHER


def _contacts(standing: Mapping[str, Flags]) -> dict[tuple[str, str], Array]:
    """Return the frames of strikes and lifts, by foot and kind."""
    found = {}
    for foot, flags in standing.items():
        runs = contacts.runs(flags)
        found[foot, "strike"] = np.array([first for first, _ in runs if first > 0], dtype=float)
        found[foot, "off"] = np.array([end for _, end in runs if end < len(flags)], dtype=float)
    return found


def _ends(body: PosedClip) -> dict[tuple[str, str], Array]:
    """Return the frames in which ankles are farthest forward and balls farthest back, by foot and kind."""
    found, height = {}, body.clip.skeleton.height
    for foot, (ball, ankle) in feet.balls_and_ankles(body.clip.skeleton).items():
        for kind, point, sign in (("strike", ankle, 1.0), ("off", ball, -1.0)):
            path = sign * root_motion.smooth(body.local[:, point, 1], FINE * body.clip.rate)
            found[foot, kind] = _peaks(path, CLEAR * height)
    return found


def _peaks(path: Array, least: float) -> Array:
    """Return the fractional positions (K,) of maxima from which a path (F,) falls by at least `least` on both sides."""
    turning = np.flatnonzero((path[1:-1] >= path[:-2]) != (path[2:] >= path[1:-1])) + 1
    found: list[int] = []
    low, best = float(path[0]), -1
    for frame in turning.tolist():
        height = float(path[frame])
        if best >= 0 and height < path[best] - least:
            found.append(best)
            low, best = height, -1
        if height < low:
            low = height
        elif height > low + least and (best < 0 or height > path[best]):
            best = frame
    if best >= 0 and path[-1] < path[best] - least:
        found.append(best)
    at = np.array(found, dtype=np.int64)
    before, here, after = path[at - 1], path[at], path[at + 1]
    bend = np.minimum(before - 2.0 * here + after, -1e-12)
    return np.asarray(at + np.clip(0.5 * (before - after) / bend, -0.5, 0.5))


def _pairs(
    ours: dict[tuple[str, str], Array], theirs: dict[tuple[str, str], Array], near: float
) -> list[tuple[float, float, float]]:
    """Return mutual nearest ends of steps, as positions in ours and theirs with their weights."""
    pairs = []
    for (foot, kind), places in ours.items():
        others = theirs.get((foot, kind), np.empty(0))
        if not len(places) or not len(others):
            continue
        apart = np.abs(places[:, None] - others)
        for k, other in enumerate(apart.argmin(axis=1).tolist()):
            if apart[k, other] <= near and apart[:, other].argmin() == k:
                pairs.append((float(places[k]), float(others[other]), STRIKE if kind == "strike" else OFF))
    return pairs


def _increasing(values: Array, weights: Array) -> Array:
    """Return the nearest values (K,) that never decrease: isotonic regression by pooling neighbours."""
    blocks: list[list[float]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (value, weight, count), (before, heavy, others) = blocks.pop(), blocks.pop()
            total = weight + heavy
            blocks.append([(value * weight + before * heavy) / total, total, count + others])
    return np.concatenate([np.full(int(count), value) for value, _, count in blocks])
