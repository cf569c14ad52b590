"""Inverse kinematics to a target, for limbs and chains over a span of frames (methods: Key poses and reaching).

The change fades in and out over the frames of an ease; frames beyond are not changed.
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

# Iterations of cyclic coordinate descent, if it keeps joint limits, and if it precedes damped least squares.
ROUNDS, FIRST_ROUNDS = 600, 10
PARTS = {
    "left_arm": ("upper_arm.L", "forearm.L", "hand.L"),
    "right_arm": ("upper_arm.R", "forearm.R", "hand.R"),
    "left_leg": ("thigh.L", "shin.L", "foot.L"),
    "right_leg": ("thigh.R", "shin.R", "foot.R"),
}
SETTLE = 0.12  # s in which the target comes to rest in the body's frame, before and after the span
HEAD = ("spine", "head")  # first and last role of the chain that moves the head
BACKWARDS = np.radians(-3.0)  # a limb bent further backwards keeps bending backwards
Limits = Mapping[int, tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class Chain:
    """Joints of a chain that turn, parents first; end : the joint that goes to the target."""

    joints: tuple[int, ...]
    end: int


@dataclass(frozen=True, eq=False)
class Asked:
    """A limb or chain and its target in each of the F frames of a clip.

    goals (F, 3) : target in the world; share (F,) : weight of the change, from 0 to 1
    tip (3,) : the point that reaches the target, relative to the end's joint, metres along its axes
    keep_turn : whether the end keeps its world rotation
    limits : by joint its least and largest angles (3,), radians (see `chain_ik.reach_goals`)
    """

    led: Limb | Chain
    goals: Array
    share: Array
    tip: Array
    keep_turn: bool = True
    limits: Limits | None = None


def limb_of(clip: Clip, name: str) -> Limb:
    """Return the limb with a name in `PARTS`; raises SkeletonError if joints with its roles are not known.

    Example:
        >>> from action_loom.core.edit import reaching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> limb = reaching.limb_of(walk, "left_arm")
        >>> [walk.skeleton.names[joint] for joint in (limb.upper, limb.lower, limb.end)]
        ['upper_arm.L', 'forearm.L', 'hand.L']
    """
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
    """Return the chain from spine to head; with `whole` the head turns, too. Raises SkeletonError as `limb_of`.

    Example:
        >>> from action_loom.core.edit import reaching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> chain = reaching.head_of(walk, whole=False)
        >>> [walk.skeleton.names[joint] for joint in chain.joints], walk.skeleton.names[chain.end]
        (['spine', 'chest', 'neck'], 'head')
    """
    for role in HEAD:
        if role not in clip.skeleton.roles:
            raise SkeletonError(f"{clip.name}: no joint plays {role}: {_choose(role)}")
    first, last = (clip.skeleton.roles[role] for role in HEAD)
    return _chain(clip, first, last, whole)


def chain_of(clip: Clip, text: str, *, whole: bool) -> Chain:
    """Return the chain for a text "from > to"; with `whole` the last joint turns, too.

    Raises SkeletonError for other texts, unknown joints, and joints that are not in one line of ancestors.

    Example:
        >>> from action_loom.core.edit import reaching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> chain = reaching.chain_of(walk, "chest > hand.R", whole=False)
        >>> [walk.skeleton.names[joint] for joint in chain.joints]
        ['chest', 'clavicle.R', 'upper_arm.R', 'forearm.R']
    """
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
    """Return the joints that turn when a limb or chain reaches for a target, the end's joint last.

    Example:
        >>> from action_loom.core.edit import reaching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> joints = reaching.joints_of(walk.skeleton, reaching.limb_of(walk, "right_leg"))
        >>> [walk.skeleton.names[joint] for joint in joints]
        ['thigh.R', 'shin.R', 'foot.R']
    """
    if isinstance(led, Chain):
        return tuple(dict.fromkeys([*led.joints, led.end]))
    return tuple(dict.fromkeys([led.upper, led.lower, legs.end_joint(skeleton, led)]))


def ends(clip: Clip, led: Limb | Chain, tip: Array) -> Array:
    """Return the world positions (F, 3) of the point that reaches the target.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import reaching
        >>> from action_loom.core.demo_character import actions
        >>> wave = actions.wave()
        >>> hand = reaching.ends(wave, reaching.limb_of(wave, "right_arm"), tip=np.zeros(3))
        >>> hand[[0, 50], 2].round(1).tolist()
        [0.9, 1.7]
    """
    if isinstance(led, Limb) and led.end >= len(clip.skeleton):
        place, joint = kinematics.points(clip)[:, led.end], led.lower
    else:
        place, joint = kinematics.world_of(clip, [led.end])[1][:, led.end], led.end
    if not tip.any():
        return np.asarray(place)
    return np.asarray(place + quat.rotate(kinematics.world_of(clip, [joint])[0][:, joint], tip))


def shares(count: int, first: int, last: int, ease: float) -> Array:
    """Return the weight (F,) of a change in each frame: 1 from the first to the last, with fades over the ease.

    ease : frames before the first and after the last. The acceleration of the weight is continuous.

    Example:
        >>> from action_loom.core.edit import reaching
        >>> reaching.shares(7, first=3, last=4, ease=2.0).tolist()
        [0.0, 0.0, 0.5, 1.0, 1.0, 0.5, 0.0]
    """
    frames = np.arange(count)
    away = np.maximum(np.maximum(first - frames, frames - last), 0.0)
    near = np.clip(1.0 - away / ease, 0.0, 1.0) if ease > 0.0 else (away == 0.0).astype(np.float64)
    return np.asarray(near**3 * (10.0 - 15.0 * near + 6.0 * near**2))


def end_turned(clip: Clip, led: Limb | Chain, turn: Array, share: Array) -> Clip:
    """Return a clip whose hand, foot or last joint turns in the world by `turn` (4,), weighted by `share` (F,).

    Reaching then keeps that rotation. Raises SkeletonError for a limb that ends in a point without a joint.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import reaching
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics, quat
        >>> wave = actions.wave()
        >>> hand, turn = reaching.limb_of(wave, "left_arm"), quat.exp(np.array([0.0, 0.0, 0.5]))
        >>> made = reaching.end_turned(wave, hand, turn, reaching.shares(len(wave), 40, 60, ease=10.0))
        >>> now, before = (kinematics.world(clip)[0][50, hand.end] for clip in (made, wave))
        >>> bool(np.allclose(now, quat.mul(turn, before)))
        True
    """
    end = led.end
    if end >= len(clip.skeleton):
        raise SkeletonError(f"{clip.name}: {clip.skeleton.names[_lower(led)]!r} ends in no joint that can turn")
    frames = np.flatnonzero(share > 0.0)
    part = clip.take_frames(frames)
    turned = kinematics.world_of(part, [end])[0]
    wanted = quat.mul(quat.exp(share[frames, None] * quat.log(turn)), turned[:, end])
    rotations = clip.rotations.copy()
    rotations[frames, end] = ik.local_rotation(part, end, turned, wanted, None)
    return replace(clip, rotations=rotations)


def _lower(led: Limb | Chain) -> int:
    return led.lower if isinstance(led, Limb) else led.joints[-1]


def reach_target(clip: Clip, asked: Asked) -> Clip:
    """Return a clip whose limb or chain reaches its target; frames with a share of 0 are bit-identical.

    Raises SkeletonError for chains of joints that are scaled or do not inherit everything from their parents
    (methods: Key poses and reaching).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import reaching
        >>> from action_loom.core.demo_character import actions
        >>> wave = actions.wave()
        >>> hand, target = reaching.limb_of(wave, "left_arm"), np.tile([0.3, -0.4, 1.2], (len(wave), 1))
        >>> share = reaching.shares(len(wave), 40, 60, ease=10.0)
        >>> made = reaching.reach_target(wave, reaching.Asked(hand, target, share, tip=np.zeros(3)))
        >>> reaching.ends(made, hand, np.zeros(3))[50].round(3).tolist()
        [0.3, -0.4, 1.2]
    """
    frames = np.flatnonzero(asked.share > 0.0)
    if not len(frames):
        return clip
    changed = _limb_reaching(clip, frames, asked) if isinstance(asked.led, Limb) else clip.take_frames(frames)
    if isinstance(asked.led, Chain) or asked.limits:
        changed = _chain_reaching(clip.take_frames(frames), changed, _of_frames(asked, frames))
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[frames], translations[frames] = changed.rotations, changed.translations
    return replace(clip, rotations=rotations, translations=translations)


def _of_frames(asked: Asked, frames: NDArray[np.int64]) -> Asked:
    return replace(asked, goals=asked.goals[frames], share=asked.share[frames])


def reached_in_cycle(clip: Clip, asked: Asked) -> Clip:
    """Return the result of `reach_target` for a cycle: an ease before its first frame continues before its last one.

    asked : over three cycles, 3·L + 1 frames of a clip of L + 1. Raises ClipError unless the affected frames with their
    ease are shorter than the cycle.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import reaching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> hand, count = reaching.limb_of(walk, "left_arm"), 3 * (len(walk) - 1) + 1
        >>> goals, share = np.tile([0.3, -1.2, 1.2], (count, 1)), reaching.shares(count, 32, 36, ease=6.0)
        >>> made = reaching.reached_in_cycle(walk, reaching.Asked(hand, goals, share, tip=np.zeros(3)))
        >>> np.flatnonzero((made.rotations == walk.rotations).all(axis=(1, 2)))[[0, -1]].tolist()
        [10, 26]
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
    three = reach_target(replace(cycles.unroll_cycle(clip, 1, 1), cyclic=False), asked)
    # Joints with a parent have the same local rotations in every cycle, independent of its position on the ground.
    changed = np.flatnonzero(skeleton.with_below([led[0], led[-1]]))
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    for whole, new in ((rotations, three.rotations), (translations, three.translations)):
        whole[np.ix_(frames % one, changed)] = new[np.ix_(frames, changed)]
        if 0 in frames % one:
            whole[-1, changed] = whole[0, changed]
    return replace(clip, rotations=rotations, translations=translations)


# --- two bones ------------------------------------------------------------------------------------------------------


def _limb_reaching(clip: Clip, frames: NDArray[np.int64], asked: Asked) -> Clip:
    """Return some frames of a clip with a limb of two bones at its target."""
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
    goals = _goals_in_ease(clip, turned, limb.upper, leg.hip, goals, asked.share)
    hip, upper, lower, axis, flexion = (
        values[frames] for values in (leg.hip, leg.upper, leg.lower, leg.axis, leg.flexion)
    )
    now, goal, share = leg.end[frames] - hip, goals[frames] - hip, asked.share[frames]
    upper_length, lower_length, distance = (np.linalg.norm(vectors, axis=1) for vectors in (upper, lower, goal))
    bent = np.abs(flexion) + share * (_flexion(upper_length, lower_length, distance) - np.abs(flexion))
    square = upper_length**2 + lower_length**2 + 2.0 * upper_length * lower_length * np.cos(bent)
    reach = np.sqrt(np.maximum(square, 0.0))[:, None] * _towards(now, goal, share)
    swing, bend = _two_bones(upper, lower, reach, axis, flexion)
    part = clip.take_frames(frames)
    return legs.applied(part, turned[frames], {limb: (swing, bend)}, np.zeros((len(frames), 3)), keep_turn=keeps)


def _towards(now: Array, goal: Array, share: Array) -> Array:
    """Return directions (F, 3) turned by a share from one to the other; a straight path would pass the limb's root."""
    turn = ik.shortest(now, goal)
    turn = quat.exp(share[:, None] * quat.log(turn))
    start = now / np.maximum(np.linalg.norm(now, axis=1, keepdims=True), 1e-300)
    end = goal / np.maximum(np.linalg.norm(goal, axis=1, keepdims=True), 1e-300)
    # A share of 1 gives exactly the goal's direction, even for opposite directions without a shortest turn.
    return np.where((share >= 1.0)[:, None], end, quat.rotate(turn, start))


def _partly_towards(now: Array, goal: Array, share: Array) -> Array:
    """Return vectors (F, 3) turned and lengthened by a share from one to the other."""
    size, wanted = (np.linalg.norm(vectors, axis=1) for vectors in (now, goal))
    return np.asarray((size + share * (wanted - size))[:, None] * _towards(now, goal, share))


def _goals_in_ease(clip: Clip, turned: Array, joint: int, begin: Array, goals: Array, share: Array) -> Array:
    """Return the goals (F, 3), replaced during the ease by goals that come to rest relative to the body.

    A fixed target is soon out of reach of a body that moves past it, and the limb would be stretched towards it.
    Therefore the target comes to rest within `SETTLE` seconds in the parent's frame, relative to the limb's root
    `begin` (F, 3).
    """
    held = np.flatnonzero(share >= 1.0)
    if not len(held):
        return goals
    parent = int(clip.skeleton.parents[joint])
    frame = turned[:, parent] if parent >= 0 else np.tile(quat.IDENTITY, (len(goals), 1))
    seen = quat.rotate(quat.inv(frame), goals - begin)
    rest, settle = seen.copy(), SETTLE * clip.rate
    first, last = int(held[0]), int(held[-1])
    for at, step in ((first, -1), (last, 1)):
        before = max(at - 1, 0) if at == last else at
        after = min(at + 1, len(seen) - 1) if at == first else at
        speed = (seen[after] - seen[before]) / max(after - before, 1)
        away = np.arange(1, (at if step < 0 else len(seen) - 1 - at) + 1)
        left = np.maximum(1.0 - away / settle, 0.0)
        # The integral of a speed that falls to 0 with the square of the time left.
        rest[at + step * away] = seen[at] + step * (settle / 3.0 * (1.0 - left**3))[:, None] * speed
    return np.where((share >= 1.0)[:, None], goals, begin + quat.rotate(frame, rest))


def _flexion(upper: Array, lower: Array, distance: Array) -> Array:
    """Return the flexion (F,) at which two bones of given lengths (F,) span a distance (F,), or nearly."""
    cosine = (distance**2 - upper**2 - lower**2) / np.maximum(2.0 * upper * lower, 1e-300)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _two_bones(upper: Array, lower: Array, reach: Array, hinge: Array, flexion: Array) -> tuple[Array, Array]:
    """Return the rotations (F, 4) of both bones, and the lower's preceding one, that bring the end to `reach`.

    hinge (F, 3) : axis for nearly straight bones; flexion (F,) : their flexion about it Bent bones stay in their plane.
        The plane of straight ones is noise: they turn to the hinge's plane in proportion to the change of their
        flexion; without a change nothing turns.
    """
    upper_length, lower_length, distance = (np.linalg.norm(vectors, axis=1) for vectors in (upper, lower, reach))
    change = np.abs(_flexion(upper_length, lower_length, distance) - np.abs(flexion))
    along = upper / np.maximum(upper_length, 1e-300)[:, None]
    wanted = hinge - (hinge * along).sum(axis=1, keepdims=True) * along
    wanted /= np.maximum(np.linalg.norm(wanted, axis=1, keepdims=True), 1e-300)
    wanted = np.where(flexion[:, None] < BACKWARDS, -wanted, wanted)
    own = np.cross(upper, lower)
    size = np.linalg.norm(own, axis=1, keepdims=True)
    own = np.where(size > 1e-12 * (upper_length * lower_length)[:, None], own / np.maximum(size, 1e-300), wanted)
    # The hinge of a bent leg is its own axis, so that both are equal and nothing turns here.
    angle = np.arctan2((np.cross(own, wanted) * along).sum(axis=1), (own * wanted).sum(axis=1))
    share = change / np.maximum(change + np.abs(flexion), 1e-300)
    twist = quat.exp((share * angle)[:, None] * along)
    axis = quat.rotate(twist, own)
    bend, swing = chain_ik.two_bones(upper, quat.rotate(twist, lower), reach, axis)
    bend = quat.mul(bend, twist)
    return _about(swing, upper + quat.rotate(bend, lower), reach, axis), bend


def _about(swing: Array, start: Array, goal: Array, axis: Array) -> Array:
    """Return the swing (F, 4), or half a turn about the axis if start and goal are opposite, unlike `ik.shortest`."""
    left = (quat.rotate(swing, start) * goal).sum(axis=1) < 0.0
    return np.where(left[:, None], quat.exp(np.pi * axis), swing)


# --- chains ---------------------------------------------------------------------------------------------------------


def _chain_reaching(given: Clip, begun: Clip, asked: Asked) -> Clip:
    """Return frames of a clip with a chain at its target within its limits; the solution starts from `begun`."""
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
    wanted = _goals_in_ease(given, turned, joints[0], chain.root, asked.goals - offset, asked.share)
    goals = chain.root + _partly_towards(now - chain.root, wanted - chain.root, asked.share)
    bounds = [_bounds(given, joint, asked.share, limits) for joint in joints]
    rotations = _solve_chain(chain, goals, bounds)
    local = begun.rotations.copy()
    local[:, list(joints)] = rotations
    if keeps:
        carried = quat.mul(chain.pose(rotations)[0][:, -1], quat.inv(turned[:, joints[-1]]))
        local[:, end] = ik.local_rotation(given, end, turned, turned[:, end], carried)
    return replace(begun, rotations=local)


def _solve_chain(chain: chain_ik.Chain, goals: Array, bounds: Sequence[tuple[Array, Array] | None]) -> Array:
    """Return rotations (F, K, 4) that bring the end of a chain to goals (F, 3), or to the least distance from them."""
    if any(bound is not None for bound in bounds):
        return chain_ik.reach_goals(chain, goals, bounds, ROUNDS)[0]
    rotations = chain.rotations.copy()
    too_far = np.linalg.norm(goals - chain.root, axis=1) >= np.linalg.norm(chain.offsets, axis=2).sum(axis=1)
    beyond, within = np.flatnonzero(too_far), np.flatnonzero(~too_far)
    if len(beyond):
        rotations[beyond] = _straight(chain.at(beyond), goals[beyond])
    if len(within):
        part = chain.at(within)
        near, _ = chain_ik.reach_goals(part, goals[within], rounds=FIRST_ROUNDS)
        rotations[within] = chain_ik.settle_chain(replace(part, rotations=near), goals[within])
    return rotations


def _as_chain(clip: Clip, joints: Sequence[int], end: Array) -> chain_ik.Chain:
    """Return the chain of some joints of a clip up to an end (F, 3); joints between them are rigid."""
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
    """Return rotations (F, K, 4) of a chain stretched straight towards goals, where descent would converge slowly."""
    rotations = chain.rotations.copy()
    for joint in range(rotations.shape[1]):
        turned, places = chain.pose(rotations)
        swing = ik.shortest(places[:, joint + 1] - places[:, joint], goals - chain.root)
        wanted = quat.mul(swing, turned[:, joint])
        frame = quat.mul(turned[:, joint], quat.inv(rotations[:, joint]))
        rotations[:, joint] = quat.normalize(quat.mul(quat.inv(frame), wanted))
    return quat.same_side(rotations, chain.rotations)


def _bounds(clip: Clip, joint: int, share: Array, limits: Limits) -> tuple[Array, Array] | None:
    """Return a joint's least and largest angles (F, 3); in the ease the clip's own are allowed by 1 − share."""
    if joint not in limits:
        return None
    low, high = limits[joint]
    own = chain_ik.angles(clip.rotations[:, joint])
    part = share[:, None]
    return (
        part * low + (1.0 - part) * np.minimum(low, own),
        part * high + (1.0 - part) * np.maximum(high, own),
    )
