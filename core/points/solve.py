"""Convert the points of a person to a clip: all steps of the solver, and its report (methods: Points)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from ..progress import SILENT, Progress
from ..recipes.planting import PlantOptions
from ..recipes.points import AUTO, FromPoints
from ..weave import planting
from . import figure, gaps, lengths, noise, posing, sides, smoothing, strength, travel, upright
from . import track as tracks
from .noise import Noise
from .recording import Recording
from .track import Track

ASSUMED_RATE = 30.0
_FAR_UP = 20.0  # degrees; a larger tilt of the body from the up axis is reported
_RUNS = 1.2  # body heights per second; a faster body runs, with flights between its stances
_ROUNDS = 2  # rounds of smoothing: first each coordinate alone, then the principal components of all
_MIRRORED = -0.3  # mean cosine between toes and front of the body; below it the points are mirrored


@dataclass(frozen=True, eq=False)
class Solved:
    """A person's motion, solved from points.

    track : the solved points, upright on the floor
    raw (F, P, 3) : the measured points, moved like the solved ones; NaN where missing
    skeleton : the person's skeleton
    clip : the motion on the requested body, with planted feet if the options ask for it
    report : figures as plain values
    sentences : text for the user; `of_planting` is its last part, about planted feet
    """

    track: Track
    raw: Array
    skeleton: Skeleton
    clip: Clip
    report: dict[str, Any]
    sentences: tuple[str, ...]
    of_planting: tuple[str, ...] = ()


def solve(
    recording: Recording,
    options: FromPoints,
    name: str,
    onto: Skeleton | None = None,
    progress: Progress = SILENT,
) -> Solved:
    """Return the motion of a person's points on a new skeleton, or on another body; raises LoomError kinds.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> from action_loom.core.points import solve
        >>> from action_loom.core.points.recording import make
        >>> from action_loom.core.recipes.points import FromPoints
        >>> roles = {"hip": "thigh", "knee": "shin", "ankle": "foot", "shoulder": "upper_arm", "elbow": "forearm"}
        >>> roles["wrist"] = "hand"
        >>> walk = actions.walk(cycles=1)
        >>> places = kinematics.world(walk)[1]
        >>> joints = {f"{p}.{s}": walk.skeleton.roles[f"{r}.{s}"] for p, r in roles.items() for s in "LR"}
        >>> points = make("walk", tuple(joints), places[:, list(joints.values())], rate=30.0)
        >>> made = solve.solve(points, FromPoints(), "walk")
        >>> len(made.clip), made.report["up"], made.report["exchanged"]
        (33, 'z', [])
    """
    rate = options.rate or recording.rate or ASSUMED_RATE
    given, first, notes = tracks.begin(recording, rate)
    if not options.rate and not recording.rate:
        notes.append(f"{name}: the file states no rate, so {ASSUMED_RATE:g} frames per second were taken (option rate)")
    facts: dict[str, Any] = {
        "points": len(recording.labels),
        "frames": len(given),
        "rate": rate,
        "first_frame": first,
        "filled": float(1.0 - given.measured.mean()),
    }
    progress.at(0.1, "Sides")
    ready, exchanged = _undo_mirror(given, name, notes), list[tuple[int, int]]()
    if options.swap_repair:
        ready, exchanged = sides.repair(ready)
    ready, facts["outliers"] = gaps.drop_outliers(ready)
    ready = gaps.fill(ready)
    progress.at(0.3, "Smoothing")
    solved, raw, measured = _in_the_world(ready, options, facts, name, notes)
    facts["exchanged"] = [[one + first, last + first] for one, last in exchanged]
    skeleton = figure.make(solved, measured)
    progress.at(0.7, "Rotations")
    clip = posing.onto(solved, onto or skeleton, name)
    facts["planted"], feet = 0, list[str]()
    if options.plant_feet:
        progress.at(0.8, "Planting")
        clip, outcome = planting.of_result(clip, PlantOptions(), one_source=False, lift=True)
        facts["planted"] = 0 if outcome.done is None else len(outcome.done.spans)
        feet += outcome.sentences(name)
        if outcome.has_failed:
            feet.append(f"{name}: its feet were not planted: {outcome.why}")
    sentences = (*(f"{name}: {line}" for line in describe(facts)), *notes, *recording.notes, *feet)
    raw = np.where(ready.measured[..., None], raw, np.nan)
    return Solved(solved, raw, skeleton, clip, facts, sentences, tuple(feet))


def _undo_mirror(track: Track, name: str, notes: list[str]) -> Track:
    """Return a track in right-handed axes: it was mirrored if the toes (or the knees, without toes) point backwards."""
    up = track.middle("shoulder") - track.middle("hip")
    front = np.cross(up, track.at("hip.R") - track.at("hip.L") + track.at("shoulder.R") - track.at("shoulder.L"))
    toes = track.has("toe.L", "toe.R")
    ahead = (
        track.middle("toe") - track.middle("ankle")
        if toes
        else track.middle("knee") - 0.5 * (track.middle("hip") + track.middle("ankle"))
    )
    sizes = np.linalg.norm(front, axis=1) * np.linalg.norm(ahead, axis=1)
    with np.errstate(all="ignore"):
        cosine = np.nanmean(np.sum(front * ahead, axis=1) / sizes)
    if not cosine < _MIRRORED:
        return track
    notes.append(f"{name}: its points were mirrored (left-handed axes) and have been set right")
    return track.of(track.places * np.array([1.0, 1.0, -1.0]))


def _in_the_world(
    ready: Track, options: FromPoints, facts: dict[str, Any], name: str, notes: list[str]
) -> tuple[Track, Array, lengths.Lengths]:
    """Return the smooth track upright on its floor, the raw points moved in the same way, and the lengths of bones."""
    smooth, measured, found = _smooth_and_hold(ready, options)
    facts["noise_m"] = float(found.deviation)
    facts["noise_in_depth"] = found.deep
    turn = upright.find(smooth, options.up)
    facts["up"] = turn.axis or upright.ESTIMATE
    if turn.axis and turn.tilt > _FAR_UP:
        notes.append(f"{name}: the body stands {turn.tilt:.0f}° off the axis {turn.axis} (option up)")
    if not turn.axis and options.up == AUTO and not ready.centred:
        notes.append(f"{name}: its floor is tilted by {turn.tilt:.0f}° and was made level (option up)")
    raw, smooth = upright.turn_track(ready, turn.turn), upright.turn_track(smooth, turn.turn)
    facts |= {"travel_m": None, "jumps": 0}
    if ready.centred and options.travel == AUTO:
        if not turn.axis:
            standing = smooth.of(smooth.places + travel.measure(smooth)[0][:, None])
            raw, smooth = (upright.turn_track(one, upright.stance_turn(standing)) for one in (raw, smooth))
            level = travel.level_turn(smooth)
            raw, smooth = (upright.turn_track(one, level) for one in (raw, smooth))
        moved, _ = travel.measure(smooth)
        raw = raw.of(raw.places + moved[:, None])
        smooth, measured, _ = _smooth_and_hold(raw, options)
        moved, facts["jumps"] = travel.measure(smooth)
        raw, smooth = (one.of(one.places + moved[:, None]) for one in (raw, smooth))
        ground = smooth.middle("hip")[:, :2]
        facts["travel_m"] = float(np.linalg.norm(np.diff(ground, axis=0), axis=1).sum())
        if not turn.axis and facts["travel_m"] * ready.rate > _RUNS * ready.height * len(ready):
            notes.append(f"{name}: a run without travel hardly shows where up is: look at its lean (option up)")
    elif not turn.axis:
        raw, smooth = _level_both(raw, smooth)
    floored = upright.on_floor(smooth)
    shift = floored.places[0, 0] - smooth.places[0, 0]
    return floored, raw.places + shift, measured


def _level_both(raw: Track, smooth: Track) -> tuple[Track, Track]:
    turn = upright.level_turn(smooth)
    return upright.turn_track(raw, turn), upright.turn_track(smooth, turn)


def _smooth_and_hold(ready: Track, options: FromPoints) -> tuple[Track, lengths.Lengths, Noise]:
    """Return the smoothed track with exact bone lengths, these lengths, and the measured noise.

    The first round smooths each coordinate alone. Its length corrections are added to the points, and the second round
    smooths the principal components of all points.
    """
    found = noise.measure(ready)
    measured = lengths.measure(ready, found)
    amount, bones = options.smoothing**6, strength.noise_of_bones(ready, found)
    given, near = ready, None
    for _ in range(_ROUNDS):
        smooth = smoothing.smooth(given, near, found, bones, amount)
        near = held = lengths.hold(smooth, measured, found)
        given = given.of(given.places + held.places - smooth.places)
    return held, measured, found


def describe(facts: dict[str, Any]) -> list[str]:
    """Return the sentences of a report for the artist.

    Example:
        >>> from action_loom.core.points import solve
        >>> facts = {"points": 33, "noise_m": 0.014, "noise_in_depth": True, "filled": 0.06, "outliers": 0.0}
        >>> solve.describe(facts | {"exchanged": [[41, 46]], "travel_m": 4.2, "jumps": 0})[0]
        '33 points; noise 14 mm, mostly in depth; 6 % filled; left and right exchanged in frames 41–46'
    """
    parts = [f"{facts['points']} points"]
    deep = facts["noise_in_depth"] and facts["noise_m"] >= noise.LEAST_TOLD
    parts.append(f"noise {1000 * facts['noise_m']:.0f} mm{', mostly in depth' if deep else ''}")
    if (share := facts["filled"] + facts["outliers"]) >= 0.005:
        parts.append(f"{100 * share:.0f} % filled")
    if facts["exchanged"]:
        spans = ", ".join(f"{one}–{last}" if one != last else f"{one}" for one, last in facts["exchanged"][:6])
        more = f" and {len(facts['exchanged']) - 6} more" if len(facts["exchanged"]) > 6 else ""
        parts.append(f"left and right exchanged in frames {spans}{more}")
    out = ["; ".join(parts)]
    if facts["travel_m"] is not None:
        travel_m, jumps = facts["travel_m"], facts["jumps"]
        out.append(
            f"the file has no travel: {travel_m:.1f} m measured from standing feet, jumps by their time: {jumps}"
        )
    return out
