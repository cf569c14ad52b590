"""As few keys as keep every point of a body within a bound of where it was (methods: Fewer keys)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..check import contacts
from ..motion import feet as feet_of
from ..motion import kinematics, quat, rotation_modes
from ..motion.clip import Channel, Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import fitted_body
from .fitted_body import FittedBody
from .keyed import KeyedClip, Keying, Keys
from .segments import fit

LEAST = 1e-6  # radians, metres and factors: what moves less does not move
FEET = 0.25  # of the bound, for hips, legs and feet, unless another is given
GOES, STILL = "goes", "still"
SHORTEST = 0.03  # of the body's height: what turns less far out is told as if it had a point there
MOVING = 0.5  # of the bound, for what moves, where what turns has all of it
OF_RANGE = 1e-3  # of what a channel goes through, that it may be off
_NEAR = 0.94  # of a bound: near enough
_TRIES = 8
_MOST = 16.0  # times the bound, at a joint's reach


@dataclass(frozen=True, eq=False)
class Fewer:
    """Few keys, and how far (m) any point of the body is from where it was at most; feet : of hips, legs and feet."""

    keyed: KeyedClip
    error: float
    feet_error: float


def fewer(
    clip: Clip,
    within: float,
    feet: float = 0.0,
    *,
    keep: Collection[int] = (),
    keyings: Sequence[Keying] | None = None,
) -> Fewer:
    """Return a clip as few keys, with every joint and tip within a bound (m) of where it was, in every frame.

    feet : the bound for hips, legs and feet, a quarter of the other where it is 0; never more than the other.
    keep : frames at which all that moves has keys, besides the first and the last; legs have some where their foot
    begins and ends to stand. keyings : how each joint is keyed, as quaternions if it is not said. What goes on before
    and after a cycle has the same slopes at both ends.
    """
    work = _Work(clip, tuple(keyings) if keyings is not None else (Keying(),) * len(clip.skeleton), keep)
    every = np.ones(len(clip.skeleton), dtype=bool)
    chain = feet_chain(clip.skeleton)
    work.settle(np.flatnonzero(chain), min(feet or FEET * within, within))
    work.settle(np.flatnonzero(every & ~chain), within)
    keyed = work.keyed()
    played = keyed.clip()
    away = np.linalg.norm(kinematics.points(played) - kinematics.points(clip), axis=2).max(axis=0)
    of_feet = np.concatenate([chain, chain[clip.skeleton.tipped]])
    return Fewer(keyed, float(away.max()), float(away[of_feet].max(initial=0.0)))


def feet_chain(skeleton: Skeleton) -> NDArray[np.bool_]:
    """Return which joints (J,) are hips, legs and feet, or carry them; none where no foot is known."""
    found = np.zeros(len(skeleton), dtype=bool)
    paths = _paths_of_feet(skeleton)
    if not paths:
        return found
    legs = [joint for role, joint in skeleton.roles.items() if role.startswith(("thigh", "shin", "foot", "toe"))]
    ends = [path[0] for path in paths.values()]
    found |= skeleton.with_below([*legs, *ends])
    for joint in [*np.flatnonzero(found), *([skeleton.roles["hips"]] if "hips" in skeleton.roles else [])]:
        found[_up_from(skeleton, int(joint))] = True
    return found


def _paths_of_feet(skeleton: Skeleton) -> dict[str, list[int]]:
    """The joints from the ball of each foot up to the root."""
    found = {}
    for foot, (ball, _) in feet_of.balls_and_ankles(skeleton).items():
        joint = ball if ball < len(skeleton) else int(skeleton.tipped[ball - len(skeleton)])
        found[foot] = _up_from(skeleton, joint)
    return found


def _up_from(skeleton: Skeleton, joint: int) -> list[int]:
    path = []
    while joint >= 0:
        path.append(joint)
        joint = int(skeleton.parents[joint])
    return path


class _Work:
    """The fit of one clip, a part of the body at a time."""

    def __init__(self, clip: Clip, keyings: tuple[Keying, ...], keep: Collection[int]) -> None:
        self._clip, self._keyings = clip, keyings
        self._body: FittedBody = fitted_body.of(clip)
        joints = range(len(clip.skeleton))
        self._rotations: list[Keys | None] = [None for _ in joints]
        self._translations, self._scales = self._rotations.copy(), self._rotations.copy()
        self._plans = [_plan(clip, joint, keying) for joint, keying in enumerate(keyings)]
        self._least, self._reach = reaches(clip.skeleton)
        self._frames = np.arange(len(clip), dtype=np.float64)
        self._identity, self._nowhere = np.tile(quat.IDENTITY, (len(clip), 1)), np.zeros((len(clip), 3))
        last = len(clip) - 1
        always = {0, last, *keep}
        kept = [set(always) for _ in joints]
        paths = _paths_of_feet(clip.skeleton)
        for foot, flags in contacts.detect(clip).items() if paths and len(clip) > 2 else ():
            for first, end in contacts.runs(flags):
                for joint in paths[foot]:
                    kept[joint] |= {first, end - 1}
        self._kept = [np.array(sorted(frames), dtype=np.int64) for frames in kept]
        self._always = np.array(sorted(always), dtype=np.int64)

    def settle(self, joints: NDArray[np.int64], bound: float) -> None:
        """Fit joints with as wide tolerances as keep them and their tips within a bound; those above them are."""
        if len(joints) == 0:
            return

        tried = []

        def off(width: float) -> float:
            tried.append(width)
            return max(self._fit(int(joint), width * bound) for joint in joints) / bound

        widest = _widest(off)
        if tried[-1] != widest:
            off(widest)

    def _fit(self, joint: int, tolerance: float) -> float:
        """Fit a joint to what puts it where it was, those above it being fitted; return how far (m) it is off."""
        clip, kept, plan, keying = self._clip, self._kept[joint], self._plans[joint], self._keyings[joint]
        frame, reach = self._body.frame(joint), self._reach[joint]
        turned, moved, scales, angle = self._identity, self._nowhere, None, 0.0
        if plan.turns is not None:
            wanted = clip.rotations[:, joint] if plan.turns == STILL else frame.rotations()
            keys = self._keys(keying.values_of(wanted), tolerance / reach, kept, plan.turns, keying.mode)
            turned, self._rotations[joint] = keying.rotations_of(keys.at(self._frames)), keys
            if reach <= self._least:  # no point tells how far it turns
                angle = float(np.linalg.norm(quat.log(quat.mul(quat.inv(turned), wanted)), axis=1).max())
        if plan.moves is not None:
            places = clip.translations[:, joint] if plan.moves == STILL else frame.translations()
            keys = self._keys(places, MOVING * tolerance, kept, plan.moves)
            moved, self._translations[joint] = keys.at(self._frames), keys
        if plan.scales is not None:
            sizes = np.ones(moved.shape) if clip.scales is None else clip.scales[:, joint]
            keys = self._keys(sizes, tolerance / reach, kept, plan.scales)
            scales, self._scales[joint] = keys.at(self._frames), keys
        return max(frame.put(turned, moved, scales), angle * reach)

    def _keys(self, values: Array, near: float, kept: NDArray[np.int64], how: str, mode: str = "") -> Keys:
        """Keys of values (F, n), which are still or not, as rotations of a mode where one is given."""
        if how == STILL or len(values) == 1:
            ends = np.unique([0, len(values) - 1])
            return Keys(ends, values[ends], np.zeros((len(ends), 2, values.shape[1])))
        seam = _seam(values, mode) if self._clip.cyclic else fit.FREE
        found = fit.rotations(values, mode, near, kept, seam) if mode else fit.vectors(values, near, kept, seam)
        return Keys(found[0], values[found[0]], found[1])

    def keyed(self) -> KeyedClip:
        """Return what was fitted, with the clip's channels."""
        clip = self._clip
        channels = {name: self._channel(channel) for name, channel in clip.channels.items()}
        joints = self._keyings, tuple(self._rotations), tuple(self._translations), tuple(self._scales)
        return KeyedClip(clip.name, clip.skeleton, clip.rate, len(clip), *joints, channels, clip.cyclic)

    def _channel(self, channel: Channel) -> Keys:
        values = channel.values[:, None]
        if not channel.discrete:
            span = float(np.ptp(values))
            return self._keys(values, OF_RANGE * span, self._always, STILL if span == 0.0 else GOES)
        changes = np.flatnonzero(np.diff(channel.values)) + 1
        frames = np.unique([0, *changes, len(values) - 1])
        return Keys(frames, values[frames], np.zeros((len(frames), 2, 1)), steps=True)


@dataclass(frozen=True)
class _Plan:
    """What of a joint gets keys, and whether it goes or is still; None where it stays at rest."""

    turns: str | None
    moves: str | None
    scales: str | None


def _plan(clip: Clip, joint: int, keying: Keying) -> _Plan:
    rotations, translations = clip.rotations[:, joint], clip.translations[:, joint]
    sizes = np.ones((1, 3)) if clip.scales is None else clip.scales[:, joint]
    return _Plan(
        _how(quat.same_side(rotations, rotations[:1]), quat.log(rotations), keying.turns),
        _how(translations, translations, keying.moves),
        _how(sizes, sizes - 1.0, keying.scales),
    )


def _how(values: Array, away: Array, anyway: bool) -> str | None:
    """Whether values (F, n) go or are still; None where they are at rest and get no keys."""
    if not anyway and np.abs(away).max() <= LEAST:
        return None
    return STILL if np.ptp(values, axis=0).max() <= LEAST else GOES


def _seam(values: Array, mode: str) -> Array:
    """Slopes (2, n) at the ends of a cycle: the mean of how it ends and how it begins."""
    begins, ends = values[1] - values[0], values[-1] - values[-2]
    # The same rotation can be told by the opposite values.
    four = mode in (rotation_modes.QUATERNION, rotation_modes.AXIS_ANGLE)
    compared = slice(1, None) if mode == rotation_modes.AXIS_ANGLE else slice(None)
    side = -1.0 if four and values[0, compared] @ values[-1, compared] < 0.0 else 1.0
    mean = 0.5 * (begins + side * ends)
    return np.stack([mean, side * mean])


def _widest(off: Callable[[float], float]) -> float:
    """Return the widest tolerance, in bounds, for which `off` is 1 at most, or nearly; 0 keys every frame."""
    low, high, width = 0.0, np.inf, 1.0
    for _ in range(_TRIES):
        found = off(width)
        if found <= 1.0:
            low = width
            if found >= _NEAR or width >= _MOST:
                break
        else:
            high = width
        # As if it grew with the width; where that leads nowhere new, the middle.
        width = min(0.97 * width / found, _MOST) if found > 0.0 else _MOST
        if not 1.02 * low < width < 0.98 * high:
            width = float(np.sqrt(low * high)) if low > 0.0 else 0.5 * high
    return low


def reaches(skeleton: Skeleton) -> tuple[float, Array]:
    """Return how far the points that a joint carries are from it at least, as is told, and how far (J,) they are."""
    reach, bones = np.linalg.norm(skeleton.tips, axis=1), np.linalg.norm(skeleton.offsets, axis=1)
    for joint in range(len(skeleton) - 1, -1, -1):
        above = skeleton.parents[joint]
        if above >= 0:
            reach[above] = max(reach[above], bones[joint] + reach[joint])
    least = SHORTEST * skeleton.height if skeleton.height > 0.0 else 1.0
    return least, np.maximum(reach, least)
