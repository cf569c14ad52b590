"""Let props follow the hands that hold them (methods: Props).

A prop in one hand keeps its place and its turn in that hand. A prop in both hands lies on the line of the palms, and
the hands turn with it; `keep` then leads the palms to their places on it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..motion import arrays, inheritance, kinematics, quat
from ..motion.clip import Clip
from ..motion.quat import Array
from . import arms
from .figure import Figure, figure_of
from .wanted import Wanted

ROUNDS = 4  # number of times that hands are turned with a prop, and the prop is aligned with the line of the palms
SHORT = 0.02  # m; two palms that are nearer to each other on a prop define no line
NEAR = 1e-4  # m and radians; a prop that needs a smaller correction is not changed
RESTS = 0.02  # body heights a second; a prop that moves more slowly is at rest where it was put down


def _parts_of(one: Wanted) -> list[tuple[str, Array, Array]]:
    """Return for each hand of a contact its side, the places (K, 3) and the rotations (K, 4) of the prop in it."""
    found = []
    for k, side in enumerate(one.contact.sides):
        part = one.relation[one.span, 7 * k : 7 * k + 7]
        found.append((side, part[:, :3], quat.normalize(part[:, 3:])))
    return found


def fit_prop(now: Figure, one: Wanted) -> tuple[Array, Array]:
    """Return the rotations (K, 4) and places (K, 3) of a prop, in the frames of a contact, that fit the hands."""
    span, hands = one.span, _parts_of(one)
    turned = [quat.mul(now.turned[span, now.joint_of(f"hand.{side}")], turn) for side, _, turn in hands]
    palms = [now.palms[side][span] for side, _, _ in hands]
    turn = turned[0]
    if len(hands) == 2:
        turn = quat.normalize(turned[0] + quat.same_side(turned[1], turned[0]))
        grips = find_grips(one)
        line = quat.rotate(turn, grips[1] - grips[0])
        turn = quat.mul(_turn_onto(line, palms[1] - palms[0]), turn)
    places = [palm - quat.rotate(turn, grip) for palm, grip in zip(palms, find_grips(one), strict=True)]
    return turn, np.asarray(np.mean(places, axis=0))


def find_grips(one: Wanted) -> list[Array]:
    """Return the places (K, 3) of the palms in the frame of a prop."""
    return [quat.rotate(quat.inv(turn), -place) for _, place, turn in _parts_of(one)]


def _turn_onto(line: Array, other: Array) -> Array:
    """Return the shortest rotations (K, 4) of lines (K, 3) onto others, none for lines that are too short."""
    sizes = np.linalg.norm(line, axis=1), np.linalg.norm(other, axis=1)
    least = np.minimum(*sizes)
    ends = [one / np.maximum(size, 1e-9)[:, None] for one, size in zip((line, other), sizes, strict=True)]
    axis, cosine = quat.cross(*ends), (ends[0] * ends[1]).sum(axis=1)
    half = np.concatenate([1.0 + cosine[:, None], axis], axis=1)
    usable = (least > SHORT) & (cosine > -0.9)
    return np.where(usable[:, None], quat.normalize(np.where(usable[:, None], half, quat.IDENTITY)), quat.IDENTITY)


def find_goals(now: Figure, one: Wanted) -> list[tuple[str, Array]]:
    """Return for each hand of a contact its side and the places (K, 3) of its palm on the fitted prop."""
    turn, place = fit_prop(now, one)
    grips = find_grips(one)
    return [(side, place + quat.rotate(turn, grip)) for side, grip in zip(one.contact.sides, grips, strict=True)]


def measure_off(now: Figure, one: Wanted) -> Array:
    """Return the largest distance (K,), metres, of a palm from its place on a prop."""
    joint, span = now.skeleton.index(one.contact.part), one.span
    turn, place = now.turned[span, joint], now.points[span, joint]
    goals = [place + quat.rotate(turn, grip) for grip in find_grips(one)]
    off = [
        np.linalg.norm(goal - now.palms[side][span], axis=1)
        for side, goal in zip(one.contact.sides, goals, strict=True)
    ]
    return np.asarray(np.max(off, axis=0))


def turn_hands(made: Clip, now: Figure, held: Sequence[Wanted]) -> tuple[Clip, Figure]:
    """Return a clip whose hands turn with the props that both hold, and its figure; the palms move about the wrists."""
    both = [one for one in held if len(one.contact.sides) == 2]
    clip = made
    for _ in range(ROUNDS if both else 0):
        changes: dict[str, list[tuple[slice, Array]]] = {}
        for one in both:
            turn, _ = fit_prop(now, one)
            for side, _, own in _parts_of(one):
                hand = now.turned[one.span, now.joint_of(f"hand.{side}")]
                change = quat.log(quat.on_one_side(quat.mul(quat.mul(turn, quat.inv(own)), quat.inv(hand))))
                changes.setdefault(side, []).append((one.span, change))
        far = max(float(np.abs(change).max(initial=0.0)) for some in changes.values() for _, change in some)
        if far < NEAR:
            break
        clip, now = _turn(clip, now, {side: _spread(some, len(clip), clip.rate) for side, some in changes.items()})
    return clip, now


def _turn(clip: Clip, now: Figure, changes: Mapping[str, Array]) -> tuple[Clip, Figure]:
    """Return a clip and its figure with hands turned in the world by vectors (F, 3)."""
    rotations = clip.rotations.copy()
    offsets = {side: now.palms[side] - now.points[:, now.joint_of(f"hand.{side}")] for side in now.palms}
    for side, change in changes.items():
        hand, by = now.joint_of(f"hand.{side}"), quat.exp(change)
        turned = quat.mul(by, now.turned[:, hand])
        local = quat.mul(rotations[:, hand], quat.mul(quat.inv(now.turned[:, hand]), turned))
        moved = np.abs(change).max(axis=1) > 0.0
        rotations[moved, hand] = quat.same_side(quat.normalize(local), rotations[:, hand])[moved]
        offsets[side] = quat.rotate(by, offsets[side])
    clip = replace(clip, rotations=rotations)
    return clip, figure_of(clip, offsets)


def _spread(pulls: Sequence[tuple[slice, Array]], count: int, rate: float) -> Array:
    """Return vectors (F, D) from those (K, D) of spans; beyond a span they are held while their weight fades out."""
    return _average([(*arms.ease_in(span, count, rate), span, values) for span, values in pulls], count)


def _average(parts: Sequence[tuple[slice, Array, slice, Array]], count: int) -> Array:
    """Return the weighted mean (F, D) of vectors; zero vectors fill up shares below 1.

    parts : the frames in which each part counts, its share in them, and the frames and values of its span; the first
        and the last value are held beyond the span
    """
    total, weight, free = np.zeros((count, parts[0][3].shape[1])), np.zeros(count), np.ones(count)
    for window, share, span, values in parts:
        nearest = np.clip(np.arange(window.start, window.stop), span.start, span.stop - 1) - span.start
        total[window] += share[:, None] * values[nearest]
        weight[window] += share
        free[window] *= 1.0 - share
    return np.asarray(total / (weight + free)[:, None])


def place_props(clip: Clip, now: Figure, held: Sequence[Wanted]) -> Clip:
    """Return a clip whose props follow the hands that hold them, with an ease before and after.

    A prop that rests where it was put down stays there.
    """
    by_prop: dict[int, list[Wanted]] = {}
    for one in held:
        by_prop.setdefault(now.skeleton.index(one.contact.part), []).append(one)
    for joint in sorted(by_prop):
        clip = _place(clip, now, joint, by_prop[joint])
    return clip


def _place(clip: Clip, now: Figure, joint: int, held: Sequence[Wanted]) -> Clip:
    turned, places = kinematics.world_of(clip, [joint])
    before = turned[:, joint], places[:, joint]
    pulls = []
    for one in held:
        turn, place = fit_prop(now, one)
        change = quat.log(quat.on_one_side(quat.mul(turn, quat.inv(before[0][one.span]))))
        pulls.append((one.span, np.concatenate([place - before[1][one.span], change], axis=1)))
    if max(float(np.abs(values).max(initial=0.0)) for _, values in pulls) < NEAR:
        return clip
    vectors = _spread_with_rests(pulls, before[1], clip.rate, RESTS * now.skeleton.height)
    moved = np.abs(vectors).max(axis=1) > 0.0
    turn = quat.mul(quat.exp(vectors[:, 3:]), before[0])
    return set_world(clip, joint, turn, before[1] + vectors[:, :3], moved)


def _spread_with_rests(pulls: Sequence[tuple[slice, Array]], places: Array, rate: float, slow: float) -> Array:
    """Return vectors (F, D) of a prop: the given ones in each span, faded out beside it, but constant while it rests.

    If the prop rests between two spans, the vectors change gradually there from the first span to the second.
    """
    count = len(places)
    speed = np.linalg.norm(np.gradient(places, axis=0), axis=1) * rate if count > 1 else np.zeros(count)
    rests = speed < slow
    inside = np.zeros(count, dtype=bool)
    for span, _ in pulls:
        inside[span] = True
    parts = []
    for span, values in pulls:
        first, end = span.start, span.stop
        while first > 0 and rests[first - 1] and not inside[first - 1]:
            first -= 1
        while end < count and rests[end] and not inside[end]:
            end += 1
        window, share = arms.ease_in(slice(first, end), count, rate)
        at = np.arange(window.start, window.stop)
        for low, high, back in ((first, span.start, True), (span.stop, end, False)):
            between = (at >= low) & (at < high)
            other = low > 0 and inside[low - 1] if back else high < count and inside[high]
            if other and high > low:  # another span is at the other end of the rest
                way = (at[between] - low + 1.0) / (high - low + 1.0)
                share[between] = arrays.ease(way if back else 1.0 - way)
        own = (at >= span.start) & (at < span.stop)
        parts.append((window, np.where(inside[at] & ~own, 0.0, share), span, values))
    return _average(parts, count)


def set_world(clip: Clip, joint: int, turned: Array, places: Array, frames: Array) -> Clip:
    """Return a clip in which a joint has rotations (F, 4) and places (F, 3) in the world in some frames (F,)."""
    linear, all_places = kinematics.matrices(clip)
    frame = kinematics.Frames(clip.skeleton, linear, all_places).frame_of(joint)
    basis = inheritance.solve(frame.turning, frame.undo_stretch(quat.to_matrix(turned)))
    basis = basis / np.maximum(np.linalg.norm(basis, axis=-2), 1e-12)[:, None, :]
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    own = quat.same_side(quat.from_matrix(basis), rotations[:, joint])
    rotations[frames, joint] = own[frames]
    translations[frames, joint] = frame.location_of(places)[frames]
    return replace(clip, rotations=rotations, translations=translations)
