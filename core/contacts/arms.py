"""Lead the arms of one body, or of two, to the contacts of their hands (methods: Contacts of hands).

Hands keep their world rotations, and only the arms change. The change of an arm is smoothed in frames in which its
elbow or wrist would snap, that is, accelerate more than its limit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..edit.feet import legs, planting
from ..motion import arrays, kinematics, quat, retarget, root_motion
from ..motion.clip import Clip
from ..motion.ik import Limb
from ..motion.quat import Array
from . import find, parts
from .figure import Figure, figure_of
from .wanted import Played

Flags = NDArray[np.bool_]

EASE = 0.25  # s before and after a contact over which the displacement of a hand fades in and out
SOFT = 0.1  # s; sigma with which the change of an arm is smoothed near frames in which it snaps
SOFTENED = 0.05  # s; half width of these frames, and sigma with which their mask is smoothed
SOFTER = 60  # largest number of times that an arm is smoothed
# An elbow or wrist may accelerate by this factor more than in the sources, or in the result before its arms are led.
SNAPS = 1.2
EVEN = 1.01  # factor on this limit that the quantile HELD of all frames must not exceed
SINGLE = 1.5  # factor on the limit that single frames must not exceed
ROUNDS = 16  # largest number of iterations; several are needed because a contact of both hands moves both
NEAR = 1e-4  # m; the iteration ends when the remaining displacements are smaller
HELD = 0.995  # quantile of the accelerations over all frames

Hand = tuple[int, str]  # the index of a body, and the side of the hand
# Seconds over which the displacement of a hand fades in and out, and over which its motion decays beside the contact.
Approach = tuple[float, float]
# The frames of a contact, the displacement (K, 3) of each hand in them, and the approach of its hands.
Pull = tuple[slice, Mapping[Hand, Array], Approach]


@dataclass(frozen=True, eq=False)
class Arms:
    """The arms of a result.

    begin : its figure before its arms are led; limbs : by side; played : the frames of its sources that it plays
    """

    made: Clip
    begin: Figure
    limbs: Mapping[str, Limb]
    played: Sequence[Played]

    @classmethod
    def of(cls, made: Clip, now: Figure, played: Sequence[Played], ends: Sequence[str] = ()) -> "Arms":
        """Return the arms of a result, and the legs of some ends; knees are not led by their limbs."""
        feet = [end for end in dict.fromkeys(ends) if end.startswith("foot.")]
        limbs = {end: limb for end in (*now.palms, *feet) if (limb := parts.find_limb(made.skeleton, end)) is not None}
        return cls(made, now, limbs, played)

    @cached_property
    def offsets(self) -> Mapping[str, Array]:
        """The vectors (F, 3) from the wrists to the palms, by side."""
        return {side: self.begin.ends[side] - self.begin.points[:, arm.end] for side, arm in self.limbs.items()}

    @cached_property
    def loose(self) -> Mapping[str, Array]:
        """The share (F,) of their displacement that feet may have beyond their contacts, by end.

        It is 0 while a foot stands, and 1 in frames at least EASE before or after that.
        """
        found, at = dict[str, Array](), np.arange(len(self.made))
        for end in [end for end in self.limbs if "." in end]:
            away = np.full(len(at), np.inf)
            for one in [one for one in planting.contact_spans(self.made) if one.foot == end[-1]]:
                away = np.minimum(away, np.maximum(np.maximum(one.first - at, at - one.end + 1), 0))
            found[end] = arrays.ease(np.clip(away / (EASE * self.made.rate), 0.0, 1.0))
        return found

    @cached_property
    def limits(self) -> Mapping[str, Array]:
        """The largest accelerations (F, 2), m/s², that elbow and wrist of each side may have."""
        usual = _measure_usual(self.made, self.played, list(self.limbs))
        return {
            side: np.maximum(SNAPS * np.maximum(usual[side], np.quantile(sizes, HELD, axis=0)), sizes)
            for side, sizes in _accelerations(self.begin, self.made.rate, list(self.limbs)).items()
        }

    def shift(self, now: Figure, steps: Mapping[str, Array]) -> tuple[Clip, Figure]:
        """Return the clip and its figure with palms moved by steps (F, 3) from where they are now."""
        shifts = {arm.foot: now.ends[side] - self.begin.ends[side] + steps[side] for side, arm in self.limbs.items()}
        result = legs.shifted(self.made, list(self.limbs.values()), shifts)
        return result, self._figure(result)

    def soften(self, result: Clip, now: Figure) -> tuple[Clip, Figure, dict[str, Flags]]:
        """Return a result whose arms snap less, its figure, and the frames (F,) by side in which they still do."""
        snaps = self.find_snaps(now)
        for _ in range(SOFTER):
            if not any(found.any() for found in snaps.values()):
                break
            result = self._smooth_near(result, snaps)
            now = self._figure(result)
            snaps = self.find_snaps(now)
        return result, now, snaps

    def find_snaps(self, now: Figure) -> dict[str, Flags]:
        """Return the frames (F,) by side in which an elbow or a wrist exceeds its limits by far or repeatedly."""
        sizes, found = _accelerations(now, self.made.rate, list(self.limbs)), {}
        for side in self.limbs:
            often = np.quantile(sizes[side], HELD, axis=0) > EVEN * self.limits[side].min(axis=0)
            found[side] = np.any(sizes[side] > np.where(often, EVEN, SINGLE) * self.limits[side], axis=1)
        return found

    def _smooth_near(self, result: Clip, snaps: Mapping[str, Flags]) -> Clip:
        """Return a result with the change of its arms smoothed near frames in which they snap."""
        rate, rotations = self.made.rate, result.rotations.copy()
        for side, arm in self.limbs.items():
            if not snaps[side].any():
                continue
            wide = round(SOFTENED * rate)
            near = np.convolve(snaps[side], np.ones(2 * wide + 1), mode="same") > 0.5
            mask = np.clip(root_motion.smooth(near.astype(float), SOFTENED * rate), 0.0, 1.0)[:, None]
            for joint in (arm.upper, arm.lower):
                before = self.made.rotations[:, joint]
                change = quat.log(quat.mul(quat.inv(before), rotations[:, joint]))
                soft = (1.0 - mask) * change + mask * root_motion.smooth(change, SOFT * rate)
                rotations[:, joint] = np.where(
                    mask > 0.0, quat.normalize(quat.mul(before, quat.exp(soft))), rotations[:, joint]
                )
        soft_clip = replace(result, rotations=rotations)
        # Hands keep their rotations in the world.
        ends = [arm.end for arm in self.limbs.values()]
        now = kinematics.world_of(soft_clip, ends)[0]
        for end in ends:
            back = quat.mul(quat.inv(now[:, end]), self.begin.turned[:, end])
            held = quat.normalize(quat.mul(rotations[:, end], back))
            rotations[:, end] = quat.same_side(held, self.made.rotations[:, end])
        return replace(result, rotations=rotations)

    def _figure(self, result: Clip) -> Figure:
        """Return the figure of a result whose arms have moved."""
        begin, joints = self.begin, [joint for arm in self.limbs.values() for joint in (arm.upper, arm.lower, arm.end)]
        joints += [begin.skeleton.roles[toe] for end in self.limbs if (toe := f"toe{end[4:]}") in begin.skeleton.roles]
        turned, places = kinematics.world_of(result, joints)
        all_turned, points = begin.turned.copy(), begin.points.copy()
        all_turned[:, joints], points[:, joints] = turned[:, joints], places[:, joints]
        palms = {side: points[:, self.limbs[side].end] + self.offsets[side] for side in begin.palms}
        return Figure(begin.skeleton, all_turned, points, palms, parts.find_parts(result.skeleton, points, palms))


def lead(
    bodies: Sequence[Arms], pull: Callable[[Sequence[Figure]], Sequence[Pull]]
) -> tuple[list[Clip], list[Figure], list[dict[str, Flags]]]:
    """Return the bodies' clips with hands led to all contacts, their figures, and by side where arms snap (F,).

    pull : returns for each contact how far its hands are from it
    """
    results, nows = [one.made for one in bodies], [one.begin for one in bodies]
    for _ in range(ROUNDS):
        steps = _spread(bodies, nows, pull(nows))
        if max(float(np.abs(step).max()) for by_side in steps for step in by_side.values()) < NEAR:
            break
        for k, (body, by_side) in enumerate(zip(bodies, steps, strict=True)):
            if any(step.any() for step in by_side.values()):
                results[k], nows[k] = body.shift(nows[k], by_side)
    soft = [body.soften(clip, now) for body, clip, now in zip(bodies, results, nows, strict=True)]
    return [one[0] for one in soft], [one[1] for one in soft], [one[2] for one in soft]


def _spread(bodies: Sequence[Arms], nows: Sequence[Figure], pulls: Sequence[Pull]) -> list[dict[str, Array]]:
    """Return the next displacement (F, 3) of each palm of each body: the mean of its contacts, eased in and out."""
    count = len(nows[0])
    hands = [(k, side) for k, body in enumerate(bodies) for side in body.limbs]
    total = {hand: np.zeros((count, 3)) for hand in hands}
    weight = {hand: np.zeros(count) for hand in hands}
    free = {hand: np.ones(count) for hand in hands}
    for span, lacks, (ease, glide) in pulls:
        window, share = ease_in(span, count, bodies[0].made.rate, ease)
        at = np.arange(window.start, window.stop)
        nearest = np.clip(at, span.start, span.stop - 1)
        for hand, lack in lacks.items():
            # Beyond the contact its lack is held in the frame of the chest, with which the arm moves.
            now, leg = nows[hand[0]], "." in hand[1]
            chest = now.turned[:, now.skeleton.roles.get("hips", 0) if leg else now.chest]
            own = quat.rotate(quat.inv(chest[span]), lack)
            held, given = own[nearest - span.start], share
            if leg:  # a foot that stands before and after its contact stays
                given = np.where(at == nearest, share, share * bodies[hand[0]].loose[hand[1]][window])
            elif glide and len(own) > 2:
                held += _glide(own, at - nearest, glide * bodies[0].made.rate)
            total[hand][window] += given[:, None] * quat.rotate(chest[window], held)
            weight[hand][window] += given
            free[hand][window] *= 1.0 - given
    steps = {hand: total[hand] / (weight[hand] + free[hand])[:, None] for hand in hands}
    return [{side: steps[k, side] for side in body.limbs} for k, body in enumerate(bodies)]


def _glide(lack: Array, away: NDArray[np.int64], frames: float) -> Array:
    """Return how far (K, 3) a missing displacement (L, 3) continues beyond its first and last frame.

    It starts with its speed there, and decays over some frames; away (K,) : frames from these ends, negative before
    """
    speeds = 0.5 * np.where((away < 0)[:, None], lack[2] - lack[0], lack[-1] - lack[-3])
    return speeds * (np.sign(away) * frames * (1.0 - np.exp(-np.abs(away) / frames)))[:, None]


def ease_in(span: slice, count: int, rate: float, seconds: float = EASE) -> tuple[slice, Array]:
    """Return the frames in which a contact moves an arm, and its share (K,) in them; count : of all frames.

    Example:
        >>> from action_loom.core.contacts import arms
        >>> window, share = arms.ease_in(slice(10, 20), 100, 30.0)
        >>> window, share[7:9].tolist()
        (slice(3, 27, None), [1.0, 1.0])
    """
    ease = seconds * rate
    first, end = max(span.start - int(ease), 0), min(span.stop + int(ease), count)
    at = np.arange(first, end)
    away = np.maximum(np.maximum(span.start - at, at - span.stop + 1), 0)
    near = np.clip(1.0 - away / ease, 0.0, 1.0)
    return slice(first, end), arrays.ease(near)


def _accelerations(figure: Figure, rate: float, ends: Sequence[str]) -> dict[str, Array]:
    """Return the accelerations (F, 2), m/s², of the elbow and of the wrist of each end, or of the knee and the ankle.

    They are measured over 1/30 s, whatever the rate.
    """
    step = max(round(rate / find.RATE), 1)
    found, roles = {}, figure.skeleton.roles
    for side in [end for end in ends if end in figure.ends]:
        places = figure.points[:, [roles[role] for role in parts.list_roles(side)[1:]]]
        sizes = np.zeros((len(places), 2))
        if len(places) > 2 * step:
            bend = places[2 * step :] - 2.0 * places[step:-step] + places[: -2 * step]
            sizes[step:-step] = np.linalg.norm(bend, axis=2) * (rate / step) ** 2
        found[side] = sizes
    return found


def _measure_usual(made: Clip, played: Sequence[Played], ends: Sequence[str]) -> dict[str, Array]:
    """Return the accelerations (2,), m/s², that elbow and wrist of each side rarely exceed in the sources, scaled."""
    usual = {end: np.zeros(2) for end in ends}
    for clip in dict.fromkeys(one.clip for one in played):
        frames = np.concatenate([one.frames for one in played if one.clip is clip])
        shown = slice(max(int(frames.min()), 0), max(int(frames.max()), 0) + 1)
        scale = retarget.leg_ratio(clip.skeleton, made.skeleton)
        for side, sizes in _accelerations(figure_of(clip), clip.rate, ends).items():
            if len(sizes[shown]):
                usual[side] = np.maximum(usual[side], scale * np.quantile(sizes[shown], HELD, axis=0))
    return usual
