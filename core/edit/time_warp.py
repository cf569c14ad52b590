"""Time warping: move events of a clip to earlier or later frames, or hold them, by warping time around them.

Method: Warping in space and time.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..errors import OptionError, no_frame
from ..motion import cycles, quat, resample
from ..motion.clip import Channel, Clip
from ..motion.quat import Array
from .time_curve import FASTEST, NEAR, SLOWEST, Event, TimeCurve, through


def curve(clip: Clip, events: Sequence[Event]) -> TimeCurve:
    """Return the time-warp curve of events of a clip with unchanged length; in a cycle it extends across the ends.

    Raises OptionError for frames outside the clip or out of order, and for moves and holds that require speeds below
    half or above twice the original; the message gives the possible moves and a sufficient reach.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import time_warp
        >>> from action_loom.core.edit.time_curve import Event
        >>> from action_loom.core.demo_character import actions
        >>> curve = time_warp.curve(actions.wave(), [Event(50, 56)])
        >>> curve.at(np.array([0.0, 20.0, 56.0, 100.0])).tolist(), [round(speed, 2) for speed in curve.speeds]
        ([0.0, 20.0, 50.0, 100.0], [0.7, 1.38])
    """
    ordered = _order_events(clip, events)
    crowded = _describe_crowding(clip, ordered)
    if not crowded:
        time_curve = through(clip, ordered)
        if _plays(time_curve):
            return time_curve
        least, most = time_curve.speeds
        crowded = (
            f"{clip.name} would play at {least:.2f} to {most:.2f} times its speed, beyond {SLOWEST:g} to {FASTEST:g}"
        )
    raise OptionError("; ".join(filter(None, (f"{crowded}: {_could(clip, ordered)}", _farther(clip, ordered)))))


def warp_clip(clip: Clip, time_curve: TimeCurve) -> Clip:
    """Return a clip played by a time-warp curve; whole frames of the clip are reproduced bit for bit.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import time_warp
        >>> from action_loom.core.edit.time_curve import Event
        >>> from action_loom.core.demo_character import actions
        >>> wave = actions.wave()
        >>> held = time_warp.warp_clip(wave, time_warp.curve(wave, [Event(50, 50, hold=6)]))
        >>> len(held) == len(wave), bool((held.rotations[50:57] == wave.rotations[50]).all())
        (True, True)
    """
    own = np.arange(len(clip), dtype=np.float64)
    frames = time_curve.at(own)
    moved = np.flatnonzero(frames != own)
    if not len(moved):
        return clip
    # A held frame is sampled once, so that its repetitions are bit-identical.
    sampled, which = np.unique(frames[moved], return_inverse=True)
    nearest = np.clip(np.round(sampled), 0, len(clip) - 1).astype(np.int64)
    whole = sampled == nearest
    sample = cycles.sample if clip.cyclic and len(clip) > 1 else resample.sample
    played = sample(clip, sampled)

    def put(values: Array, new: Array) -> Array:
        out = values.copy()
        out[moved] = np.where(whole.reshape(-1, *[1] * (values.ndim - 1)), values[nearest], new)[which]
        return out

    # Use the signs of the nearest frames.
    rotations = put(clip.rotations, quat.same_side(played.rotations, clip.rotations[nearest]))
    scales = None
    if clip.scales is not None and played.scales is not None:
        scales = put(clip.scales, played.scales)
    channels = {
        name: Channel(put(one.values, played.channels[name].values), one.discrete)
        for name, one in clip.channels.items()
    }
    translations = put(clip.translations, played.translations)
    return replace(clip, rotations=rotations, translations=translations, scales=scales, channels=channels)


def _order_events(clip: Clip, events: Sequence[Event]) -> list[Event]:
    """Return sorted events; in a cycle each moves the shorter way, across the seam if necessary."""
    last = float(len(clip) - 1)
    for one in events:
        if not (0.0 <= one.first <= last and 0.0 <= one.to <= last):
            raise no_frame(clip.name, one.to if 0.0 <= one.first <= last else one.first, 0, last)
        if not clip.cyclic:
            _check_ends(clip.name, one, last)
    ordered = list(events)
    if clip.cyclic and last > 0.0:
        ordered = [replace(one, to=one.to - last * round(one.move / last)) for one in events]
    return sorted(ordered, key=lambda one: one.first)


def _check_ends(name: str, one: Event, last: float) -> None:
    """Raise OptionError for an event that moves an end of a clip, or is held beyond its last frame."""
    if one.first == last and one.held and one.to + one.held != last:
        raise OptionError(
            f"{name}: nothing comes after its last frame, {last:g}: to hold that, let it come sooner, at"
            f" {last - one.held:g}"
        )
    if one.move and (one.to in (0.0, last) or one.first == 0.0 or (one.first == last and not one.held)):
        raise OptionError(
            f"{name}: its first and last frame stay where they are, so {one.first:g} can't come at {one.to:g}:"
            " trim it, or hold a pose there"
        )


def _describe_crowding(clip: Clip, ordered: Sequence[Event]) -> str:
    """Return a message if a hold leaves no time after it, or ""; raise OptionError if events change their order."""
    last = float(len(clip) - 1)
    again = [ordered[0].later(last)] if clip.cyclic else []
    for one, other in pairwise([*ordered, *again]):
        if other.first <= one.first or other.to <= one.to + NEAR:
            raise OptionError(
                f"{clip.name}: the events at {one.first:g} and {other.first % last if again else other.first:g} would"
                " change places or come at once: move them less"
            )
        if other.to <= one.to + one.held + NEAR:  # nearer, two knots of the curve would coincide
            return f"{clip.name}: what is held from {one.to:g} to {one.to + one.held:g} is in the way of the next event"
    for one in () if clip.cyclic else ordered:
        if one.held and one.to + one.held >= last and one.first < last:
            return (
                f"{clip.name}: held from {one.to:g} to {one.to + one.held:g}, {one.first:g} leaves no time to its end"
            )
    return ""


def _plays(time_curve: TimeCurve) -> bool:
    least, most = time_curve.speeds
    return least >= SLOWEST - NEAR and most <= FASTEST + NEAR


def _possible(clip: Clip, events: Sequence[Event]) -> bool:
    try:
        ordered = _order_events(clip, events)
        return not _describe_crowding(clip, ordered) and _plays(through(clip, ordered))
    except OptionError:
        return False


def _most(possible: Callable[[int], bool], limit: int) -> int:
    """Return the greatest possible number below a limit by bisection, assuming that possibility is monotone."""
    low, high = 0, max(limit, 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if possible(middle) else (low, middle)
    return low


def _could(clip: Clip, ordered: Sequence[Event]) -> str:
    """Return a message on the largest possible moves or holds of events with these reaches."""
    active, held = (
        [one for one in ordered if chosen(one)] for chosen in (lambda one: one.active, lambda one: one.held)
    )
    one = (held or active)[0]

    def other(new: Event) -> list[Event]:
        return [new if known is one else known for known in ordered]

    if len(held) == 1:
        frames = _most(lambda k: _possible(clip, other(replace(one, hold=float(k)))), one.held)
        if frames:
            return f"{one.first:g} can be held for {round(frames / clip.rate, 3):g} s at most"
    if len(active) == 1 and one.move and not one.held and not one.anticipation:
        way = 1 if one.move > 0.0 else -1
        tenths = _most(
            lambda k: _possible(clip, other(replace(one, to=one.first + way * k / 10))),
            int(np.ceil(10 * abs(one.move))),
        )
        return f"{one.first:g} can come at {one.first + way * tenths / 10:.1f} at most"

    def less(share: int) -> list[Event]:
        part = share / 100
        return [
            replace(one, to=one.first + part * one.move, hold=part * one.hold, anticipation=part * one.anticipation)
            for one in ordered
        ]

    percent = _most(lambda share: _possible(clip, less(share)), 100)
    verbs = [
        verb
        for verb, name in (("move", "move"), ("hold", "held"), ("anticipate", "anticipation"))
        if any(getattr(one, name) for one in active)
    ]
    return f"{' and '.join(verbs)} events by at most {percent} % of that"


def _farther(clip: Clip, ordered: Sequence[Event]) -> str:
    """Return a message on the sufficient reach in seconds, or "" if there is none."""

    def possible(hundredths: int) -> bool:
        reach = hundredths / 100 * clip.rate
        return _possible(clip, [replace(one, reach=reach) for one in ordered])

    whole = int(np.ceil(100.0 * len(clip) / clip.rate))
    low = high = max(1, *(int(100.0 * (one.reach or 0.0) / clip.rate) for one in ordered))
    while not possible(high):
        if high >= whole:
            return ""
        low, high = high, min(2 * high, whole)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if possible(middle) else (middle, high)
    return f"a reach of {high / 100:g} s is long enough"
