"""Limits of a variation: poses at times, and unchanged stretches (methods: Variations)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..edit import hermite
from ..errors import OptionError, given_twice, no_clip, no_frame, wrong_rows
from ..motion.clip import Clip
from ..motion.quat import Array
from .choice import MOST, Limits
from .guide import Pinned
from .source import COMPONENTS, Indices, Source

SLACK = 1.0 / 6.0  # s by which a pose like the keyed one may be early or late; time is then warped to correct this
WARP = 0.35  # largest relative change of speed by this warp
WEIGHT = 200.0  # weight of the cost of a row at a keyed pose; other rows have the weight 1
PADDING = 0.4  # s of its clip to play before and after a kept stretch, too, so that fades stay outside it
STRETCH = 0.05  # share of a loop's duration by which it may be stretched or compressed
MOST_STRETCH = 2.0  # s; upper limit of that
SETTLES = 0.5  # s before and after a key; least duration over which time is warped


@dataclass(frozen=True, eq=False)
class Key:
    """A keyed pose at frame `at` of the result, requested at a time in seconds.

    clip, frame : the prepared clip and its frame with the pose; pose : a clip of this frame alone
    """

    at: int
    seconds: float
    clip: int
    frame: int
    pose: Clip


@dataclass(frozen=True)
class Stretch:
    """Frames from `at` to at + count of the result that play a prepared clip unchanged, beginning with `frame`."""

    at: int
    count: int
    clip: int
    frame: int


@dataclass(frozen=True, eq=False)
class Wishes:
    """The fixed poses and stretches of a result of `frames` frames."""

    frames: int
    keys: tuple[Key, ...]
    stretches: tuple[Stretch, ...]


def read(
    source: Source,
    clips: Sequence[Clip],
    frames: int,
    keys: Sequence[Sequence[float]],
    verbatim: Sequence[Sequence[float]],
) -> Wishes:
    """Return keys given as rows of seconds, clip and frame, and stretches as seconds, clip, first and last frame.

    clips : as given to the verb, numbered from 1. Raises OptionError for rows of another length, for times outside the
    result, for frames that a clip does not have, and for stretches that overlap.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> from action_loom.core.variation import source, wishes
        >>> rows = source.gather(inputs.gather([actions.wave()], images=False))
        >>> wished = wishes.read(rows, [], 61, [(1.0, 1, 20)], [])
        >>> [key.at for key in wished.keys]
        [30]
    """
    rate = source.inputs.clips[0].rate
    found = [_key(source, clips, frames, rate, row) for row in keys]
    kept = [_stretch(source, clips, frames, rate, row) for row in verbatim]
    kept.sort(key=lambda one: one.at)
    for one, following in pairwise(kept):
        if one.at + one.count >= following.at:
            raise given_twice("verbatim", f"{following.at / rate:g} s")
    found.sort(key=lambda key: key.at)
    for key in found:
        if any(one.at <= key.at <= one.at + one.count for one in kept):
            raise OptionError(f"the key at {key.seconds:g} s lies in a stretch that is kept")
    if len({key.at for key in found}) < len(found):
        raise given_twice("poses", f"frame {next(a.at for a, b in pairwise(found) if a.at == b.at)}")
    return Wishes(frames, tuple(found), tuple(kept))


def _clip_of(source: Source, clips: Sequence[Clip], number: float, what: str) -> int:
    count = len(clips) or source.inputs.given
    if not 1 <= number <= count or number != int(number):
        raise no_clip(what, number, count)
    name = clips[int(number) - 1].name if clips else source.inputs.clips[int(number) - 1].name
    names = [clip.name for clip in source.inputs.clips[: source.inputs.given]]
    return names.index(name) if name in names else int(number) - 1


def _frame_of(source: Source, clip: int, frame: float) -> int:
    """Return the prepared clip's frame for a frame of the given clip."""
    maps, last = source.inputs.frame_maps[clip], len(source.inputs.clips[clip]) - 1
    prepared = maps.prepared_frame(int(frame))
    if not 0 <= prepared <= last:
        raise no_frame(
            source.inputs.clips[clip].name, int(frame), maps.given_frame(0), maps.first + round(last * maps.step)
        )
    return prepared


def _at(seconds: float, rate: float, frames: int, what: str) -> int:
    at = round(seconds * rate)
    if not 0 <= at < frames:
        raise OptionError(f"{what}: {seconds:g} s lies outside the result, which takes {(frames - 1) / rate:g} s")
    return at


def _key(source: Source, clips: Sequence[Clip], frames: int, rate: float, row: Sequence[float]) -> Key:
    if len(row) != 3:
        raise wrong_rows("poses", "seconds", "clip", "frame")
    clip = _clip_of(source, clips, row[1], "poses")
    frame = _frame_of(source, clip, row[2])
    at = _at(row[0], rate, frames, "poses")
    return Key(at, row[0], clip, frame, source.inputs.clips[clip].cut(frame, frame + 1))


def _stretch(source: Source, clips: Sequence[Clip], frames: int, rate: float, row: Sequence[float]) -> Stretch:
    if len(row) != 4 or row[3] <= row[2]:
        raise wrong_rows("verbatim", "seconds", "clip", "first frame", "last frame")
    clip = _clip_of(source, clips, row[1], "verbatim")
    first, last = _frame_of(source, clip, row[2]), _frame_of(source, clip, row[3])
    at = _at(row[0], rate, frames, "verbatim")
    _at(row[0] + (last - first) / rate, rate, frames, "verbatim")
    cycle, length = source.inputs.frame_maps[clip].cycle, len(source.inputs.clips[clip])
    if cycle and last + cycle < length:  # use the next cycle, which also has frames before the stretch
        first, last = first + cycle, last + cycle
    return Stretch(at, last - first, clip, first)


def limits(source: Source, wishes: Wishes, count: int, *, hold: float, loop: bool) -> tuple[Limits, Pinned]:
    """Return the conditions on the rows of the result, and the features that the guide must have in these rows.

    count : number of rows of the result; hold : least number of seconds between two jumps

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> from action_loom.core.variation import source, wishes
        >>> rows = source.gather(inputs.gather([actions.wave()], images=False))
        >>> wished = wishes.read(rows, [], 61, [(1.0, 1, 20)], [])
        >>> limits, pinned = wishes.limits(rows, wished, 61, hold=0.4, loop=False)
        >>> limits.times.tolist(), pinned.rows.tolist()
        ([30], [30])
    """
    forced = np.full(count, -1)
    times, prices, features = [], [], []
    for key in wishes.keys:
        time = min(round(key.at / source.step), count - 1)
        row = int(source.firsts[key.clip]) + min(round(key.frame / source.step), _rows(source, key.clip) - 1)
        slack = 0 if time in (0, count - 1) else source.count(SLACK)
        times.append(time)
        prices.append(_price(source, row, slack))
        features.append(source.features[row])
    for one in wishes.stretches:
        first = int(source.firsts[one.clip])
        time, row = round(one.at / source.step), round(one.frame / source.step)
        padding = source.count(PADDING)
        # The padding begins and ends at rows that jumps can reach and leave.
        low = min(row, max(row - padding, source.half + 2))
        end = row + one.count // source.step
        high = max(end, min(end + padding, _rows(source, one.clip) - source.half - 3))
        for k in range(low - row, high - row + 1):
            if 0 <= time + k < count and 0 <= row + k < _rows(source, one.clip):
                forced[time + k] = first + row + k
                times.append(time + k)
                prices.append(np.zeros(0))
                features.append(source.features[first + row + k])
    asked = [k for k, price in enumerate(prices) if len(price)]
    pinned = Pinned(np.array(times, dtype=np.int64), np.reshape(features, (len(times), source.features.shape[1])))
    return (
        Limits(
            forced,
            np.array([times[k] for k in asked], dtype=np.int64),
            np.reshape([prices[k] for k in asked], (len(asked), len(source))),
            source.stay(hold),
            loop,
            0 if times or not loop else min(round(STRETCH * count), source.count(MOST_STRETCH)),
        ),
        pinned,
    )


def _rows(source: Source, clip: int) -> int:
    return int(source.firsts[clip + 1] - source.firsts[clip])


def _price(source: Source, row: int, slack: int) -> Array:
    """Return the cost (N,) of playing each row where a pose is keyed: the least one of rows within the slack."""
    poses = source.features[:, : min(COMPONENTS, source.features.shape[1])]
    apart = ((poses - poses[row]) ** 2).sum(axis=1) / source.scale
    least = apart.copy()
    for k in range(1, slack + 1):
        same = source.clip[k:] == source.clip[:-k]
        least[:-k] = np.where(same, np.minimum(least[:-k], apart[k:]), least[:-k])
        least[k:] = np.where(same, np.minimum(least[k:], apart[:-k]), least[k:])
    return np.asarray(WEIGHT * np.minimum(least, 100.0 * MOST))


def times(source: Source, wishes: Wishes, rows: Indices, *, loop: bool) -> tuple[Array, Array]:
    """Return the row (F,), with a fraction, that each frame of the result shows, and the shift of time (K,) at keys, s.

    Time is warped so that the rows most like the keyed poses are played at the frames of the keys. The speed changes
    by at most `WARP`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> from action_loom.core.variation import source, wishes
        >>> rows = source.gather(inputs.gather([actions.wave()], images=False))
        >>> wished = wishes.read(rows, [], 61, [(1.0, 1, 20)], [])
        >>> import numpy as np
        >>> shown, moved = wishes.times(rows, wished, np.arange(61), loop=False)
        >>> bool(shown[30] == 25.0 or abs(shown[30] - 30.0) <= 5.0), len(moved)
        (True, 1)
    """
    step, rate = source.step, source.inputs.clips[0].rate
    knots: list[tuple[float, float, float, bool]] = []  # first and last frame, offset in rows, whether it is fixed
    knots += [(key.at, key.at, _nearest(source, key, rows, wishes.frames), False) for key in wishes.keys]
    for one in wishes.stretches:
        time, row = round(one.at / step), round(one.frame / step)
        offset = (one.frame - row * step - (one.at - time * step)) / step
        knots.append((one.at, one.at + one.count, offset, True))
    knots.sort()
    offsets = _limit_warp(knots, step)
    at, values = [0.0], [0.0]
    last_row = (wishes.frames - 1) / step
    for k, (first, last, *_) in enumerate(knots):
        reach = max(SETTLES * rate / step, 1.5 * abs(offsets[k]) / WARP)
        before, after = first / step - reach, last / step + reach
        previous = knots[k - 1][1] / step + reach if k else -np.inf
        if before > at[-1] and before > previous:
            at, values = [*at, before], [*values, 0.0]
        for place in dict.fromkeys((first / step, last / step)):
            if place > at[-1]:
                at, values = [*at, place], [*values, offsets[k]]
            elif place == at[-1]:
                values[-1] = offsets[k]
        following = knots[k + 1][0] / step - reach if k + 1 < len(knots) else np.inf
        if after < min(following, last_row):
            at, values = [*at, after], [*values, 0.0]
    if at[-1] < last_row:
        at, values = [*at, last_row], [*values, 0.0]
    base = np.arange(wishes.frames) / step
    if loop:
        base *= (len(rows) - 1) * step / (wishes.frames - 1)
    if len(at) > 1 and any(values):
        knots_at, knots_of = np.array(at), np.array(values)[:, None]
        slopes = np.zeros_like(knots_of)
        base = base + hermite.evaluate(knots_at, knots_of, slopes, base)[:, 0]
    moved = np.array([offsets[k] / source.rate for k, knot in enumerate(knots) if not knot[3]])
    return base, moved


def _nearest(source: Source, key: Key, rows: Indices, frames: int) -> float:
    """Return the offset in rows from a key to the played row that is most like its pose."""
    middle, count = key.at / source.step, len(rows)
    if key.at in (0, frames - 1):
        near = np.array([min(round(middle), count - 1)])
    else:
        slack = source.count(SLACK)
        near = np.arange(max(round(middle) - slack, 0), min(round(middle) + slack + 1, count))
    poses = source.features[:, : min(COMPONENTS, source.features.shape[1])]
    row = int(source.firsts[key.clip]) + min(round(key.frame / source.step), _rows(source, key.clip) - 1)
    apart = ((poses[rows[near]] - poses[row]) ** 2).sum(axis=1)
    best = int(near[np.argmin(apart)])
    exact = 0.0
    if source.clip[rows[best]] == key.clip and abs(source.frame[rows[best]] - key.frame) < source.step:
        exact = (key.frame - float(source.frame[rows[best]])) / source.step
    if key.at in (0, frames - 1):
        exact = 0.0
    return best + exact - middle


def _limit_warp(knots: Sequence[tuple[float, float, float, bool]], step: int) -> list[float]:
    """Return the offsets of knots, limited to the allowed change of speed; fixed offsets are kept."""
    kept = [knot[2] for knot in knots]
    for order in (1, -1):
        for k, other in list(pairwise(range(len(knots))))[::order]:
            one, other = (k, other)[::order]
            if not knots[other][3]:
                most = WARP * (knots[k + 1][0] - knots[k][1]) / step / 1.5
                kept[other] = float(np.clip(kept[other], kept[one] - most, kept[one] + most))
    return kept
