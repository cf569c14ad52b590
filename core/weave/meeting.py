"""Keep the hands of two figures in contact: find their contacts, and restore them after one figure was changed.

A contact is kept as the same vector from wrist to wrist. A hand on a trunk, as in a push, keeps its place on it in
units of trunk length. The second figure is first moved and turned as a whole to bring the hands as near as possible;
the remaining error is corrected by both arms, half each, or by the pushing arm alone. Only positions are kept; hand
rotations are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..edit import reaching
from ..errors import ClipError, SkeletonError
from ..motion import arrays, kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..sync import alignment

ARMS = ("left_arm", "right_arm")
TRUNK = "trunk"  # of the second figure, from the hips to between the shoulders
NEAR = 0.2  # m from wrist to wrist; clasping or clapping hands have their wrists 10 to 20 cm apart
LEAST = 0.1  # s; shorter contacts are ignored
EASE = 0.3  # s for arms to ease in and out
ROUNDS = 12  # iterations of reaching; each halves the error that one arm alone can't correct
THERE = 1e-4  # m of remaining error to accept
_TIP = np.zeros(3)

Two = tuple[Clip, Clip]


@dataclass(frozen=True)
class Meeting:
    """A contact between an arm of the first figure and an arm of the second (`ARMS`), over a span of frames.

    other : an arm, or `TRUNK` for a hand of the first figure on the second one's trunk
    """

    arm: str
    other: str
    first: int
    last: int


def meetings(one: Clip, other: Clip, near: float = NEAR, *, trunk: bool = False) -> list[Meeting]:
    """Return hand contacts between two figures, by arms and then time: nearer than `near` (m) for 0.1 s or more.

    trunk : whether to include hands of the first figure that are this near to the axis of the second one's trunk

    Raises ClipError for clips of different rate or length, and SkeletonError for bodies with unknown arms.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import reaching
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> from action_loom.core.weave import meeting
        >>> wave = actions.wave()
        >>> hand = reaching.ends(wave, reaching.limb_of(wave, "left_arm"), np.zeros(3))[50]
        >>> partner = root_motion.place_clip(wave, np.pi, 2.0 * hand[:2])  # turned about the hand
        >>> [(found.arm, found.other) for found in meeting.meetings(wave, partner)]
        [('left_arm', 'left_arm')]
    """
    _check(one, other)
    least = max(round(LEAST * one.rate), 1)
    found = []
    for arm, others in product(ARMS, (*ARMS, TRUNK) if trunk else ARMS):
        away = _from_trunk(one, other, arm) if others == TRUNK else _measure_hand_vectors(one, other, arm, others)
        close = np.linalg.norm(away, axis=1) < near
        found += [
            Meeting(arm, others, first, end - 1) for first, end in arrays.find_runs(close) if end - first >= least
        ]
    return found


def off(before: Two, now: Two, found: Sequence[Meeting]) -> Array:
    """Return the error (K,) in metres of the distance between hands, in all frames of some contacts.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> from action_loom.core.weave import meeting
        >>> wave, met = actions.wave(), [meeting.Meeting("left_arm", "left_arm", 40, 42)]
        >>> aside = root_motion.place_clip(wave, 0.0, np.array([0.1, 0.0]))
        >>> meeting.off((wave, wave), (wave, aside), met).round(3).tolist()
        [0.1, 0.1, 0.1]
    """
    _check(*before, *now)
    lost = [_measure_lost_contact(before, now, one)[one.first : one.last + 1] for one in found]
    return np.linalg.norm(np.concatenate([np.zeros((0, 3)), *lost]), axis=1)


def place_partner(before: Two, now: Two, found: Sequence[Meeting]) -> Two:
    """Return two changed figures, the second moved and turned on the ground to best restore the hands' contacts.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> from action_loom.core.weave import meeting
        >>> wave, met = actions.wave(), [meeting.Meeting("left_arm", "left_arm", 30, 60)]
        >>> aside = root_motion.place_clip(wave, 0.2, np.array([0.1, 0.0]))
        >>> bool(meeting.off((wave, wave), meeting.place_partner((wave, wave), (wave, aside), met), met).max() < 1e-9)
        True
    """
    _check(*before, *now)
    if not found:
        return now
    goals, hands = [], []
    for one in found:
        ends = _trunk(now[1])[1] if one.other == TRUNK else _ends(now[1], one.other)
        there = ends[one.first : one.last + 1]
        hands.append(there)
        goals.append(there + _measure_lost_contact(before, now, one)[one.first : one.last + 1])
    wanted, given = (every[:, 0] + 1j * every[:, 1] for every in map(np.concatenate, (goals, hands)))
    best = alignment.align(wanted[None], given[None], np.full(len(given), 1.0 / len(given)))
    shift = np.array([best.shift.real, best.shift.imag])
    return now[0], root_motion.place_clip(now[1], float(best.turn), shift)


def restore_contacts(before: Two, now: Two, found: Sequence[Meeting]) -> Two:
    """Return two changed figures with contacts restored within the reach of the arms, which correct half each.

    An arm in contact with both arms of the other figure at once follows the last one. Raises as `meetings`.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> from action_loom.core.weave import meeting
        >>> wave, met = actions.wave(), [meeting.Meeting("left_arm", "left_arm", 40, 60)]
        >>> aside = root_motion.place_clip(wave, 0.0, np.array([0.1, 0.0]))
        >>> restored = meeting.restore_contacts((wave, wave), (wave, aside), met)
        >>> bool(meeting.off((wave, wave), restored, met).max() < 1e-6)
        True
    """
    _check(*before, *now)
    for arms in dict.fromkeys((one.arm, one.other) for one in found):
        same = [one for one in found if (one.arm, one.other) == arms]
        for _ in range(ROUNDS):  # an error that one arm can't reach is halved again by the other
            if off(before, now, same).max(initial=0.0) < THERE:
                break
            now = _nearer(before, now, same)
    return now


def _nearer(before: Two, now: Two, found: Sequence[Meeting]) -> Two:
    """Return two figures, each corrected by half of the error in contacts of one pair of arms, fading between.

    For a contact with the second figure's trunk, the first figure's arm corrects all of it.
    """
    frames = np.arange(len(now[0]))
    share = np.max([reaching.shares(len(frames), one.first, one.last, EASE * now[0].rate) for one in found], axis=0)
    inside = np.unique(np.concatenate([frames[one.first : one.last + 1] for one in found]))
    lost = _measure_lost_contact(before, now, found[0])[inside]
    lost = np.stack([np.interp(frames, inside, lost[:, axis]) for axis in range(3)], axis=1)
    made, ways = [], (-1.0, 0.0) if found[0].other == TRUNK else (-0.5, 0.5)
    for clip, arm, way in zip(now, (found[0].arm, found[0].other), ways, strict=True):
        if not way:
            made.append(clip)
            continue
        led = reaching.limb_of(clip, arm)
        goals = reaching.ends(clip, led, _TIP) + way * lost
        made.append(reaching.reach_target(clip, reaching.Asked(led, goals, share, _TIP)))
    return made[0], made[1]


def _ends(clip: Clip, arm: str) -> Array:
    return reaching.ends(clip, reaching.limb_of(clip, arm), _TIP)


def _measure_hand_vectors(one: Clip, other: Clip, arm: str, others: str) -> Array:
    """Return the vectors (F, 3) from a hand of the second figure to one of the first."""
    return _ends(one, arm) - _ends(other, others)


def _trunk(clip: Clip) -> tuple[Array, Array]:
    """Return trunk axes (F, 3, 3) with the trunk's length, and the point (F, 3) between the shoulders, for any rig."""
    roles = clip.skeleton.roles
    joints = [roles[role] for role in ("upper_arm.L", "upper_arm.R", "hips") if role in roles]
    if len(joints) < 3:
        raise SkeletonError(f"{clip.name}: its hips and arms are not known: give their body roles")
    left, right, hips = np.moveaxis(kinematics.world_of(clip, joints)[1][:, joints], 1, 0)
    top = 0.5 * (left + right)
    up = top - hips
    ahead = np.cross(up, left - right)
    long = np.linalg.norm(up, axis=1, keepdims=True)
    ahead *= long / np.linalg.norm(ahead, axis=1, keepdims=True)
    return np.stack([np.cross(ahead, up) / long, ahead, up], axis=2), top


def _from_trunk(one: Clip, other: Clip, arm: str) -> Array:
    """Return the vectors (F, 3) from the axis of the second figure's trunk to a hand of the first."""
    axes, top = _trunk(other)
    hand, up = _ends(one, arm), axes[:, :, 2]
    along = np.clip(((hand - top) * up).sum(axis=1) / (up * up).sum(axis=1), -1.0, 0.0)
    return hand - top - along[:, None] * up


def _measure_lost_contact(before: Two, now: Two, one: Meeting) -> Array:
    """Return the displacement (F, 3) of the second figure's hand that would restore a contact."""
    if one.other == TRUNK:
        (axes, top), (axes_now, top_now) = map(_trunk, (before[1], now[1]))
        place = np.linalg.solve(axes, (_ends(before[0], one.arm) - top)[:, :, None])
        return np.asarray(_ends(now[0], one.arm) - top_now - (axes_now @ place)[:, :, 0])
    return _measure_hand_vectors(*now, one.arm, one.other) - _measure_hand_vectors(*before, one.arm, one.other)


def _check(first: Clip, *others: Clip) -> None:
    for clip in others:
        if len(clip) != len(first) or abs(clip.rate - first.rate) > 1e-6:
            raise ClipError(
                f"{first.name} has {len(first)} frames at {first.rate:g} a second and {clip.name} {len(clip)} at"
                f" {clip.rate:g}: two figures meet only where both go on together, so cut or re-time one of them"
            )
