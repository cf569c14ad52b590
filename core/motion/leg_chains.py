"""Legs of any number of bones, found by motion (methods: Body roles and retargeting)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from . import feet, kinematics, leg_count, quat, role_names, root_motion
from .clip import Clip
from .ik import Limb
from .quat import Array
from .roles import ancestors
from .skeleton import Skeleton

# Least range of motion of a thigh, and of the bend of any other joint of a leg.
TURNS = np.radians(4.0)
LOW = 0.3  # of the height of a standing leg; the first joint below this height is the ankle
SHORT = 0.1  # of the length of a leg; a joint that is nearer to another bending joint is not counted as a knee
BACK = 0.3  # the net motion of standing feet shows the front only if it exceeds this share of their whole path
FEET = tuple(f"{pair}{side}" for pair in ("", "front ", "middle ", "second ") for side in "LR")
# Pairs of feet from the back to the front, by the number of legs.
PAIRS = {
    4: ("", "front "),
    6: ("", "middle ", "front "),
    8: ("", "middle ", "second ", "front "),
}


def find(clip: Clip) -> dict[str, tuple[int, ...]]:
    """Return the joints of each leg of a body on four, six or eight, by its foot's name; {} for all others.

    clip : poses of the body's own actions, with feet hung on their legs
    The joints of a leg are its thigh, all other joints that bend, its ankle and its ball. A leg that ends with the tip
    of its second joint has these two joints. The result is empty for bodies whose names show four feet.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import leg_chains
        >>> leg_chains.find(actions.walk())
        {}
    """
    skeleton = clip.skeleton
    if len(clip) < 3 or len(feet.balls_and_ankles(skeleton)) >= 4 or not leg_count.ends([clip]):
        return {}
    legs = leg_count.legs(clip)
    if len(legs) not in PAIRS:
        return {}
    places = kinematics.world(clip)[1]
    chains = [_chain(clip, line, places) for line in _lines(skeleton, legs)]
    complete = all(len(chain) > 3 or (len(chain) == 2 and chain[1] in skeleton.tipped) for chain in chains)
    if not complete or not (names := _names(clip, chains, places)):
        return {}
    order = sorted(range(len(chains)), key=lambda k: FEET.index(names[k]))
    return {names[k]: tuple(chains[k]) for k in order}


def with_all_bones(clip: Clip, limb: Limb) -> Limb:
    """Return a limb with every joint between its ends that bends in a clip.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik, leg_chains
        >>> walk = actions.walk()
        >>> leg = ik.legs(walk.skeleton)[0]
        >>> leg_chains.with_all_bones(walk, leg) == leg
        True
    """
    line = [*reversed(ancestors(limb.end, clip.skeleton.parents)), limb.end] if limb.end < len(clip.skeleton) else []
    if limb.between or len(clip) < 2 or limb.upper not in line or limb.lower not in line:
        return limb
    line = line[line.index(limb.upper) :]
    if len(line) < 4:
        return limb
    bending = _bending(line, kinematics.world_of(clip, line)[1], limb.lower)
    return replace(limb, lower=bending[0], between=tuple(bending[1:]))


def _lines(skeleton: Skeleton, legs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the joints of the longest line down each leg that carry no other leg."""
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    shared = np.sum(
        [[bool(skeleton.with_below([j])[ends].any()) for j in range(len(skeleton))] for ends in legs], axis=0
    )
    lines = []
    for ends in legs:
        every = [[j for j in (*reversed(ancestors(end, skeleton.parents)), end) if shared[j] == 1] for end in ends]
        lines.append(max(every, key=lambda line: float(lengths[line].sum())))
    return lines


def _chain(clip: Clip, line: Sequence[int], places: Array) -> list[int]:
    """Return thigh, joints that bend, ankle and ball of a leg; fewer than four joints if it has no knee."""
    turns = quat.log(quat.mul(quat.inv(clip.rotations[:1, line]), clip.rotations[:, line]))
    moves = np.flatnonzero(np.linalg.norm(np.ptp(turns, axis=0), axis=-1) > TURNS)
    line = line[moves[0] if len(moves) and len(line) - moves[0] > 2 else 0 :]
    if len(line) < 3:
        return list(line) if np.linalg.norm(np.ptp(turns[:, -1], axis=0)) > TURNS else []
    heights = places[:, line, 2]
    lowest = heights.min(axis=1)
    tall = np.maximum(heights[:, 0] - lowest, 1e-9)
    stands = lowest <= np.quantile(lowest, 0.5)
    over = np.median(((heights - lowest[:, None]) / tall[:, None])[stands], axis=0)
    ankle = max(2, int(np.argmax(over < LOW)))
    return [line[0], *_bending(line[: ankle + 1], places, -1), line[ankle], line[-1]]


def _bending(line: Sequence[int], places: Array, knee: int) -> list[int]:
    """Return the inner joints of a line that bend, at least the known knee, or else the joint that bends most."""
    bones = np.linalg.norm(np.diff(places[:, line], axis=1), axis=2).mean(axis=0)
    bends = {joint: _bend(places, line[k], joint, line[k + 2]) for k, joint in enumerate(line[1:-1])}
    chosen = [line.index(knee) if knee >= 0 else line.index(max(bends, key=lambda joint: bends[joint]))]
    for joint in sorted(bends, key=lambda one: -bends[one]):
        k = line.index(joint)
        known = sorted([0, *chosen, len(line) - 1])
        apart = min(float(bones[min(k, other) : max(k, other)].sum()) for other in known)
        if bends[joint] > TURNS and apart > SHORT * float(bones.sum()):
            chosen.append(k)
    return [line[k] for k in sorted(chosen)]


def _bend(places: Array, upper: int, middle: int, lower: int) -> float:
    """Return the range of the bend of a joint, radians."""
    one, other = places[:, middle] - places[:, upper], places[:, lower] - places[:, middle]
    sizes = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return float(np.ptp(np.arccos(np.clip((one * other).sum(axis=1) / np.maximum(sizes, 1e-12), -1.0, 1.0))))


def _names(clip: Clip, chains: Sequence[Sequence[int]], places: Array) -> list[str]:
    """Return the name of each foot, by side and from the back to the front; none if a side has more feet.

    Sides and the front are known from the names of the joints, or otherwise from motion.
    """
    hips, ends = [chain[0] for chain in chains], [chain[-1] for chain in chains]
    seen = _turn_to_front(places, ends, hips, _find_front(clip, ends, hips, places))
    along, across = (np.median(part, axis=0) for part in (seen.real, seen.imag))
    sides, parts = zip(*(role_names.split(clip.skeleton.names)[chain[-2]] for chain in chains), strict=True)
    front = np.array(["front" in part or "fore" in part for part in parts])
    if front.any() and not front.all() and along[front].mean() < along[~front].mean():
        along, across = -along, -across
    left = np.array([side == "L" for side in sides]) if all(sides) else across > float(np.median(across))
    if 2 * int(left.sum()) != len(chains):
        return []
    names, pairs = [""] * len(chains), PAIRS[len(chains)]
    for side, which in (("L", left), ("R", ~left)):
        own = np.flatnonzero(which)
        for pair, k in zip(pairs, own[np.argsort(along[own])].tolist(), strict=True):
            names[k] = f"{pair}{side}"
    return names


def _turn_to_front(places: Array, ends: Sequence[int], hips: Sequence[int], ahead: Array) -> Array:
    """Return places (F, N) of feet on the ground from the middle of the hips, x + iy, with the front (F,) along x."""
    flat = places[:, :, 0] + 1j * places[:, :, 1]
    return np.asarray((flat[:, list(ends)] - flat[:, list(hips)].mean(axis=1, keepdims=True)) * ahead.conj()[:, None])


def _find_front(clip: Clip, ends: Sequence[int], hips: Sequence[int], places: Array) -> Array:
    """Return the direction (F,) of the front on the ground, x + iy, from standing feet or from the rest pose."""
    facing = 1j * np.exp(1j * root_motion.ground_frames(clip)[1])
    seen = _turn_to_front(places, ends, hips, facing)
    low = places[:, list(ends), 2]
    stands = low <= np.quantile(low, 0.4, axis=0)
    steps = np.diff(seen, axis=0)[stands[1:] & stands[:-1]]
    way = -steps.sum()
    tells = abs(way) > BACK * float(np.abs(steps).sum())
    return np.asarray(facing * (way / abs(way) if tells else 1.0))
