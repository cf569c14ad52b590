"""Follow a drawn path with a walk through a motion graph, and update the walk after the path was edited.

Method: Following a drawn path.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import GraphError, PathError, some
from ...graph import assemble, beam, build, edge_table, ground_path, ground_tracks, spreading, turning, walk_result
from ...graph.assemble import AssembledWalk, Origin, WalkPiece
from ...graph.beam import BestWalk, Start
from ...graph.edge_table import EdgeTable
from ...graph.ground_path import GroundPath
from ...graph.motion_graph import MotionGraph
from ...motion import root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...options import declared_options
from ...progress import SILENT, Progress
from ...weave import add_root_motion, planting
from ...weave.seam import held
from . import EDITABLE, Follow, ending, routes, upper_body_overlay
from .ending import Ended
from .result import FollowResult, Search
from .upper_body_overlay import Stretch

# Lengths for a body height of 1.7 m; they scale with the body (see `edge_table.unit`).
FAR = 0.5  # m from the path; a larger distance gives a warning
BEFORE = 0.5  # m before the first change of a path where a new search starts
BEYOND = 1.001  # distance along the path, as a share of its length, of frames after its end
SETTLING = 0.3  # s over which offsets of spreading and planting fade where a walk continues an earlier one


def follow(
    clips: Sequence[Clip], recipe: Follow, progress: Progress = SILENT, graph: MotionGraph | None = None
) -> FollowResult:
    """Return a walk that starts at the start of the path, facing along it, and follows it within the clips' abilities.

    clips : for the graph and for stretches; graph : of the clips, if it was built before
    Raises OptionError for an impossible path, and GraphError for in-place clips and for a path that can't be followed
    within 1.5 m; the message names the place, and the sharpest turn of the clips.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Follow(path=((0, 0), (0, 3))), [actions.walk(cycles=2)])
        >>> result.report["follow"]["length"], result.report["follow"]["rms"] < 0.05
        (3.0, True)
    """
    drawn = _drawn_path(recipe)  # before the work, so that an impossible path is reported at once
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
        search = _search_walk(graph, recipe, steps, None, progress.part(0.0, 0.8))
        walk = _pieces(graph, search)
    routed = _Routed(graph, recipe, drawn, _drawn_path(recipe, edge_table.unit(graph)), walk, search)
    return _assemble_walk(routed, clips, stretches, None, sentences, began, progress.part(0.8, 1.0))


def again(before: FollowResult, clips: Sequence[Clip], recipe: Follow, progress: Progress = SILENT) -> FollowResult:
    """Update an earlier walk for an edited path or other actions on it.

    The search restarts 0.5 m before the first change of the path; earlier frames are unchanged. The whole path is
    searched if no walk continues from there, or if options other than path and actions changed. Raises as `follow`
    does.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.follow import work
        >>> clips = [actions.walk(cycles=2)]
        >>> result = verbs.apply(verbs.Follow(path=((0, 0), (0, 3))), clips)
        >>> longer = work.again(result, clips, replace(result.recipe, path=((0, 0), (0, 4))))
        >>> longer.report["follow"]["length"]
        4.0
    """
    began, graph, earlier = time.perf_counter(), before.graph, before.search
    if earlier is None or not _is_edit(before.recipe, recipe):
        return follow(clips, recipe, progress, graph)
    drawn, unit = _drawn_path(recipe), earlier.steps.unit
    stretches = upper_body_overlay.read_stretches(recipe, clips, graph.clips[0], known=before.stretches)
    sized = _drawn_path(recipe, unit)
    change = earlier.path.first_change(sized)
    state = int(np.searchsorted(earlier.found.rows[:, 3], change - BEFORE / unit, side="right")) - 1
    search = earlier
    if np.isfinite(change):
        if state < 1:
            return follow(clips, recipe, progress, graph)
        try:
            search = _search_walk(graph, recipe, earlier.steps, (earlier.found, state), progress.part(0.0, 0.8))
        except PathError:
            return follow(clips, recipe, progress, graph)
    gone = earlier.found.edges[: earlier.found.at[state]] if np.isfinite(change) else earlier.found.edges
    kept = int(graph.lengths[earlier.steps.edges[gone]].sum())
    routed = _Routed(graph, recipe, drawn, sized, _pieces(graph, search), search)
    return _assemble_walk(routed, clips, stretches, (before, kept), [], began, progress.part(0.8, 1.0))


@dataclass(frozen=True, eq=False)
class _Routed:
    """A walk found for a path, and the path in metres (`drawn`) and in units of the search (`sized`)."""

    graph: MotionGraph
    recipe: Follow
    drawn: GroundPath
    sized: GroundPath
    walk: list[WalkPiece]
    search: Search | None


def _drawn_path(recipe: Follow, unit: float = 1.0) -> GroundPath:
    return ground_path.through(recipe.path, closed=recipe.closed, unit=unit, climbing=recipe.climbing)


def _is_edit(before: Follow, after: Follow) -> bool:
    """Return whether two recipes differ only in their paths and the actions on them."""
    return all(
        getattr(before, name) == getattr(after, name) for name in declared_options(Follow) if name not in EDITABLE
    )


def _search_walk(
    graph: MotionGraph,
    recipe: Follow,
    steps: EdgeTable,
    earlier: tuple[BestWalk, int] | None,
    progress: Progress,
) -> Search:
    """Return the search for a walk; `earlier` continues from a state of that walk. Raises PathError with a hint."""
    sized = _drawn_path(recipe, steps.unit)
    start = None
    if earlier is not None:
        found, state = earlier
        start = Start(found.nodes[state : state + 1], found.rows[state : state + 1])
    try:
        result = beam.search(
            steps,
            sized,
            fidelity=recipe.fidelity,
            speed=recipe.speed / steps.unit,
            horizon=recipe.horizon / steps.unit,
            start=start,
            progress=progress,
        )
    except PathError as error:
        hint = turning.hint(steps, recipe.bend, sized) + _facing_hint(graph)
        raise PathError(f"{graph.name}: {error}: {hint}", error.place) from None
    return Search(steps, sized, result if earlier is None else earlier[0].followed_by(earlier[1], result))


def _pieces(graph: MotionGraph, search: Search) -> list[WalkPiece]:
    steps, found = search.steps, search.found
    return assemble.pieces(graph, steps.edges[found.edges], steps.bends[found.bends] / steps.unit)


def _assemble_walk(
    routed: _Routed,
    clips: Sequence[Clip],
    stretches: list[Stretch],
    before: tuple[FollowResult, int] | None,
    sentences: list[str],
    began: float,
    progress: Progress,
) -> FollowResult:
    """Return the walk as a clip: assembled, spread, planted, and overlaid with actions.

    before : an earlier walk to continue, and the number of its frames to keep
    """
    graph, recipe, drawn = routed.graph, routed.recipe, routed.drawn
    progress.at(0.0, "Making the result")
    facing = float(routed.sized.facing[0])
    whole = assemble.assemble(graph, routed.walk, drawn.places[0], facing, float(drawn.heights[0]))
    walked, gone = _until(whole, drawn.length)
    off, higher = np.abs(walked.places - drawn.at(gone)), drawn.height_at(gone) - walked.climbed
    if recipe.spread > 0.0:
        spread, moved, lifted = spreading.spread(walked.clip, drawn.at(gone) - walked.places, higher, recipe.spread)
        walked = replace(walked, clip=spread, places=walked.places + moved, climbed=walked.climbed + lifted)
    of_one = assemble.of_one_clip(walked) and recipe.spread == 0.0 and recipe.ending == "walk"
    walked = replace(walked, clip=replace(walked.clip, name=recipe.result_name([graph.name])))
    shares, ended = np.minimum(gone / drawn.length, 1.0), None
    if recipe.ending != "walk":
        known = None if before is None or before[0].ended is None else before[0].ended.stops
        ended = ending.end_walk(
            walked.clip, gone, complex(drawn.at(np.array([drawn.length]))[0]), graph, recipe, clips, known
        )
        walked, gone, off = _with_ending(walked, gone, off, drawn, ended)
        shares = np.append(shares[: ended.left], np.full(len(gone) - ended.left, 2.0))  # stretches end with the path
    plain, planted = planting.of_result(walked.clip, recipe, one_source=of_one, lift=ended is not None)
    if before is not None:
        kept = min(before[1], before[0].walked_frames, len(plain) if ended is None else ended.left)
        plain = held.with_beginning(before[0].plain, plain, kept, round(SETTLING * plain.rate))
    progress.at(0.5, "Measuring")
    result, carries = upper_body_overlay.overlaid(plain, shares, stretches)
    walked = replace(walked, clip=result)
    report = walk_result.report("follow", graph, walked, routed.walk, began) | planted.report
    real = ground_tracks.ground_tracks_of([result], follows=recipe.follows).ground
    if ended is not None:
        real[ended.left :] = drawn.at(gone[ended.left :])
        sentences = [*sentences, *ended.sentences]
        if recipe.ending != "action" and ending.is_mid_step(result, len(result) - 1, graph.clips[: graph.inputs.given]):
            sentences += [f"{result.name} stops in mid-step: add a clip that stands, or keep walking"]
    report["warnings"] += sentences + [warning for one in carries for warning in one.pop("warnings")]
    report["follow"] = _figures(routed, walked, np.abs(real - drawn.at(gone)), gone, off) | {
        "slide": report["quality"]["after"]["slide_cm_s"],
        "kept_frames": 0 if before is None else min(before[1], len(result)),
        "carries": carries,
        "ending": None if ended is None else ended.report,
    }
    report["warnings"] += _warnings(routed, off, gone, ended)
    report["seconds_taken"] = round(time.perf_counter() - began, 4)
    about = (graph, drawn, gone, recipe, routed.search, tuple(stretches), plain, ended)
    return FollowResult(result, report, 0, graph.inputs, walked.origin, real, *about)


def _with_ending(
    walked: AssembledWalk, gone: Array, off: Array, drawn: GroundPath, ended: Ended
) -> tuple[AssembledWalk, Array, Array]:
    """Return a walk with its ending, the metres of the path up to each frame, and the distance from it.

    The sources of the ending are unknown, and its places are the end of the path.
    """
    more = len(ended.clip) - ended.left
    at = np.full(more, BEYOND * drawn.length)
    lacking = {"share": 0.0, "bend": 0.0, "frame": 0, "other_frame": 0}
    walk = walked.cut(ended.left)
    origin = Origin(
        **{name: np.append(values, np.full(more, lacking.get(name, -1))) for name, values in vars(walk.origin).items()}
    )
    return (
        AssembledWalk(
            ended.clip,
            origin,
            np.append(walk.places, drawn.at(at)),
            np.append(walk.facing, np.full(more, walk.facing[-1])),
            np.append(walk.climbed, drawn.height_at(at)),
        ),
        np.append(gone[: ended.left], at),
        np.append(off[: ended.left], np.zeros(more)),
    )


def _figures(routed: _Routed, walked: AssembledWalk, away: Array, gone: Array, off: Array) -> dict[str, Any]:
    """Return the report on the walk's distance from the path: away (F,), and off (F,) before spreading."""
    drawn, search = routed.drawn, routed.search
    worst = int(np.argmax(away))
    return {
        "rms": round(_rms(away), 4),
        "max": round(float(away[worst]), 4),
        "max_at": round(float(gone[worst]), 3),
        "max_frame": worst,
        "rms_before_spread": round(_rms(off), 4),
        "max_before_spread": round(float(off.max()), 4),
        "length": round(drawn.length, 4),
        "height_off_max": round(float(np.abs(walked.climbed - drawn.height_at(gone)).max()), 4),
        "transitions": sum(
            piece.edge >= 0 and bool((walked.origin.piece == k).any()) for k, piece in enumerate(routed.walk)
        ),
        "bent_share": round(float((walked.origin.bend != 0.0).mean()), 4),
        "searched": 0 if search is None else search.found.searched,
        "route": routes.rows(routed.graph, routed.walk),
    }


def _refuse_standing(graph: MotionGraph) -> None:
    """Raise GraphError for a graph of in-place clips, which can't follow a path."""
    given = graph.clips[: graph.inputs.given]
    if not any(add_root_motion.travels(clip) for clip in given):
        names = some([clip.name for clip in given])
        raise GraphError(
            f"{graph.name}: no clip travels ({names}): add one that walks ahead, or give travel to one on the spot"
        )


def _until(walked: AssembledWalk, length: float) -> tuple[AssembledWalk, Array]:
    """Return the walk up to the end of the path, and the distance travelled (m) at each of its frames."""
    gone = edge_table.lengths(walked.places)
    end = min(int(np.searchsorted(gone, length)) + 1, len(gone))
    return walked.cut(end), gone[:end]


def _rms(away: Array) -> float:
    return float(np.sqrt((away**2).mean()))


def _warnings(routed: _Routed, off: Array, gone: Array, ended: Ended | None) -> list[str]:
    """Return a warning if the walk is far from the path; off, gone (F,) : its distance from it and along it, m."""
    worst, length = int(np.argmax(off)), routed.drawn.length
    short = 0.0 if ended is None else abs(ended.report.get("off_end", 0.0))
    if max(off[worst], short) <= FAR * routed.sized.unit:
        return []
    if short > off[worst]:
        return [f"the walk is {short:.2f} m off the path at {length:.1f} of {length:.1f} m"]
    note = f"the walk is {off[worst]:.2f} m off the path at {gone[worst]:.1f} of {length:.1f} m"
    if routed.search is None:
        return [note]
    return [f"{note}; {turning.hint(routed.search.steps, routed.recipe.bend, routed.sized)}"]


def _facing_hint(graph: MotionGraph) -> str:
    """Return a hint for a body without known thighs, whose facing is a guess, or ""."""
    source = root_motion.heading_source(graph.clips[0].skeleton)
    return (
        "" if source == "thighs" else f"; no thighs are known, so {source} is taken to face +Y at rest: name the thighs"
    )
