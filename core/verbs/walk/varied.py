"""Make endless variations of clips: choose rows, play them, bridge to keys, and plant feet (methods: Variations)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...errors import GraphError, both_given, no_label, wrong_count, wrong_rows
from ...graph import ground_path, inputs
from ...graph.ground_path import GroundPath
from ...graph.motion_graph import MotionGraph
from ...graph.walk_result import VariedResult
from ...motion import frame_map, limits, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ...quality import quality
from ...recipes.base import graph_name
from ...recipes.graph import VariationOptions
from ...variation import arranging, bridging, guide, hardness, playing, source, wishes
from ...variation.choice import Chosen
from ...variation.jumps import Jumps
from ...variation.playing import Played, Run
from ...variation.source import Source
from ...variation.wishes import Wishes
from ...weave import planting
from . import Walk

LONGER = 1.5  # times the duration of the source: duration of a result if none is given
AROUND_SEAM, AROUND_KEY = 1.0 / 6.0, 0.5  # s before and after a seam or a key in which accelerations are compared
SHIFTED = 0.3  # m; a larger shift of the path of a body 1.7 m tall, in addition to bending, gives a warning
SLIPS = 0.06  # m/s; slower slip of the ground along a path is not reported
MISSED = 0.5  # m; a larger distance from the end of a path gives a warning
OFF = 0.12  # a share that is lower than requested by more gives a warning
SEARCHING = "Searching the clips"
LENGTHS = (1.0, 1.1, 0.9, 1.2, 0.8, 1.3, 0.7)  # shares of a loop's duration to try, since it needs whole strides
BRIEF = 8.0  # s; a shorter source is short
FREE = 200.0  # factor on the cost of a first row other than the seed's
# A variation longer than a short source begins in this first share of the source, so that enough rows follow.
EARLY = 2.0 / 3.0
FAR = 60.0  # degrees; a joint of a keyed pose farther from the motion at that frame gives a warning


def gather(
    clips: Sequence[Clip], options: VariationOptions, progress: Progress = SILENT, graph: MotionGraph | None = None
) -> Source:
    """Return the rows of clips, or of the clips of a graph if given."""
    if graph is not None:
        return source.gather(graph.inputs, options.transition)
    ready = inputs.gather(
        clips,
        images=options.mirror,
        labels=options.labels.split(),
        travel=options,
        climbing=options.climbing,
        progress=progress,
    )
    return source.gather(ready, options.transition)


@dataclass(frozen=True, eq=False)
class _Way:
    """The chosen rows, the jumps that were found, the keyed poses and kept stretches, and the clips' shares."""

    chosen: Chosen
    found: Jumps
    wished: Wishes
    shares: Array


def vary(
    clips: Sequence[Clip], recipe: Walk, progress: Progress = SILENT, prepared: Source | MotionGraph | None = None
) -> VariedResult:
    """Return a variation of clips; the same seed gives the same one.

    Raises GraphError if no sequence of rows is possible, OptionError for keyed poses, stretches or paths that do not
    fit, and the errors of `limits.check_size`.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Walk(seconds=4.0), [actions.walk(cycles=2)])
        >>> result.clip.seconds
        4.0
    """
    began = time.perf_counter()
    rows = prepared if isinstance(prepared, Source) else gather(clips, recipe, progress.part(0.0, 0.3), prepared)
    rate = rows.inputs.clips[0].rate
    seconds = recipe.seconds or LONGER * rows.seconds()
    path = _path(recipe)
    way = _choose_length(rows, clips, recipe, round(seconds * rate), progress.part(0.3, 0.8))
    wished = way.wished
    runs = playing.runs_of(rows, way.chosen, way.found)
    times, moved = wishes.times(rows, wished, way.chosen.rows, loop=recipe.loop)
    edges = np.array([frame / rows.step for one in wished.stretches for frame in (one.at, one.at + one.count)])
    played = playing.play(rows, runs, way.found, times, edges)
    progress.at(0.8, "Measuring")
    clip, planted, apart, (shifted, told) = _finish_clip(played, recipe, wished, path)
    clip = replace(clip, name=recipe.result_name([_name(rows)]), cyclic=recipe.loop)
    report = _report(rows, way, played, clip, began) | planted.report
    if isinstance(prepared, MotionGraph) and "units" in prepared.report:
        report["units"] = prepared.report["units"]
    report["walk"] |= {
        "keys": [
            {"seconds": key.seconds, "frame": key.at, "apart_degrees": round(far, 3), "moved_s": round(float(by), 4)}
            for key, far, by in zip(wished.keys, apart, moved, strict=True)
        ],
        "shifted": round(shifted, 4),
    }
    report["warnings"] += [
        f"the key at {key.seconds:g} s is {far:.0f}° from what the action does there"
        for key, far in zip(wished.keys, apart, strict=True)
        if far > FAR
    ]
    report["warnings"] += [*told, *_suggest_others(rows, played, shifted, report["walk"]["transitions"])]
    if recipe.loop and abs(clip.seconds - seconds) > 0.05 * seconds:
        report["warnings"].append(f"no loop takes {seconds:g} s: it takes {clip.seconds:.1f} s")
    report["warnings"] += _describe_shares(rows, recipe, way, report["walk"])
    report["warnings"] += _describe_hardness(rows, way, runs, clip, report["walk"])
    report["seconds_taken"] = round(time.perf_counter() - began, 4)
    places = root_motion.ground_frames(clip)[0] @ np.array([1.0, 1j])
    restore = partial(bridging.restore, clip=clip, keys=wished.keys, stretches=wished.stretches)
    return VariedResult(clip, report, 0, rows.inputs, played.origin, places, restore)


def _name(rows: Source) -> str:
    return graph_name([clip.name for clip in rows.inputs.clips[: rows.inputs.given]])


def _choose_length(rows: Source, clips: Sequence[Clip], recipe: Walk, count: int, progress: Progress) -> _Way:
    """Return the rows of a variation of `count` frames after the first; a loop may be longer or shorter.

    Raises GraphError, and the errors of `wishes.read` and `limits.check_size`.
    """
    first, refused = rows.inputs.clips[0], None
    for share in LENGTHS if recipe.loop and not (recipe.poses or recipe.verbatim) else LENGTHS[:1]:
        frames = max(round(share * count), 1) + 1
        if recipe.loop:  # whole rows, so that the last frame shows the first row
            frames = max(round((frames - 1) / rows.step), 2) * rows.step + 1
        limits.check_size(first.name, frames, len(first.skeleton))
        wished = wishes.read(rows, clips, frames, recipe.poses, recipe.verbatim)
        try:
            return _choose(rows, recipe, wished, progress)
        except GraphError as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _choose(rows: Source, recipe: Walk, wished: Wishes, progress: Progress) -> _Way:
    """Return the rows of a variation, with the shortest jumps that lead to its end."""
    shares = _shares(rows, recipe)
    count = int(np.ceil((wished.frames - 1) / rows.step)) + (0 if recipe.loop else 1)
    asked, pinned = wishes.limits(rows, wished, count, hold=recipe.hold, loop=recipe.loop)
    if recipe.variation > 0.0 and not recipe.loop:  # each seed begins at another row after which enough rows follow
        short = recipe.variation == 1.0 and rows.seconds() < BRIEF  # otherwise seeds of a short source hardly differ
        asked = replace(
            asked,
            first=recipe.seed * guide.GOLDEN % 1.0 * _begin_within(rows, count),
            pull=FREE if count < len(rows) or short else 1.0,
        )
    made = arranging.arrange(
        rows, count, asked, pinned, shares,
        variation=recipe.variation, seed=recipe.seed, nearest=recipe.threshold,
        at=lambda share: progress.at(share, SEARCHING),
    )  # fmt: skip
    if made is not None:
        return _Way(*made, wished, shares)
    raise GraphError(
        f"{_name(rows)}: no way leads on for {(wished.frames - 1) / rows.inputs.clips[0].rate:g} s; add actions that"
        " are alike, or ask for less"
    )


def _begin_within(rows: Source, count: int) -> float:
    """Return the number of first rows of the source among which a variation of `count` rows may begin."""
    once = len(np.unique(rows.same))
    if once < len(rows):  # a repeated cycle can begin at any of its rows
        return once
    if count < once:
        return len(rows) - count
    return (EARLY if rows.seconds() < BRIEF else 1.0) * once


def _shares(rows: Source, recipe: Walk) -> Array:
    """Return the share (K,) of the result that each prepared clip gets; raises OptionError."""
    given, count = rows.inputs.given, len(rows.inputs.clips)
    lengths = np.bincount(rows.clip[np.unique(rows.same)], minlength=count).astype(float)
    if recipe.shares:
        wanted = np.concatenate([np.array(row) for row in recipe.shares])
        if len(wanted) != given or not wanted.any():
            raise wrong_count("shares", int((wanted > 0.0).sum()), given)
        lengths *= np.tile(wanted / lengths[:given], count // given)
    if recipe.label_filter:
        lengths *= [label == recipe.label_filter for label in rows.inputs.labels]
        if not lengths.any():
            raise no_label(recipe.label_filter, rows.inputs.labels)
    return np.asarray(lengths / lengths.sum())


def _path(recipe: Walk) -> GroundPath | None:
    """Return the path to follow, None without one; raises OptionError for a path that does not fit other options."""
    if len(recipe.way) == 1 and len(recipe.way[0]) != 3:
        raise wrong_rows("way", "x", "y", "degrees")
    if len(recipe.way) < 2:
        return None
    if recipe.verbatim:
        raise both_given("verbatim", "path")
    return ground_path.through(recipe.way, closed=False)


def _finish_clip(
    played: Played, recipe: Walk, wished: Wishes, path: GroundPath | None
) -> tuple[Clip, planting.Outcome, list[float], tuple[float, list[str]]]:
    """Return the played clip led through keys and to its end, with planted feet, and the outcome of planting.

    Also returns the correction at each key, degrees, the shift of the path, metres, and sentences.
    """
    clip = replace(played.clip, cyclic=recipe.loop)
    clip, apart = bridging.through_keys(clip, wished.keys, wished.stretches)
    shifted, told = 0.0, list[str]()
    if path is None and recipe.way:
        clip, shifted = bridging.to_end(clip, recipe.way[0], wished.stretches)
    if path is not None:
        clip, gone, slips = bridging.lead_along(clip, path)
        shifted = slips if slips > SLIPS * clip.seconds else 0.0
        if abs(gone - path.length) > MISSED:
            told = [
                f"it goes {gone:.1f} m, and the path is {path.length:.1f} m long: give it another time, or another"
                " path; beyond its end it goes straight on"
            ]
    one = len(played.runs) == 1 and not (wished.keys or recipe.way)
    planted, outcome = planting.of_result(clip, recipe, one_source=one)
    planted = bridging.restore(planted, clip, wished.keys, wished.stretches)
    if path is None and recipe.way:
        planted, _ = bridging.to_end(planted, recipe.way[0], wished.stretches)
    return planted, outcome, apart, (shifted, told)


def _report(rows: Source, way: _Way, played: Played, clip: Clip, began: float) -> dict[str, Any]:
    """Return the report of a variation: the keys of all walks, and its own."""
    ready, found = rows.inputs, way.found
    seams = [run for run in played.runs[1:] if not found.cycles[run.jump]]
    names = [one.name for one in ready.clips[: ready.given]]
    used = np.unique(played.origin.clip % ready.given)
    after = quality.measure(clip)
    return {
        "verb": "walk",
        "inputs": names,
        "names": names,
        "output": clip.name,
        "frames": len(clip),
        "rate": clip.rate,
        "heading": root_motion.heading_source(clip.skeleton),
        "graph": {"frames": sum(map(len, ready.clips)), "transitions": len(found)},
        "pieces": _pieces(rows, played, found),
        "dropped": frame_map.as_report(ready.left_out),
        "quality": {"before": [quality.measure(ready.clips[k]) for k in used], "after": after},
        "walk": {
            "transitions": len(seams),
            "worst_cm": round(100.0 * max((float(found.distance[run.jump]) for run in seams), default=0.0), 2),
            "used": round(_measure_use(rows, way.chosen, way.shares), 4),
            "length": after["path_m"],
        },
        "warnings": list(ready.sentences),
        "seconds_taken": round(time.perf_counter() - began, 4),
    }


def _suggest_others(rows: Source, played: Played, shifted: float, seams: int) -> list[str]:
    """Return sentences that suggest another place or another verb."""
    told = []
    if shifted > SHIFTED * rows.unit:
        told.append(
            f"its way lies {shifted:.1f} m from where its own steps lead: feet may slide; choose a nearer place, or let"
            " Follow Path choose the steps"
        )
    if not seams and all(rows.inputs.frame_maps[k].cycle for k in np.unique(played.origin.clip)):
        told.append(f"{_name(rows)} only repeats: Restyle changes its manner, and Follow Path its way")
    return told


def _describe_shares(rows: Source, recipe: Walk, way: _Way, own: dict[str, Any]) -> list[str]:
    """Return a sentence for each clip with much less than the share asked for; report all shares."""
    given = rows.inputs.given
    gone = np.bincount(rows.clip[way.chosen.rows] % given, minlength=given) / len(way.chosen.rows)
    wanted = way.shares.reshape(-1, given).sum(axis=0)
    names = [clip.name for clip in rows.inputs.clips[:given]]
    own["shares"] = {name: round(float(share), 3) for name, share in zip(names, gone, strict=True)}
    return [
        f"{name} has {100.0 * got:.0f} % of the result, not {100.0 * share:.0f} %: its poses are unlike the others'"
        for name, got, share in zip(names, gone, wanted, strict=True)
        if (got < share - OFF if recipe.shares else got == 0.0 < share)
    ]


def _describe_hardness(rows: Source, way: _Way, runs: Sequence[Run], clip: Clip, own: dict[str, Any]) -> list[str]:
    """Return a sentence on the hardest place at a seam or a key, if any is harder than the source; report all."""
    stretch = (len(clip) - 1) / max(len(way.chosen.rows) - 1, 1) if clip.cyclic else rows.step
    seams = [round((run.first - 1) * stretch) for run in runs[1:] if not way.found.cycles[run.jump]]
    places = [(frame, AROUND_SEAM) for frame in seams] + [(key.at, AROUND_KEY) for key in way.wished.keys]
    hard = hardness.usual(rows.inputs.clips[: rows.inputs.given])
    found = hardness.find_hardest(hardness.accelerations(clip), places, clip.rate, hard)
    own["seams"] = [[frame, round(times, 2)] for frame, (_, times) in zip(seams, found, strict=False)]
    worst = max(found, key=lambda one: one[1], default=(0, 0.0))
    if worst[1] <= hardness.SEEN:
        return []
    return [
        f"{clip.name}: the body is moved {worst[1]:.1f} times as hard as in the sources at frame {worst[0]}: look there"
    ]


def _measure_use(rows: Source, chosen: Chosen, shares: Array) -> float:
    """Return the played share of the rows of wanted clips, each cycle once."""
    once = np.unique(rows.same)
    once = once[shares[rows.clip[once]] > 0.0]
    return float(np.isin(once, rows.same[chosen.rows]).mean())


def _pieces(rows: Source, played: Played, found: Jumps) -> list[dict[str, Any]]:
    """Return the stretches of a variation in order, in frames of the given clips."""
    origin, ready, pieces = played.origin, rows.inputs, []
    for k, run in enumerate(played.runs):
        at = np.flatnonzero(origin.piece == k)
        if len(at) == 0:
            continue
        clip = int(origin.clip[at[0]])
        first, last = (ready.frame_maps[clip].given_frame(int(origin.frame[j])) for j in (at[0], at[-1]))
        piece = {"at": int(at[0]), "clip": ready.clips[clip].name, "frames": [first, last]}
        if run.jump >= 0:
            piece["distance"] = round(float(found.distance[run.jump]), 5)
        pieces.append(piece)
    return pieces
