"""Shift standing bodies whose centre of mass is outside their soles back over the soles (methods: Weight)."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..errors import SkeletonError
from ..motion import feet, kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..quality import contacts
from .centre import mass_shares
from .clearance import keep_long
from .flights import Analysis, analyse
from .repair import shift_centre

STANDS = 0.3  # s; least duration of a stance
STILL = 0.06  # body heights a second; centre of mass and ankles of a standing body are slower
STILL_SIGMA = 0.05  # s; sigma for smoothing positions before these speeds are measured
SEATED = 0.33  # body heights; a body whose hips are less far above its ankles sits
HEEL, TOE, WIDTH = 0.032, 0.035, 0.028  # body heights of sole behind the ankle, beyond the ball, and to each side
OUTSIDE = 0.012  # body heights; a stance is changed if the centre of mass is farther outside the soles than this
INSIDE = 0.006  # body heights inside the soles to which it is shifted
FARTHEST = 0.06  # body heights; a stance that needs a longer shift is left alone
FADE, SIGMA = 0.5, 0.12  # s around a stance over which its shift fades, and sigma for smoothing the shift
STEPS = 12  # iterations that move the centre of mass inside; three suffice in a corner


@dataclass(frozen=True)
class Stance:
    """A stretch in which a body stands with its centre of mass outside its soles, in seconds.

    before, after : least depth of the centre inside the soles, metres; negative outside
    moved : the largest shift, metres; 0 if the stance was left alone because its shift would be too long
    """

    start: float
    end: float
    before: float
    after: float
    moved: float

    def as_json(self, rate: float) -> dict[str, Any]:
        """Return the stance as plain JSON values; frames are counted from 0."""
        return {
            "first": round(self.start * rate),
            "last": round(self.end * rate),
            "inside_cm": [round(100.0 * self.before, 1), round(100.0 * self.after, 1)],
            "moved_cm": round(100.0 * self.moved, 1),
        }

    def describe(self, clip: Clip) -> str:
        """Return a sentence if the body still stands outside its soles, with frames counted from 0; "" otherwise."""
        if self.after >= 0.0:
            return ""
        first, last = (round(second * clip.rate) for second in (self.start, self.end))
        where = f"frames {first} to {last} of the result"
        return f"{clip.name}: in {where} the body stands {-100.0 * self.after:.1f} cm outside its feet: change its pose"


def balance_body(clip: Clip, strength: float = 1.0) -> tuple[Clip, list[Stance]]:
    """Return a clip whose body stands over its feet, and the stances in which it did not; or the clip unchanged.

    Feet do not move. Raises as `analyse` does, and SkeletonError for feet without length or more than two.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import balance
        >>> walk = actions.walk()
        >>> same, stances = balance.balance_body(walk)
        >>> same is walk, stances
        (True, [])
    """
    pairs = feet.balls_and_ankles(clip.skeleton)
    if sorted(pairs) != ["L", "R"] or any(ball == ankle for ball, ankle in pairs.values()):
        raise SkeletonError(f"{clip.name}: its feet are not known: name them in Body Roles")
    with kinematics.keeping():
        found = analyse(clip)
        whole = found.whole.clip
        centre, soles, stands = _measure(whole)
        inside, _ = _depth(centre, soles)
        height, shift, kept = clip.skeleton.height, np.zeros((len(whole), 3)), []
        for first, end in contacts.runs(keep_long(stands, STANDS * clip.rate)):
            if inside[first:end].min() >= -OUTSIDE * height:
                continue
            own = _shift_inside(centre[first:end], soles[first:end], INSIDE * height)
            moved = float(np.linalg.norm(own, axis=1).max())
            if moved > FARTHEST * height:
                moved = 0.0
            else:
                shift[:, :2] += _fade(own, first, end, found)
            kept.append((first, end, float(inside[first:end].min()), strength * moved))
        if strength <= 0.0 or not shift.any():
            return clip, [stance for one in kept if (stance := _report_stance(found, *one, one[2])) is not None]
        made = shift_centre(whole, strength * shift, found.found)
        centre, soles, _ = _measure(made)
        inside, _ = _depth(centre, soles)
        each = [_report_stance(found, *one, float(inside[one[0] : one[1]].min())) for one in kept]
        return found.cut(made), [one for one in each if one is not None]


def _report_stance(found: Analysis, first: int, end: int, before: float, moved: float, after: float) -> Stance | None:
    """Return a stance in seconds of the clip itself, None if it belongs to another cycle."""
    own, rate = found.whole.own, found.clip.rate
    if not own.start <= first < own.start + (found.whole.period or len(found.clip)):
        return None
    return Stance((first - own.start) / rate, (end - 1 - own.start) / rate, before, after, moved)


def _measure(clip: Clip) -> tuple[Array, Array, np.ndarray]:
    """Return the centre of mass (F, 2), the corners (F, 8, 2) of the soles, and whether (F,) the body stands still."""
    skeleton, points = clip.skeleton, kinematics.points(clip)
    centre = np.einsum("p,fpk->fk", mass_shares(skeleton), points)
    pairs = feet.balls_and_ankles(skeleton)
    height, corners = skeleton.height, list[Array]()
    stands = np.all(list(contacts.detect(clip).values()), axis=0)
    hips = points[:, root_motion.travelling_joint(skeleton), 2]
    for place in (centre, *(points[:, ankle] for _, ankle in pairs.values())):
        smooth = root_motion.smooth(place, STILL_SIGMA * clip.rate)
        stands &= np.linalg.norm(np.gradient(smooth, axis=0), axis=1) * clip.rate < STILL * height
    for ball, ankle in pairs.values():
        stands &= hips - points[:, ankle, 2] > SEATED * height
        along = points[:, ball, :2] - points[:, ankle, :2]
        along = height * along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        for end in (points[:, ankle, :2] - HEEL * along, points[:, ball, :2] + TOE * along):
            corners += [end - WIDTH * across, end + WIDTH * across]
    return centre[:, :2], np.stack(corners, axis=1), stands


def _depth(place: Array, corners: Array) -> tuple[Array, Array]:
    """Return the depth (F,) of a place (F, 2) in the hull of corners (F, C, 2), and the unit vector (F, 2) outwards.

    The vector is normal to the nearest edge; all pairs of corners are tried as edges.
    """
    first, second = np.array(list(combinations(range(corners.shape[1]), 2))).T
    edges = corners[:, second] - corners[:, first]
    normals = np.stack([edges[..., 1], -edges[..., 0]], axis=-1)
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-12)
    normals = np.concatenate([normals, -normals], axis=1)
    far = (normals @ corners.transpose(0, 2, 1)).max(axis=2) - (normals @ place[..., None])[..., 0]
    nearest = far.argmin(axis=1)
    rows = np.arange(len(place))
    return far[rows, nearest], normals[rows, nearest]


def _shift_inside(place: Array, corners: Array, wanted: float) -> Array:
    """Return the shift (F, 2) that brings a place (F, 2) to a wanted depth in the hull of corners (F, C, 2)."""
    shift = np.zeros_like(place)
    for _ in range(STEPS):
        inside, out = _depth(place + shift, corners)
        shift -= np.maximum(wanted - inside, 0.0)[:, None] * out
    return shift


def _fade(own: Array, first: int, end: int, found: Analysis) -> Array:
    """Return the shift (F, 2) of all frames: smoothed, and faded out around a stance from `first` to `end`."""
    count, rate = len(found.whole.clip), found.clip.rate
    at = np.arange(count)
    before = max([one.end * rate for one in found.found.flights if one.end * rate <= first], default=-np.inf)
    after = min([one.start * rate for one in found.found.flights if one.start * rate >= end - 1], default=np.inf)
    fades = min(FADE * rate, max(first - before, 1.0)), min(FADE * rate, max(after - end + 1, 1.0))
    part = np.clip(1.0 - np.maximum((first - at) / fades[0], (at - end + 1) / fades[1]), 0.0, 1.0)
    share = part * part * (3.0 - 2.0 * part)
    held = root_motion.smooth(own[np.clip(at - first, 0, len(own) - 1)], SIGMA * rate)
    return np.asarray(share[:, None] * held)
