"""Find joints that lead others (constraint targets baked into motion), by measuring clips; names are not used.

Method: Attached joints.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..motion import joint_matching, kinematics, quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.roles import TRUNK, ancestors
from ..motion.skeleton import Skeleton

# In body heights.
MOVES = 0.005  # a joint that moves less relative to its parent is led by no other joint
KEEPS = 0.02  # largest distance of an attached joint from its usual place on its leader, in 95 % of the frames
LEAVES = 0.1  # the same for a leader that explains the motion, such as a leg whose foot is out of reach
NEAR = 0.02  # a loose joint that is nearer to a foot or hand at rest counts as attached if no clip shows it
LEFT = 0.25  # a joint has left its known leader if it is farther away in 5 % of the frames of a clip
ALIKE = 0.002  # resolution for comparing the strays of leaders

# Least ratio of the motion of a joint relative to its parent to its distance from its usual place on a leader (in
# 95 % of the frames) at which the leader explains the motion.
EXPLAINS = 6.0
STILL = 1e-5  # radians, and metres
SAMPLED = 60  # frames of each clip
_ENDS = (("foot", "shin"), ("hand", "forearm"))


def of_clip(clip: Clip) -> dict[int, int]:
    """Return the leaders of attached joints in one clip, such as one with poses of each of a character's actions.

    Example:
        >>> from action_loom.core.bodies import leading
        >>> from action_loom.core.demo_character import actions
        >>> leading.of_clip(actions.walk())
        {}
    """
    return relations([clip])[0]


def relations(clips: Sequence[Clip]) -> tuple[dict[int, int], list[str]]:
    """Return the leader of each attached joint, and notes on joints attached in only some of the clips."""
    skeleton = clips[0].skeleton
    moving = np.any([_goes(clip) > MOVES for clip in clips], axis=0)
    joints = [joint for joint in np.flatnonzero(moving).tolist() if _may_be_attached(skeleton, joint)]
    if not (joints or skeleton.leaders):
        return {}, []
    posed = {clip: kinematics.world(clip.take_frames(_sample(len(clip)))) for clip in clips}
    leaders = {joint: leader for joint, leader in skeleton.leaders.items() if _is_near(clips, posed, joint, leader)}
    leaders = {joint: leader for joint, leader in leaders.items() if not leads(skeleton, leaders, joint)}
    notes: list[str] = []
    parents = skeleton.parents.copy()
    parents[list(leaders)] = list(leaders.values())
    for joint in [joint for joint in joints if joint not in leaders]:
        leader, note = _leader(clips, posed, joint, parents, joints)
        notes += [note] if note else []
        if leader >= 0:
            leaders[joint] = parents[joint] = leader
    return _on_both_sides(clips, posed, leaders), notes


def _on_both_sides(
    clips: Sequence[Clip], posed: Mapping[Clip, tuple[Array, Array]], leaders: Mapping[int, int]
) -> dict[int, int]:
    """Return the leaders extended to both sides of the body: a known one also applies to the joint's partner."""
    if not leaders:
        return {}
    skeleton = clips[0].skeleton
    partner = joint_matching.across(skeleton).tolist()
    rides = skeleton.with_below(list(leaders)) & ~np.isin(np.arange(len(skeleton)), list(leaders))
    found: dict[int, int] = {}
    for joint, leader in leaders.items():
        other, across = partner[joint], partner[leader]
        if leader == other or leads(skeleton, found | {other: across, joint: leader}, joint):
            continue  # both would lead each other
        if other == joint or rides[other]:  # such as a sword, which is only on one side
            found[joint] = leader
        elif leaders.get(other) == across or _goes_with(clips, posed, other, across):
            found |= {joint: leader, other: across}
    return found


def _goes_with(clips: Sequence[Clip], posed: Mapping[Clip, tuple[Array, Array]], joint: int, leader: int) -> bool:
    """Return whether a joint moved in some clip is never far from a possible leader."""
    moved = not all(rests(clip, joint) for clip in clips)
    return moved and joint != leader and _is_near(clips, posed, joint, leader)


def leads(skeleton: Skeleton, leaders: Mapping[int, int], joint: int) -> bool:
    """Return whether a joint would be its own ancestor if each attached joint were the child of its leader."""
    seen, above = {joint}, leaders.get(joint, int(skeleton.parents[joint]))
    while above >= 0 and above not in seen:
        seen.add(above)
        above = leaders.get(above, int(skeleton.parents[above]))
    return above >= 0


def riding(clips: Sequence[Clip], leaders: Mapping[int, int]) -> dict[int, int]:
    """Return the parents of joints below attached ones that keep their pose on them in all clips."""
    skeleton = clips[0].skeleton
    below = np.flatnonzero(skeleton.with_below(list(leaders))).tolist() if leaders else []
    return {
        joint: int(skeleton.parents[joint])
        for joint in below
        if joint not in leaders and all(_keeps(clip, clips[0], joint) for clip in clips)
    }


def _keeps(clip: Clip, like: Clip, joint: int) -> bool:
    """Return whether a joint has, in all frames, its pose relative to its parent from the first frame of a clip."""
    turned = largest_angle(like.rotations[0, joint], clip.rotations[:, joint])
    return max(turned, float(np.abs(clip.translations[:, joint] - like.translations[0, joint]).max())) < STILL


def _sample(frames: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, frames - 1, SAMPLED).round().astype(np.int64))


def _goes(clip: Clip) -> Array:
    """Return the motion (J,) of each joint relative to its parent along an axis, body heights."""
    far = np.ptp(clip.translations, axis=0).max(axis=1)
    return np.asarray(far / max(clip.skeleton.height, 1e-12))


def rests(clip: Clip, joint: int) -> bool:
    """Return whether a joint is at rest in all frames, so that it has no keys."""
    turned = np.abs(clip.rotations[:, joint] - quat.IDENTITY).max()
    return bool(max(turned, np.abs(clip.translations[:, joint]).max()) < STILL)


def carries_the_body(skeleton: Skeleton, joint: int) -> bool:
    """Return whether a joint is the hips or above them; for unknown hips, whether most joints are below it."""
    if "hips" in skeleton.roles:
        return joint in (skeleton.roles["hips"], *ancestors(skeleton.roles["hips"], skeleton.parents))
    return bool(skeleton.with_below([joint]).mean() > 0.5)


def _is_near(clips: Sequence[Clip], posed: Mapping[Clip, tuple[Array, Array]], joint: int, leader: int) -> bool:
    """Return whether a joint is near its known leader in every clip that moves it."""
    strays = [strays_from(*posed[clip], joint, np.array([leader])) for clip in clips if not rests(clip, joint)]
    return all(float(np.percentile(stray, 95)) <= LEFT * clips[0].skeleton.height for stray in strays)


def _may_be_attached(skeleton: Skeleton, joint: int) -> bool:
    """Return whether a joint is outside the body, a child of a joint that carries the body, or a foot or hand.

    Other joints are parts of the body that move relative to each other. The trunk and its carriers have no leader.
    """
    parent, trunk = int(skeleton.parents[joint]), [skeleton.roles.get(role) for role in TRUNK]
    if joint in trunk or carries_the_body(skeleton, joint):
        return False
    is_hips = parent == skeleton.roles.get("hips") and skeleton.parents[parent] >= 0
    on_root = parent < 0 or (not is_hips and carries_the_body(skeleton, parent))
    return on_root or not skeleton.body[joint] or belongs_on(skeleton, joint) >= 0


def _leader(
    clips: Sequence[Clip],
    posed: Mapping[Clip, tuple[Array, Array]],
    joint: int,
    parents: NDArray[np.int64],
    loose: Sequence[int],
) -> tuple[int, str]:
    """Return the joint to which another is attached, −1 for none, and a note if only some of the clips attach it.

    parents (J,) : with leaders as parents of already attached joints; loose : joints that may be attached
    """
    skeleton = clips[0].skeleton
    # Left and right parts that rest keep their places on each other, but neither leads the other.
    never = {joint, int(joint_matching.across(skeleton)[joint]), *ancestors(joint, skeleton.parents)}
    leaders = np.array([k for k in range(len(parents)) if k not in never and joint not in ancestors(k, parents)], int)
    moving = [clip for clip in clips if not rests(clip, joint)]
    if not len(leaders) or not moving or not skeleton.height:  # bodies without bones, such as markers, have none
        return -1, ""
    strays = [strays_from(*posed[clip], joint, leaders) / skeleton.height for clip in moving]
    fits = np.array([_fits(clip, joint, stray) for clip, stray in zip(moving, strays, strict=True)])
    each = np.array([np.percentile(stray, 95, axis=0) for stray in strays])
    goes = np.array([_goes(clip)[joint] for clip in moving])[:, None]
    shows = (goes > MOVES) & (EXPLAINS * each <= goes)
    every, usual = fits.all(axis=0) & (fits & shows).any(axis=0), each.max(axis=0)
    if not every.any():
        return -1, _describe_mixed_leader(clips[0], joint, leaders, moving, fits & shows)
    roles, wanted = set(skeleton.roles.values()), belongs_on(skeleton, joint)
    away = np.linalg.norm(posed[moving[0]][1][0, leaders] - posed[moving[0]][1][0, joint], axis=1)
    beside = skeleton.with_below(list(loose))

    def merit(k: int) -> tuple[object, ...]:
        leader = int(leaders[k])
        return leader != wanted, bool(beside[leader]), round(usual[k] / ALIKE), leader not in roles, away[k]

    return int(leaders[min(np.flatnonzero(every).tolist(), key=merit)]), ""


def _fits(clip: Clip, joint: int, stray: Array) -> NDArray[np.bool_]:
    """Return the leaders (L,) on which a joint keeps its place in a clip; stray (F, L) : from each, in body heights."""
    usual = np.percentile(stray, 95, axis=0)
    goes = float(_goes(clip)[joint])
    return np.asarray((usual <= KEEPS) | ((usual <= LEAVES) & (EXPLAINS * usual <= goes)))


def belongs_on(skeleton: Skeleton, joint: int) -> int:
    """Return the shin of a foot or the forearm of a hand with another parent, −1 for any other joint."""
    for end, before in _ENDS:
        for side in "LR":
            if skeleton.roles.get(f"{end}.{side}") == joint:
                return skeleton.roles.get(f"{before}.{side}", -1)
    return -1


def _describe_mixed_leader(
    clip: Clip, joint: int, leaders: NDArray[np.int64], moving: Sequence[Clip], fits: NDArray[np.bool_]
) -> str:
    """Return a note on a joint that a foot, hand or other part leads in only some clips, "" if there is none."""
    if not (best := fits.sum(axis=0)).any():
        return ""
    k = int(best.argmax())
    one = next(source.name for source, fit in zip(moving, fits[:, k], strict=True) if fit)
    other = next(source.name for source, fit in zip(moving, fits[:, k], strict=True) if not fit)
    name, leader = clip.skeleton.names[joint], clip.skeleton.names[int(leaders[k])]
    return f"{name} follows {leader} in {one}, not in {other}: it was woven as any bone, and is not at {leader}"


def strays_from(turns: Array, places: Array, joint: int, leaders: NDArray[np.int64]) -> Array:
    """Return the distance (F, L) of a joint from its usual place in the frame of each leader."""
    there = quat.rotate(quat.inv(turns[:, leaders]), places[:, joint, None] - places[:, leaders])
    return np.asarray(np.linalg.norm(there - np.median(there, axis=0), axis=2))


def strays(clip: Clip, joint: str, leader: str) -> Array:
    """Return the distance (F,) of a joint from its usual place on its leader, m."""
    ours, theirs = clip.skeleton.index(joint), clip.skeleton.index(leader)
    turns, places = kinematics.world_of(clip, [ours, theirs])
    return strays_from(turns, places, ours, np.array([theirs]))[:, 0]


def at_rest(skeleton: Skeleton, known: Mapping[int, int]) -> dict[int, int]:
    """Return the leaders of joints that are attached according to the rest pose but in no clip."""
    places = skeleton.rest[1]
    still = [joint for joint in range(len(skeleton)) if joint not in known]
    ends = [skeleton.roles[f"{end}.{side}"] for end, _ in _ENDS for side in "LR" if f"{end}.{side}" in skeleton.roles]
    leaders = {}
    away = np.linalg.norm(places[:, None] - places[ends], axis=2)
    for joint in still:
        leader = belongs_on(skeleton, joint)
        if leader >= 0 and not skeleton.with_below([leader])[joint]:
            leaders[joint] = leader
        elif not skeleton.body[joint] and ends and away[joint].min() <= NEAR * skeleton.height:
            nearest = ends[int(away[joint].argmin())]
            if joint not in ancestors(nearest, skeleton.parents):
                leaders[joint] = nearest
    return leaders


def largest_angle(mean: Array, turned: Array) -> float:
    """Return the largest angle between rotations (F, 4) and one, radians."""
    return float(np.linalg.norm(quat.log(quat.mul(quat.inv(mean), turned)), axis=1).max())
