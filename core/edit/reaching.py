"""Limbs and chains led so that their end is at a place while that is asked for
    (methods: Key poses and reaching).

What leads there grows and fades over some frames; beyond them nothing is changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import ClipError, SkeletonError, some
from ..motion import cycles, ik, kinematics, quat
from ..motion.clip import Clip
from ..motion.ik import Limb
from ..motion.quat import Array
from ..motion.roles import ancestors
from ..motion.skeleton import Skeleton
from . import chain_ik
from .feet import legs

ROUNDS, FIRST_ROUNDS = 600, 10  # within limits, and before all joints turn at once
PARTS = {
    "left_arm": ("upper_arm.L", "forearm.L", "hand.L"),
    "right_arm": ("upper_arm.R", "forearm.R", "hand.R"),
    "left_leg": ("thigh.L", "shin.L", "foot.L"),
    "right_leg": ("thigh.R", "shin.R", "foot.R"),
}
SETTLE = 0.12  # s in which a place comes to rest as the body sees it, before and after it is reached
HEAD = ("spine", "head")  # a chain: from the first to the second
Limits = Mapping[int, tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class Chain:
    """Joints above each other that turn, from the first one on; end : the joint whose place is led."""

    joints: tuple[int, ...]
    end: int


@dataclass(frozen=True, eq=False)
class Asked:
    """What is led where, in each of the F frames of a clip.

    goals (F, 3) : in the world; share (F,) : how far it is led there, from 0 to 1
    tip (3,) : the point that is led, metres along the axes of the end's joint, from there
    keep_turn : whether the end keeps its turn in the world
    limits : by joint its least and largest angles (3,), radians (see `chain_ik.reached`)
    """

    led: Limb | Chain
    goals: Array
    share: Array
    tip: Array
    keep_turn: bool = True
    limits: Limits | None = None


def limb_of(clip: Clip, name: str) -> Limb:
    """Return the limb of a name of `PARTS`; raises SkeletonError where joints that play its roles are not known."""
    skeleton, roles = clip.skeleton, PARTS[name]
    upper, lower, end = (skeleton.roles.get(role, -1) for role in roles)
    if end < 0 <= lower and lower in skeleton.tipped and f"toe.{name[0].upper()}" not in skeleton.roles:
        end = len(skeleton) + int(np.searchsorted(skeleton.tipped, lower))
    for role, joint in zip(roles, (upper, lower, end), strict=True):
        if joint < 0:
            raise SkeletonError(f"{clip.name}: no joint plays {role}: {_choose(role)}")
    if not skeleton.with_below([upper])[lower]:
        names = skeleton.names
        raise SkeletonError(f"{clip.name}: {names[lower]!r} does not hang on {names[upper]!r}: {_choose(roles[1])}")
    return Limb(f"{'front ' if name.endswith('arm') else ''}{name[0].upper()}", upper, lower, end)


def head_of(clip: Clip, *, whole: bool) -> Chain:
    """Return the spine up to the head, which turns with it if it is a `whole`; raises SkeletonError as `limb_of`."""
    for role in HEAD:
        if role not in clip.skeleton.roles:
            raise SkeletonError(f"{clip.name}: no joint plays {role}: {_choose(role)}")
    first, last = (clip.skeleton.roles[role] for role in HEAD)
    return _chain(clip, first, last, whole)


def chain_of(clip: Clip, text: str, *, whole: bool) -> Chain:
    """Return the chain that "from > to" names; with `whole` the last joint turns, too. Raises SkeletonError."""
    first, arrow, last = (part.strip() for part in text.partition(">"))
    if not (first and arrow and last):
        raise SkeletonError(f"A chain is two joints, from > to, such as shoulder > hand, not {text!r}")
    for name in (first, last):
        if name not in clip.skeleton.names:
            raise SkeletonError(f"{clip.name}: no joint is named {name!r}: it has {some(clip.skeleton.names)}")
    return _chain(clip, clip.skeleton.index(first), clip.skeleton.index(last), whole)


def _chain(clip: Clip, first: int, last: int, whole: bool) -> Chain:
    skeleton = clip.skeleton
    above = ancestors(last, skeleton.parents)
    if first not in above or (first == last and not whole):
        names = skeleton.names
        raise SkeletonError(
            f"{clip.name}: {names[last]!r} does not hang on {names[first]!r}: name joints above each other"
        )
    joints = sorted(joint for joint in {last, *above} if joint >= first)
    return Chain(tuple(joints if whole else joints[:-1]), last)


def _choose(role: str) -> str:
    return f"choose the bone that plays {role} in Body Roles, or name the joints as a chain, from > to"


def joints_of(skeleton: Skeleton, led: Limb | Chain) -> tuple[int, ...]:
    """Return the joints that turn when a limb or chain is led, its end's last."""
    if isinstance(led, Chain):
        return tuple(dict.fromkeys([*led.joints, led.end]))
    return tuple(dict.fromkeys([led.upper, led.lower, legs.end_joint(skeleton, led)]))


def ends(clip: Clip, led: Limb | Chain, tip: Array) -> Array:
    """Return where (F, 3) the point is that is led."""
    if isinstance(led, Limb) and led.end >= len(clip.skeleton):
        place, joint = kinematics.points(clip)[:, led.end], led.lower
    else:
        place, joint = kinematics.world_of(clip, [led.end])[1][:, led.end], led.end
    if not tip.any():
        return np.asarray(place)
    return np.asarray(place + quat.rotate(kinematics.world_of(clip, [joint])[0][:, joint], tip))


def shares(count: int, first: int, last: int, ease: float) -> Array:
    """Return how far (F,) something is led in each frame: all the way from the first to the last, less for a while.

    ease : frames before and after. It grows and fades without a jump of its acceleration.
    """
    frames = np.arange(count)
    away = np.maximum(np.maximum(first - frames, frames - last), 0.0)
    near = np.clip(1.0 - away / ease, 0.0, 1.0) if ease > 0.0 else (away == 0.0).astype(np.float64)
    return np.asarray(near**3 * (10.0 - 15.0 * near + 6.0 * near**2))


def reached(clip: Clip, asked: Asked) -> Clip:
    """Return the clip whose limb or chain is led; frames of which nothing is asked are the same to the bit.

    Raises SkeletonError for chains of joints that are scaled or do not inherit all of their parents
    (methods: Key poses and reaching).
    """
    frames = np.flatnonzero(asked.share > 0.0)
    if not len(frames):
        return clip
    made = _limb_led(clip, frames, asked) if isinstance(asked.led, Limb) else clip.taken(frames)
    if isinstance(asked.led, Chain) or asked.limits:
        made = _chain_led(clip.taken(frames), made, _of_frames(asked, frames))
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[frames], translations[frames] = made.rotations, made.translations
    return replace(clip, rotations=rotations, translations=translations)


def _of_frames(asked: Asked, frames: NDArray[np.int64]) -> Asked:
    return replace(asked, goals=asked.goals[frames], share=asked.share[frames])


def reached_in_cycle(clip: Clip, asked: Asked) -> Clip:
    """Return what `reached` gives of a clip that repeats: what leads to a place before it begins does so at its end.

    asked : over three cycles, 3·L + 1 frames of a clip of L + 1. Raises ClipError where that comes round to itself.
    """
    one, skeleton = len(clip) - 1, clip.skeleton
    frames = np.flatnonzero(asked.share > 0.0)
    if len(frames) >= one:
        raise ClipError(
            f"{clip.name}: its cycle of {one} frames is shorter than what is asked with its ease: ask for less of both"
        )
    led = joints_of(skeleton, asked.led)
    if (skeleton.parents[list(led)] < 0).any():
        raise SkeletonError(
            f"{clip.name}: {skeleton.names[led[0]]!r} hangs on nothing, so it can't be led across the end of a cycle:"
            " ask for frames farther from its ends, or with less ease"
        )
    made = reached(replace(cycles.unrolled(clip, 1, 1), cyclic=False), asked)
    # Joints that hang on others turn alike in every cycle, wherever that is.
    changed = np.flatnonzero(skeleton.with_below([led[0], led[-1]]))
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    for whole, new in ((rotations, made.rotations), (translations, made.translations)):
        whole[np.ix_(frames % one, changed)] = new[np.ix_(frames, changed)]
        if 0 in frames % one:
            whole[-1, changed] = whole[0, changed]
    return replace(clip, rotations=rotations, translations=translations)


# --- two bones ------------------------------------------------------------------------------------------------------


def _limb_led(clip: Clip, frames: NDArray[np.int64], asked: Asked) -> Clip:
    """Some frames of a clip, with a limb led by two bones."""
    limb = asked.led
    assert isinstance(limb, Limb)
    carried = legs.end_joint(clip.skeleton, limb)
    keeps = asked.keep_turn and limb.end < len(clip.skeleton)
    below = [joint for joint in (limb.lower, limb.end) if joint < len(clip.skeleton)]
    turned, places = kinematics.world_of(clip, below)
    offset = quat.rotate(turned[:, carried], asked.tip)
    end = None if keeps or not asked.tip.any() else ends(clip, limb, asked.tip)
    leg = legs.leg_of(clip, limb, turned, places, end)
    goals = asked.goals - offset if keeps else asked.goals
    goals = _as_seen(clip, turned, limb.upper, leg.hip, goals, asked.share)
    hip, upper, lower, axis, flexion = (
        values[frames] for values in (leg.hip, leg.upper, leg.lower, leg.axis, leg.flexion)
    )
    now, goal, share = leg.end[frames] - hip, goals[frames] - hip, asked.share[frames]
    one, other, far = (np.linalg.norm(vectors, axis=1) for vectors in (upper, lower, goal))
    bent = np.abs(flexion) + share * (_flexion(one, other, far) - np.abs(flexion))
    length = np.sqrt(np.maximum(one**2 + other**2 + 2.0 * one * other * np.cos(bent), 0.0))
    reach = length[:, None] * _towards(now, goal, share)
    swing, bend = _two_bones(upper, lower, reach, axis, flexion)
    part = clip.taken(frames)
    return legs.applied(part, turned[frames], {limb: (swing, bend)}, np.zeros((len(frames), 3)), keep_turn=keeps)


def _towards(now: Array, goal: Array, share: Array) -> Array:
    """Directions (F, 3) part of the way from one to another: round where a limb begins, not past it, folded up."""
    turn = ik.shortest(now, goal)
    turn = quat.exp(share[:, None] * quat.log(turn))
    start = now / np.maximum(np.linalg.norm(now, axis=1, keepdims=True), 1e-300)
    end = goal / np.maximum(np.linalg.norm(goal, axis=1, keepdims=True), 1e-300)
    # Those that are led all the way, and opposite ones, between which no turn is the shortest.
    return np.where((share >= 1.0)[:, None], end, quat.rotate(turn, start))


def _part_of_the_way(now: Array, goal: Array, share: Array) -> Array:
    """Vectors (F, 3) that point part of the way from one to another, and are as much longer or shorter."""
    size, wanted = (np.linalg.norm(vectors, axis=1) for vectors in (now, goal))
    return np.asarray((size + share * (wanted - size))[:, None] * _towards(now, goal, share))


def _as_seen(clip: Clip, turned: Array, joint: int, begin: Array, goals: Array, share: Array) -> Array:
    """Places (F, 3) that are led to: where it is not all the way, those that the body sees when it is.

    A place that stays is far behind a body that goes by soon: it would be chased as far as a limb reaches. So as seen
    from what the limb hangs on (its beginning `begin` (F, 3)) it comes to rest before and after, within a short time.
    """
    held = np.flatnonzero(share >= 1.0)
    if not len(held):
        return goals
    parent = int(clip.skeleton.parents[joint])
    frame = turned[:, parent] if parent >= 0 else np.tile(quat.IDENTITY, (len(goals), 1))
    seen = quat.rotate(quat.inv(frame), goals - begin)
    rest, settle = seen.copy(), SETTLE * clip.rate
    first, last = int(held[0]), int(held[-1])
    for at, way in ((first, -1), (last, 1)):
        one = max(at - 1, 0) if at == last else at
        other = min(at + 1, len(seen) - 1) if at == first else at
        speed = (seen[other] - seen[one]) / max(other - one, 1)
        away = np.arange(1, (at if way < 0 else len(seen) - 1 - at) + 1)
        left = np.maximum(1.0 - away / settle, 0.0)
        rest[at + way * away] = seen[at] + way * (settle / 3.0 * (1.0 - left**3))[:, None] * speed
    return np.where((share >= 1.0)[:, None], goals, begin + quat.rotate(frame, rest))


def _flexion(one: Array, other: Array, far: Array) -> Array:
    """The angle (F,) by which two bones are bent whose ends are so far apart, as nearly as they can be."""
    cosine = (far**2 - one**2 - other**2) / np.maximum(2.0 * one * other, 1e-300)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _two_bones(upper: Array, lower: Array, reach: Array, hinge: Array, flexion: Array) -> tuple[Array, Array]:
    """Turns (F, 4) of both bones, and of the lower one before, after which the end is at `reach`.

    hinge (F, 3) : about which they bend where they are nearly straight; flexion (F,) : how far they are bent about it
    Bones that are bent stay in the plane that they are in. Straight ones, whose plane is noise, come into that of the
    hinge, the more the more their bend changes: where nothing changes, nothing turns.
    """
    one, other, far = (np.linalg.norm(vectors, axis=1) for vectors in (upper, lower, reach))
    change = np.abs(_flexion(one, other, far) - np.abs(flexion))
    along = upper / np.maximum(one, 1e-300)[:, None]
    wanted = hinge - (hinge * along).sum(axis=1, keepdims=True) * along
    wanted /= np.maximum(np.linalg.norm(wanted, axis=1, keepdims=True), 1e-300)
    wanted = np.where(flexion[:, None] < legs.BACKWARDS, -wanted, wanted)
    own = np.cross(upper, lower)
    size = np.linalg.norm(own, axis=1, keepdims=True)
    own = np.where(size > 1e-12 * (one * other)[:, None], own / np.maximum(size, 1e-300), wanted)
    # The hinge that legs give is their own axis where they are bent: then both are the same, and nothing turns here.
    angle = np.arctan2((np.cross(own, wanted) * along).sum(axis=1), (own * wanted).sum(axis=1))
    share = change / np.maximum(change + np.abs(flexion), 1e-300)
    twist = quat.exp((share * angle)[:, None] * along)
    axis = quat.rotate(twist, own)
    bend, swing = chain_ik.two_bones(upper, quat.rotate(twist, lower), reach, axis)
    bend = quat.mul(bend, twist)
    return _about(swing, upper + quat.rotate(bend, lower), reach, axis), bend


def _about(swing: Array, start: Array, goal: Array, axis: Array) -> Array:
    """The swing (F, 4), half a turn about the axis where start and goal are opposite, which `ik.shortest` leaves."""
    left = (quat.rotate(swing, start) * goal).sum(axis=1) < 0.0
    return np.where(left[:, None], quat.exp(np.pi * axis), swing)


# --- chains ---------------------------------------------------------------------------------------------------------


def _chain_led(given: Clip, begun: Clip, asked: Asked) -> Clip:
    """Frames of a clip with a chain led joint by joint, from a pose that was begun, within its limits."""
    skeleton = given.skeleton
    if given.scales is not None or skeleton.inheritance is not None:
        raise SkeletonError(
            f"{given.name}: joints that are scaled or do not inherit all of their parents can't be led as a chain yet:"
            " lead an arm or a leg, without limits"
        )
    led, limits = asked.led, asked.limits or {}
    end = led.end if isinstance(led, Chain) else legs.end_joint(skeleton, led)
    whole = isinstance(led, Chain) and led.end in led.joints
    joints = led.joints if isinstance(led, Chain) else (led.upper, led.lower)
    keeps = asked.keep_turn and not whole and end not in joints
    turned = kinematics.world_of(given, [end])[0]
    offset = quat.rotate(turned[:, end], asked.tip) if keeps else np.zeros_like(asked.goals)
    tip = np.zeros(3) if keeps else asked.tip
    start, now = ends(begun, led, tip), ends(given, led, tip)
    chain = _as_chain(begun, joints, start)
    wanted = _as_seen(given, turned, joints[0], chain.root, asked.goals - offset, asked.share)
    goals = chain.root + _part_of_the_way(now - chain.root, wanted - chain.root, asked.share)
    bounds = [_bounds(given, joint, asked.share, limits) for joint in joints]
    rotations = _solved(chain, goals, bounds)
    made = begun.rotations.copy()
    made[:, list(joints)] = rotations
    if keeps:
        carried = quat.mul(chain.posed(rotations)[0][:, -1], quat.inv(turned[:, joints[-1]]))
        made[:, end] = ik.local_rotation(given, end, turned, turned[:, end], carried)
    return replace(begun, rotations=made)


def _solved(chain: chain_ik.Chain, goals: Array, bounds: Sequence[tuple[Array, Array] | None]) -> Array:
    """Rotations (F, K, 4) with which the end of a chain is at goals (F, 3), or as near as it comes."""
    if any(bound is not None for bound in bounds):
        return chain_ik.reached(chain, goals, bounds, ROUNDS)[0]
    rotations = chain.rotations.copy()
    far = np.linalg.norm(goals - chain.root, axis=1) >= np.linalg.norm(chain.offsets, axis=2).sum(axis=1)
    beyond, within = np.flatnonzero(far), np.flatnonzero(~far)
    if len(beyond):
        rotations[beyond] = _straight(chain.at(beyond), goals[beyond])
    if len(within):
        part = chain.at(within)
        found, _ = chain_ik.reached(part, goals[within], rounds=FIRST_ROUNDS)
        rotations[within] = chain_ik.settled(replace(part, rotations=found), goals[within])
    return rotations


def _as_chain(clip: Clip, joints: Sequence[int], end: Array) -> chain_ik.Chain:
    """Joints of a clip that turn, those between them still, up to an end (F, 3)."""
    turned, places = kinematics.world_of(clip, joints)
    frames, offsets = [], []
    for k, joint in enumerate(joints):
        frame = quat.mul(turned[:, joint], quat.inv(clip.rotations[:, joint]))
        frames.append(quat.mul(quat.inv(turned[:, joints[k - 1]]), frame) if k else frame)
        following = places[:, joints[k + 1]] if k + 1 < len(joints) else end
        offsets.append(quat.rotate(quat.inv(turned[:, joint]), following - places[:, joint]))
    return chain_ik.Chain(
        np.stack(frames, axis=1), np.stack(offsets, axis=1), places[:, joints[0]], clip.rotations[:, list(joints)]
    )


def _straight(chain: chain_ik.Chain, goals: Array) -> Array:
    """Rotations (F, K, 4) of a chain that is stretched towards goals; joint by joint it comes there only in the end."""
    rotations = chain.rotations.copy()
    for joint in range(rotations.shape[1]):
        turned, places = chain.posed(rotations)
        swing = ik.shortest(places[:, joint + 1] - places[:, joint], goals - chain.root)
        wanted = quat.mul(swing, turned[:, joint])
        frame = quat.mul(turned[:, joint], quat.inv(rotations[:, joint]))
        rotations[:, joint] = quat.normalize(quat.mul(quat.inv(frame), wanted))
    return quat.same_side(rotations, chain.rotations)


def _bounds(clip: Clip, joint: int, share: Array, limits: Limits) -> tuple[Array, Array] | None:
    """The least and largest angles (F, 3) of a joint; where it is led by less, also those that it has in the clip."""
    if joint not in limits:
        return None
    low, high = limits[joint]
    own = chain_ik.angles(clip.rotations[:, joint])
    part = share[:, None]
    return (
        part * low + (1.0 - part) * np.minimum(low, own),
        part * high + (1.0 - part) * np.maximum(high, own),
    )
