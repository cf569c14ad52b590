"""The tightest turn of walks through a graph, and a hint for sharper paths (methods: Following a drawn path)."""

from collections.abc import Sequence

import numpy as np

from ..errors import GraphError
from . import beam, ground_path
from .edge_table import EdgeTable
from .ground_path import GroundPath

# Lengths for a body height of 1.7 m; they scale with the body (see `edge_table.unit`).
TRIED = (8.0, 6.0, 5.0, 4.0, 3.0, 2.5, 2.0, 1.5, 1.0)  # m; radii of half circles to try
NEAR = 0.25  # m of distance from a half circle within which a walk follows it
HARDLY = "these clips hardly turn"
HALF_ROUND = np.linspace(0.0, np.pi, 40)


def hint(steps: EdgeTable, bend: float, path: GroundPath) -> str:
    """Return a sentence on the tightest turn of a graph, and on the path if it is sharper.

    steps : the graph's table, in the unit of the path; bend : allowed bend in degrees a metre

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import build, edge_table, ground_path, turning
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> table = edge_table.tabulate(graph, graph.largest(), np.zeros(1))
        >>> turning.hint(table, 0.0, ground_path.through([(0, 0), (0, 5)], closed=False))
        'these clips hardly turn'
    """
    radius, where = path.tightest()
    can = tightest(steps)
    turns = (
        "these clips do not even go straight on"
        if can is None
        else (f"these clips can turn with a radius of {can * path.unit:.2g} m" if np.isfinite(can) else HARDLY)
    )
    if can is None or not np.isfinite(radius) or radius >= can:
        return turns
    enough = np.ceil(np.degrees(1.0 / max(radius, 0.2)))
    more = f", or bend the walk by {enough:.0f}° a metre" if bend < enough <= 45.0 else ""
    radius, where = radius * path.unit, where * path.unit
    return (
        f"the path is too tight at {where:.1f} m (its radius is {radius:.1f} m, {turns}): widen its bends, or"
        f" add a clip that turns{more}"
    )


def tightest(steps: EdgeTable) -> float | None:
    """Return the smallest radius in TRIED, in units of the table, on which walks can follow a half circle.

    The half circle must be followed to both sides, within 0.25 m. Infinite if none is, None if not even a straight line
    is.
    """
    if not _keeps_to(steps, [(0.0, 0.0), (0.0, 4.0)]):
        return None
    low, high = 0, len(TRIED)  # walks follow the radii before `low`, and not those from `high` on
    while low < high:
        middle = (low + high) // 2
        if all(_keeps_to(steps, _half_circle(TRIED[middle], side)) for side in (-1.0, 1.0)):
            low = middle + 1
        else:
            high = middle
    return TRIED[low - 1] if low else float("inf")


def _half_circle(radius: float, side: float) -> list[list[float]]:
    """Return points of half a circle from the origin along +y, to the right for side 1, to the left for −1."""
    points = np.column_stack([side * radius * (1.0 - np.cos(HALF_ROUND)), radius * np.sin(HALF_ROUND)])
    return [[float(x), float(y)] for x, y in points]


def _keeps_to(steps: EdgeTable, points: Sequence[Sequence[float]]) -> bool:
    """Return whether a walk stays near a path."""
    try:
        path = ground_path.through(points, closed=False)
        beam.search(steps, path, fidelity=0.0, bent=0.0, width=beam.WIDTH // 2, widest=NEAR)
    except GraphError:
        return False
    return True
