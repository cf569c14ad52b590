"""Find the roles of two legs from the motion alone, for bodies without useful names.

Method: Body roles and retargeting. All positions are relative to the joint that carries the legs, so that the place and
the facing of the body do not matter.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from . import kinematics, leg_count, quat
from .clip import Clip
from .quat import Array
from .roles import ancestors

TURNS = np.radians(4.0)  # least range of motion of a joint that moves a leg
# Shares of the height of the thigh over the floor while the foot stands: ankles are lower, knees are higher.
LOW, HIGH = 0.3, 0.4
BONES = (0.6, 1.7)  # limits of the length of a thigh, as a multiple of the length of its shin
ONE_KNEE = 0.5  # of the bend of the knee; if another joint bends by more, it is uncertain which one is the knee
STANDING = 0.05  # of the height of a leg; a foot that is lower over the floor stands
# Least values that show the front: the net backward motion of standing feet as a share of their whole path, and the
# distances of knees and of toes in front of the leg as shares of its height. FAR is used for knees if neither feet nor
# toes show it, and the feet move at least a little in the direction that agrees with the knees.
BACK, KNEE, TOE, FAR = 0.3, 0.01, 0.05, 0.08
SAME = 0.03  # of the height of a leg; if joints at the ankle are nearer to each other, the outermost one is the foot
# Share of the height of a leg. If the trunk begins nearer to the joint that carries the legs, either could be the hips.
APART = 0.12

Joints = tuple[int, int, int, int]  # thigh, knee, ankle, and where the leg ends


class _Seen(NamedTuple):
    """Places (F, J, 3) and the upward direction (3,) in the frame of the joint that carries legs, heights (F, J)."""

    places: Array
    up: Array
    heights: Array


def find(clip: Clip) -> dict[str, int]:
    """Return the joints for thighs, shins, feet and hips of a body with two legs; {} if they are not certain.

    clip : poses of the body's own actions, with feet hung on their legs. Hips are left out if two joints could be hips.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import leg_roles
        >>> walk = actions.walk()
        >>> found = leg_roles.find(walk)
        >>> len(found), all(walk.skeleton.roles[role] == joint for role, joint in found.items())
        (6, True)
    """
    legs = leg_count.legs(clip)
    if len(legs) != 2 or len(clip) < 3:
        return {}
    chains, carrier = _chains(clip, legs)
    if carrier < 0 or len(chains[0]) != len(chains[1]):
        return {}
    seen = _measure_motion(clip, carrier)
    thigh = _first_that_turns(clip, chains)
    known = [_divide_chain(chain, thigh, seen) for chain in chains]
    one, other = known
    if one is None or other is None:
        return {}
    # Joints as far down in both; and nothing stands beside a foot, as a foot on a root would beside its shin's end.
    alike = all(chains[0].index(j) == chains[1].index(k) for j, k in zip(one, other, strict=True))
    below = clip.skeleton.with_below([one[2], other[2]])
    if not alike or not below[[end for ends in legs for end in ends]].all():
        return {}
    across = np.median(seen.places[:, other[0]] - seen.places[:, one[0]], axis=0)
    ahead = np.cross(seen.up, across)
    front = _front((one, other), seen, ahead / max(float(np.linalg.norm(ahead)), 1e-12))
    if not front:
        return {}
    # Ahead of up × (the way to the other leg), that leg is the left one.
    left, right = (other, one) if front < 0 else (one, other)
    roles = {"hips": carrier} if _is_alone(clip, carrier, chains, seen) else {}
    for side, joints in (("L", left), ("R", right)):
        roles |= {f"{part}.{side}": joint for part, joint in zip(("thigh", "shin", "foot"), joints, strict=False)}
    return roles


def _chains(clip: Clip, legs: Sequence[Sequence[int]]) -> tuple[list[list[int]], int]:
    """Return the joints of each leg, below the lowest joint that carries all, and that joint; −1 if there is none."""
    parents, lengths = clip.skeleton.parents, np.linalg.norm(clip.skeleton.offsets, axis=1)
    lines = []
    for ends in legs:
        every = [[*reversed(ancestors(end, parents)), end] for end in ends]
        lines.append(max(every, key=lambda line: float(lengths[line[1:]].sum())))
    shared = 0
    while all(len(line) > shared and line[shared] == lines[0][shared] for line in lines):
        shared += 1
    return [line[shared:] for line in lines], lines[0][shared - 1] if shared else -1


def _measure_motion(clip: Clip, carrier: int) -> _Seen:
    turned, places = kinematics.world(clip)
    back = quat.inv(turned[:, carrier])
    local = quat.rotate(back[:, None], places - places[:, carrier, None])
    up = quat.rotate(back, np.array([0.0, 0.0, 1.0])).mean(axis=0)
    return _Seen(local, up / max(float(np.linalg.norm(up)), 1e-12), places[:, :, 2])


def _first_that_turns(clip: Clip, chains: Sequence[Sequence[int]]) -> int:
    """Return the index along the chains of the first joint that turns on either side; joints in the pelvis do not."""
    for k, joints in enumerate(zip(*chains, strict=True)):
        turns = quat.log(quat.mul(quat.inv(clip.rotations[:1, joints]), clip.rotations[:, joints]))
        if (np.linalg.norm(np.ptp(turns, axis=0), axis=-1) > TURNS).any():
            return k
    return len(chains[0])


def _divide_chain(chain: Sequence[int], thigh: int, seen: _Seen) -> Joints | None:
    """Return thigh, knee and ankle of a chain, and its end; None where its motion leaves them in doubt."""
    if len(chain) - thigh < 3:
        return None
    over = _over_floor(chain, thigh, seen)
    low = np.flatnonzero(over < LOW)
    foot = int(low[0]) if len(low) else 0
    between = [k for k in range(thigh + 1, foot) if over[k] > HIGH]
    if not between or len(between) < foot - thigh - 1:
        return None
    places = seen.places[:, chain]
    tall = _measure_distance(places, thigh, foot)
    while foot + 1 < len(chain) and _measure_distance(places, foot, foot + 1) < SAME * tall:
        foot += 1
    bends = {k: float(np.ptp(_bend(places, thigh, k, foot))) for k in between}
    knee = max(bends, key=lambda k: bends[k])
    sizes = _measure_distance(places, thigh, knee), _measure_distance(places, knee, foot)
    rivals = [bend for k, bend in bends.items() if k != knee and bend > ONE_KNEE * bends[knee]]
    if rivals or bends[knee] < TURNS or not BONES[0] < sizes[0] / max(sizes[1], 1e-12) < BONES[1]:
        return None
    return chain[thigh], chain[knee], chain[foot], chain[-1]


def _measure_distance(places: Array, one: int, other: int) -> float:
    return float(np.median(np.linalg.norm(places[:, one] - places[:, other], axis=1)))


def _over_floor(chain: Sequence[int], thigh: int, seen: _Seen) -> Array:
    """Return the heights (K,) of joints of a standing chain over the lowest one, as shares of the thigh's height."""
    heights = seen.heights[:, chain]
    lowest = heights.min(axis=1)
    tall = np.maximum(heights[:, thigh] - lowest, 1e-9)
    stands = lowest - float(np.quantile(lowest, 0.1)) < STANDING * tall
    return np.asarray(np.median(((heights - lowest[:, None]) / tall[:, None])[stands], axis=0))


def _bend(places: Array, upper: int, middle: int, lower: int) -> Array:
    one, other = places[:, middle] - places[:, upper], places[:, lower] - places[:, middle]
    sizes = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.asarray(np.arccos(np.clip((one * other).sum(axis=1) / np.maximum(sizes, 1e-12), -1.0, 1.0)))


def _front(legs: Sequence[Joints], seen: _Seen, ahead: Array) -> int:
    """Return 1 if a direction is to the front, −1 if it is to the back, 0 where fewer than two agree on it."""
    steps, knees, toes = [], [], []
    for joints in legs:
        thigh, knee, foot, end = (seen.places[:, joint] for joint in joints)
        heights = seen.heights[:, joints[3]]
        tall = float(np.median(seen.heights[:, joints[0]] - heights))
        stands = heights - float(np.quantile(heights, 0.1)) < STANDING * tall
        steps.append(np.diff(end @ ahead)[stands[1:] & stands[:-1]])
        leg = np.linalg.norm(foot - thigh, axis=1)
        share = np.linalg.norm(knee - thigh, axis=1) / np.maximum(leg, 1e-12)
        knees.append(float((((knee - thigh) - share[:, None] * (foot - thigh)) @ ahead).mean()) / tall)
        toes.append(float(((end - foot) @ ahead).mean()) / tall)
    ways = np.concatenate(steps)
    walks = -float(ways.sum()) / max(float(np.abs(ways).sum()), 1e-12)
    told = [_sure([walks], BACK), _sure(knees, KNEE), _sure(toes, TOE)]
    if not any(told[::2]) and walks * sum(knees) > 0.0:
        told[0] = _sure(knees, FAR)  # knees far ahead, and feet that go back at all
    return int(np.sign(sum(told))) if abs(sum(told)) >= 2 and abs(sum(told)) == sum(map(abs, told)) else 0


def _sure(values: Sequence[float], least: float) -> int:
    """Return the common sign of values if all have the same one and exceed a least size, or 0."""
    return next((sign for sign in (1, -1) if all(sign * value > least for value in values)), 0)


def _is_alone(clip: Clip, carrier: int, chains: Sequence[Sequence[int]], seen: _Seen) -> bool:
    """Return whether only the joint that carries the legs can be the hips, because the trunk begins far from it."""
    parents = clip.skeleton.parents
    firsts = {chain[0] for chain in chains}
    beside = [joint for joint in np.flatnonzero(parents == carrier).tolist() if joint not in firsts]
    tall = float(np.median(np.linalg.norm(seen.places[:, chains[0][-1]] - seen.places[:, chains[0][0]], axis=1)))
    away = [float(np.linalg.norm(clip.skeleton.offsets[joint])) for joint in beside]
    return bool(away) and min(away) > APART * tall
