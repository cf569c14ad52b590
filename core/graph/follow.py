"""A walk through a motion graph along a drawn path (methods 9; Kovar 2002; seed 001)."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import GraphError
from ..motion import trajectory
from ..motion.clip import Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..recipes import Follow
from . import assemble, beam, carried, path, tracks, travelled, ways
from .assemble import Walked
from .graph import Graph
from .path import Path
from .tracks import Steps
from .travelled import Followed

FAR = 0.5  # m from the path; over it the user should know
TRIED = (8.0, 6.0, 5.0, 4.0, 3.0, 2.5, 2.0, 1.5, 1.0)  # m; radii of circles that a graph may follow
NEAR = 0.25  # m; a circle is followed where the walk is never further off
HALF_ROUND = np.linspace(0.0, np.pi, 40)


def follow(graph: Graph, wanted: Follow, progress: Progress = SILENT, clips: Sequence[Clip] = ()) -> Followed:
    """Return a walk that begins at the start of the path, facing along it, and keeps to it as well as the clips can.

    clips : among which stretches of the path find their actions; see `Follow.stretches`
    Raises OptionError for a path that is none, and GraphError for one that can't be followed within 1.5 m: it says
    where, and how tightly the clips turn.
    """
    began = time.perf_counter()
    drawn = path.of(wanted.path, closed=wanted.closed)
    stretches = carried.stretches(wanted, clips, graph.clips[0])
    bends = np.radians([0.0, -wanted.bend, wanted.bend]) if wanted.bend else np.zeros(1)
    steps = tracks.tabulated(graph, graph.largest(wanted.among), bends)
    try:
        found = beam.search(
            steps,
            drawn,
            fidelity=wanted.fidelity,
            speed=wanted.speed,
            horizon=wanted.horizon,
            progress=progress.part(0.0, 0.8),
        )
    except GraphError as error:
        said = _turning(steps, wanted.bend, drawn) + _guessed(graph)
        raise GraphError(f"{graph.name}: {error}; {said}") from None
    progress.at(0.8, "Putting the walk together")
    walk = assemble.pieces(graph, steps.edges[found.edges], steps.bends[found.bends])
    walked, gone = _until(assemble.assemble(graph, walk, drawn.places[0], float(drawn.facing[0])), drawn.length)
    before = np.abs(walked.places - drawn.at(gone))
    if wanted.spread > 0.0:
        walked = _spread(walked, drawn, gone, wanted.spread)
    name = wanted.result_name([graph.name])
    progress.at(0.9, "Splicing in what the path carries" if stretches else "Measuring")
    made, carries = carried.carried(walked.clip, np.minimum(gone / drawn.length, 1.0), stretches)
    walked = replace(walked, clip=replace(made, name=name))
    real = ways.of([walked.clip]).ground
    away = np.abs(real - drawn.at(gone))
    told = travelled.report("follow", graph, walked, walk, began)
    told["follow"] = {
        "rms": round(_rms(away), 4),
        "max": round(float(away.max()), 4),
        "max_at": round(float(gone[np.argmax(away)]), 3),
        "rms_before_spread": round(_rms(before), 4),
        "max_before_spread": round(float(before.max()), 4),
        "slide": told["quality"]["after"]["slide_cm_s"],
        "length": round(drawn.length, 4),
        "transitions": sum(piece.edge >= 0 and bool((walked.origin.piece == k).any()) for k, piece in enumerate(walk)),
        "bent_share": round(float((walked.origin.bend != 0.0).mean()), 4),
        "searched": found.searched,
        "carries": carries,
    }
    told["warnings"] += _warnings(before, gone, drawn, steps, wanted)
    told["seconds_taken"] = round(time.perf_counter() - began, 4)
    return Followed(walked.clip, told, 0, graph, walked.origin, real, drawn, gone)


def _until(walked: Walked, length: float) -> tuple[Walked, Array]:
    """The walk up to the end of the path, and how far it has come at each of its frames."""
    gone = tracks.lengths(walked.places)
    end = min(int(np.searchsorted(gone, length)) + 1, len(gone))
    return walked.cut(end), gone[:end]


def _spread(walked: Walked, drawn: Path, gone: Array, sigma: float) -> Walked:
    """The walk moved onto the path by what is left between them, smoothed over so many seconds."""
    left = drawn.at(gone) - walked.places
    smooth = trajectory.smooth(np.column_stack([left.real, left.imag]), sigma * walked.clip.rate)
    clip = trajectory.placed(walked.clip, 0.0, smooth)
    return replace(walked, clip=clip, places=walked.places + smooth[:, 0] + 1j * smooth[:, 1])


def _rms(away: Array) -> float:
    return float(np.sqrt((away**2).mean()))


def _warnings(away: Array, gone: Array, drawn: Path, steps: Steps, wanted: Follow) -> list[str]:
    worst = int(np.argmax(away))
    if away[worst] <= FAR:
        return []
    return [
        f"the walk is {away[worst]:.2f} m off the path at {gone[worst]:.1f} of {drawn.length:.1f} m; "
        f"{_turning(steps, wanted.bend, drawn)}"
    ]


def _guessed(graph: Graph) -> str:
    """What is to be said of a body of which it is not known which way it faces."""
    told = trajectory.heading_source(graph.clips[0].skeleton)
    return "" if told == "thighs" else f"; no thighs are known, so {told} is taken to face +Y at rest: name the thighs"


def _turning(steps: Steps, bend: float, drawn: Path) -> str:
    """What is to be said of how tightly a graph can turn, and a path does."""
    radius, where = drawn.tightest()
    can = tightest(steps)
    turns = "these clips do not even go straight on" if can is None else (
        f"these clips can turn with a radius of {can:g} m" if np.isfinite(can) else "these clips hardly turn"
    )
    if can is None or not np.isfinite(radius) or radius >= can:
        return turns
    enough = np.degrees(1.0 / max(radius, 0.2))
    more = f", or a bend of {enough:.0f} degrees a metre" if bend < enough <= 45.0 else ""
    return (
        f"{turns}, and the path's is {radius:.1f} m at {where:.1f} m: draw it wider, or give the graph clips that "
        f"turn{more}"
    )


def tightest(steps: Steps) -> float | None:
    """Return the smallest radius (m) of some that the walks of a table can turn with, to both sides.

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


def _keeps_to(steps: Steps, points: Sequence[Sequence[float]]) -> bool:
    """Say whether a walk stays near a path."""
    try:
        beam.search(steps, path.of(points, closed=False), fidelity=0.0, bent=0.0, width=beam.WIDTH // 2, widest=NEAR)
    except GraphError:
        return False
    return True
