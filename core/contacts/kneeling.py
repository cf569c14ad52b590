"""Put the knees of a result where its sources have them, on the ground (methods: Contacts of hands).

The thigh swings to the knee's place, the pelvis moves as far as the thigh is too long or too short, and the feet stay
where their shins reach.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..edit.feet import legs
from ..motion import ik, quat
from ..motion.clip import Clip
from ..motion.quat import Array
from . import arms, parts

SETTLES = 0.5  # s before and after a contact over which its knee moves; this is long because the pelvis moves, too
ROUNDS = 20  # largest number of iterations; two knees need several because they move the pelvis by their mean
NEAR = 1e-4  # m; the iteration ends when the remaining step of the pelvis is smaller


@dataclass(frozen=True, eq=False)
class Lack:
    """The displacement (K, 3), m, of a knee such as "knee.L" that is missing in frames of a contact."""

    end: str
    span: slice
    missing: Array


def kneel(made: Clip, lacks: Sequence[Lack]) -> Clip:
    """Return a clip with its knees moved; beyond a contact the missing displacement is held and faded out.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import kneeling
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk()
        >>> lack = kneeling.Lack("knee.L", slice(20, 60), np.full((40, 3), [0.02, 0.0, 0.03]))
        >>> knee = [kinematics.points(one)[30, walk.skeleton.roles["shin.L"]]
        ...         for one in (walk, kneeling.kneel(walk, [lack]))]
        >>> (knee[1] - knee[0]).round(3).tolist()
        [0.02, 0.0, 0.03]
    """
    limbs = {f"knee.{side}": limb for side in "LR" if (limb := parts.find_limb(made.skeleton, f"foot.{side}"))}
    steps, shares = _spread(lacks, len(made), made.rate)
    pose = legs.posed(made, list(limbs.values()))
    own = {end: pose[1][limb.foot] for end, limb in limbs.items()}
    goals = {end: own[end].hip + own[end].upper + steps[end] for end in steps}
    eased = {end: own[end].hip + own[end].upper + shares[end][:, None] * steps[end] for end in steps}
    pelvis = _move_pelvis({end: own[end] for end in steps}, eased, shares)
    still = {limb.foot: np.zeros((len(made), 3)) for limb in limbs.values()}
    moved = legs.move_legs(made, list(limbs.values()), pose, still, pelvis, {})
    turned, after = legs.posed(moved, list(limbs.values()))
    turns = {}
    for end, goal in goals.items():
        leg = after[limbs[end].foot]
        swing = ik.shortest(leg.upper, leg.upper + shares[end][:, None] * (goal - leg.hip - leg.upper))
        back = quat.rotate(quat.inv(swing), leg.end - leg.hip - quat.rotate(swing, leg.upper))
        turns[limbs[end]] = swing, ik.shortest(leg.lower, back)
    return legs.applied(moved, turned, turns, np.zeros((len(made), 3)))


def _spread(lacks: Sequence[Lack], count: int, rate: float) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return the displacement (F, 3) of each knee, and the share (F,) of it, eased in and out around contacts."""
    steps, shares = dict[str, Array](), dict[str, Array]()
    for end in dict.fromkeys(one.end for one in lacks):
        total, weight, free = np.zeros((count, 3)), np.zeros(count), np.ones(count)
        for one in [one for one in lacks if one.end == end]:
            window, share = arms.ease_in(one.span, count, rate, SETTLES)
            at = np.clip(np.arange(window.start, window.stop), one.span.start, one.span.stop - 1)
            total[window] += share[:, None] * one.missing[at - one.span.start]
            weight[window] += share
            free[window] *= 1.0 - share
        steps[end], shares[end] = total / np.maximum(weight, 1e-9)[:, None], 1.0 - free
    return steps, shares


def _move_pelvis(own: dict[str, legs.Leg], goals: dict[str, Array], shares: dict[str, Array]) -> Array:
    """Return the least shift (F, 3) of the pelvis after which thighs span the distances to their goals (F, 3)."""
    shift = np.zeros_like(next(iter(goals.values())))
    weight = np.maximum(np.asarray(sum(shares.values())), 1e-9)[:, None]
    for _ in range(ROUNDS):
        step = np.zeros_like(shift)
        for end, goal in goals.items():
            away = goal - own[end].hip - shift
            size = np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
            step += shares[end][:, None] * away * (1.0 - own[end].lengths[0][:, None] / size)
        shift = shift + step / weight
        if float(np.abs(step).max()) < NEAR:
            break
    return np.where(weight > 1e-6, shift, 0.0)
