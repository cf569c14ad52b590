"""Bake a driven motion as a clip: optimized jump times, fades, and a smoothed root path (methods: Drive)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..edit.feet import spans
from ..edit.feet.spans import Span
from ..graph import edge_table
from ..motion import feet, kinematics, quat, resample, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..quality.contacts import runs
from .database import RATE, Database, Rows
from .foot_lock import FARTHEST
from .route import Route

MOVED = 6  # frames by which a jump may be shifted
FADE = 0.4  # s; duration of a fade, centred on its jump
WAY_SIGMA = 0.1  # s, sigma of smoothing the root path
# Body heights that a foot may travel in one contact: the drive displaces it by up to FARTHEST in either direction.
TRAVELS = 2.0 * FARTHEST
GAP = 0.10  # s; duration of the step between the two contacts into which a contact is split
LEAST_SPAN = 0.15  # s; least duration of a contact
HELD = 1e-6  # frames by which a held pose advances per row, so that source frames always rise


@dataclass(frozen=True)
class Stretch:
    """Frames first … end − 1 of a drive that play one source without a jump, `row` at its first."""

    first: int
    end: int
    row: int


@dataclass(frozen=True, eq=False)
class Woven:
    """A drive as a clip at RATE, and its foot contacts.

    jumps : frames of the jumps; moved : shift of each jump in frames; rows (F,) : that weigh most
    """

    clip: Clip
    spans: tuple[Span, ...]
    jumps: tuple[int, ...]
    moved: tuple[int, ...]
    rows: Rows


def stretches(route: Route) -> list[Stretch]:
    """Return the stretches of a route between its jumps."""
    starts = [0, *(k for k in range(1, len(route)) if route.jumped[k])]
    ends = [*starts[1:], len(route)]
    return [Stretch(a, b, int(route.row[a])) for a, b in zip(starts, ends, strict=True)]


def rows_of(data: Database, route: Route, stretch: Stretch, first: int, end: int) -> Rows:
    """Return the rows played by a stretch in frames first … end − 1, extended beyond its own; −1 outside its clip."""
    low, high = min(first, stretch.first), max(end, stretch.end)
    before, after = [stretch.row], [int(route.row[stretch.end - 1])]
    for _ in range(stretch.first - low):
        before.append(-1 if before[-1] < 0 else data.before(before[-1]))
    for _ in range(high - stretch.end):
        after.append(-1 if after[-1] < 0 else int(data.onward[after[-1]]))
    rows = [*reversed(before[1:]), *route.row[stretch.first : stretch.end].tolist(), *after[1:]]
    return np.array(rows[first - low : end - low], dtype=np.int64)


def weave_route(data: Database, route: Route, name: str) -> Woven:
    """Return a route rewoven: jumps shifted within 0.1 s to the most similar poses, faded, along the smoothed path.

    Example:
        >>> from action_loom.core.drive import database, keep, route
        >>> from action_loom.core.drive.controller import Manner, Wish
        >>> from action_loom.core.demo_character import actions
        >>> data = database.build([actions.walk(cycles=1), actions.wave()])
        >>> states = route.drive_route(data, [Wish(1.3j)] * 60, Manner())
        >>> len(keep.weave_route(data, route.of_states(states), "driven").clip)
        61
    """
    parts = stretches(route)
    moves = [_best(data, route, one, other) for one, other in pairwise(parts)]
    at = [other.first + move for other, move in zip(parts[1:], moves, strict=True)]
    posed, heavier = _blend_poses(data, _layers(data, route, parts, at))
    place = _smooth_path(route.place)
    facing = root_motion.smooth(route.facing, WAY_SIGMA * RATE)
    clip = root_motion.place_clip(replace(posed, name=name), facing, np.column_stack([place.real, place.imag]))
    return Woven(clip, _standing(data, heavier), tuple(at), tuple(moves), heavier)


def list_played(data: Database, rows: Rows, rate: float) -> list[tuple[int, int, Array]]:
    """Return the frames that rows (F,) at RATE play at another rate, as stretches without jumps.

    Each is a clip of the database, the first frame at `rate`, and frames (K,) of the clip at RATE, rising: those of a
    repeated cycle go on after its end, and a held pose moves on by a millionth.

    Example:
        >>> from action_loom.core.drive import database, keep
        >>> from action_loom.core.demo_character import actions
        >>> data = database.build([actions.walk(cycles=1), actions.wave()], mirror=False)
        >>> [(clip, first, frames.round(2).tolist()) for clip, first, frames in
        ...  keep.list_played(data, np.array([5, 6, 7, 8, 70, 71, 72]), 24.0)]
        [(0, 0, [5.0, 7.5]), (1, 2, [7.0])]
    """
    onward, same = data.onward[rows[:-1]] == rows[1:], np.diff(rows) == 0
    goes_on = (onward | same) & (np.diff(data.clip[rows]) == 0)
    found = []
    for part in np.split(np.arange(len(rows)), np.flatnonzero(~goes_on) + 1):
        own = np.arange(np.ceil(part[0] * rate / RATE - 1e-6), np.ceil((part[-1] + 1) * rate / RATE - 1e-6))
        if not len(own):
            continue
        steps = np.where(same[part[:-1]], HELD, 1.0)
        steps = np.append(steps, steps[-1:] if len(steps) else 1.0)  # on to the next row
        played = data.frame[rows[part[0]]] + np.concatenate([[0.0], np.cumsum(steps)])
        which = int(data.clip[rows[part[0]]])
        at = np.interp(own * RATE / rate, np.append(part, part[-1] + 1), played)
        found.append((which, int(own[0]), at))
    return found


def _smooth_path(place: NDArray[np.complex128]) -> NDArray[np.complex128]:
    smooth = root_motion.smooth(np.column_stack([place.real, place.imag]), WAY_SIGMA * RATE)
    return np.asarray(smooth[:, 0] + 1j * smooth[:, 1])


def _best(data: Database, route: Route, one: Stretch, other: Stretch) -> int:
    """Return the shift in frames that moves a jump to the most similar poses."""
    least = max(-MOVED, one.first + 2 - other.first)
    most = min(MOVED, other.end - 2 - other.first)
    if most <= least:
        return 0
    around = np.arange(least, most + 1)
    first, end = other.first + least, other.first + most + 1
    left, right = rows_of(data, route, one, first, end), rows_of(data, route, other, first, end)
    known = (left >= 0) & (right >= 0)
    if not known.any():
        return 0
    weights = np.sqrt(data.skeleton.point_weights)[:, None]
    points = [kinematics.points(data.poses(np.maximum(rows, 0))) * weights for rows in (left, right)]
    speeds = [np.gradient(place, axis=0) * RATE * 0.1 if len(place) > 1 else np.zeros_like(place) for place in points]
    apart = ((points[0] - points[1]) ** 2).sum(axis=(1, 2)) + ((speeds[0] - speeds[1]) ** 2).sum(axis=(1, 2))
    cost = np.where(known, apart + 1e-6 * around**2, np.inf)
    return int(around[np.argmin(cost)])


def _layers(data: Database, route: Route, parts: Sequence[Stretch], at: Sequence[int]) -> list[tuple[int, Rows, Array]]:
    """Return for each stretch its first frame, its rows from there, and its opacity over earlier stretches.

    Fades of jumps in quick succession may overlap; each stretch covers the earlier ones.
    """
    count, half = len(route), round(0.5 * FADE * RATE)
    layers = []
    for k, part in enumerate(parts):
        begins = 0 if k == 0 else max(0, at[k - 1] - half)
        ends = count if k == len(at) else min(count, at[k] + half)
        share = np.ones(ends - begins)
        if k:
            rises = edge_table.fade(2 * half)[begins - (at[k - 1] - half) :][: len(share)]
            share[: len(rises)] = rises
        layers.append((begins, _fill_rows(rows_of(data, route, part, begins, ends)), share))
    return layers


def _fill_rows(rows: Rows) -> Rows:
    """Return rows with missing ones (−1) replaced by the last valid row."""
    known = np.where(rows >= 0, np.arange(len(rows)), -1)
    last = np.maximum.accumulate(known)
    return rows[np.where(last >= 0, last, int(np.flatnonzero(rows >= 0)[0]))]


def _blend_poses(data: Database, layers: Sequence[tuple[int, Rows, Array]]) -> tuple[Clip, Rows]:
    """Return the poses in the frame of the root, and the row with the largest weight in each frame."""
    count = max(begins + len(rows) for begins, rows, _ in layers)
    rotations, translations = (
        np.empty((count, *data.rotations.shape[1:])),
        np.empty((count, *data.translations.shape[1:])),
    )
    heaviest = np.zeros(count, dtype=np.int64)
    for begins, rows, share in layers:
        some = slice(begins, begins + len(rows))
        turned, shifted, part = data.rotations[rows], data.translations[rows], share[:, None, None]
        fades = int((share < 1.0).sum())
        if fades:
            under = rotations[some][:fades]
            apart = quat.log(quat.mul(quat.inv(under), quat.same_side(turned[:fades], under)))
            turned[:fades] = quat.mul(under, quat.exp(part[:fades] * apart))
            shifted[:fades] = (1.0 - part[:fades]) * translations[some][:fades] + part[:fades] * shifted[:fades]
        rotations[some], translations[some] = turned, shifted
        heaviest[some] = np.where(share >= 0.5, rows, heaviest[some])
    clip = replace(data.poses(heaviest), rotations=quat.continuous(rotations), translations=translations)
    return clip, heaviest


def _standing(data: Database, rows: Rows) -> tuple[Span, ...]:
    """Return foot contacts as in the sources, since steps in place are not baked."""
    found = []
    for k, foot in enumerate(data.feet):
        for first, end in runs(data.stands[rows, k]):
            if end - first >= LEAST_SPAN * RATE:
                found.append(Span(foot, spans.BALL, first, end))
    return tuple(found)


def split_spans(clip: Clip, found: Sequence[Span]) -> list[Span]:
    """Return the spans of a clip, split at the frames in which a foot that travels far within a span moves fastest.

    Example:
        >>> from action_loom.core.drive import keep
        >>> from action_loom.core.edit.feet import planting
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> found = planting.contact_spans(walk)
        >>> keep.split_spans(walk, found) == found  # no foot travels
        True
    """
    points = kinematics.points(clip)
    balls = {foot: points[:, pair[0], :2] for foot, pair in feet.balls_and_ankles(clip.skeleton).items()}
    far, least, gap = TRAVELS * clip.skeleton.height, round(LEAST_SPAN * clip.rate), round(GAP * clip.rate)
    return [part for span in found for part in _stances(span, balls[span.foot], far, least, gap)]


def _stances(span: Span, path: Array, far: float, least: int, gap: int) -> list[Span]:
    """Return the parts of a span in which a foot (F, 2) travels at most `far` metres, separated by the other frames."""
    own = path[span.first : span.end]
    if 2.0 * float(np.linalg.norm(own - own.mean(axis=0), axis=1).max()) <= far:
        return [span]
    if len(own) <= max(gap, least):
        return []  # no contact remains
    fastest = span.first + int(np.argmax(np.linalg.norm(own[gap:] - own[:-gap], axis=1)))
    sides = (replace(span, end=fastest + 1), replace(span, first=fastest + gap))
    stand = [side for side in sides if side.end - side.first >= least]
    # Too short for a step between two contacts: keep the slowest part.
    stand = stand or [_slowest(span, own, least)]
    return [part for side in stand for part in _stances(side, path, far, least, gap)]


def _slowest(span: Span, path: Array, least: int) -> Span:
    """Return the `least` frames of a span in which its foot (F, 2) moves least."""
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    first = span.first + int(np.argmin(gone[least:] - gone[:-least]))
    return replace(span, first=first, end=first + least)


def at_rate(made: Woven, rate: float) -> tuple[Clip, list[Span]]:
    """Return the clip and its spans at another rate.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.drive import keep
        >>> from action_loom.core.edit.feet.spans import Span
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import resample
        >>> walk = resample.to_rate(actions.walk(), 60.0)
        >>> made = keep.Woven(walk, (Span("L", "ball", 10, 40),), (), (), np.arange(len(walk)))
        >>> clip, spans = keep.at_rate(made, 30.0)
        >>> len(clip), spans[0].row
        (97, (0, 0, 5, 20))
    """
    clip = resample.to_rate(made.clip, rate)
    share, spanned = rate / RATE, []
    for span in made.spans:
        first, end = int(np.ceil(span.first * share)), min(int((span.end - 1) * share) + 1, len(clip))
        if end > first:
            spanned.append(replace(span, first=first, end=end))
    return clip, spanned
