"""Move the body so that its centre of mass follows a shift: the hips carry it, and the legs follow.

Feet in stance stay; feet in the air follow the hips, and rise where their leg would be stretched.

Method: Weight.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..edit.feet import legs
from ..errors import SkeletonError
from ..motion import feet, ik, kinematics, leg_chains, root_motion
from ..motion.clip import Clip
from ..motion.ik import Limb
from ..motion.quat import Array
from ..quality import contacts
from ..quality.contacts import Flags
from .centre import mass_shares
from .clearance import widen

PASSES, NEAR = 3, 0.0006  # iterations, and body heights by which feet and centre may miss their goals after fewer
FADE = 0.15  # s after take-off over which a foot begins to follow the hips, and before landing over which it stops
HELD = 0.02  # s after landing and before take-off over which a foot may leave its height, so that its knee is smooth
GAP, SWING = 0.030, 0.045  # s; a shorter contact in a swing is ignored, and a shorter swing counts as stance
KEPT = 0.35  # share of its clearance that a foot in the air keeps when it is lowered
STRETCHED = 0.97  # share of its length to which a leg in the air may be stretched
STRAIGHT = 0.99  # share of its length to which a leg in stance may be stretched
RISE, DIP = 0.03, 0.06  # s; sigmas for smoothing how far feet are raised and how far the pelvis is lowered
BEND = 0.028  # s; sigma for the change of flexion; 0.012 doubles the acceleration of knees


@dataclass(frozen=True, eq=False)
class Swings:
    """How much each foot follows the hips.

    share (F,) : 0 in stance, where the foot stays, to 1 in the air, where it moves with the hips
    hold (F,) : how much the foot has to keep its height, 1 in stance and 0 in the air
    clearance (F,) : of the foot above the ground, metres
    """

    share: Mapping[str, Array]
    hold: Mapping[str, Array]
    clearance: Mapping[str, Array]

    @property
    def stands(self) -> Flags:
        """Whether any foot is in stance in each frame (F,)."""
        return np.any([share == 0.0 for share in self.share.values()], axis=0)


def fade_swings(air: Mapping[str, tuple[Flags, Array]], rate: float) -> Swings:
    """Return how much feet follow the hips; air : whether each foot is off the ground (see `flights.flag_air`).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.weight import follow
        >>> off, clearance = np.arange(30) > 9, np.zeros(30)
        >>> follow.fade_swings({"L": (off, clearance)}, 30.0).share["L"][8:14].round(2).tolist()
        [0.0, 0.0, 0.03, 0.26, 0.58, 0.87]
    """
    return Swings(
        {foot: _share(off, FADE * rate, rate) for foot, (off, _) in air.items()},
        {foot: _share(~off, HELD * rate, rate) for foot, (off, _) in air.items()},
        {foot: clearance for foot, (_, clearance) in air.items()},
    )


def _share(off: Flags, fade: float, rate: float) -> Array:
    off = off.copy()
    for first, end in contacts.runs(~off):
        if first > 0 and end < len(off) and end - first < GAP * rate:
            off[first:end] = True
    share = np.zeros(len(off))
    for first, end in contacts.runs(off):
        if end - first < SWING * rate:
            continue
        at = np.arange(first, end)
        since = np.full(len(at), np.inf) if first == 0 else at - first + 0.5
        until = np.full(len(at), np.inf) if end == len(off) else end - at - 0.5
        part = np.clip(np.minimum(since, until) / fade, 0.0, 1.0)
        share[first:end] = part * part * (3.0 - 2.0 * part)
    return share


def known_limbs(clip: Clip) -> list[Limb]:
    """Return the legs of a clip's body that can follow its hips; raises SkeletonError if there are none.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import follow
        >>> [limb.foot for limb in follow.known_limbs(actions.walk(cycles=1))]
        ['L', 'R']
    """
    known = feet.balls_and_ankles(clip.skeleton)
    limbs = [leg_chains.with_all_bones(clip, limb) for limb in ik.known_legs(clip.skeleton) if limb.foot in known]
    if not limbs or legs.carrier(clip, limbs) < 0:
        raise SkeletonError(f"{clip.name}: its feet are not known: name them in Body Roles")
    return limbs


def shift_body(clip: Clip, wanted: Array, swings: Swings) -> Clip:
    """Return a clip whose centre of mass is shifted (F, 3), metres; raises SkeletonError for a body without legs.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import mass
        >>> from action_loom.core.weight import follow
        >>> walk = actions.walk(cycles=1)
        >>> stands = {foot: (np.zeros(len(walk), dtype=bool), np.zeros(len(walk))) for foot in "LR"}
        >>> low = follow.shift_body(walk, np.full((len(walk), 3), [0, 0, -0.05]), follow.fade_swings(stands, walk.rate))
        >>> (mass.centre_of_mass(low) - mass.centre_of_mass(walk))[:, 2].mean().round(3).tolist()
        -0.05
    """
    limbs, shares = known_limbs(clip), mass_shares(clip.skeleton)
    pose = legs.posed(clip, limbs)
    goal = np.einsum("p,fpk->fk", shares, kinematics.get_cached_pose(clip)[1]) + wanted
    hips, made, missed = wanted.copy(), clip, dict.fromkeys(swings.share, np.zeros(len(clip)))
    for _ in range(PASSES):
        made, limited = _move_hips(clip, limbs, pose, hips, swings, missed)
        points = kinematics.points(made)
        error = goal - np.einsum("p,fpk->fk", shares, points)
        error[limited] = 0.0  # a stretched standing leg prevents the rest of the shift
        hips = hips + error
        worst = float(np.abs(error).max())
        for limb in limbs:
            low = swings.hold[limb.foot] * (pose[1][limb.foot].end[:, 2] - points[:, limb.end, 2])
            missed[limb.foot] = missed[limb.foot] + low
            worst = max(worst, float(np.abs(low).max()))
        if worst < NEAR * clip.skeleton.height:
            return made
    return _move_hips(clip, limbs, pose, hips, swings, missed)[0]


def _move_hips(
    clip: Clip,
    limbs: Sequence[Limb],
    pose: tuple[Array, dict[str, legs.Leg]],
    hips: Array,
    swings: Swings,
    missed: Mapping[str, Array],
) -> tuple[Clip, Flags]:
    """Return a clip with shifted hips (F, 3) and legs that follow, and where (F,) standing legs limit the shift."""
    shifts, drop = {}, np.zeros(len(clip))
    for limb in limbs:
        leg, share = pose[1][limb.foot], swings.share[limb.foot]
        shift = share[:, None] * hips
        shift[:, 2] = np.maximum(shift[:, 2], -(1.0 - KEPT) * np.maximum(swings.clearance[limb.foot], 0.0))
        shift[:, 2] += missed[limb.foot]
        shifts[limb.foot] = shift
        drop = np.maximum(drop, np.where(share == 0.0, _excess(leg, hips - shift, STRAIGHT), 0.0))
    # The smoothed drop must not reach into flights, which keep their first and last positions.
    lower = np.maximum(drop, _share(swings.stands, DIP * clip.rate, clip.rate) * _smooth_upwards(drop, DIP * clip.rate))
    hips = hips - lower[:, None] * [0.0, 0.0, 1.0]
    limited = (lower > 0.0) & swings.stands
    for limb in limbs:
        leg, share = pose[1][limb.foot], swings.share[limb.foot]
        rise = _smooth_upwards(
            np.where(share > 0.0, _excess(leg, hips - shifts[limb.foot], STRETCHED), 0.0), RISE * clip.rate
        )
        shifts[limb.foot][:, 2] += np.clip(4.0 * share, 0.0, 1.0) * rise
    level = {foot: 1.0 - share for foot, share in swings.share.items()}
    return legs.move_legs(clip, limbs, pose, shifts, hips, level, BEND), limited


def _excess(leg: legs.Leg, apart: Array, limit: float) -> Array:
    """Return by how many metres (F,) the hip of a leg is too high after a shift (F, 3) relative to its foot."""
    longest = np.maximum(limit * leg.length, leg.reach)
    way = leg.hip + apart - leg.end
    high = np.sqrt(np.maximum(longest**2 - (way[:, :2] ** 2).sum(axis=1), 0.0))
    return np.maximum(way[:, 2] - high, 0.0)


def _smooth_upwards(values: Array, sigma: float) -> Array:
    """Return values (F,) smoothed without falling far below the original ones anywhere."""
    if not values.any():
        return values
    return root_motion.smooth(widen(values, max(1, round(sigma))), sigma)
