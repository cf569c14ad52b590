"""Stances that cost more, in bends and shifts, than the slide they remove is worth (methods: Planted feet).

The gain is measured on the result, at the points of a foot near its ground.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...motion import feet
from ...motion.clip import Clip
from ...motion.quat import Array
from ...quality import contacts
from . import legs
from .displacement import Complex, Pivots
from .spans import Contact

# A stance is planted if this changes the bend of its leg by no more than BENDS, plus WORTH for each body height a
# second by which the foot slides less: 5 cm/s of a person allow 3 degrees more. The sum is at most MOST, or
# MOST_OF_MANY for bodies with more than two legs. With a larger change, the feet of the mesh hardly slide less.
BENDS, WORTH = math.radians(10.0), math.radians(100.0)
MOST, MOST_OF_MANY = math.radians(30.0), math.radians(20.0)

NO_GAIN = "planted, it would slide no less"  # such a stance is unchanged and needs no warning

GROUND = 0.03  # body heights; points of a foot no higher than this above its lowest point touch the ground
SLIDES = 0.01  # body heights a second; a foot that slides less in the result stands
# The pelvis may move by FAR times the largest shift of a foot in the frames nearby, or by NEAR body heights if that is
# more.
FAR, NEAR = 1.5, 0.01


@dataclass(frozen=True, eq=False)
class Trial:
    """Contacts planted together, to be searched for those not worth planting.

    before (F, P, 3), after (F, P, 3) : the points of a body (see `kinematics.points`), metres
    own : the frames of the clip itself; the others are padding
    shifts (F,) : of each foot, metres as x + iy; bends (F,) : of each foot's leg, radians
    pelvis_of : returns the shift (F, 3) of the pelvis, metres, that contacts would need
    by_source : whether the contacts are those of a source on another body
    """

    clip: Clip
    own: slice
    kept: Sequence[Contact]
    pivots: Mapping[str, Pivots]
    before: Array
    after: Array
    shifts: Mapping[str, Complex]
    bends: Mapping[str, Array]
    pelvis_of: Callable[[Sequence[Contact]], Array]
    by_source: bool


def refused(trial: Trial) -> dict[int, str]:
    """Return the reason for each row of contacts not worth planting; {} if all are worth it.

    The cost of the other contacts changes without these, so the caller asks again.
    """
    return _dear(trial) or _far(trial) or _for_others(trial)


def _dear(trial: Trial) -> dict[int, str]:
    """Return the reasons for contacts that remove no slide, or bend their legs by more than their slide is worth."""
    found: dict[int, str] = {}
    clip, height = trial.clip, trial.clip.skeleton.height
    for contact in _inside(trial):
        before, after = _slides(trial, contact)
        slide, most, first, end = max(before - after, 0.0), MOST, contact.first, contact.end
        if clip.skeleton.has_many_legs:
            most, (first, end) = MOST_OF_MANY, _between_others(contact, trial.kept, len(clip))
        bent = float(trial.bends[contact.foot][first:end].max())
        if after >= max(before, SLIDES * height):
            found |= dict.fromkeys(contact.rows, NO_GAIN)
        elif bent > min(BENDS + WORTH * slide / height, most):
            why = f"it would bend its leg by {np.degrees(bent):.0f}° for {100.0 * slide:.0f} cm/s of slide"
            found |= dict.fromkeys(contact.rows, why)
    return found


def _slides(trial: Trial, contact: Contact) -> tuple[float, float]:
    """Return how fast (m/s) the points of a foot near the ground move along it in a contact, before and after.

    If no point stays near the ground, or a foot of a source lacks a ball, returns the speed of its pivot, and 0.
    """
    frames, body = slice(contact.first, contact.end), trial.clip.skeleton
    points, (ball, ankle) = feet.soles(body)[contact.foot], feet.balls_and_ankles(body)[contact.foot]
    before, after = trial.before[frames][:, points], trial.after[frames][:, points]
    low = before[..., 2] <= before[..., 2].min(axis=1, keepdims=True) + GROUND * body.height
    both = low[1:] & low[:-1]
    if not both.any() or (trial.by_source and ball == ankle):
        steps = np.abs(np.diff(trial.pivots[contact.foot].path(contact)))
        return (float(steps.mean()) * trial.clip.rate if len(steps) else 0.0), 0.0
    speeds = [np.linalg.norm(np.diff(places[..., :2], axis=0), axis=-1)[both].mean() for places in (before, after)]
    return float(speeds[0]) * trial.clip.rate, float(speeds[1]) * trial.clip.rate


def _between_others(contact: Contact, kept: Sequence[Contact], frames: int) -> tuple[int, int]:
    """Return the frames, first and end, between the contacts of a foot before and after one of them."""
    own = [one for one in kept if one.foot == contact.foot]
    first = max((one.end for one in own if one.end <= contact.first), default=0)
    return first, min((one.first for one in own if one.first >= contact.end), default=frames)


def _far(trial: Trial) -> dict[int, str]:
    """Return the reason for the contact that most moves the pelvis where it moves farther than the feet are worth."""
    height, rate = trial.clip.skeleton.height, trial.clip.rate
    reach = round(2.0 * legs.SWAY * rate)
    farthest = np.max([np.abs(shift) for shift in trial.shifts.values()], axis=0)
    nearby = sliding_window_view(np.pad(farthest, reach, mode="edge"), 2 * reach + 1).max(axis=1)
    moved = np.linalg.norm(trial.pelvis_of(trial.kept), axis=1)
    excess = (moved - np.maximum(FAR * nearby, NEAR * height))[trial.own]
    if not len(excess) or excess.max() <= 0.0:
        return {}
    frame = trial.own.start + int(excess.argmax())
    close = [one for one in _inside(trial) if one.first - reach <= frame < one.end + reach]

    def left(contact: Contact) -> float:
        others = [one for one in trial.kept if not one.rows & contact.rows]
        return float(np.linalg.norm(trial.pelvis_of(others)[frame]))

    if not close:
        return {}
    contact = min(close, key=left)
    before, after = _slides(trial, contact)
    slide = max(before - after, 0.0)
    why = f"it would move the pelvis by {100.0 * moved[frame]:.0f} cm for {100.0 * slide:.0f} cm/s of slide"
    return dict.fromkeys(contact.rows, why)


def _for_others(trial: Trial) -> dict[int, str]:
    """Return the reason for the contact during which the leg of an unplanted foot turns too far."""
    most = MOST_OF_MANY if trial.clip.skeleton.has_many_legs else MOST
    free = {foot: bend[trial.own] for foot, bend in trial.bends.items() if all(one.foot != foot for one in trial.kept)}
    foot = max(free, key=lambda foot: float(free[foot].max()), default="")
    if not (kept := _inside(trial)) or not foot or free[foot].max() <= most:
        return {}
    frame = trial.own.start + int(free[foot].argmax())
    contact = min(
        kept, key=lambda one: (max(one.first - frame, frame - one.end, 0), -abs(trial.shifts[one.foot][frame]))
    )
    why = f"it would bend the leg of the {contacts.NAMES[foot]} by {np.degrees(free[foot].max()):.0f}°"
    return dict.fromkeys(contact.rows, why)


def _inside(trial: Trial) -> list[Contact]:
    return [one for one in trial.kept if one.first < trial.own.stop and one.end > trial.own.start]
