"""Key reduction: the fewest keys that keep every point of a body within a bound (methods: Fewer keys)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import feet as feet_of
from ..motion import kinematics, quat, rotation_modes
from ..motion.clip import Channel, Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from ..quality import contacts
from . import fitted_body
from .fitted_body import FittedBody
from .keyed import KeyedClip, Keying, Keys
from .segments import fit

LEAST = 1e-6  # radians, metres and factors; a smaller change is rounding
FEET = 0.25  # of the bound; default for hips, legs and feet, because otherwise planted feet would shake visibly
GOES, STILL = "goes", "still"
SHORTEST = 0.03  # body heights; least reach assumed for a joint
MOVING = 0.5  # share of the tolerance that translations may use; rotations may use all of it
OF_RANGE = 1e-3  # tolerance of a channel, as a share of its range
_NEAR = 0.94  # of the bound; an error this large ends the search for the tolerance
_TRIES = 8  # iterations per tolerance; each refits all joints
_MOST = 16.0  # largest tolerance to try: it moves a point at the reach of a joint by this many times the bound


@dataclass(frozen=True, eq=False)
class Fewer:
    """Reduced keys, and their largest error (m) over all points of the body; feet_error : of hips, legs and feet."""

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
    """Return a clip with reduced keys, whose joints and tips are within a bound (m) of their positions in every frame.

    feet : the bound for hips, legs and feet, at most `within`; 0: a quarter of `within`
    keep : frames at which everything that moves has keys, in addition to the first and the last; legs also have keys
        where
    contacts of their foot begin and end. keyings : keying of each joint, quaternions by default. The curves of a cycle
    have the same slopes at both ends.

    Example:
        >>> from action_loom.core.edit import fewer_keys
        >>> from action_loom.core.demo_character import actions
        >>> few = fewer_keys.fewer(actions.walk(cycles=1), within=0.005)
        >>> few.error <= 0.005, few.keyed.key_count < 0.5 * few.keyed.full_count
        (True, True)
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


def keys_of(values: Array, near: float, kept: NDArray[np.int64], mode: str = "", *, cyclic: bool = False) -> Keys:
    """Return the fewest keys of values (F, n), rotations of a mode if one is given, within a tolerance.

    kept : sorted frames that must have keys, including the first and last

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import fewer_keys
        >>> wave = np.sin(np.linspace(0.0, 2.0 * np.pi, 61))[:, None]
        >>> fewer_keys.keys_of(wave, 0.01, np.array([0, 60])).frames.tolist()
        [0, 21, 46, 60]
    """
    ends = _seam(values, mode) if cyclic and len(values) > 1 else fit.FREE
    fitted = fit.rotations(values, mode, near, kept, ends) if mode else fit.vectors(values, near, kept, ends)
    return Keys(fitted[0], values[fitted[0]], fitted[1])


def channels(clip: Clip, keep: Collection[int] = ()) -> dict[str, Keys]:
    """Return the channels of a clip as reduced keys within 0.1 % of their range; keep : frames that must have keys.

    Example:
        >>> import dataclasses
        >>> import numpy as np
        >>> from action_loom.core.edit import fewer_keys
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion.clip import Channel
        >>> walk = actions.walk(cycles=1)
        >>> clip = dataclasses.replace(walk, channels={"smile": Channel(np.linspace(0.0, 1.0, len(walk)))})
        >>> fewer_keys.channels(clip)["smile"].count
        2
    """
    return _channels(clip, np.array(sorted({0, len(clip) - 1, *keep}), dtype=np.int64))


def _channels(clip: Clip, kept: NDArray[np.int64]) -> dict[str, Keys]:
    return {name: _channel(one, kept, cyclic=clip.cyclic) for name, one in clip.channels.items()}


def _channel(channel: Channel, kept: NDArray[np.int64], *, cyclic: bool) -> Keys:
    values = channel.values[:, None]
    if channel.discrete:
        changes = np.flatnonzero(np.diff(channel.values)) + 1
        frames = np.unique([0, *changes, len(values) - 1])
        return Keys(frames, values[frames], np.zeros((len(frames), 2, 1)), steps=True)
    span = float(np.ptp(values))
    return _still(values) if span == 0.0 else keys_of(values, OF_RANGE * span, kept, cyclic=cyclic)


def _still(values: Array) -> Keys:
    ends = np.unique([0, len(values) - 1])
    return Keys(ends, values[ends], np.zeros((len(ends), 2, values.shape[1])))


def feet_chain(skeleton: Skeleton) -> NDArray[np.bool_]:
    """Return which joints (J,) are hips, legs and feet, or above them; none if no foot is known.

    Example:
        >>> from action_loom.core.edit import fewer_keys
        >>> from action_loom.core.demo_character import actions
        >>> skeleton = actions.walk().skeleton
        >>> chain = fewer_keys.feet_chain(skeleton)
        >>> bool(chain[skeleton.roles["foot.L"]]), bool(chain[skeleton.roles["hand.L"]])
        (True, False)
    """
    chain = np.zeros(len(skeleton), dtype=bool)
    paths = _paths_of_feet(skeleton)
    if not paths:
        return chain
    legs = [joint for role, joint in skeleton.roles.items() if role.startswith(("thigh", "shin", "foot", "toe"))]
    ends = [path[0] for path in paths.values()]
    chain |= skeleton.with_below([*legs, *ends])
    for joint in [*np.flatnonzero(chain), *([skeleton.roles["hips"]] if "hips" in skeleton.roles else [])]:
        chain[_up_from(skeleton, int(joint))] = True
    return chain


def _paths_of_feet(skeleton: Skeleton) -> dict[str, list[int]]:
    """Return the joints from the ball of each foot up to the root."""
    paths = {}
    for foot, (ball, _) in feet_of.balls_and_ankles(skeleton).items():
        joint = ball if ball < len(skeleton) else int(skeleton.tipped[ball - len(skeleton)])
        paths[foot] = _up_from(skeleton, joint)
    return paths


def _up_from(skeleton: Skeleton, joint: int) -> list[int]:
    path = []
    while joint >= 0:
        path.append(joint)
        joint = int(skeleton.parents[joint])
    return path


class _Work:
    """The reduction of one clip, one part of the body at a time."""

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
        """Fit joints with the largest tolerance that keeps them and their tips within a bound, parents first."""
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
        """Fit a joint to return to its world position over its fitted parents; return its largest error (m)."""
        clip, kept, plan, keying = self._clip, self._kept[joint], self._plans[joint], self._keyings[joint]
        frame, reach = self._body.frame(joint), self._reach[joint]
        turned, moved, scales, angle = self._identity, self._nowhere, None, 0.0
        if plan.turns is not None:
            wanted = clip.rotations[:, joint] if plan.turns == STILL else frame.rotations()
            keys = self._keys(keying.values_of(wanted), tolerance / reach, kept, plan.turns, keying.mode)
            turned, self._rotations[joint] = keying.rotations_of(keys.at(self._frames)), keys
            if reach <= self._least:  # without a point that shows its rotation, the least reach is assumed
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
        """Return the keys of values (F, n), rotations of a mode if one is given; how : `GOES` or `STILL`."""
        if how == STILL or len(values) == 1:
            return _still(values)
        return keys_of(values, near, kept, mode, cyclic=self._clip.cyclic)

    def keyed(self) -> KeyedClip:
        """Return the fitted joints, with the clip's channels."""
        clip = self._clip
        channels = _channels(clip, self._always)
        joints = self._keyings, tuple(self._rotations), tuple(self._translations), tuple(self._scales)
        return KeyedClip(clip.name, clip.skeleton, clip.rate, len(clip), *joints, channels, clip.cyclic)


@dataclass(frozen=True)
class _Plan:
    """Keying of rotation, translation and scale of a joint: `GOES`, `STILL`, or None for values at rest."""

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
    """Return whether values (F, n) move, `GOES` or `STILL`; None for values at rest, which get no keys."""
    if not anyway and np.abs(away).max() <= LEAST:
        return None
    return STILL if np.ptp(values, axis=0).max() <= LEAST else GOES


def _seam(values: Array, mode: str) -> Array:
    """Return the slopes (2, n) at the ends of a cycle: the mean of the slopes at its end and its beginning."""
    begins, ends = values[1] - values[0], values[-1] - values[-2]
    # The last values may represent the first rotation with the opposite sign.
    four = mode in (rotation_modes.QUATERNION, rotation_modes.AXIS_ANGLE)
    compared = slice(1, None) if mode == rotation_modes.AXIS_ANGLE else slice(None)
    side = -1.0 if four and values[0, compared] @ values[-1, compared] < 0.0 else 1.0
    mean = 0.5 * (begins + side * ends)
    return np.stack([mean, side * mean])


def _widest(off: Callable[[float], float]) -> float:
    """Return nearly the largest tolerance, in bounds, with `off` at most 1; 0 means a key on every frame."""
    low, high, width = 0.0, np.inf, 1.0
    for _ in range(_TRIES):
        error = off(width)
        if error <= 1.0:
            low = width
            if error >= _NEAR or width >= _MOST:
                break
        else:
            high = width
        # Assume that the error is proportional to the width; bisect once this gives no progress.
        width = min(0.97 * width / error, _MOST) if error > 0.0 else _MOST
        if not 1.02 * low < width < 0.98 * high:
            width = float(np.sqrt(low * high)) if low > 0.0 else 0.5 * high
    return low


def reaches(skeleton: Skeleton) -> tuple[float, Array]:
    """Return the least reach, and each joint's (J,): the distance along its bones to the farthest point below it.

    Example:
        >>> from action_loom.core.edit import fewer_keys
        >>> from action_loom.core.demo_character import actions
        >>> skeleton = actions.walk().skeleton
        >>> _, reach = fewer_keys.reaches(skeleton)
        >>> bool(reach[skeleton.roles["thigh.L"]] > reach[skeleton.roles["shin.L"]])
        True
    """
    reach, bones = np.linalg.norm(skeleton.tips, axis=1), np.linalg.norm(skeleton.offsets, axis=1)
    for joint in range(len(skeleton) - 1, -1, -1):
        above = skeleton.parents[joint]
        if above >= 0:
            reach[above] = max(reach[above], bones[joint] + reach[joint])
    least = SHORTEST * skeleton.height if skeleton.height > 0.0 else 1.0
    return least, np.maximum(reach, least)
