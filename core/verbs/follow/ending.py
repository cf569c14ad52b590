"""End a walk along a path: with a stop, a stand, or another action.

Motion matching among the walk's own clips makes several stops, each a little later in the steps. The best one is
similar to the walk at the seam and rests near the end of the path. An action that begins by standing follows a stop;
a moving action follows the walk directly.

Method: Following a drawn path.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...bodies import alike
from ...drive import controller, database, keep, route
from ...drive.controller import Wish
from ...drive.database import Database
from ...errors import ClipError
from ...graph.motion_graph import MotionGraph
from ...motion import feet, kinematics, resample, root_motion, trim
from ...motion.clip import Clip
from ...motion.quat import Array
from ...recipes.matching import Matching
from ...sync import metrics
from ..connect import Connect
from ..connect import work as connecting
from . import Follow

LAST = 1.0  # s; a moving action begins at most this long before the end of the path
ENTERED = 0.4  # share of an action, from its start, in which it may be entered
WALKS, SLOWS, STANDS = 2.0, 2.0, 2.0  # s of a driven stop at the walk's speed, until the body rests, and standing
TRIED, LATER = 5, 0.2  # number of stops, and s between their beginnings
BEFORE = 0.6  # s before the body slows down in which a stop may be entered
SLOWER = 0.15  # relative difference of speeds above which stops are driven again
RESTS = 0.03  # body heights a second; a slower body rests
BREATH = 0.2  # s of rest to keep at the end of a stop
SETTLED = 0.2  # further s of rest after which a body is known to rest
WINDOW = 0.042  # s compared on each side of a frame
LEAST = 4  # least number of frames of an action
ROOM = 0.2  # s of both clips beyond a seam, if they are long enough
AROUND = 4  # frames before and after the exact place at which a walk may be left for a stop
AIR = 0.04  # body heights by which a foot may be above its lowest position at the end of a walk
STEP = 0.22  # body heights; a larger distance of the ankles shows a step (up to 0.18 in nine captures of standing)
# Weight of a metre between the ends of a stop and of the path, relative to a metre of pose distance.
SHORT = 0.5


@dataclass(frozen=True, eq=False)
class Stops:
    """Stops from a walk, made by motion matching.

    data : the database that is searched; speed : of the walk, m/s
    states : the states of each stop, beginning in the walk; clips : the clip of each, and its first frame at rest
    """

    data: Database
    speed: float
    states: tuple[list[controller.State], ...]
    clips: tuple[tuple[Clip, int], ...]


@dataclass(frozen=True, eq=False)
class Ended:
    """A walk with its ending.

    left : number of frames before the seam
    seam : first frame of an action at the end; played : the frames of the action, none for a stop
    stops : kept so that they can be reused, None without a stop
    """

    clip: Clip
    left: int
    report: dict[str, Any]
    sentences: list[str]
    seam: int
    played: Array
    stops: Stops | None = None


def end_walk(
    walk: Clip,
    gone: Array,
    end: complex,
    graph: MotionGraph,
    recipe: Follow,
    clips: Sequence[Clip],
    known: Stops | None = None,
) -> Ended:
    """Return a walk with the ending that its recipe requests, before feet are planted.

    gone (F,) : metres of the path up to each frame; end : of the path, x + iy
    clips : all clips that the recipe counts, the action last
    known : stops among the same clips
    Raises ClipError for a missing action, RegistrationError for one that is too short, and those of `database.build`.
    """
    given = list(graph.clips[: graph.inputs.given])
    if recipe.ending != "action":
        return _stop(walk, gone, end, given, recipe, known)
    if not clips or (len(clips) == 1 and clips[0].name == given[0].name):
        raise ClipError(f"{given[0].name}: give the action that comes at the end after the clips that are walked")
    trimmed = trim.ends(clips[-1])
    action, carried = alike.like(trimmed.clip, given[0])
    action = resample.to_rate(action, walk.rate)
    connecting.refuse_short(action, LEAST, "entered")
    before, stopped = walk, None
    first = _pace(action)[: max(round(BREATH * action.rate), 2)]
    if first.max() < 2.0 * RESTS * action.skeleton.height:
        stopped = _stop(walk, gone, end, [*given, action], recipe, known)
        before = stopped.clip
    ended = _go_over(before, action, standing=stopped is not None)
    played = trimmed.first + clips[-1].rate / walk.rate * ended.played
    told = [] if carried is None else carried.sentences
    report = ended.report | {"action": clips[-1].name}
    if stopped is None:
        return replace(ended, report=report, sentences=told, played=played)
    left = min(stopped.left, ended.left)
    return replace(ended, left=left, report=report, sentences=told, played=played, stops=stopped.stops)


def _stop(walk: Clip, gone: Array, end: complex, clips: list[Clip], recipe: Follow, known: Stops | None) -> Ended:
    """Return a walk with a stop at the end of its path, and with two seconds of standing if the recipe asks for it."""
    count = min(round(LAST * walk.rate), len(gone) - 1)
    speed = float(gone[-1] - gone[-1 - count]) * walk.rate / max(count, 1)
    if known is None or abs(known.speed - speed) > SLOWER * speed:
        known = _drive_stops(walk, clips, recipe, speed)
    slows = [round((WALKS + k * LATER) * walk.rate) for k in range(TRIED)]
    best = min((_best_seam(walk, gone, end, *one, slows[k]), k) for k, one in enumerate(known.clips))
    (_, leave, enter, short), k = best
    clip, rest = known.clips[k]
    if recipe.ending == "stand":
        states = list(known.states[k])
        for _ in range(round(STANDS * database.RATE)):
            states.append(controller.step(known.data, controller.Manner(), states[-1], Wish(0j)))
        clip = _clip_of(known.data, states, walk)
    clip = clip.cut(0, min(rest + round((BREATH + STANDS * (recipe.ending == "stand")) * clip.rate) + 1, len(clip)))
    ended = _join(walk, clip, leave, enter)
    return replace(ended, report=ended.report | {"off_end": round(short, 4)}, stops=known)


def _drive_stops(walk: Clip, clips: list[Clip], recipe: Follow, speed: float) -> Stops:
    """Return stops of a body that walks along +y before, each begun a little later."""
    data, manner = database.build(clips, mirror=recipe.mirror, travel=recipe), controller.Manner()
    walks = round((WALKS + TRIED * LATER) * database.RATE)
    begun = route.drive_route(data, [Wish(speed * 1j)] * walks, manner)
    every, found, height = [], [], walk.skeleton.height
    for k in range(TRIED):
        begins = round((WALKS + k * LATER) * database.RATE)
        states = begun[:begins]
        while len(states) < begins + SLOWS * database.RATE and not _rests(states, begins, height):
            states.append(controller.step(data, manner, states[-1], Wish(0j)))
        clip = _clip_of(data, states, walk)
        moving = np.flatnonzero(_pace(clip) > RESTS * clip.skeleton.height)
        every.append(states)
        found.append((clip, min(int(moving[-1]) + 1, len(clip) - 1) if len(moving) else len(clip) - 1))
    return Stops(data, speed, tuple(every), tuple(found))


def _rests(states: list[controller.State], begins: int, height: float) -> bool:
    """Return whether a body that stops from a step on has rested for long enough."""
    back = round((BREATH + SETTLED) * database.RATE)
    if len(states) < begins + 2 * back:
        return False
    places = np.array([one.place for one in states[-back:]])
    return bool(np.abs(places - places[-1]).max() < 0.5 * RESTS * height * (BREATH + SETTLED))


def _clip_of(data: Database, states: list[controller.State], walk: Clip) -> Clip:
    return keep.at_rate(keep.weave_route(data, route.of_states(states), walk.name), walk.rate)[0]


def _pace(clip: Clip) -> Array:
    """Return the speed (F,) of a body on the ground, smoothed, metres a second."""
    ground = root_motion.smooth(root_motion.ground_frames(clip)[0], 0.1 * clip.rate)
    return np.asarray(np.linalg.norm(np.gradient(ground, axis=0), axis=1) * clip.rate)


def _best_seam(
    walk: Clip, gone: Array, end: complex, stop: Clip, rest: int, slows: int
) -> tuple[float, int, int, float]:
    """Return the best seam from a walk into a stop: its cost, its frames, and how far from the path's end it rests.

    rest, slows : frames of the stop at which it rests and begins to slow down
    """
    there, here = (root_motion.smooth(root_motion.ground_frames(one)[0], 0.1 * one.rate) for one in (walk, stop))
    places, driven = (one @ np.array([1.0, 1j]) for one in (there, here))
    enter = np.repeat(np.arange(max(slows - round(BEFORE * walk.rate), 1), slows + 1), 2 * AROUND + 1)
    exact = np.searchsorted(gone, gone[-1] - np.abs(driven[rest] - driven[enter]))
    leave = exact + np.tile(np.arange(-AROUND, AROUND + 1), len(enter) // (2 * AROUND + 1))
    leave = np.clip(leave, 1, len(walk) - 2)
    ways = (np.gradient(places)[leave], np.gradient(driven)[enter])
    turn = ways[0] / ways[1]
    turn /= np.maximum(np.abs(turn), 1e-9)
    short = np.abs(places[leave] + turn * (driven[rest] - driven[enter]) - end)
    low = int(leave.min())
    costs = _distances(walk.cut(low, len(walk)), stop)[leave - low, enter] + SHORT * short
    best = int(np.argmin(costs))
    cost = float(costs[best]) + _measure_sinking(stop, rest) + measure_lift(stop, rest)
    return cost, int(leave[best]), int(enter[best]), float(short[best])


def measure_lift(clip: Clip, frame: int) -> float:
    """Return how far (metres) a foot is in the air at a frame, beyond `AIR`."""
    balls = [ball for ball, _ in feet.balls_and_ankles(clip.skeleton).values()]
    heights = kinematics.points(clip)[:, balls, 2]
    above = heights[frame] - heights.min(axis=0) - AIR * clip.skeleton.height
    return float(above.max(initial=0.0))


def is_mid_step(clip: Clip, frame: int, sources: Sequence[Clip] = ()) -> bool:
    """Return whether a foot is in the air at a frame, or the distance between the feet is that of a step.

    sources : the clips of which the clip was made; if a body stands in one of them, its stance counts as standing
    """
    standing = [one for one in sources if _pace(one).max() < 2.0 * RESTS * one.skeleton.height]
    most = max([STEP * clip.skeleton.height, *(1.05 * float(_ankles_apart(one).max(initial=0.0)) for one in standing)])
    return measure_lift(clip, frame) > 0.0 or float(_ankles_apart(clip)[frame]) > most


def _ankles_apart(clip: Clip) -> Array:
    """Return the distance (F,) on the ground between the ankles of a clip, metres."""
    ankles = [ankle for _, ankle in feet.balls_and_ankles(clip.skeleton).values()][:2]
    places = kinematics.points(clip)[:, ankles, :2]
    return np.asarray(np.linalg.norm(places[:, 0] - places[:, -1], axis=1)) if ankles else np.zeros(len(clip))


def _measure_sinking(stop: Clip, rest: int) -> float:
    """Return how much lower than before (metres) a foot of a body that stops comes."""
    points = feet.balls_and_ankles(stop.skeleton)
    low = kinematics.points(stop)[: rest + 1, [ball for ball, _ in points.values()], 2].min(axis=1, initial=np.inf)
    half = len(low) // 2
    return float(max(low[:half].min() - low[half:].min(), 0.0)) if points else 0.0


def _go_over(walk: Clip, action: Clip, *, standing: bool) -> Ended:
    """Return a walk followed by an action: at the end of a standing walk, or at the most similar frames of both."""
    room = round(ROOM * walk.rate)
    leave = np.arange(len(walk) - 1 - (room if standing else round(LAST * walk.rate)), len(walk) - (room + 1) // 2)
    leave = np.unique(np.clip(leave, 1, len(walk) - 2))
    enter = np.arange(min(room, len(action) - 4), max(int(ENTERED * len(action)), min(room, len(action) - 4) + 1))
    enter = np.clip(enter[:1] if standing else enter, 0, len(action) - 3)
    low = int(leave[0])
    near = _distances(walk.cut(low, len(walk)), action)[np.ix_(leave - low, enter)]
    at, to = np.unravel_index(int(np.argmin(near)), near.shape)
    ended = _join(walk, action, int(leave[at]), int(enter[to]))
    return replace(ended, played=np.arange(enter[to] + 1.0, len(action)))


def _distances(one: Clip, other: Clip) -> Array:
    """Return the distance (F, G) between the windows of frames of two clips, after the best turn and shift."""
    bodies = [metrics.prepare(clip, Matching(metric="points")) for clip in (one, other)]
    return np.asarray(bodies[0].matrix(bodies[1], round(WINDOW * one.rate)))


def _join(walk: Clip, after: Clip, leave: int, enter: int) -> Ended:
    """Return a walk up to one of its frames, followed by a clip from one of its frames on, with an eased seam."""
    recipe = Connect(from_frame=leave, to_frame=enter, trim=False, plant_feet=False, facing="matched")
    made = connecting.connect([walk, after], recipe)
    seam = made.report["connect"]
    report = {"frame": seam["seam_frame"], "distance": seam["distance"]}
    clip = replace(made.clip, name=walk.name)
    return Ended(clip, max(seam["corrected"][0], 1), report, [], seam["seam_frame"], np.zeros(0))
