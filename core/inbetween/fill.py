"""Fill the frames between keyed poses of a clip by stretches of other clips and by a model of them.

Method: Fill.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..cache import Cache
from ..edit.feet.planting import Planted
from ..errors import ClipError
from ..motion import quat, resample
from ..motion.clip import Clip, join_clips
from . import candidates, choice, filling, learning, over_keys, standing, trust, windows
from .candidates import Candidate, Gap, Piece
from .filling import Filled, Leads
from .learning import Model
from .rows import RATE, Longs, Rows, lengthen_clip, of_clips, of_poses
from .windows import Around, Poses

FEWEST_FRAMES = 6  # frames from one key to the next; shorter gaps are not changed
LONGEST = 60.0  # s; longest gap between two keys
REMEMBERED, MODELS = 512, 12  # number of gaps, and of models, in the caches
LAGS = (1, 5)  # rows from a key to poses outside the gap that give the speed at the key, if these frames do not change
FARTHEST = 45  # rows; if they change, the neighbouring key is used instead, up to this distance
WORST_ERROR = 0.9  # a model is not used if its expected error is at least this share of the error of interpolation
HELD = 1e-5  # quaternion components, m; a joint that varies less is held


@dataclass(frozen=True, eq=False)
class Library:
    """Clips that gaps are filled from, on one body, and their rows.

    Searches and fills are cached, so that editing a pose only recomputes its two gaps.
    """

    clips: list[Clip]
    rows: Rows
    _found: Cache[tuple[Any, ...], list[Candidate]] = field(default_factory=lambda: Cache(REMEMBERED))
    _made: Cache[tuple[Any, ...], Filled] = field(default_factory=lambda: Cache(REMEMBERED))
    _models: Cache[tuple[int, Around], tuple[Model | None]] = field(default_factory=lambda: Cache(MODELS))

    @cached_property
    def moving(self) -> list[int]:
        """The joints whose locations change."""
        return windows.list_moving_joints(self.clips)

    @cached_property
    def _poses(self) -> Poses:
        return windows.pose_all(self.clips, self.moving, mirrored=bool(self.rows.mirrored.any()))

    def model(self, count: int, around: Around) -> Model | None:
        """Return the model of the clips for gaps of `count` rows, or None if they are too few."""
        key = count, around
        return self._models.made(key, lambda: (learning.learn(self.clips, self.rows, self._poses, count, around),))[0]

    def found(self, gap: Gap) -> list[Candidate]:
        """Return the candidates for a gap, sorted by similarity."""
        parts = (getattr(gap, name) for name in Gap.__dataclass_fields__)
        key = tuple(one.tobytes() if isinstance(one, np.ndarray) else one for one in parts)
        return list(self._found.made(key, lambda: candidates.find_candidates(self.rows, gap)))

    def filled(
        self, gap: Gap, one: Candidate, first: Clip, last: Clip, count: int, leads: Leads | None = None
    ) -> Filled:
        """Return a gap of `count` frames between two one-frame clips, filled with a candidate."""
        leads = leads or filling.measure_leads(self.rows, gap, one)
        arrays = [a for p in (first, last) for a in (p.rotations, p.translations, p.scales) if a is not None]
        key = (one.pieces, leads, count, first.rate, first.name, *(a.tobytes() for a in arrays))
        return self._made.made(
            key, lambda: filling.fill_gap(self.clips, self.rows, one, first, last, count, leads=leads)
        )


@dataclass(frozen=True)
class Wish:
    """Settings of one gap. If the candidate is None, it is chosen jointly; if the gain is None, it is estimated.

    candidate : its index among the candidates found, or the pieces of one, found or not
    leads : start and end speed (see `filling.measure_leads`); None for those of the keys
    """

    candidate: int | tuple[Piece, ...] | None = None
    gain: float | None = None
    leads: Leads | None = None


@dataclass(frozen=True, eq=False)
class Prediction:
    """A gap's frames as a model of the clips predicts them, including both keys.

    share : factor on the predicted departure from interpolation; part : weight of the prediction relative to a stretch
    error : expected squared error over that of interpolation
    """

    own: Clip
    model: Model
    share: float
    part: float
    error: float


@dataclass(frozen=True, eq=False)
class GapFilled:
    """A gap between two keyed frames, and its fill.

    found : its candidates, sorted by similarity; empty if no clip is long enough. chosen : index of the one used
    filled : None if nothing was found; gain : weight of the stretch used; own_gain : weight estimated as right
    ratio : the expected error of the stretch over the error of interpolation, both squared
    predicted : None if no model is better than interpolation
    """

    first: int
    last: int
    found: list[Candidate]
    chosen: int
    filled: Filled | None
    gain: float
    own_gain: float
    ratio: float
    predicted: Prediction | None = None


@dataclass(frozen=True, eq=False)
class Done:
    """A clip with filled gaps.

    kept : gaps (first and last key) too short to be filled
    planted : outcome of planting, None if not tried; not_planted : the reason why no foot was planted, "" if one was
    """

    clip: Clip
    gaps: list[GapFilled]
    kept: list[tuple[int, int]]
    planted: Planted | None
    not_planted: str


def library(sources: Sequence[Clip], seconds: float, *, images: bool = True) -> Library:
    """Return clips on one body, and mirror `images`, as a library for gaps of up to `seconds`; cycles are repeated."""
    clips = [lengthen_clip(replace(clip, channels={}), 2.0 * seconds + clip.seconds) for clip in sources]
    return Library(clips, of_clips(clips, images=images))


def longest_gap(clip: Clip, keys: Longs) -> float:
    """Return the longest time (s) between adjacent keys."""
    return float(np.diff(keys).max()) / clip.rate


def fill(
    clip: Clip,
    keys: Longs,
    known: Library,
    wishes: Mapping[int, Wish] | None = None,
    *,
    plant: bool = True,
    keep: bool = False,
) -> Done:
    """Return a clip with the frames between sorted keys filled.

    wishes : settings by the index of a filled gap, from 0
    keep : whether gaps without a similar stretch keep their frames, if these do more than hold a key's pose; otherwise
        they are interpolated
    Keyed frames, frames before the first and after the last key, and gaps of fewer than `FEWEST_FRAMES` do not change.
    Raises ClipError for fewer than two keys.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import fill
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> done = fill.fill(walk, np.array([0, 20, 48]), fill.library([walk], 1.0))
        >>> [(gap.first, gap.last, round(gap.gain, 2)) for gap in done.gaps]
        [(0, 20, 1.0), (20, 48, 1.0)]
    """
    if len(keys) < 2:
        raise ClipError(f"{clip.name}: what lies between keys needs two of them or more, and here is {len(keys)}")
    wishes = wishes or {}
    spans = [(int(a), int(b)) for a, b in pairwise(keys.tolist())]
    asked = asked_of(clip, keys)
    long = [gap is not None for gap in asked]
    found = [[] if gap is None else known.found(gap) for gap in asked]
    wishes = _number_wishes(known.rows, asked, found, wishes)
    paces = [[_paces(one, b - a, clip.rate) for one in some] for (a, b), some in zip(spans, found, strict=True)]
    chosen = _choose_candidates(known.rows, found, paces, long, wishes)
    postures = trust.postures(known.rows, asked, found, chosen)
    gaps, parts, made_of = list[GapFilled](), [clip.cut(0, int(keys[0]) + 1)], list[tuple[int, int]]()
    for k, (a, b) in enumerate(spans):
        if not long[k]:
            parts.append(clip.cut(a + 1, b + 1))
            continue
        choice_of = asked[k], found[k], chosen[k], postures[k]
        wish = wishes.get(len(gaps), Wish())
        gap = _fill_span(clip, (a, b), choice_of, known, wish)
        if wish.gain is None:
            gap = replace(gap, predicted=_predict(clip, keys, k, long, known, _measure_alone(known, choice_of)))
        gaps.append(gap)
        if keep and gap.predicted is None and gap.gain < trust.NOTHING_LIKE and not _is_held(clip, a, b):
            long[k] = False
            parts.append(clip.cut(a + 1, b + 1))
            continue
        made_of.append((a, b))
        parts.append(_frames(clip, gap).cut(1, b - a + 1))
    if keys[-1] < len(clip) - 1:
        parts.append(clip.cut(int(keys[-1]) + 1, len(clip)))
    made = join_clips([replace(part, channels={}, name=clip.name) for part in parts])
    made = over_keys.smooth_over_keys(made, keys, long)
    done, why = None, standing.OFF
    if plant:
        made, done, why = standing.plant_gaps(made, made_of)
    made = _with_own_frames(made, clip, made_of)
    short = [span for span, gap in zip(spans, asked, strict=True) if gap is None]
    return Done(made, gaps, short, done, why)


def _is_held(clip: Clip, first: int, last: int) -> bool:
    """Return whether the frames between two keys only hold the pose of the first, as in a stepped block-out."""
    own = slice(first, last)
    return bool(
        np.ptp(clip.rotations[own], axis=0).max() < HELD and np.ptp(clip.translations[own], axis=0).max() < HELD
    )


def _with_own_frames(made: Clip, clip: Clip, gaps: Sequence[tuple[int, int]]) -> Clip:
    """Return a filled clip with exactly its own frames outside of gaps, and with the clip's channels."""
    own = np.ones(len(clip), dtype=bool)
    for first, last in gaps:
        own[first + 1 : last] = False
    return replace(
        made,
        rotations=quat.continuous(np.where(own[:, None, None], clip.rotations, made.rotations)),
        translations=np.where(own[:, None, None], clip.translations, made.translations),
        channels=clip.channels,
    )


def asked_of(clip: Clip, keys: Longs) -> list[Gap | None]:
    """Return the query for each gap between keys; None for gaps too short to fill.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import fill
        >>> from action_loom.core.demo_character import actions
        >>> [gap and gap.frames for gap in fill.asked_of(actions.walk(), np.array([0, 20, 22]))]
        [20.0, None]
    """
    spans = [(int(a), int(b)) for a, b in pairwise(keys.tolist())]
    long = [b - a >= FEWEST_FRAMES for a, b in spans]
    poses = of_poses(clip.take_frames(keys))
    speeds = _speeds(clip, keys, long)
    poses = replace(poses, speeds=np.nan_to_num(speeds))
    tells = ~np.isnan(speeds).any(axis=(1, 2))
    return [
        candidates.gap_of(poses, k, (b - a) * RATE / clip.rate, (bool(tells[k]), bool(tells[k + 1])))
        if long[k]
        else None
        for k, (a, b) in enumerate(spans)
    ]


def _speeds(clip: Clip, keys: Longs, long: Sequence[bool]) -> np.ndarray:
    """Return the speeds (K, points, 3) at keys next to unchanged frames; NaN at others."""
    kept = [keys[0] > 0, *(not one for one in long), keys[-1] < len(clip) - 1]
    points = len(of_poses(clip.take_frames(keys[:1])).places[0])
    speeds = np.full((len(keys), points, 3), np.nan, dtype=np.float32)
    for k, key in enumerate(keys.tolist()):
        before, after = kept[k], kept[k + 1]
        if before == after:
            continue
        near = np.arange(key - 1, key + 1) if before else np.arange(key, key + 2)
        speeds[k] = of_poses(clip.take_frames(near)).speeds[1 if before else 0]
    return speeds


def _paces(one: Candidate, frames: int, rate: float) -> tuple[float, float]:
    """Return the playback speed of a candidate relative to its clip, at its start and at its end."""
    seconds = frames / rate
    first, last = (
        (piece.end - piece.start) / RATE / (piece.share * seconds) for piece in (one.pieces[0], one.pieces[-1])
    )
    return first, last


def _number_wishes(
    rows: Rows, asked: Sequence[Gap | None], found: list[list[Candidate]], wishes: Mapping[int, Wish]
) -> dict[int, Wish]:
    """Return wishes with pieces replaced by candidate indices; missing candidates are added to the found ones."""
    numbered, long = dict(wishes), [(gap, some) for gap, some in zip(asked, found, strict=True) if gap is not None]
    for number, wish in wishes.items():
        if not isinstance(wish.candidate, tuple):
            continue
        gap, some = long[number]
        if wish.candidate not in [one.pieces for one in some]:
            some.append(candidates.of_pieces(rows, gap, wish.candidate))
        at = [one.pieces for one in some].index(wish.candidate)
        numbered[number] = replace(wish, candidate=at)
    return numbered


def _choose_candidates(
    rows: Rows,
    found: Sequence[Sequence[Candidate]],
    paces: Sequence[Sequence[tuple[float, float]]],
    long: Sequence[bool],
    wishes: Mapping[int, Wish],
) -> list[int]:
    """Return the index of the candidate for each gap; a gap with a wish only has that one to choose from."""
    number = -1
    shown, their, first = list[Sequence[Candidate]](), list[Sequence[tuple[float, float]]](), list[int]()
    for some, pace, is_long in zip(found, paces, long, strict=True):
        number += is_long
        wish = wishes.get(number) if is_long else None
        at = min(wish.candidate, len(some) - 1) if wish is not None and isinstance(wish.candidate, int) else None
        only = slice(None) if at is None or at < 0 else slice(at, at + 1)
        shown.append(some[only])
        their.append(pace[only])
        first.append(0 if at is None else max(at, 0))
    return [
        at + more if at >= 0 else -1 for at, more in zip(choice.choose_together(rows, shown, their), first, strict=True)
    ]


def _fill_span(
    clip: Clip,
    span: tuple[int, int],
    choice_of: tuple[Gap | None, list[Candidate], int, np.ndarray | None],
    known: Library,
    wish: Wish,
) -> GapFilled:
    (a, b), (asked, found, chosen, posture) = span, choice_of
    if chosen < 0 or asked is None:
        return GapFilled(a, b, found, chosen, None, 0.0, 0.0, np.inf)
    first, last = clip.cut(a, a + 1), clip.cut(b, b + 1)
    ratio = trust.ratio(known.rows, asked, found, chosen, posture)
    gain = trust.gain(ratio)
    one = known.filled(asked, found[chosen], first, last, b - a + 1, wish.leads)
    return GapFilled(a, b, found, chosen, one, gain if wish.gain is None else wish.gain, gain, ratio)


def _measure_alone(known: Library, choice_of: tuple[Gap | None, list[Candidate], int, np.ndarray | None]) -> float:
    """Return the ratio of the chosen stretch without the posture of other gaps, so that they do not change this one."""
    asked, found, chosen, _ = choice_of
    return np.inf if asked is None or chosen < 0 else trust.ratio(known.rows, asked, found, chosen)


def _predict(clip: Clip, keys: Longs, k: int, long: Sequence[bool], known: Library, ratio: float) -> Prediction | None:
    """Return the model's motion for the gap after key k; None if interpolation is as good.

    ratio : of the stretch with which it is blended. The weight of the model is its share of the information that
    both have beyond interpolation.
    """
    a, b = int(keys[k]), int(keys[k + 1])
    count = max(round((b - a) * RATE / clip.rate), 2)
    around = _around(clip, keys, k, long)
    model = known.model(count, around)
    if model is None and any(around):
        model = known.model(count, Around())
    if model is None:
        return None
    step = clip.rate / RATE
    frames = np.array([a, b, *(a - step * n for n in model.around.before), *(b + step * n for n in model.around.after)])
    near = clip.cut(int(max(frames.min() - 2, 0)), int(min(frames.max() + 3, len(clip))))
    sampled = resample.sample(replace(near, channels={}), frames - max(int(frames.min() - 2), 0))
    beside = list(range(2, len(frames)))
    before, after = beside[: len(model.around.before)], beside[len(model.around.before) :]
    poses = windows.pose_of(sampled, known.moving)
    made = model.predict(poses, 0, 1, before, after)
    if made.error >= WORST_ERROR:
        return None
    even = filling.interpolate_poses(clip.cut(a, a + 1), clip.cut(b, b + 1), b - a + 1)
    information = 1.0 / made.error - 1.0
    of_both = information + max(1.0 / max(ratio, 1e-3) - 1.0, 0.0)
    own = windows.depart(even, known.moving, poses, model.rows, made.departure)
    return Prediction(own, model, made.share, information / of_both, made.error)


def _around(clip: Clip, keys: Longs, k: int, long: Sequence[bool]) -> Around:
    """Return which poses beside the gap after key k are known: frames that stay, or a neighbouring key."""
    step = clip.rate / RATE
    sides = []
    for key, other, stays in (
        (keys[k], keys[k - 1] if k else 0, k == 0 or not long[k - 1]),
        (keys[k + 1], keys[k + 2] if k + 2 < len(keys) else len(clip) - 1, k + 2 == len(keys) or not long[k + 1]),
    ):
        reach = abs(int(key) - int(other)) / step
        sides.append(
            tuple(lag for lag in LAGS if lag <= reach + 1e-6) if stays else (round(reach),) * (reach <= FARTHEST)
        )
    return Around(*sides)


def _frames(clip: Clip, gap: GapFilled) -> Clip:
    a, b = gap.first, gap.last
    even = filling.interpolate_poses(clip.cut(a, a + 1), clip.cut(b, b + 1), b - a + 1)
    part = 0.0 if gap.predicted is None else gap.predicted.part
    ways = [] if gap.filled is None else [(gap.filled.own, (1.0 - part) * gap.gain)]
    return filling.mix_ways(
        even, [*ways, *([] if gap.predicted is None else [(gap.predicted.own, part * gap.predicted.share)])]
    )
