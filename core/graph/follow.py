"""A walk through a motion graph along a drawn path (methods 9)."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import GraphError, PathError, some
from ..motion import root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..recipes.graph import Follow
from ..weave import give_travel, planting
from . import assemble, beam, build, edge_table, ground_path, ground_tracks, spreading, upper_body_overlay, walk_result
from .assemble import AssembledWalk
from .edge_table import EdgeTable
from .ground_path import GroundPath
from .motion_graph import MotionGraph
from .walk_result import FollowResult

# Lengths of a body that is 1.7 m tall; those of others are in proportion (see `edge_table.unit`).
FAR = 0.5  # m from the path; over it the user should know
TRIED = (8.0, 6.0, 5.0, 4.0, 3.0, 2.5, 2.0, 1.5, 1.0)  # m; radii of circles that a graph may follow
NEAR = 0.25  # m; a circle is followed where the walk is never further off
HARDLY = "these clips hardly turn"
HALF_ROUND = np.linspace(0.0, np.pi, 40)


def follow(
    clips: Sequence[Clip], recipe: Follow, progress: Progress = SILENT, graph: MotionGraph | None = None
) -> FollowResult:
    """Return a walk that begins at the start of the path, facing along it, and keeps to it as well as the clips can.

    clips : what the graph is made of, and the actions of stretches; graph : of the clips, if it was built before
    Raises OptionError for a path that is none, and GraphError for clips that walk on the spot and for a path that can't
    be followed within 1.5 m: it says where, and how tightly the clips turn.
    """
    drawn = ground_path.through(
        recipe.path, closed=recipe.closed
    )  # before the work: a path that is none is said at once
    graph = build.of_walk(clips, recipe, progress.part(0.0, 0.5), graph)
    progress, began = progress.part(0.5, 1.0), time.perf_counter()
    _refuse_standing(graph)
    stretches = upper_body_overlay.read_stretches(recipe, clips, graph.clips[0])
    bends = np.radians([0.0, -recipe.bend, recipe.bend]) if recipe.bend else np.zeros(1)
    steps = edge_table.tabulate(graph, graph.farthest(recipe.label_filter), bends)
    sized = ground_path.through(recipe.path, closed=recipe.closed, unit=steps.unit)
    try:
        found = beam.search(
            steps,
            sized,
            fidelity=recipe.fidelity,
            speed=recipe.speed / steps.unit,
            horizon=recipe.horizon / steps.unit,
            progress=progress.part(0.0, 0.8),
        )
    except PathError as error:
        hint = _turning(steps, recipe.bend, sized) + _guessed(graph)
        raise PathError(f"{graph.name}: {error}; {hint}", error.place) from None
    progress.at(0.8, "Putting the walk together")
    walk = assemble.pieces(graph, steps.edges[found.edges], steps.bends[found.bends] / steps.unit)
    walked, gone = _until(assemble.assemble(graph, walk, drawn.places[0], float(sized.facing[0])), drawn.length)
    before = np.abs(walked.places - drawn.at(gone))
    if recipe.spread > 0.0:
        spread, way = spreading.spread(walked.clip, drawn.at(gone) - walked.places, recipe.spread)
        walked = replace(walked, clip=spread, places=walked.places + way)
    name = recipe.result_name([graph.name])
    progress.at(0.9, "Splicing in what the path carries" if stretches else "Measuring")
    made, carries = upper_body_overlay.overlaid(walked.clip, np.minimum(gone / drawn.length, 1.0), stretches)
    of_one = assemble.of_one_clip(walked) and recipe.spread == 0.0
    made, planted = planting.of_result(replace(made, name=name), recipe, one_source=of_one)
    walked = replace(walked, clip=made)
    real = ground_tracks.ground_tracks_of([walked.clip]).ground
    away = np.abs(real - drawn.at(gone))
    report = walk_result.report("follow", graph, walked, walk, began) | planted.report
    report["warnings"] += [say for one in stretches if one.carried is not None for say in one.carried.sentences]
    report["follow"] = {
        "rms": round(_rms(away), 4),
        "max": round(float(away.max()), 4),
        "max_at": round(float(gone[np.argmax(away)]), 3),
        "rms_before_spread": round(_rms(before), 4),
        "max_before_spread": round(float(before.max()), 4),
        "slide": report["quality"]["after"]["slide_cm_s"],
        "length": round(drawn.length, 4),
        "transitions": sum(piece.edge >= 0 and bool((walked.origin.piece == k).any()) for k, piece in enumerate(walk)),
        "bent_share": round(float((walked.origin.bend != 0.0).mean()), 4),
        "searched": found.searched,
        "carries": carries,
    }
    report["warnings"] += _warnings(before / steps.unit, gone / steps.unit, sized, steps, recipe.bend)
    report["seconds_taken"] = round(time.perf_counter() - began, 4)
    return FollowResult(walked.clip, report, 0, graph, walked.origin, real, drawn, gone)


def _refuse_standing(graph: MotionGraph) -> None:
    """Raise GraphError for a graph that leads nowhere since its clips walk on the spot."""
    given = graph.clips[: graph.inputs.given]
    if any(give_travel.travels(clip) for clip in given):
        return
    walking = [clip.name for clip in given if give_travel.walks_on_the_spot(clip)]
    if walking:
        raise GraphError(f"{graph.name}: these clips walk on the spot: give them travel first ({some(walking)})")


def _until(walked: AssembledWalk, length: float) -> tuple[AssembledWalk, Array]:
    """The walk up to the end of the path, and how far it has come at each of its frames."""
    gone = edge_table.lengths(walked.places)
    end = min(int(np.searchsorted(gone, length)) + 1, len(gone))
    return walked.cut(end), gone[:end]


def _rms(away: Array) -> float:
    return float(np.sqrt((away**2).mean()))


def _warnings(away: Array, gone: Array, path: GroundPath, steps: EdgeTable, bend: float) -> list[str]:
    """What is to be said of a walk that is so far away where it has gone so far; lengths in units of the path."""
    worst = int(np.argmax(away))
    if away[worst] <= FAR:
        return []
    off, at, length = (path.unit * value for value in (away[worst], gone[worst], path.length))
    return [f"the walk is {off:.2f} m off the path at {at:.1f} of {length:.1f} m; {_turning(steps, bend, path)}"]


def _guessed(graph: MotionGraph) -> str:
    """What is to be said of a body of which it is not known which way it faces."""
    source = root_motion.heading_source(graph.clips[0].skeleton)
    return (
        "" if source == "thighs" else f"; no thighs are known, so {source} is taken to face +Y at rest: name the thighs"
    )


def _turning(steps: EdgeTable, bend: float, path: GroundPath) -> str:
    """What is to be said of how tightly a graph can turn, and a path in its units does."""
    radius, where = path.tightest()
    can = tightest(steps)
    turns = (
        "these clips do not even go straight on"
        if can is None
        else (f"these clips can turn with a radius of {can * path.unit:.2g} m" if np.isfinite(can) else HARDLY)
    )
    if can is None or not np.isfinite(radius) or radius >= can:
        return turns
    enough = np.degrees(1.0 / max(radius, 0.2))
    more = f", or a bend of {enough:.0f} degrees a metre" if bend < enough <= 45.0 else ""
    radius, where = radius * path.unit, where * path.unit
    return (
        f"{turns}, and the path's is {radius:.1f} m at {where:.1f} m: draw it wider, or give the graph clips that "
        f"turn{more}"
    )


def tightest(steps: EdgeTable) -> float | None:
    """Return the smallest radius (in units of the table) of some that its walks can turn with, to both sides.

    That is, half a circle is followed within 0.25 m. Infinite where none is, None where not even a line is.
    """
    if not _keeps_to(steps, [(0.0, 0.0), (0.0, 4.0)]):
        return None
    low, high = 0, len(TRIED)  # the radii before `low` can be turned with, those from `high` on can't
    while low < high:
        middle = (low + high) // 2
        if all(_keeps_to(steps, _half_circle(TRIED[middle], side)) for side in (-1.0, 1.0)):
            low = middle + 1
        else:
            high = middle
    return TRIED[low - 1] if low else float("inf")


def _half_circle(radius: float, side: float) -> list[list[float]]:
    points = np.column_stack([side * radius * (1.0 - np.cos(HALF_ROUND)), radius * np.sin(HALF_ROUND)])
    return [[float(x), float(y)] for x, y in points]


def _keeps_to(steps: EdgeTable, points: Sequence[Sequence[float]]) -> bool:
    """Say whether a walk stays near a path."""
    try:
        path = ground_path.through(points, closed=False)
        beam.search(steps, path, fidelity=0.0, bent=0.0, width=beam.WIDTH // 2, widest=NEAR)
    except GraphError:
        return False
    return True
