"""Classify each row of a take: idle, walk, run, turn in place, or other action.

Method: A take becomes a set.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...motion import root_motion
from ...motion.quat import Array
from ...quality.contacts import hysteresis, runs
from .tracks import Flags, Tracks

# Pairs are thresholds to enter a state and to stay in it; this hysteresis prevents flicker.
GOES = (0.18, 0.12)  # heights a second
STEPS = (0.45, 0.25)  # share of travel made by alternating steps; less is not a gait
BUSY = 1.3  # mean speed of all body points over hip speed in a walk or run
BESIDE = (0.12, 0.22)  # heights a second of additional movement allowed; upper limits
SINKING = 0.3  # s; sigma of the height of the hips whose change is measured
SINKS = (0.2, 0.4)  # standing heights a second by which the hips of a gait rise or sink; upper limits
RUNS = (0.10, 0.04)  # share of frames in the air
# The ends of a run or a walk are trimmed to where its share of frames in the air, or its speed, exceeds this share of
# its median, because a mean over a window rises too early.
RUNS_AT = 0.6
GOES_AT = 0.2
RUNNING = 0.6  # heights a second; slower flights are hops
TURNS = (40.0, 20.0)  # degrees a second
STILL = (0.10, 0.16)  # heights a second, mean of all points; upper limits
BUSIEST = (0.4, 0.6)  # heights a second of the fastest point, so that waving is not idling; upper limits
SIDEWAYS, BACKWARDS, SLACK = 50.0, 130.0, 8.0  # degrees between travel and facing; SLACK is the hysteresis
LOW = (0.80, 0.85)  # shares of the standing height of the hips; upper limits
LEAST = 0.4  # s; a shorter stretch joins its longer neighbour
PASSES = 3  # passes that merge short spans into adjacent activities
LEAST_REST = 1.0  # s; a shorter idle between activities belongs to them
# A walk is an action if the median of its irregularity (see `strides`) is above the first value with raised hands, or
# above the second value otherwise.
IRREGULAR = (0.05, 0.1)
RAISED = (-0.2, 0.2)  # least height of a raised hand above the head, and least share of a walk with a raised hand
OFTEN = 0.4  # least share of a walk in which steps are frequent enough
SHIFT = 0.3  # heights a second of all points; upper limit for a short weight shift
LEAST_GAIT = 0.8  # s; shorter walks and runs next to an activity are steps of it
LEAST_ASIDE = 1.2  # s; a shorter strafe or backward walk is part of a turn
LEAST_TURN = 30.0  # degrees; smaller turns in place are ignored
PLANTED = 0.95  # share of a turn in place; with both feet down for longer it is a twist
TRAVELS = 0.8  # share of the active time; a body that travels less fights, dances or works
GAIT_SHARE = 0.6  # share of that travel made by a gait, in a travelling take

IDLE, WALK, RUN, TURN, ACTION = "idle", "walk", "run", "turn", "action"
GAITS = (WALK, RUN)


@dataclass(frozen=True)
class State:
    """The state of a body.

    kind : IDLE, WALK, RUN, TURN (in place) or ACTION
    way : of gaits, "" forward, "back", or "strafe"
    side : "left" or "right" for turns, curves and strafes, else ""
    low : whether the body is crouched
    """

    kind: str
    way: str = ""
    side: str = ""
    low: bool = False


@dataclass(frozen=True)
class Span:
    """Rows first … end − 1 of a take, all in one state."""

    first: int
    end: int
    state: State

    def __len__(self) -> int:
        return self.end - self.first


def spans(tracks: Tracks) -> list[Span]:
    """Return spans that cover all rows of a take; adjacent spans have different states.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import states, tracks
        >>> for make in (actions.walk, actions.run, actions.wave):
        ...     print([span.state.kind for span in states.spans(tracks.tracks(make()))])
        ['walk']
        ['run']
        ['action']
    """
    rows = _rows(tracks)
    found = _without_short(_group_states(rows), LEAST * tracks.rate)
    found = _group_states(_rows_of([_check_turn(span, tracks) for span in found]))
    found = _group_states(_rows_of([_drop_short_strafe(span, tracks) for span in found]))
    found = _group_states(_rows_of(_regular(found, tracks)))
    for _ in range(PASSES):
        found = _group_states(_rows_of(_absorb_gaits(found, tracks)))
    return _without_short(found, LEAST * tracks.rate)


def _drop_short_strafe(span: Span, tracks: Tracks) -> Span:
    """Return a strafe or backward walk unchanged, or as a forward one if it is too short to be intended."""
    if not span.state.way or len(span) >= LEAST_ASIDE * tracks.rate:
        return span
    return replace(span, state=replace(span.state, way="", side=_side(span, tracks)))


def _side(span: Span, tracks: Tracks) -> str:
    turned = float(np.median(tracks.turn[span.first : span.end]))
    return "" if abs(turned) < TURNS[0] else "left" if turned > 0.0 else "right"


def travels(tracks: Tracks) -> bool:
    """Return whether a take mostly travels by gaits: then side steps are strafes, backward ones backward walks.

    Such steps are part of the activity in boxing, dance and acrobatics. Turns in place do not count.
    """
    goes = _goes(tracks)
    active = goes | (~_idle(tracks) & (np.abs(tracks.turn) < TURNS[0]))
    gait = _gait(goes, tracks)
    if not active.any() or not goes.any():
        return False
    return bool(goes.sum() >= TRAVELS * active.sum() and gait.sum() >= GAIT_SHARE * goes.sum())


def _goes(tracks: Tracks) -> Flags:
    return _risen(hysteresis(tracks.speed > GOES[0], tracks.speed > GOES[1]), tracks.speed, GOES_AT)


def _gait(goes: Flags, tracks: Tracks) -> Flags:
    """Return the travelling rows (flags) in which the body uses a gait without much other movement."""
    stepping = hysteresis(tracks.steps > STEPS[0], tracks.steps > STEPS[1])
    beside = tracks.moving - BUSY * tracks.speed
    sinks = np.abs(np.gradient(root_motion.smooth(tracks.crouch, SINKING * tracks.rate))) * tracks.rate
    level = hysteresis(sinks < SINKS[0], sinks < SINKS[1])
    return goes & stepping & level & hysteresis(beside < BESIDE[0], beside < BESIDE[1])


def _idle(tracks: Tracks) -> Flags:
    slow = tracks.speed < GOES[1]
    calm = [(tracks.moving < mean) & (tracks.fastest < most) for mean, most in zip(STILL, BUSIEST, strict=True)]
    return hysteresis(calm[0] & slow, calm[1] & slow)


def _rows(tracks: Tracks) -> list[State]:
    """Return the state of each row."""
    goes = _goes(tracks)
    gait = _gait(goes, tracks)
    fast = tracks.speed > RUNNING
    running = gait & hysteresis((tracks.air > RUNS[0]) & fast, (tracks.air > RUNS[1]) & fast)
    running = _risen(running, tracks.air, RUNS_AT)
    turning = {
        side: hysteresis(sign * tracks.turn > TURNS[0], sign * tracks.turn > TURNS[1])
        for side, sign in (("left", 1.0), ("right", -1.0))
    }
    # Knees bend during flight, so the hips of a run are low above the lower foot.
    low = hysteresis(tracks.crouch < LOW[0], tracks.crouch < LOW[1]) & ~running
    idle = _idle(tracks)
    ways = _ways(tracks.aside) if travels(tracks) else [("", "")] * len(tracks)
    ahead = np.abs(tracks.aside) < SIDEWAYS + SLACK  # in turns, the direction of travel lags behind the facing
    free = travels(tracks)
    out = []
    for k in range(len(tracks)):
        side = next((name for name, flags in turning.items() if flags[k]), "")
        if gait[k] and (free or ahead[k] or side):
            way, towards = ways[k]
            out.append(State(RUN if running[k] else WALK, way, towards if way else side, bool(low[k])))
        elif side and not goes[k] and not low[k]:
            out.append(State(TURN, "", side))
        else:
            out.append(State(IDLE if idle[k] else ACTION, low=bool(low[k] and idle[k])))
    return out


def _ways(aside: Array) -> list[tuple[str, str]]:
    """Return the direction of travel and side of each row, from the angle (degrees) between travel and facing."""
    out, now = [], ("", "")
    for angle in aside:
        off = abs(float(angle))
        lower = SIDEWAYS + (SLACK if now[0] == "" else -SLACK)
        upper = BACKWARDS + (SLACK if now[0] == "strafe" else -SLACK if now[0] == "back" else 0.0)
        if off < lower:
            now = ("", "")
        elif off > upper:
            now = ("back", "")
        else:
            now = ("strafe", "left" if angle > 0.0 else "right")
        out.append(now)
    return out


def _risen(flags: Flags, values: Array, share: float) -> Flags:
    """Return runs of flags, each trimmed to where values first and last exceed a share of their median in it."""
    out = np.zeros_like(flags)
    for start, end in runs(flags):
        high = np.flatnonzero(values[start:end] >= share * np.median(values[start:end]))
        out[start + high[0] : start + high[-1] + 1] = True
    return out


def _group_states(rows: list[State]) -> list[Span]:
    """Return the runs of equal states."""
    borders = [0, *(k for k in range(1, len(rows)) if rows[k] != rows[k - 1]), len(rows)]
    return [Span(a, b, rows[a]) for a, b in pairwise(borders) if b > a]


def _rows_of(found: list[Span]) -> list[State]:
    return [span.state for span in found for _ in range(len(span))]


def _without_short(found: list[Span], least: float) -> list[Span]:
    """Return spans after repeatedly merging the shortest one that is too short into its longer neighbour."""
    found = list(found)
    while len(found) > 1:
        k = min(range(len(found)), key=lambda k: (len(found[k]), k))
        if len(found[k]) >= least:
            break
        beside = [j for j in (k - 1, k + 1) if 0 <= j < len(found)]
        longer = max(beside, key=lambda j: (_same_gait(found[j].state, found[k].state), len(found[j]), -j))
        rows = _rows_of(found)
        rows[found[k].first : found[k].end] = [found[longer].state] * len(found[k])
        found = _group_states(rows)
    return found


def _same_gait(one: State, other: State) -> bool:
    """Return whether two states are the same gait, so that a short curve or change of side belongs to it."""
    return one.kind == other.kind


def _check_turn(span: Span, tracks: Tracks) -> Span:
    """Return a turn in place unchanged, or as idling or an action if it turns too little."""
    if span.state.kind != TURN:
        return span
    facing = tracks.facing[span.first : span.end]
    planted = float(tracks.stands[span.first : span.end].all(axis=1).mean())
    if abs(np.degrees(facing[-1] - facing[0])) >= LEAST_TURN and planted < PLANTED:
        return span
    calm = float(np.median(tracks.moving[span.first : span.end])) < STILL[1]
    return Span(span.first, span.end, State(IDLE if calm else ACTION))


def _absorb_gaits(found: list[Span], tracks: Tracks) -> list[Span]:
    """Return spans with short walks, turns and idles between activities merged into the activities.

    Takes that do not travel keep only longer walks, and no turns in place.
    """
    free = travels(tracks)
    gait = LEAST_GAIT * (1.0 if free else 2.0)
    least = {IDLE: LEAST_REST, TURN: LEAST_GAIT if free else np.inf, WALK: gait, RUN: gait}
    out = list(found)
    for k, span in enumerate(found):
        beside = [found[j].state for j in (k - 1, k + 1) if 0 <= j < len(found)]
        kinds = [state.kind for state in beside]
        gaits = [state for state in beside if state.kind in GAITS]
        seconds = sum(len(found[j]) for j in _adjacent_gaits(found, k)) / tracks.rate
        if span.state.kind == ACTION and set(kinds) == {IDLE} and _calm(span, tracks):
            out[k] = replace(span, state=State(IDLE))
        elif span.state.kind in GAITS and len(gaits) == 1 < len(beside) and len(span) < LEAST_GAIT * tracks.rate:
            out[k] = replace(span, state=gaits[0])  # the first or last step of a run
        elif span.state.kind != ACTION and ACTION in _around(found, k) and seconds < least[span.state.kind]:
            out[k] = (
                span if span.state.kind == IDLE and kinds != [ACTION, ACTION] else replace(span, state=State(ACTION))
            )
    return out


def _regular(found: list[Span], tracks: Tracks) -> list[Span]:
    """Return spans in which walks and runs without regular steps become actions, such as kicks or dances."""
    out = []
    for k, span in enumerate(found):
        places = _adjacent_gaits(found, k)
        block = slice(found[places[0]].first, found[places[-1]].end)
        way = float(tracks.speed[block] @ tracks.often[block]) / max(float(tracks.speed[block].sum()), 1e-9)
        starts = len(span) < LEAST_GAIT * tracks.rate and any(found[j].state.kind == RUN for j in places)
        steps = span.state.kind not in GAITS or (way >= OFTEN and (starts or _strides(span, tracks)))
        out.append(span if steps else replace(span, state=State(ACTION)))
    return out


def _strides(span: Span, tracks: Tracks) -> bool:
    """Return whether a span is a run, or a walk with regular strides; the strides of a dance are irregular."""
    rows = slice(span.first, span.end)
    raised = float(np.mean(tracks.hands[rows] > RAISED[0])) >= RAISED[1]
    return span.state.kind != WALK or float(np.median(tracks.irregular[rows])) <= IRREGULAR[0 if raised else 1]


def _adjacent_gaits(found: list[Span], k: int) -> list[int]:
    """Return the indices of consecutive gait spans around a span; only its own index if it is not a gait."""
    if found[k].state.kind not in GAITS:
        return [k]
    first = last = k
    while first > 0 and found[first - 1].state.kind in GAITS:
        first -= 1
    while last + 1 < len(found) and found[last + 1].state.kind in GAITS:
        last += 1
    return list(range(first, last + 1))


def _around(found: list[Span], k: int) -> list[str]:
    """Return the kinds of the spans before and after a span or the consecutive gaits around it."""
    places = _adjacent_gaits(found, k)
    return [found[j].state.kind for j in (places[0] - 1, places[-1] + 1) if 0 <= j < len(found)]


def _calm(span: Span, tracks: Tracks) -> bool:
    """Return whether a span between two idles is only a weight shift."""
    return len(span) < LEAST_REST * tracks.rate and float(tracks.moving[span.first : span.end].max()) < SHIFT
