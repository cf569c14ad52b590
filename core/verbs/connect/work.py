"""Connect clips: find the frames at which to leave one clip and enter the next, and repair the seam.

If the first clip is left at frame i and the next is entered at frame j, frame t of the result shows frame t of the
first clip before the seam and frame t − i + j of the next clip, placed on the first one's ground, after it. Both play
at their own speed; only a `registered` blend may shift later frames by a few.

Method: Connecting two clips.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...bodies import alike
from ...bodies.carried import Carried
from ...errors import OptionError, RegistrationError, wrong_count, wrong_rows
from ...motion import cycles, quat, resample, root_motion, trim
from ...motion.clip import Channel, Clip, join_clips
from ...motion.frame_map import FrameMap
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ...quality import angles, contacts, quality, seams, world_pose
from ...recipes import base
from ...sync import transitions
from ...sync.transitions import Transition
from ...weave import add_root_motion, authored, planting, reporting
from ...weave.results import ConnectResult
from ...weave.seam import close, repairs, tracks
from ..blend import Blend
from ..blend import work as blend
from . import Connect

WINDOW = 0.042  # s compared on each side of a frame
SEARCHED = 0.4  # fraction of a clip searched: the end of the first, the start of the next
EASE = 1.0 / 3.0  # s of overlap between the two clips
LEFT_OVER = EASE / 4.0  # s of both clips that must remain beyond the seam in the second search
# Transitions are compared by their seams if their distance is at most NEARLY times the least one, and they omit at most
# MOST_LOST seconds more than the nearest transition.
NEARLY, MOST_LOST = 1.3, 1.0
TRIED, AROUND = 6, 2.0  # number of seams evaluated, and s of motion evaluated on each side of them
OTHERWISE = 0.5  # added to K if too few frames force another method than the requested one
OFFERED = 12
LONGER = 0.2  # s of motion an alternative seam must save to be mentioned
HALF_LIFE = 0.2  # s in which an inertialized offset falls to one half
SETTLED = 5.0  # half-lives after which the offset is set to zero
BEFORE, AFTER = 2, 2  # frames required on each side of a seam to repair and measure it
POLYNOMIAL, SHORTEST, LONGEST = 0.1, 0.05, 0.15  # s recomputed on each side: default, and range for `by_correlation`
FAR = 0.07 / 1.7  # body heights; feet slide if the distance of the clips at the seam is larger
MORE = close.MORE_SLIDE  # cm/s; a note is added if feet slide more than this above the sources at a seam
NEARER = 0.8  # distance ratio below which other frames are recommended
MOST_CELLS = 4_000_000  # frame pairs compared at most for a mere warning
METHODS = ("ease", "inertial", "lagrange", "spline", "registered")


@dataclass(frozen=True)
class _Apart:
    """A note on clips with a large distance at their seam, with the nearest pair of frames of both clips.

    nearer : distance of that pair over the distance at the seam; 0 if the seam is that pair, None if not searched
    """

    note: str
    seam: str
    nearer: float | None = None
    where: str = ""
    centimetres: float = 0.0

    def said(self, note: str) -> str:
        """Return a note with the frames of the seam, and with those at which the clips are nearer."""
        if self.nearer is None:
            return f"{note}: {self.seam}"
        if not self.nearer or self.nearer > NEARER:
            return f"{note}: {self.seam}; their frames are hardly nearer anywhere"
        return f"{note}: {self.seam}; {self.where} are {self.centimetres:.0f} cm apart (Anywhere finds them)"


def connect(clips: Sequence[Clip], recipe: Connect, progress: Progress = SILENT) -> ConnectResult:
    """Return clips joined in sequence, each entered at the frame most similar to the one at which the last is left.

    Outside the repaired seams, clips after the first are only turned and moved on the ground. Raises ClipError for
    fewer than two clips, OptionError for frames set by hand for more than two, and RegistrationError for clips that
    can't be joined.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Connect(), [actions.walk(), actions.walk()])
        >>> result.clip.name, result.report["connect"]["method"], result.report["connect"]["distance"]
        ('walk > walk', 'ease', 0.0)
    """
    began = time.perf_counter()
    asked = _of_each_seam(recipe, len(clips))
    trimmed = [trim.if_wanted(clip, recipe.trim) for clip in clips]
    trimmed, given = _going(trimmed, recipe)
    result, joined, first_free = trimmed[0].clip, [], 0
    brought: list[Carried] = []
    far: list[tuple[int, _Apart]] = []
    leave = trimmed[0].frame_map
    for k, following in enumerate(trimmed[1:], start=1):
        part = progress.part((k - 1) / (len(clips) - 1), k / (len(clips) - 1))
        part.at(0.0, "Searching the clips")
        after, carried = alike.like(following.clip, trimmed[0].clip)
        brought += [] if carried is None else [carried]
        after = resample.to_rate(after, result.rate)
        counted = leave, FrameMap(following.first, following.clip.rate / result.rate)
        ranked = _rank_transitions(result, after, asked[k - 1], first_free, counted)
        apart = _far(result, after, ranked, asked[k - 1], first_free, counted)
        part.at(0.4, "Making the result")
        before, once = result, after
        result, seam_report, first_free = _join_pair(before, after, ranked, asked[k - 1], counted)
        # A cycle that ends before it can be left is played again.
        while k < len(asked) and asked[k].from_frame < 0 and first_free >= len(result):
            cycle = close.as_cycle(once)
            if not cycle.cyclic:
                break  # the next seam refuses it
            after = cycles.unroll_cycle(cycle, 0, 1 + (len(after) - 1) // (len(cycle) - 1))
            result, seam_report, first_free = _join_pair(before, after, ranked, asked[k - 1], counted)
        leave = _at_its_end(result, after, counted[1])
        result = replace(result, name=following.clip.name)  # the result ends with the end of that clip
        joined.append(seam_report)
        far += [] if apart is None else [(k, apart)]
    result = replace(result, name=recipe.result_name([clip.name for clip in clips]))
    result, planted = planting.of_result(result, recipe, one_source=planting.same(result, trimmed[0].clip))
    sources = [quality.measure(one.clip) for one in trimmed]
    given += [apart.said(_as_it_slides(result, joined[k - 1], sources[k - 1 : k + 1], apart.note)) for k, apart in far]
    report = {
        **planted.report,
        "dropped": reporting.left_out(trimmed),
        "carried": [one.as_report() for one in brought],
        "connect": joined[0] if len(joined) == 1 else {"joints": joined},
        "quality": {"before": sources, "after": quality.measure(result)},
        "warnings": [sentence for one in brought for sentence in one.sentences] + given,
    }
    frames = tuple(one["seam_frame"] for one in joined)
    return ConnectResult(result, report | reporting.common("connect", clips, result, began), 0, frames)


def _of_each_seam(recipe: Connect, count: int) -> list[Connect]:
    """Return one recipe per seam with its requested frames, for `count` clips; raises OptionError."""
    if not recipe.seams:
        if count > 2 and max(recipe.from_frame, recipe.to_frame) >= 0:
            raise OptionError(f"Frames to leave and enter are those of two clips; {count} given")
        return [recipe] * (count - 1)
    if any(len(row) != 2 for row in recipe.seams):
        raise wrong_rows("seams", "from_frame", "to_frame")
    if len(recipe.seams) != count - 1:
        raise wrong_count("seams", len(recipe.seams), count - 1)
    return [replace(recipe, from_frame=int(leave), to_frame=int(enter)) for leave, enter in recipe.seams]


def _at_its_end(result: Clip, last: Clip, counted: FrameMap) -> FrameMap:
    """Return the frame map of the last clip shifted to count the frames of a result that ends with that clip."""
    return replace(counted, first=counted.first - round((len(result) - len(last)) * counted.step))


def find(clips: Sequence[Clip], recipe: Connect, progress: Progress = SILENT) -> list[Transition]:
    """Return candidate transitions between two clips, best first, in frames of the clips as given.

    Raises ClipError unless two clips are given, and RegistrationError as `connect` does.
    """
    base.check_count("Find Transitions", len(clips), 2, 2)
    (recipe,) = _of_each_seam(recipe, 2)
    progress.at(0.0, "Searching the clips")
    (one, other), _ = _going([trim.if_wanted(clip, recipe.trim) for clip in clips], recipe)
    after = resample.to_rate(alike.like(other.clip, one.clip)[0], one.clip.rate)
    leave, enter = one.frame_map, FrameMap(other.first, other.clip.rate / after.rate)
    ranked = _rank_transitions(one.clip, after, recipe, 0, (leave, enter))
    return [
        replace(t, from_frame=leave.given_frame(t.from_frame), to_frame=enter.given_frame(t.to_frame)) for t in ranked
    ]


def _going(trimmed: list[trim.Trimmed], recipe: Connect) -> tuple[list[trim.Trimmed], list[str]]:
    """Return the clips, with root motion added to in-place clips if others travel, and notes on that."""
    clips, sentences = add_root_motion.travelling([one.clip for one in trimmed], recipe)
    return [replace(one, clip=clip) for one, clip in zip(trimmed, clips, strict=True)], sentences


def refuse_short(clip: Clip, least: int, to: str) -> None:
    """Raise RegistrationError for a clip with too few frames to be "left" or "entered".

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.connect import work
        >>> work.refuse_short(actions.walk(), 4, "entered")
    """
    if len(clip) < least:
        frames = f"{len(clip)} frame{'s' * (len(clip) > 1)}"
        raise RegistrationError(f"{clip.name} has {frames}, but a clip that is {to} takes {least} or more")


def _rank_transitions(
    before: Clip, after: Clip, recipe: Connect, first_free: int, counted: tuple[FrameMap, FrameMap]
) -> list[Transition]:
    """Return candidate transitions: the one with the best seam first, then by distance.

    Candidates are at the requested frames, or near the end of one clip and the start of the next. A second search keeps
    some frames of both clips beyond the seam, because a short overlap is visible.
    """
    for clip, least, to in ((before, BEFORE, "left"), (after, AFTER + 1, "entered")):
        refuse_short(clip, least, to)
    end, last = len(before) - 1, len(after) - 1 - AFTER
    leave = max(0 if recipe.anywhere else int((1.0 - SEARCHED) * len(before)), first_free, BEFORE - 1), end
    enter = 0, last if recipe.anywhere else min(max(int(SEARCHED * len(after)), 1), last)
    left_asked = _requested_frame(before, recipe.from_frame, counted[0], (BEFORE - 1, end))
    entered_asked = _requested_frame(after, recipe.to_frame, counted[1], (0, last))
    if left_asked is None and leave[0] > leave[1]:
        raise RegistrationError(
            f"{before.name} is too short to be entered and left again: connect it with the clip before it, then the "
            "result with the one after it, and choose frames by hand"
        )
    beyond = round(LEFT_OVER * before.rate)
    roomy = (leave[0], max(end - beyond, leave[0])), (min(beyond, enter[1]), enter[1])
    found = _finder(before, after, recipe, left_asked or leave, entered_asked or enter)
    nearest = found(left_asked or leave, entered_asked or enter)
    with_room = found(left_asked or roomy[0], entered_asked or roomy[1])
    return _best_first(before, after, nearest, with_room, recipe)


def _finder(
    before: Clip, after: Clip, recipe: Connect, leave: tuple[int, int], enter: tuple[int, int]
) -> Callable[[tuple[int, int], tuple[int, int]], list[Transition]]:
    """Return a function that finds transitions between two frame ranges, nearest first, with the requested facing.

    leave, enter : full ranges, from which `auto` decides whether the next clip keeps its authored facing
    """
    window, feet = round(WINDOW * before.rate), (contacts.footing(before), contacts.footing(after))
    stands = authored.stand(before), authored.stand(after)
    moves = not all(one.in_place for one in stands)

    def matched(leave: tuple[int, int], enter: tuple[int, int]) -> list[Transition]:
        return transitions.find(before, after, window, leave, enter, feet=feet)

    def as_made(leave: tuple[int, int], enter: tuple[int, int]) -> list[Transition]:
        return transitions.find_as_made(before, after, window, leave, enter, moves=moves, feet=feet)

    if recipe.facing != "auto":
        return matched if recipe.facing == "matched" else as_made
    if not any(one.in_place for one in stands) or not all(one.as_made for one in stands):
        return matched
    limit = authored.WORSE * matched(leave, enter)[0].distance + authored.MORE * before.skeleton.height
    return as_made if as_made(leave, enter)[0].distance <= limit else matched


def _best_first(
    before: Clip, after: Clip, nearest: list[Transition], with_room: list[Transition], recipe: Connect
) -> list[Transition]:
    """Return transitions, the best seam first; only near candidates that omit little more motion are compared by it."""
    every = list({(one.from_frame, one.to_frame): one for one in (*nearest, *with_room)}.values())
    every.sort(key=lambda one: round(one.distance, transitions.DIGITS))
    least = nearest[0]
    tried = [
        one
        for one in every
        if one.distance <= NEARLY * least.distance
        and one.to_frame - one.from_frame <= least.to_frame - least.from_frame + MOST_LOST * before.rate
    ][:TRIED]
    source = _slide(before, after) if len(tried) > 1 else None
    costs = [_cost(before, after, one, recipe, source) for one in tried] if len(tried) > 1 else [0.0]
    best = tried[int(np.argmin(costs))]
    return [best, *(one for one in every if one is not best)][:OFFERED]


def _cost(before: Clip, after: Clip, at: Transition, recipe: Connect, source: float | None) -> float:
    """Return the cost K, rounded to tenths, of the seam at a transition, computed on a few seconds around it."""
    reach = round(AROUND * before.rate)
    first, start = max(at.from_frame - reach, 0), max(at.to_frame - reach, 0)
    one = before.cut(first, min(at.from_frame + reach, len(before)))
    other = after.cut(start, min(at.to_frame + reach, len(after)))
    other = root_motion.place_clip(other, at.turn, np.array(at.shift))
    there = replace(at, from_frame=at.from_frame - first, to_frame=at.to_frame - start)
    asked = "ease" if recipe.method == "auto" else recipe.method
    name, clip, _ = _mend(one, other, there, asked, recipe)
    found = seams.measure_pose(world_pose.pose(clip), there.from_frame + 1)
    return round(seams.rank_cost(seams.composite(found, source)) + OTHERWISE * (name != asked), 1)


def _far(
    before: Clip,
    after: Clip,
    ranked: list[Transition],
    recipe: Connect,
    first_free: int,
    counted: tuple[FrameMap, FrameMap],
) -> _Apart | None:
    """Return a note if the clips are distant at their seam, or None."""
    best = ranked[min(recipe.candidate, len(ranked) - 1)]
    if best.distance <= FAR * before.skeleton.height:
        return None

    def where(at: Transition) -> str:
        left, entered = counted[0].given_frame(at.from_frame), counted[1].given_frame(at.to_frame)
        return f"{before.name} (frame {left}) and {after.name} (frame {entered})"

    far, seam = f"Poses are {100.0 * best.distance:.0f} cm apart at the seam", where(best)
    if recipe.anywhere and max(recipe.from_frame, recipe.to_frame) < 0:
        return _Apart(far, seam, 0.0 if best.distance <= min(one.distance for one in ranked) else 1.0)
    if len(before) * len(after) > MOST_CELLS:
        return _Apart(far, seam)
    everywhere = replace(recipe, anywhere=True, from_frame=-1, to_frame=-1)
    nearest = _rank_transitions(before, after, everywhere, first_free, counted)[0]
    return _Apart(far, seam, nearest.distance / best.distance, where(nearest), 100.0 * nearest.distance)


def _as_it_slides(result: Clip, seam: dict[str, Any], sources: Sequence[dict[str, Any]], far: str) -> str:
    """Return the note on distant clips, extended by the foot slide measured at their seam."""
    slide = seams.measure_pose(world_pose.pose(result), seam["seam_frame"])["slide_cm_s"]
    own = max((one["slide_cm_s"] for one in sources if one["slide_cm_s"] is not None), default=None)
    if slide is None or own is None:
        return f"{far}, so feet may slide"
    return f"{far}, and feet slide there at {slide:.0f} cm/s, {own:.0f} in the sources" if slide > own + MORE else far


def _requested_frame(clip: Clip, frame: int, counted: FrameMap, possible: tuple[int, int]) -> tuple[int, int] | None:
    """Return the requested frame as a range (frame, frame), or None; raises RegistrationError if no seam fits there."""
    if frame < 0:
        return None
    own = counted.prepared_frame(frame)
    if not possible[0] <= own <= possible[1]:
        first, last = map(counted.given_frame, possible)
        raise RegistrationError(f"{clip.name} has no frame {frame} for a seam; it can be one from {first} to {last}")
    return own, own


def _join_pair(
    before: Clip, after: Clip, ranked: list[Transition], recipe: Connect, counted: tuple[FrameMap, FrameMap]
) -> tuple[Clip, dict[str, Any], int]:
    """Return two clips joined by the best method, the seam's report, and the first frame free for the next seam."""
    best = ranked[min(recipe.candidate, len(ranked) - 1)]
    placed = root_motion.place_clip(after, best.turn, np.array(best.shift))
    methods = METHODS if recipe.method == "auto" else (recipe.method,)
    source = _slide(before, after)
    every = [_mend(before, placed, best, method, recipe) for method in methods]
    tried = list({name: one for one in every for name in one[:1]}.values())  # `_mend` may fall back to another method
    figures = [_judge_seam(name, clip, best.from_frame + 1, reach, source) for name, clip, reach in tried]
    chosen = min(range(len(tried)), key=lambda k: seams.rank_cost(figures[k]["K"]))
    name, clip, reach = tried[chosen]
    offered: list[dict[str, Any]] = [
        {
            "from_frame": counted[0].given_frame(t.from_frame),
            "to_frame": counted[1].given_frame(t.to_frame),
            "distance": round(t.distance, 5),
        }
        for t in ranked
    ]
    latest = min(ranked, key=lambda one: one.to_frame - one.from_frame)
    longer = (best.to_frame - best.from_frame - latest.to_frame + latest.from_frame) / before.rate
    seam_report: dict[str, Any] = {
        **offered[ranked.index(best)],
        **({"latest": {**offered[ranked.index(latest)], "seconds": round(longer, 2)}} if longer >= LONGER else {}),
        "turn_degrees": round(float(np.degrees(best.turn)), 3),
        "candidates": offered,
        "method": name,
        "seam_frame": best.from_frame + 1,
        "step": counted[0].step,
        "corrected": [best.from_frame - reach, best.from_frame + reach],
        "methods": figures,
    }
    return clip, seam_report, best.from_frame + reach + 2


def _mend(before: Clip, after: Clip, at: Transition, method: str, recipe: Connect) -> tuple[str, Clip, int]:
    """Return the method used, the joined clip, and the repaired frames per side; falls back if frames are too few."""
    before, after = _unify_channels(before, after)
    i, j, rate = at.from_frame, at.to_frame, before.rate
    left = len(after) - 2 - j
    overlap = min(round(0.5 * (recipe.length or EASE) * rate), i, len(before) - 1 - i, j, left)
    if method in ("ease", "registered") and overlap < SHORTEST * rate:
        method = "inertial"
    half = max(1, min(_correction(before, after, i, j, recipe), i // 2, left // 2))
    spacing = max(1, min(round(rate / repairs.SEED_RATE), (i - half) // 2, (left - half) // 2))
    if method in ("lagrange", "spline") and min(i, left) < half + (repairs.POINTS - 1) * spacing:
        method = "inertial"
    if method == "registered":
        return method, _join_by_registration(before, after, i, j, overlap), overlap
    if method == "ease":
        share = repairs.fade(2 * overlap + 1)[:, None]
        return method, _region(before, after, i, j, overlap, lambda a, b: (1.0 - share) * a + share * b), overlap
    if method == "inertial":
        settle = (recipe.length or HALF_LIFE) * rate
        reach = max(1, min(round(SETTLED * settle), i, left))
        return method, _region(before, after, i, j, reach, lambda a, b: repairs.inertial(a, b, reach, settle)), reach
    return method, _join_by_bridge(before, after, i, j, half, spacing, method), half


def _correction(before: Clip, after: Clip, i: int, j: int, recipe: Connect) -> int:
    """Return how many frames a polynomial recomputes on each side: a fixed time, or by correlation ([Shibuta]).

    The correlation method takes the m that maximizes the correlation between the last m frames of one clip and the
    first m frames of the other, with `length` as the limit.
    """
    rate = before.rate
    if not recipe.by_correlation:
        return max(1, round((recipe.length or POLYNOMIAL) * rate))
    low, high = max(3, round(SHORTEST * rate)), max(3, round((recipe.length or LONGEST) * rate))
    high = min(high, i, len(after) - 2 - j)
    means = quat.mean_of_frames(before.rotations)
    a, b = (tracks.tracks_about(clip, means).values[:, : 3 * len(before.skeleton)] for clip in (before, after))
    best, length = -np.inf, low
    for m in range(low, high + 1):
        x, y = a[i - m + 1 : i + 1], b[j + 1 : j + m + 1]
        x, y = x - x.mean(axis=0), y - y.mean(axis=0)
        spread = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
        moving = spread > 1e-9
        mean = float(((x * y).sum(axis=0)[moving] / spread[moving]).mean()) if moving.any() else -np.inf
        if mean > best:
            best, length = mean, m
    return length


def _region(before: Clip, after: Clip, i: int, j: int, reach: int, mix: Callable[[Array, Array], Array]) -> Clip:
    """Return the clips joined; `mix` combines both within `reach` frames of frame i."""
    low, high = max(i - reach, 0), min(i + reach, len(after) - 2 - j + i)
    from_before = np.clip(np.arange(low, high + 1), 0, len(before) - 1)
    from_after = np.clip(np.arange(low, high + 1) - i + j, 0, len(after) - 1)
    one, other = before.take_frames(from_before), after.take_frames(from_after)
    means = quat.mean_of_frames(np.concatenate([one.rotations, other.rotations]))
    a, b = tracks.tracks_about(one, means), tracks.tracks_about(other, means)
    mixed = a.clip(mix(a.values, b.values), np.arange(len(one)))
    joined = _sequence(_part(before, 0, low), mixed, _part(after, high - i + j + 1, len(after)))
    return _rows_of_steps(joined, before, after, i, j)


def _join_by_bridge(before: Clip, after: Clip, i: int, j: int, half: int, spacing: int, kind: str) -> Clip:
    """Return the clips joined by a polynomial over `half` frames per side, through points beyond these frames."""
    around = half + (repairs.POINTS - 1) * spacing
    one = before.cut(max(i - around, 0), i + 1)
    other = after.cut(j + 1, min(j + 2 + around, len(after)))
    means = quat.mean_of_frames(np.concatenate([one.rotations, other.rotations]))
    a, b = tracks.tracks_about(one, means), tracks.tracks_about(other, means)
    values = repairs.bridge(a.values[: len(one) - half], b.values[half:], half, spacing, kind)
    middle = a.clip(values, np.full(len(values), len(one) - 1))
    joined = _sequence(_part(before, 0, i + 1 - half), middle, _part(after, j + 1 + half, len(after)))
    return _rows_of_steps(joined, before, after, i, j)


def _join_by_registration(before: Clip, after: Clip, i: int, j: int, overlap: int) -> Clip:
    """Return the clips joined by a blend along their registration curve, with weights from the first to the second."""
    blending = Blend(ends="pinned", weight_keys=((0.0, 1.0, 0.0), (1.0, 0.0, 1.0)), trim=False, plant_feet=False)
    parts = before.cut(i - overlap, i + overlap + 1), after.cut(j - overlap, j + overlap + 1)
    woven = blend.blend(parts, blending).clip
    there = transitions.align(woven, after, len(woven) - 1, j + overlap, 0)
    rest = _part(root_motion.place_clip(after, there.turn, np.array(there.shift)), j + overlap + 1, len(after))
    return _sequence(_part(before, 0, i - overlap), woven, rest)


def _unify_channels(a: Clip, b: Clip) -> tuple[Clip, Clip]:
    """Return both clips with the same channels and scales; a missing one is held at the other's value at the seam."""
    if (a.scales is None) != (b.scales is None):
        a, b = (replace(c, scales=np.ones_like(c.translations)) if c.scales is None else c for c in (a, b))
    names = [*a.channels, *(name for name in b.channels if name not in a.channels)]
    filled = []
    for clip, other, end in ((a, b, 0), (b, a, -1)):
        held = {
            name: clip.channels.get(name)
            or Channel(np.full(len(clip), other.channels[name].values[end]), other.channels[name].discrete)
            for name in names
        }
        filled.append(replace(clip, channels=held))
    return filled[0], filled[1]


def _part(clip: Clip, start: int, end: int) -> Clip | None:
    return clip.cut(start, end) if start < end else None


def _sequence(*parts: Clip | None) -> Clip:
    return join_clips([part for part in parts if part is not None])


def _rows_of_steps(joined: Clip, before: Clip, after: Clip, i: int, j: int) -> Clip:
    """Return the joined clip with stepped channels of the first clip before the seam and of the second after it."""
    stepped = {
        name: Channel(np.concatenate([channel.values[: i + 1], after.channels[name].values[j + 1 :]]), discrete=True)
        for name, channel in before.channels.items()
        if channel.discrete
    }
    return replace(joined, channels={**joined.channels, **stepped})


def _slide(before: Clip, after: Clip) -> float | None:
    slides = [s for clip in (before, after) if (s := quality.measure(clip)["slide_cm_s"]) is not None]
    return float(np.mean(slides)) if slides else None


def _judge_seam(name: str, clip: Clip, frame: int, reach: int, source: float | None) -> dict[str, Any]:
    """Return the figures of a seam: C of the clip, D of the corrected frames, the seam's measures, and their sum K."""
    body = world_pose.pose(clip)
    found = seams.measure_pose(body, frame)
    corrected = clip.cut(max(frame - reach - 1, 0), min(frame + reach + 1, len(clip)))
    return {
        "name": name,
        "C": angles.periodicity(body),
        "D": angles.smoothness(world_pose.pose(corrected)),
        "K": seams.composite(found, source),
        **found,
    }
