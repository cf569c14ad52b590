"""Find which frames of its sources a result plays, and when; used for events that are bound to source frames."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..motion.clip import Clip
from ..motion.quat import Array
from ..recipes.base import Recipe
from ..weave.results import (
    BlendResult,
    ConnectResult,
    CutOutResult,
    EventsResult,
    KeyPosesResult,
    LoopResult,
    Result,
    SpliceResult,
)
from .loop import Loop
from .mirror import Mirror
from .take import CutOut

if TYPE_CHECKING:
    from ..graph.inputs import GraphInputs
    from ..graph.walk_result import WalkResult
    from .ask.work import AskResult
    from .drive.work import DriveResult
    from .follow.result import FollowResult
    from .restyle.work import RestyleResult

JUMP = 4.0  # times the usual step between played frames; a larger step begins a new stretch
LEAST = 0.005  # share of a clip; a smaller one is reported as 0 %


@dataclass(frozen=True, eq=False)
class Shown:
    """A stretch of a source that a result plays.

    source : number of the clip, counted from 0; first : frame of the result at which the stretch begins
    frames (K,) : increasing frames of the clip as given; weights (K,) : weight of the clip in each of them
    mirrored : whether the mirror image is played
    cycle : number of frames after which the clip begins again, 0 for never
    low, high : first and last frame of the clip that can be played
    """

    source: int
    first: int
    frames: Array
    weights: Array
    mirrored: bool = False
    cycle: float = 0.0
    low: float = -np.inf
    high: float = np.inf

    def when(self, frame: float) -> list[tuple[float, float]]:
        """Return the frames of the result at which a frame of the clip is played, each with the clip's weight.

        Example:
            >>> import numpy as np
            >>> from action_loom.core.verbs.source_frames import Shown
            >>> Shown(0, 10, np.arange(5.0, 9.0), np.ones(4)).when(7.0)
            [(12.0, 1.0)]
        """
        if not self.low - 0.5 <= frame <= self.high + 0.5:
            return []
        frames, at = self.frames, np.arange(len(self.frames), dtype=float)
        near = 0.5 * float(np.median(np.diff(frames))) if len(frames) > 1 else 0.5
        wanted = np.array([frame])
        if self.cycle:
            turns = np.arange(np.floor((frames[0] - frame) / self.cycle), (frames[-1] - frame) / self.cycle + 2.0)
            wanted = frame + turns * self.cycle
        wanted = wanted[(wanted >= frames[0] - near) & (wanted <= frames[-1] + near)]
        places = np.interp(wanted, frames, at)
        weights = np.interp(places, at, self.weights)
        return [(self.first + float(place), float(weight)) for place, weight in zip(places, weights, strict=True)]


def of(woven: Any, recipe: Recipe, clips: Sequence[Clip]) -> list[Shown]:
    """Return the stretches of the given clips that a result plays; none for results that mix strides of many clips.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs import source_frames
        >>> recipe, clips = verbs.Connect(), [actions.walk(), actions.run()]
        >>> made = verbs.apply(recipe, clips)
        >>> [one.source for one in source_frames.of(made, recipe, clips)]
        [0, 1]
    """
    kinds = (kind.__name__ for kind in type(woven).__mro__)
    find = next((_FINDERS[kind] for kind in kinds if kind in _FINDERS), None)
    return [] if find is None else find(woven, recipe, clips)


def in_graph(inputs: "GraphInputs", names: Sequence[str], prepared: Sequence[int]) -> list[int] | None:
    """Return the number of the source for each clip of a walk; None if one of the clips is not among the sources.

    prepared : the numbers in `names` of the sources that the walk may use

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import build
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> from action_loom.core.verbs import source_frames
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> source_frames.in_graph(graph.inputs, ["Run", graph.clips[0].name], [0, 1])
        [1]
        >>> source_frames.in_graph(graph.inputs, ["Run"], [0])
    """
    left, found = iter(prepared), []
    for clip in inputs.clips[: inputs.given]:
        which = next((k for k in left if names[k] == clip.name), None)
        if which is None:
            return None
        found.append(which)
    return found


def _runs(source: int, frames: Array, at: int = 0, **about: Any) -> list[Shown]:
    """Return the frames (F,) of a source that a result plays from its frame `at` on, as stretches of rising frames."""
    steps = np.diff(frames)
    usual = float(np.median(steps[steps > 0.0])) if (steps > 0.0).any() else 1.0
    breaks = np.flatnonzero((steps <= 0.0) | (steps > JUMP * usual)) + 1
    parts, found = np.split(np.asarray(frames, dtype=float), breaks), []
    last = np.nan
    for first, part in zip([0, *breaks.tolist()], parts, strict=True):
        if not (len(part) == 1 and part[0] == last):  # otherwise the last pose is held: no new stretch
            found.append(Shown(source, at + first, part, np.ones(len(part)), **about))
        last = part[-1]
    return found


def _frames_left_out(report: dict[str, Any], name: str) -> int:
    """Return how many frames were left out at the start of a clip."""
    return next((int(row["first"]) for row in report.get("dropped", ()) if row["clip"] == name), 0)


def _of_blend(woven: BlendResult, _recipe: Recipe, _clips: Sequence[Clip]) -> list[Shown]:
    prepared, found = woven.prepared, []
    counts = prepared.counts or (1,) * len(prepared.clips)
    rows = woven.registration.frames(woven.reference_frames)
    for k, (clip, frames) in enumerate(zip(prepared.clips, prepared.frame_maps, strict=True)):
        length = (len(clip) - 1) / counts[k]
        repeats = woven.registration.cyclic or counts[k] > 1
        cycle = (frames.cycle or (length if repeats else 0.0)) * frames.step
        if woven.weights[k].any():
            about = (cycle, frames.first, frames.first + cycle) if cycle else ()
            given = frames.first + rows[k] * frames.step
            found.append(Shown(k, 0, given, np.asarray(woven.weights[k]), False, *about))
    return found


def _of_loop(woven: LoopResult, recipe: Recipe, clips: Sequence[Clip]) -> list[Shown]:
    if not isinstance(recipe, Loop):
        return []
    start, count = woven.report["loop"]["start"], len(woven.clip)
    length = (count - 1) / recipe.repeat
    frames = start + round(recipe.phase * length) + np.arange(count, dtype=float)
    if not recipe.half:
        return [Shown(0, 0, frames, np.ones(count), False, length, start, start + length)]
    half, ones = len(clips[0]) - 1, np.ones(count)
    end = start + length
    return [
        Shown(0, 0, frames, ones, False, length, max(start, 0), min(end, half)),
        Shown(0, 0, frames - half, ones, True, length, max(start - half, 0), min(end - half, half)),
    ]


def _of_cut(woven: CutOutResult, recipe: Recipe, _clips: Sequence[Clip]) -> list[Shown]:
    if not isinstance(recipe, CutOut):
        return []
    count = len(woven.clip)
    frames = woven.first + np.arange(count, dtype=float)
    about = (count - 1.0, woven.low, woven.low + count - 1.0) if recipe.loop else ()
    return [Shown(0, 0, frames, np.ones(count), recipe.mirrored, *about)]


def _of_connect(woven: ConnectResult, _recipe: Recipe, clips: Sequence[Clip]) -> list[Shown]:
    own = woven.report["connect"]
    joints = own.get("joints", [own])
    starts = [0, *woven.seams, len(woven.clip)]
    found = []
    for k, clip in enumerate(clips):
        count, step = starts[k + 1] - starts[k], clip.rate / woven.clip.rate
        first = _frames_left_out(woven.report, clip.name) if k == 0 else joints[k - 1]["to_frame"] + step
        found += _runs(k, first + step * np.arange(count, dtype=float), starts[k])
    return found


def _of_walk(woven: "WalkResult", recipe: Recipe, clips: Sequence[Clip]) -> list[Shown]:
    names = [clip.name for clip in clips]
    walked = in_graph(woven.inputs, names, recipe.prepared_of(range(len(names))))
    return [] if walked is None else _of_graph(woven, walked)


def _of_follow(woven: "FollowResult", recipe: Recipe, clips: Sequence[Clip]) -> list[Shown]:
    found = _of_walk(woven, recipe, clips)
    if not found:  # a clip of the walk is not among the sources
        return []
    for one, carried in zip(woven.stretches, woven.report["follow"]["carries"], strict=True):
        found += _overlaid(carried["played"], [number - 1 for number in one.numbers])
    if woven.ended is not None and len(woven.ended.played):
        played = woven.ended.played
        found.append(Shown(len(clips) - 1, woven.ended.seam, played, np.ones(len(played))))
    return found


def _of_graph(woven: "WalkResult", walked: Sequence[int | None]) -> list[Shown]:
    """Return the stretches of a walk; walked : the number of the source for each of its clips, None without one."""
    origin, given, found = woven.origin, woven.inputs.given, list[Shown]()
    over = (origin.other >= 0) & (origin.share >= 0.5)
    clip, frame = np.where(over, origin.other, origin.clip), np.where(over, origin.other_frame, origin.frame)
    breaks = np.flatnonzero((np.diff(clip) != 0) | (np.diff(frame) != 1)) + 1
    for rows in np.split(np.arange(len(clip)), breaks):
        which = int(clip[rows[0]])
        source = walked[which % given] if which >= 0 else None
        if source is None:
            continue
        frames = woven.inputs.frame_maps[which]
        cycle = frames.cycle * frames.step
        about = (cycle, frames.first, frames.first + cycle) if cycle else ()
        played = frames.first + frame[rows] * frames.step
        ones = np.ones(len(rows))
        found.append(Shown(source, int(rows[0]), played, ones, which >= given, *about))
    return found


def _overlaid(rows: Sequence[dict[str, Any]], sources: Sequence[int]) -> list[Shown]:
    """Return stretches of actions on the upper body; rows : as Splice reports them."""
    return [
        run
        for row in rows
        for run in _runs(
            sources[row["number"]], np.array(row["frames"], dtype=float), row["at"], mirrored=row["mirrored"]
        )
    ]


def _of_splice(woven: SpliceResult, _recipe: Recipe, clips: Sequence[Clip]) -> list[Shown]:
    first = _frames_left_out(woven.report, clips[0].name)
    legs = _runs(0, first + np.arange(len(woven.clip), dtype=float))
    if "played" in woven.report["splice"]:
        return legs + _overlaid(woven.report["splice"]["played"], range(1, len(clips)))
    return legs + _runs(1, woven.action_frames)


def _of_poses(woven: KeyPosesResult, _recipe: Recipe, _clips: Sequence[Clip]) -> list[Shown]:
    names = woven.report["names"]
    return [
        Shown(names.index(pose["clip"]), first, np.array([float(pose["frame"])]), np.ones(1))
        for pose, first in zip(woven.report["key_poses"]["poses"], woven.arrive, strict=True)
    ]


def _of_drive(woven: "DriveResult", _recipe: Recipe, clips: Sequence[Clip]) -> list[Shown]:
    """Return the stretches that a drive played; if it was replanned along its line, the stretches of the walk."""
    from ..drive import database, keep  # loaded with every such result

    data, legs, found = woven.data, int(woven.over), list[Shown]()
    if woven.settled is not None:
        names, known = woven.settled.inputs.clips[: woven.settled.inputs.given], [clip.name for clip in clips]
        return _of_graph(woven.settled, [known.index(one.name) if one.name in known else None for one in names])
    if legs:
        cycle = len(clips[0]) - 1.0 if clips[0].cyclic else 0.0
        about = (cycle, 0.0, cycle) if cycle else ()
        found = [Shown(0, 0, np.arange(len(woven.clip), dtype=float), np.ones(len(woven.clip)), False, *about)]
    for which, first, rows in keep.list_played(data, woven.played, woven.clip.rate):
        one = data.clips[which % data.given]  # a bent walk has the clip of its walk
        source = next(k for k in range(data.given) if data.clips[k] is one)
        if source >= len(clips) - legs or first >= len(woven.clip):
            continue  # the clip is from a library
        frames, own = data.frame_maps[source], np.flatnonzero(data.clip == source)
        cycle = frames.cycle or round(len(own) * data.rate / database.RATE) if data.onward[own[-1]] == own[0] else 0
        step = frames.step * (cycle / len(own) if cycle else data.rate / database.RATE)
        about = (cycle * frames.step, frames.first, frames.first + cycle * frames.step) if cycle else ()
        played = (frames.first + rows * step)[: len(woven.clip) - first]
        found.append(Shown(legs + source, first, played, np.ones(len(played)), which >= data.given, *about))
    return found


def _of_ask(woven: "AskResult", _recipe: Recipe, clips: Sequence[Clip]) -> list[Shown]:
    """Return the stride of each clip that has the largest share, for each stride of the result."""
    count, of, phases, found = len(clips), woven.examples.material, woven.phases, list[Shown]()
    weights = woven.weights if len(woven.weights) > 1 else np.repeat(woven.weights, round(phases[-1]) + 1, axis=0)
    shares = np.stack([np.bincount(of.of, weights=row, minlength=count) for row in weights])
    stride = np.minimum(phases.astype(int), len(weights) - 2)
    for k in np.unique(stride).tolist():
        rows = np.flatnonzero(stride == k)
        gone = phases[rows] - k
        for source in np.flatnonzero(shares[k : k + 2].max(axis=0) >= LEAST).tolist():
            own = np.flatnonzero(of.of == source)
            example = own[np.argmax(weights[k : k + 2, own].sum(axis=0))]
            frames, (first, end) = of.frame_maps[source], of.frames[example]
            about = (frames.cycle, frames.first, frames.first + frames.cycle) if frames.cycle else ()
            played = frames.first + first + gone * (end - first)
            share = (1.0 - gone) * shares[k, source] + gone * shares[k + 1, source]
            found.append(Shown(source, int(rows[0]), played, share, bool(of.images[example]), *about))
    return found


def _of_restyle(woven: "RestyleResult", _recipe: Recipe, clips: Sequence[Clip]) -> list[Shown]:
    last = len(woven.before) - 1.0
    return _runs(0, _frames_left_out(woven.report, clips[0].name) + np.linspace(0.0, last, len(woven.clip)))


def _of_events(woven: EventsResult, _recipe: Recipe, _clips: Sequence[Clip]) -> list[Shown]:
    frames = woven.curve.at(np.arange(len(woven.clip), dtype=float))
    return [Shown(0, 0, frames, np.ones(len(frames)))]


def _of_edit(woven: Result, recipe: Recipe, clips: Sequence[Clip]) -> list[Shown]:
    """Return the frames of the edited clip from its first remaining one; *Mirror* plays them on the other side."""
    if not isinstance(recipe, Mirror):
        first = _frames_left_out(woven.report, clips[woven.reference].name)
        return _runs(woven.reference, first + np.arange(len(woven.clip), dtype=float))
    frames, ones = np.arange(len(woven.clip), dtype=float), np.ones(len(woven.clip))
    if not recipe.half_cycle:
        return [Shown(0, 0, frames, ones, True)]
    length = len(clips[0]) - 1.0
    return [Shown(0, 0, frames + 0.5 * (len(frames) - 1), ones, True, length, 0.0, length)]


def _of_retarget(woven: Result, _recipe: Recipe, clips: Sequence[Clip]) -> list[Shown]:
    source = len(clips) - 1
    return _runs(source, _frames_left_out(woven.report, clips[source].name) + np.arange(len(woven.clip), dtype=float))


# The keys are class names, so that a result of one verb does not load the others.
_FINDERS: dict[str, Callable[[Any, Recipe, Sequence[Clip]], list[Shown]]] = {
    "BlendResult": _of_blend,
    "LoopResult": _of_loop,
    "CutOutResult": _of_cut,
    "ConnectResult": _of_connect,
    "FollowResult": _of_follow,
    "WalkResult": _of_walk,
    "SpliceResult": _of_splice,
    "KeyPosesResult": _of_poses,
    "DriveResult": _of_drive,
    "RestyleResult": _of_restyle,
    "AskResult": _of_ask,
    "EventsResult": _of_events,
    "EditResult": _of_edit,
    "FillResult": _of_edit,
    "RetargetResult": _of_retarget,
}
