"""A walk through a motion graph along a drawn path, and the same again along one that was changed.

Method: Following a drawn path.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import GraphError, PathError, some
from ...graph import assemble, beam, build, edge_table, ground_path, ground_tracks, spreading, turning, walk_result
from ...graph.assemble import AssembledWalk, WalkPiece
from ...graph.beam import BestWalk, Start
from ...graph.edge_table import EdgeTable
from ...graph.ground_path import GroundPath
from ...graph.motion_graph import MotionGraph
from ...motion import root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...options import declared
from ...progress import SILENT, Progress
from ...weave import add_root_motion, planting
from ...weave.seam import held
from . import ON_THE_WAY, Follow, routes, upper_body_overlay
from .result import FollowResult, Search
from .upper_body_overlay import Stretch

# Lengths of a body that is 1.7 m tall; those of others are in proportion (see `edge_table.unit`).
FAR = 0.5  # m from the path; over it the user should know
BEFORE = 0.5  # m before the first change of a path from which it is walked anew
SETTLING = 0.3  # s in which a walk that goes on from an earlier one loses what was spread and planted otherwise


def follow(
    clips: Sequence[Clip], recipe: Follow, progress: Progress = SILENT, graph: MotionGraph | None = None
) -> FollowResult:
    """Return a walk that begins at the start of the path, facing along it, and keeps to it as well as the clips can.

    clips : what the graph is made of, and the actions of stretches; graph : of the clips, if it was built before
    Raises OptionError for a path that is none, and GraphError for clips that walk on the spot and for a path that can't
    be followed within 1.5 m: it says where, and how tightly the clips turn.
    """
    drawn = _drawn(recipe)  # before the work: a path that is none is said at once
    graph = build.of_walk(clips, recipe, progress.part(0.0, 0.5), graph)
    progress, began = progress.part(0.5, 1.0), time.perf_counter()
    _refuse_standing(graph)
    graph = graph if graph.follows == recipe.follows else replace(graph, follows=recipe.follows)
    stretches = upper_body_overlay.read_stretches(recipe, clips, graph.clips[0])
    walk, sentences = routes.read(graph, recipe), []
    search = None
    if walk is None:
        sentences = [routes.GONE] if recipe.route else []
        bends = np.radians([0.0, -recipe.bend, recipe.bend]) if recipe.bend else np.zeros(1)
        steps = edge_table.tabulate(graph, graph.farthest(recipe.label_filter), bends)
        search = _searched(graph, recipe, steps, None, progress.part(0.0, 0.8))
        walk = _pieces(graph, search)
    way = _Way(graph, recipe, drawn, _drawn(recipe, edge_table.unit(graph)), walk, search)
    return _walked(way, stretches, None, sentences, began, progress.part(0.8, 1.0))


def again(before: FollowResult, clips: Sequence[Clip], recipe: Follow, progress: Progress = SILENT) -> FollowResult:
    """Return the walk of an earlier one along a path that was changed, or with other actions on the way.

    It is walked anew from 0.5 m before the first change of the path; frames before that are the same. Where no walk
    goes on from there, and where more than path and actions were changed, it is a walk of its own. Raises what `follow`
    does.
    """
    began, graph, earlier = time.perf_counter(), before.graph, before.search
    if earlier is None or not _differs_on_the_way_alone(before.recipe, recipe):
        return follow(clips, recipe, progress, graph)
    drawn, unit = _drawn(recipe), earlier.steps.unit
    stretches = upper_body_overlay.read_stretches(recipe, clips, graph.clips[0], known=before.stretches)
    sized = _drawn(recipe, unit)
    change = earlier.path.first_change(sized)
    state = int(np.searchsorted(earlier.found.rows[:, 3], change - BEFORE / unit, side="right")) - 1
    search = earlier
    if np.isfinite(change):
        if state < 1:
            return follow(clips, recipe, progress, graph)
        try:
            search = _searched(graph, recipe, earlier.steps, (earlier.found, state), progress.part(0.0, 0.8))
        except PathError:
            return follow(clips, recipe, progress, graph)
    gone = earlier.found.edges[: earlier.found.at[state]] if np.isfinite(change) else earlier.found.edges
    kept = int(graph.lengths[earlier.steps.edges[gone]].sum())
    way = _Way(graph, recipe, drawn, sized, _pieces(graph, search), search)
    return _walked(way, stretches, (before, kept), [], began, progress.part(0.8, 1.0))


@dataclass(frozen=True, eq=False)
class _Way:
    """A walk that was found for a path, and that path in metres and in units of a search."""

    graph: MotionGraph
    recipe: Follow
    drawn: GroundPath
    sized: GroundPath
    walk: list[WalkPiece]
    search: Search | None


def _drawn(recipe: Follow, unit: float = 1.0) -> GroundPath:
    return ground_path.through(recipe.path, closed=recipe.closed, unit=unit, climbing=recipe.climbing)


def _differs_on_the_way_alone(one: Follow, other: Follow) -> bool:
    """Say whether two recipes differ in their paths and what is done on them, and in nothing else."""
    return all(getattr(one, name) == getattr(other, name) for name in declared(Follow) if name not in ON_THE_WAY)


def _searched(
    graph: MotionGraph,
    recipe: Follow,
    steps: EdgeTable,
    earlier: tuple[BestWalk, int] | None,
    progress: Progress,
) -> Search:
    """The walk along a path; with `earlier`, from a state of an earlier walk on. Raises PathError with a hint."""
    sized = _drawn(recipe, steps.unit)
    start = None
    if earlier is not None:
        found, state = earlier
        start = Start(found.nodes[state : state + 1], found.rows[state : state + 1])
    try:
        made = beam.search(
            steps,
            sized,
            fidelity=recipe.fidelity,
            speed=recipe.speed / steps.unit,
            horizon=recipe.horizon / steps.unit,
            start=start,
            progress=progress,
        )
    except PathError as error:
        hint = turning.hint(steps, recipe.bend, sized) + _guessed(graph)
        raise PathError(f"{graph.name}: {error}; {hint}", error.place) from None
    return Search(steps, sized, made if earlier is None else earlier[0].followed_by(earlier[1], made))


def _pieces(graph: MotionGraph, search: Search) -> list[WalkPiece]:
    steps, found = search.steps, search.found
    return assemble.pieces(graph, steps.edges[found.edges], steps.bends[found.bends] / steps.unit)


def _walked(
    way: _Way,
    stretches: list[Stretch],
    before: tuple[FollowResult, int] | None,
    sentences: list[str],
    began: float,
    progress: Progress,
) -> FollowResult:
    """The walk as a clip: put together, spread, planted, and with actions on it.

    before : what it goes on from, and after how many frames
    """
    graph, recipe, drawn = way.graph, way.recipe, way.drawn
    progress.at(0.0, "Putting the walk together")
    whole = assemble.assemble(graph, way.walk, drawn.places[0], float(way.sized.facing[0]), float(drawn.heights[0]))
    walked, gone = _until(whole, drawn.length)
    off, higher = np.abs(walked.places - drawn.at(gone)), drawn.height_at(gone) - walked.climbed
    if recipe.spread > 0.0:
        spread, moved, lifted = spreading.spread(walked.clip, drawn.at(gone) - walked.places, higher, recipe.spread)
        walked = replace(walked, clip=spread, places=walked.places + moved, climbed=walked.climbed + lifted)
    of_one = assemble.of_one_clip(walked) and recipe.spread == 0.0
    named = replace(walked.clip, name=recipe.result_name([graph.name]))
    plain, planted = planting.of_result(named, recipe, one_source=of_one)
    if before is not None:
        plain = held.going_on(before[0].plain, plain, before[1], round(SETTLING * plain.rate))
    progress.at(0.5, "Splicing in what the path carries" if stretches else "Measuring")
    made, carries = upper_body_overlay.overlaid(plain, np.minimum(gone / drawn.length, 1.0), stretches)
    walked = replace(walked, clip=made)
    report = walk_result.report("follow", graph, walked, way.walk, began) | planted.report
    real = ground_tracks.ground_tracks_of([made], follows=recipe.follows).ground
    report["warnings"] += sentences + [say for one in carries for say in one.pop("warnings")]
    report["follow"] = _figures(way, walked, real, gone, off) | {
        "slide": report["quality"]["after"]["slide_cm_s"],
        "kept_frames": 0 if before is None else min(before[1], len(made)),
        "carries": carries,
    }
    report["warnings"] += _warnings(way, off, gone)
    report["seconds_taken"] = round(time.perf_counter() - began, 4)
    return FollowResult(
        made, report, 0, graph, walked.origin, real, drawn, gone, recipe, way.search, tuple(stretches), plain
    )


def _figures(way: _Way, walked: AssembledWalk, real: NDArray[np.complex128], gone: Array, off: Array) -> dict[str, Any]:
    """What the report says of how near the walk is to the path; off (F,) : before what was left was spread."""
    away = np.abs(real - way.drawn.at(gone))
    worst = int(np.argmax(away))
    return {
        "rms": round(_rms(away), 4),
        "max": round(float(away[worst]), 4),
        "max_at": round(float(gone[worst]), 3),
        "max_frame": worst,
        "rms_before_spread": round(_rms(off), 4),
        "max_before_spread": round(float(off.max()), 4),
        "length": round(way.drawn.length, 4),
        "height_off_max": round(float(np.abs(walked.climbed - way.drawn.height_at(gone)).max()), 4),
        "transitions": sum(
            piece.edge >= 0 and bool((walked.origin.piece == k).any()) for k, piece in enumerate(way.walk)
        ),
        "bent_share": round(float((walked.origin.bend != 0.0).mean()), 4),
        "searched": 0 if way.search is None else way.search.found.searched,
        "route": routes.rows(way.graph, way.walk),
    }


def _refuse_standing(graph: MotionGraph) -> None:
    """Raise GraphError for a graph that leads nowhere since its clips walk on the spot."""
    given = graph.clips[: graph.inputs.given]
    if any(add_root_motion.travels(clip) for clip in given):
        return
    walking = [clip.name for clip in given if add_root_motion.walks_on_the_spot(clip)]
    if walking:
        raise GraphError(f"{graph.name}: these clips walk on the spot: give them travel first ({some(walking)})")


def _until(walked: AssembledWalk, length: float) -> tuple[AssembledWalk, Array]:
    """The walk up to the end of the path, and how far it has come at each of its frames."""
    gone = edge_table.lengths(walked.places)
    end = min(int(np.searchsorted(gone, length)) + 1, len(gone))
    return walked.cut(end), gone[:end]


def _rms(away: Array) -> float:
    return float(np.sqrt((away**2).mean()))


def _warnings(way: _Way, off: Array, gone: Array) -> list[str]:
    """What is to be said of a walk that is so far off (F,) where it has gone so far (F,), metres."""
    worst = int(np.argmax(off))
    if off[worst] <= FAR * way.sized.unit:
        return []
    note = f"the walk is {off[worst]:.2f} m off the path at {gone[worst]:.1f} of {way.drawn.length:.1f} m"
    if way.search is None:
        return [note]
    return [f"{note}; {turning.hint(way.search.steps, way.recipe.bend, way.sized)}"]


def _guessed(graph: MotionGraph) -> str:
    """What is to be said of a body of which it is not known which way it faces."""
    source = root_motion.heading_source(graph.clips[0].skeleton)
    return (
        "" if source == "thighs" else f"; no thighs are known, so {source} is taken to face +Y at rest: name the thighs"
    )
