"""An action along a stretch of a locomotion, entered anew wherever both are alike (methods 7).

For locomotions that have no end of their own, such as walks over a motion graph: nothing is registered as a whole, but
at every interval the frame of the action is looked up that goes best with what comes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from ...errors import ClipError, OptionError
from ...motion import kinematics, resample, retarget
from ...motion.clip import Channel, Clip
from ...motion.quat import Array
from ...motion.skeleton import Skeleton
from ...recipes.splice import Splice
from ...sync import joint_weights
from ...sync.positions import PointMetric
from ..seam import repairs
from . import mask, mass, splice, torso

INTERVAL = 1.0  # s
WINDOW = 1.0 / 6.0  # s each side that is compared
FADE = 1.0 / 3.0  # s; of going over into the action, out of it, and from one of its frames to another
TRUNK_SHARE = 0.3  # of the weight of all points, the rest is the legs'; with more, standing counts as walking
BETTER = 0.8  # times what going on would cost: a new point must not cost more, or the action becomes shreds


@dataclass(frozen=True)
class Level:
    """What of the trunk is compared beside the legs, and up to which mean distance (m) that makes a splice point."""

    name: str
    threshold: float
    points: Callable[[Skeleton], Array]


def _shoulders(skeleton: Skeleton) -> Array:
    """Both halves of the trunk and both shoulders as shares (4, J) of joints' places."""
    return np.concatenate([mass.trunk_halves(skeleton), _arms(skeleton)])


def _arms(skeleton: Skeleton) -> Array:
    missing = [role for role in ("upper_arm.L", "upper_arm.R") if role not in skeleton.roles]
    if missing:
        raise OptionError(f"The shoulders are not known, since no joint plays the part of {', '.join(missing)}")
    return np.eye(len(skeleton))[[skeleton.roles["upper_arm.L"], skeleton.roles["upper_arm.R"]]]


# Figure 1 of [Nomura]: the wider the threshold, the less of the trunk counts.
LEVELS = (
    Level("shoulders", 0.06, _shoulders),
    Level("trunk halves", 0.09, mass.trunk_halves),
    Level("trunk", 0.13, mass.trunk),
)


@dataclass(frozen=True)
class SplicePiece:
    """A run of the action: from a frame of the locomotion to another (not included), and where it is entered.

    level, distance : what made it a splice point, and how far apart both are over the interval (m); where the action
    only goes on, or nothing was near enough, there is no level
    """

    first: int
    end: int
    action_frame: int
    level: str | None
    distance: float


@dataclass(frozen=True)
class SplicePlan:
    """Which frames of an action are played along a stretch of a locomotion, from piece to piece without a gap."""

    pieces: tuple[SplicePiece, ...]

    @property
    def first(self) -> int:
        return self.pieces[0].first

    @property
    def end(self) -> int:
        return self.pieces[-1].end

    def action_frames(self) -> Array:
        """Return the frame of the action (F,) at each frame of the stretch."""
        runs = [p.action_frame + np.arange(p.end - p.first, dtype=float) for p in self.pieces]
        return np.concatenate(runs)


def plan(
    locomotion: Clip,
    action: Clip,
    *,
    first: int = 0,
    end: int | None = None,
    start: int = 0,
    interval: float = INTERVAL,
    threshold: float = LEVELS[-1].threshold,
) -> SplicePlan:
    """Return which frames of an action go with frames `first` … `end` − 1 of a locomotion of its skeleton and rate.

    start : the frame of the action that it is played from where nothing is near enough
    interval : s after which a splice point is looked up again
    threshold : m; up to it frames count as alike. The smaller, the more of the trunk is asked to be (see `LEVELS`)
    The action goes on from point to point unless another frame costs a fifth less over the whole next interval. Raises
    ClipError for stretches that are not in the clips, and OptionError or SkeletonError for bodies not known.
    """
    _refuse_others(locomotion, action)
    end = len(locomotion) if end is None else end
    if not 0 <= first < end <= len(locomotion):
        raise ClipError(f"{locomotion.name} has no frames {first} to {end - 1}")
    length = max(1, round(interval * locomotion.rate))
    if not 0 <= start < len(action) - 1:
        raise ClipError(f"{action.name} has no frame {start} to be played from")
    compared = _Compared(locomotion, action, threshold)
    pieces: list[SplicePiece] = []
    for at in range(first, end, length):
        until = min(at + length, end)
        pieces = _gone_on(pieces, compared, at, until, start)
    return SplicePlan(tuple(pieces))


def _gone_on(pieces: list[SplicePiece], compared: "_Compared", at: int, until: int, start: int) -> list[SplicePiece]:
    """The pieces with what is played from one frame of the locomotion to another."""
    last = pieces[-1] if pieces else None
    going = None if last is None else last.action_frame + at - last.first
    if going is not None and going + until - at > compared.action_length:
        going = None  # the action ends before
    level, best, costs = compared.best(at, until)
    if last is not None and going is not None and (level is None or costs[best] > BETTER * costs[going]):
        return [*pieces[:-1], replace(last, end=until)]
    if level is None:
        return [*pieces, *_from_start(compared, at, until, start)]
    return [*pieces, SplicePiece(at, until, best, level, float(costs[best]))]


def _from_start(compared: "_Compared", at: int, until: int, start: int) -> list[SplicePiece]:
    """Pieces without a splice point: the action from its start, again and again where it ends before."""
    room = compared.action_length - start
    return [SplicePiece(k, min(k + room, until), start, None, float("inf")) for k in range(at, until, room)]


class _Compared:
    """How far apart locomotion and action are over any interval."""

    def __init__(self, locomotion: Clip, action: Clip, threshold: float) -> None:
        self.action_length = len(action)
        self._window = round(WINDOW * locomotion.rate)
        # The first level that is as wide as asked for is the last; those before it ask for more.
        wide = [level.threshold >= threshold for level in LEVELS]
        tried = LEVELS[: wide.index(True) + 1] if any(wide) else LEVELS
        self._limits = [(level.name, min(level.threshold, threshold)) for level in tried]
        self._ours, self._theirs = ([_cloud(clip, level) for level in tried] for clip in (locomotion, action))
        self._bodies = [PointMetric.of_cloud(*cloud) for cloud in self._theirs]

    def best(self, at: int, until: int) -> tuple[str | None, int, Array]:
        """Return the level that has a splice point, its frame of the action, and the cost (·,) of all of them.

        Without a point the level is None. The costs are mean distances over the frames at … until − 1; frames of the
        action that are too near to its end have none.
        """
        best, costs = 0, np.full(1, np.inf)
        if self.action_length < until - at:
            return None, best, np.full(self.action_length, np.inf)
        for (name, limit), (places, weights), body in zip(self._limits, self._ours, self._bodies, strict=True):
            low, high = max(at - self._window, 0), min(until + self._window, len(places))
            ours = PointMetric.of_cloud(places[low:high], weights)
            costs = _along(ours.matrix(body, self._window)[at - low : until - low])
            best = int(np.argmin(costs))
            if costs[best] <= limit:
                return name, best, costs
        return None, best, costs


def _cloud(clip: Clip, level: Level) -> tuple[Array, Array]:
    """Points (F, P, 3) of the legs and the trunk, weights (P,) with sum 1."""
    legs = joint_weights.point_weights(clip.skeleton, "lower")
    places = kinematics.points(clip)
    shares = level.points(clip.skeleton)
    of_trunk = np.einsum("pj,fjk->fpk", shares, places[:, : len(clip.skeleton)])
    chosen = legs > 0.0
    weights = np.concatenate([(1.0 - TRUNK_SHARE) * legs[chosen], np.full(len(shares), TRUNK_SHARE / len(shares))])
    return np.concatenate([places[:, chosen], of_trunk], axis=1), weights


def _along(distances: Array) -> Array:
    """Mean (N − K + 1,) over the K rows of distances (K, N), from each column on, both running on."""
    count, columns = distances.shape
    starts = columns - count + 1
    total = np.zeros(starts)
    for row in range(count):
        total += distances[row, row : row + starts]
    return total / count


def spliced(locomotion: Clip, action: Clip, planned: SplicePlan, recipe: Splice) -> Clip:
    """Return the locomotion with the action on it along the planned stretch.

    Into the action, out of it and from piece to piece it takes 1/3 s; where the stretch begins or ends with the
    locomotion, the action is there at once. Method, posture, smoothing, strength and upper body are those of `recipe`.
    """
    _refuse_others(locomotion, action)
    upper, first, end = mask.upper_body(locomotion.skeleton, recipe.upper), planned.first, planned.end
    fade = max(2, round(FADE * locomotion.rate))
    ours, theirs = torso.facing(locomotion), torso.facing(action)
    coming = planned.action_frames()
    leaving, share = coming.copy(), np.ones(end - first)
    rotations = np.zeros((2, end - first, len(upper.joints), 4))
    for piece, following in zip_longest(planned.pieces, planned.pieces[1:]):
        # What is left is played on while what comes fades in.
        until = piece.end if following is None else min(piece.end + fade, following.end)
        frames = np.minimum(piece.action_frame + np.arange(until - piece.first), len(action) - 1.0)
        faced = ours[piece.first : until], np.interp(frames, np.arange(len(action)), theirs)
        run = resample.sample(action, frames)
        turned, _ = splice.upper_rotations(locomotion.cut(piece.first, until), run, upper, faced, recipe)
        played, left = slice(piece.first - first, piece.end - first), slice(piece.end - first, until - first)
        length = piece.end - piece.first
        rotations[1, played], rotations[0, left] = turned[:length], turned[length:]
        leaving[left], share[left] = frames[length:], repairs.fade(until - piece.end)
    rotations[0, share == 1.0] = rotations[1, share == 1.0]
    layer = _mixed(resample.sample(action, leaving), resample.sample(action, coming), share)
    strength = recipe.strength * _ramps(end - first, fade, first > 0, end < len(locomotion))
    made = splice.put_on(
        locomotion.cut(first, end), layer, upper, splice.between(rotations[0], rotations[1], share), strength
    )
    return _inserted(locomotion, made, first)


def _refuse_others(locomotion: Clip, action: Clip) -> None:
    if locomotion.rate != action.rate or not retarget.same(locomotion.skeleton, action.skeleton):
        raise ClipError(f"{action.name} must first be brought onto the skeleton and the rate of {locomotion.name}")


def _ramps(count: int, fade: int, entered: bool, left: bool) -> Array:
    strength = np.ones(count)
    fade = min(fade, count // 2)
    if entered:
        strength[:fade] = repairs.fade(fade)
    if left:
        strength[count - fade :] = repairs.fade(fade)[::-1]
    return strength


def _mixed(one: Clip, other: Clip, share: Array) -> Clip:
    """Two runs of one action, by the share (F,) of the second; what goes in steps is the second's."""

    def between(a: Array, b: Array) -> Array:
        part = share.reshape(-1, *[1] * (a.ndim - 1))
        return np.asarray((1.0 - part) * a + part * b)

    return replace(
        other,
        rotations=splice.between(one.rotations, other.rotations, share),
        translations=between(one.translations, other.translations),
        scales=None if one.scales is None or other.scales is None else between(one.scales, other.scales),
        channels={
            name: channel if channel.discrete else Channel(between(one.channels[name].values, channel.values))
            for name, channel in other.channels.items()
        },
    )


def _inserted(locomotion: Clip, made: Clip, first: int) -> Clip:
    """The locomotion with some of its frames replaced; channels that it lacks are held outside of them."""
    stretch = slice(first, first + len(made))
    rotations, translations = locomotion.rotations.copy(), locomotion.translations.copy()
    rotations[stretch], translations[stretch] = made.rotations, made.translations
    scales = locomotion.scales
    if made.scales is not None:
        scales = np.ones_like(translations) if scales is None else scales.copy()
        scales[stretch] = made.scales
    channels = {}
    around = (first, len(locomotion) - stretch.stop)
    for name, channel in made.channels.items():
        values = np.pad(channel.values, around, mode="edge")
        if name in locomotion.channels:
            values = locomotion.channels[name].values.copy()
            values[stretch] = channel.values
        channels[name] = Channel(values, channel.discrete)
    return replace(
        locomotion, rotations=rotations, translations=translations, scales=scales, channels=channels, cyclic=False
    )
