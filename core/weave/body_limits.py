"""Check whether a result stays within its sources' ranges: knees, feet on the ground, distance between the legs.

Method: Measures of quality.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..edit.feet import legs
from ..motion import feet, ik, joint_matching
from ..motion.clip import Clip
from ..motion.quat import Array
from ..quality import contacts, foot_travel, world_pose
from ..quality.world_pose import WorldPose
from ..sync import ties

MOST_FRAMES = 20_000  # frames of all sources together; to measure more would take longer than the verb
# A result beyond these limits is visibly worse, and is reported.
JERKS = 3.0  # ratio of the knees' acceleration to its maximum in the sources
STEP = 4000.0  # degrees a second squared, which knees reach in any step; the sources' maximum is taken as at least this
BACKWARDS = 2.0  # degrees by which a knee may bend further back than in any source
DEEPER = 0.01  # body heights by which toes or heels may be lower than in any source
NARROW, NARROWER = 0.02, 0.5  # body heights between the shins, and ratio to the sources' minimum
# A joint turns too fast if it exceeds its fastest turn in the sources by this factor, and this speed in degrees a
# second, which the arms of a throw reach.
TURNS, TURN = 3.0, 600.0
SLIDES, SLIDE = 1.5, 0.009  # ratio to the slide of the worst source, and body heights a second in addition to it
# A foot is in a low phase if it is at most this far above its lowest position, for at least this time, and slower than
# this share of its speed in swings.
LOW, BRIEF, SWINGS = 0.018, 0.15, 0.6  # body heights; s; ratio
STANDS = 3  # frames of contact required to know a foot's stance height


@dataclass(frozen=True, eq=False)
class _Legs:
    """Measurements of a clip's legs; arrays over its frames, lengths in body heights.

    flexion, acceleration : of the knee bent furthest back, degrees, and of the one that accelerates most
    depth : depth of the lowest point of the feet below the stance height; low : its height
    apart : the least distance of both shins
    tall : median height from the lowest to the highest joint; animals are less tall than their legs are long
    slide : speed of low feet, heights a second; slides_at, slides : frame and foot of its maximum; NaN, 0 and ""
        without low feet
    """

    flexion: Array
    acceleration: Array
    depth: Array
    low: Array
    apart: Array
    tall: float
    slide: float
    slides_at: int
    slides: str


_known: WeakKeyDictionary[Clip, dict[bool, _Legs | None]] = WeakKeyDictionary()  # kept while clips are in use


def describe_limits(
    result: Clip,
    sources: Sequence[Clip],
    *,
    planted: bool = False,
    asked: bool = False,
    same_floor: bool = True,
    slides: bool = True,
) -> tuple[dict[str, Any], list[str]]:
    """Return the figures of a result (plain JSON values), and a sentence on each limit that it exceeds.

    planted, asked : whether its feet were planted, and were requested to be; slides : whether to report increased foot
        slide
    same_floor : whether it stands on the floor of its sources; if not, depth is relative to its own stance height

    knee_acceleration : the largest angular acceleration of a knee, times the sources' largest
    knee_backwards_degrees : by how much a knee bends further back than in any source
    penetration_cm : by how much toes and heels are lower than in any source
    legs_apart_cm : the least distance of both shins, in the sources and in the result
    low_feet_cm_s : speed of feet during low phases, in the worst source and in the result
    Each is None if unknown: for bodies without known legs, or for very many frames.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import body_limits
        >>> walk = actions.walk(cycles=1)
        >>> body_limits.describe_limits(walk, [walk])[1]
        []
    """
    found, ours, theirs = _compare_legs(result, sources, same_floor=same_floor)
    if ours is None or not theirs:
        return found, []
    height, name, sentences = 100.0 * result.skeleton.height, result.name, []
    do = "look there, and try it without Plant Feet" if planted else "look there"
    if (found["knee_acceleration"] or 0.0) > JERKS:
        at, times = int(np.argmax(ours.acceleration)) + 1, found["knee_acceleration"]
        sentences.append(f"{name}: a knee jerks {times:.1f} times as hard as in the sources {_at(at)}: {do}")
    if (found["knee_backwards_degrees"] or 0.0) > BACKWARDS:
        at, degrees = int(np.argmin(ours.flexion)), found["knee_backwards_degrees"]
        sentences.append(f"{name}: a knee bends {degrees:.0f}° further back than in the sources {_at(at)}: {do}")
    if (found["penetration_cm"] or 0.0) > DEEPER * height * min(ours.tall, 1.0):
        at, deep = int(np.argmin(ours.low)), found["penetration_cm"]
        sentences.append(f"{name}: a foot comes {deep:.1f} cm lower than in the sources {_at(at)}: {do}")
    before, after = found["legs_apart_cm"] or (np.inf, np.inf)
    if after < min(NARROW * height, NARROWER * before):
        where = f"{_at(int(np.argmin(ours.apart)))} ({before:.1f} in the sources)"
        sentences.append(f"{name}: the shins come within {after:.1f} cm of each other {where}: {do}")
    before, after = found["low_feet_cm_s"] or (np.inf, 0.0)
    if slides and after > SLIDES * before + SLIDE * height:
        # The sentence omits figures, because the interface shows another measure of slide, that of standing feet.
        where, do = _at(ours.slides_at), "look there" if asked or planted else "try it with Plant Feet"
        told = f"{name}: a foot near the ground moves more than in the sources {where}: {do}"
        if (asked or planted) and not contacts.detect(result)[ours.slides][ours.slides_at]:  # not planted
            told = (
                f"{name}: a foot that is not seen to stand moves near the ground {where}: look there, and add a contact"
            )
        sentences.append(told)
    return found, sentences


def describe_turns(result: Clip, sources: Sequence[Clip]) -> list[str]:
    """Return a sentence on the joint that turns fastest between two frames, if no source turns it nearly as fast.

    Toes do not count: planting bends them as fast as the heel rises.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import body_limits
        >>> walk = actions.walk(cycles=1)
        >>> body_limits.describe_turns(walk, [walk])
        []
    """
    names, turned = result.skeleton.names, _turns(result)
    turned[:, [joint for role, joint in result.skeleton.roles.items() if role.startswith("toe")]] = 0.0
    most = np.zeros(len(names))
    for one in sources:
        known = dict(zip(one.skeleton.names, _turns(one).max(axis=0), strict=True))
        most = np.maximum(most, [known.get(name, np.inf) for name in names])
    most = np.maximum(most, most[joint_matching.across(result.skeleton)])  # frames may be mirrored
    at, joint = np.unravel_index(ties.first_least(TURNS * most - turned), turned.shape)
    if turned[at, joint] <= max(TURN, TURNS * most[joint]):
        return []
    step, before = turned[at, joint] / result.rate, most[joint] / result.rate
    where = f"{_at(int(at))} ({before:.0f} in the sources)"
    return [f"{result.name}: {names[joint]!r} turns by {step:.0f}° in a frame {where}: look there"]


def _turns(clip: Clip) -> Array:
    """Return the angular speed (F, J) of each joint from frame to frame, degrees a second; 0 in the first frame."""
    near = np.abs(np.einsum("fjk,fjk->fj", clip.rotations[1:], clip.rotations[:-1]))
    turned = 2.0 * clip.rate * np.degrees(np.arccos(np.minimum(near, 1.0)))
    return np.concatenate([np.zeros((1, near.shape[1])), turned])


def legs_meet(result: Clip, before: Clip) -> bool:
    """Return whether the shins come closer than 2 % of body height, and closer than half their least distance before.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import body_limits
        >>> body_limits.legs_meet(actions.sneak(), actions.walk())
        False
    """
    return _shins_apart(result) < min(NARROW, NARROWER * _shins_apart(before))


def _shins_apart(clip: Clip) -> float:
    """Return the least distance of both shins, body heights; infinite if the legs are not known."""
    known, height = ik.known_legs(clip.skeleton), clip.skeleton.height
    if not known or height <= 0.0:
        return np.inf
    _, posed = legs.posed(clip, known)
    if not {"L", "R"} <= posed.keys():
        return np.inf
    left, right = (posed[side] for side in "LR")
    apart = _between(left.hip + left.upper, left.end, right.hip + right.upper, right.end)
    return float(apart.min()) / height


def _at(frame: int) -> str:
    return f"at frame {frame} of the result"


def _compare_legs(
    result: Clip, sources: Sequence[Clip], *, same_floor: bool
) -> tuple[dict[str, Any], _Legs | None, list[_Legs]]:
    few = len(result) + sum(map(len, sources)) <= MOST_FRAMES
    ours = _legs(result, stances=not same_floor) if few else None
    each = (_legs(source, stances=not same_floor) for source in (sources if ours is not None else ()))
    theirs = [known for known in each if known is not None]
    nothing = dict.fromkeys(
        ("knee_acceleration", "knee_backwards_degrees", "penetration_cm", "legs_apart_cm", "low_feet_cm_s")
    )
    if ours is None or not theirs:
        return nothing, ours, theirs
    height = 100.0 * result.skeleton.height
    hardest = max(STEP, *(float(one.acceleration.max(initial=0.0)) for one in theirs))
    back = min(0.0, *(float(one.flexion.min()) for one in theirs))
    near = [float(one.apart.min()) for one in theirs if not np.isnan(one.apart).any()]
    slides = [one.slide for one in theirs if not np.isnan(one.slide)]
    if same_floor:
        deeper = min(float(one.low.min()) for one in theirs) - float(ours.low.min())
    else:
        deeper = float(ours.depth.max()) - max(float(one.depth.max()) for one in theirs)
    found = {
        "knee_acceleration": round(max(float(ours.acceleration.max(initial=0.0)), STEP) / hardest, 3),
        "knee_backwards_degrees": round(max(0.0, back - float(ours.flexion.min())), 2),
        "penetration_cm": None if np.isnan(deeper) else round(max(0.0, height * deeper), 2),
        "legs_apart_cm": [round(height * min(near), 2), round(height * float(ours.apart.min()), 2)]
        if near and not np.isnan(ours.apart).any()
        else None,
        "low_feet_cm_s": [round(height * max(slides), 1), round(height * ours.slide, 1)]
        if slides and not np.isnan(ours.slide)
        else None,
    }
    return found, ours, theirs


def _legs(clip: Clip, *, stances: bool) -> _Legs | None:
    """Return a clip's leg measurements, None without known legs. stances : whether to measure depths.

    The result is cached while the clip is in use, because sources are woven repeatedly with other weights.
    """
    known = _known.setdefault(clip, {})
    if stances not in known:
        known[stances] = _measure_legs(clip, stances=stances)
    return known[stances]


def _measure_legs(clip: Clip, *, stances: bool) -> _Legs | None:
    known, height = ik.known_legs(clip.skeleton), clip.skeleton.height
    if not known or height <= 0.0:
        return None
    _, posed = legs.posed(clip, known)
    bent = np.degrees(np.stack([leg.flexion for leg in posed.values()]))
    second = np.abs(np.diff(bent, n=2, axis=1)) * clip.rate**2
    lower = {foot: (leg.hip + leg.upper, leg.end) for foot, leg in posed.items()}
    nowhere = np.full(len(clip), np.nan)
    apart = _between(*lower["L"], *lower["R"]) / height if {"L", "R"} <= lower.keys() else nowhere
    body = world_pose.pose(clip)
    stance = _stance(body) if stances else np.nan
    low = np.min([body.points[:, sole, 2].min(axis=1) for sole in feet.soles(clip.skeleton).values()], axis=0)
    tall = float(np.median(np.ptp(body.points[:, : len(clip.skeleton), 2], axis=1))) / height
    moving = _slide(clip, body.points, height)
    return _Legs(bent.min(axis=0), second.max(axis=0), (stance - low) / height, low / height, apart, tall, *moving)


def _slide(clip: Clip, points: Array, height: float) -> tuple[float, int, str]:
    """Return the mean speed of balls in low phases (each: median of its middle half), and the largest's frame and foot.

    The first and last quarter are skipped because feet roll; a ball nearly at its top speed is in a low swing. A
    clip that walks in place is measured as on a treadmill, whose belt moves back at the speed of the feet.
    """
    speeds, found, feet_in_place = [], [], foot_travel.on_the_spot(clip)
    belt = np.zeros((len(clip), 2)) if feet_in_place is None else feet_in_place.path
    for foot, (ball, _) in feet.balls_and_ankles(clip.skeleton).items():
        place = points[:, ball] / height
        place[:, :2] += belt / height
        steps = np.linalg.norm(np.diff(place[:, :2], axis=0), axis=1) * clip.rate
        low = np.concatenate([[False], place[:, 2] < np.percentile(place[:, 2], 5) + LOW, [False]])
        edges = np.flatnonzero(low[1:] != low[:-1])
        for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            quarter = (end - first) // 4
            middle = steps[first + quarter : end - quarter - 1]
            if (end - first) < BRIEF * clip.rate or not len(middle):
                continue
            speed = float(np.median(middle))
            if speed < SWINGS * np.percentile(steps, 95):
                speeds.append(speed)
                found.append(((first + end) // 2, foot))
    return (float(np.mean(speeds)), *found[int(np.argmax(speeds))]) if speeds else (np.nan, 0, "")


def _stance(body: WorldPose) -> float:
    """Return the stance height of the balls, NaN if none is known to be in contact."""
    stood = [foot.ball[foot.ball_stands, 2] for foot in contacts.standing_feet(body).values()]
    heights = np.concatenate([*stood, np.empty(0)])
    return float(np.median(heights)) if len(heights) >= STANDS else np.nan


def _between(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Return the least distance (F,) between the segments from a to b and from c to d, (F, 3) each."""
    one, other, off = b - a, d - c, a - c
    uu, uv, vv = ((one * one).sum(1), (one * other).sum(1), (other * other).sum(1))
    uw, vw = (one * off).sum(1), (other * off).sum(1)
    wide = np.maximum(uu * vv - uv * uv, 1e-12)
    along = np.clip((uv * vw - vv * uw) / wide, 0.0, 1.0)
    across = np.clip((uv * along + vw) / np.maximum(vv, 1e-12), 0.0, 1.0)
    along = np.clip((uv * across - uw) / np.maximum(uu, 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(off + along[:, None] * one - across[:, None] * other, axis=1))
