"""Replan a driven path as a Follow walk along it (methods: Drive)."""

from dataclasses import replace

import numpy as np

from ...drive.database import Database
from ...drive.route import Route
from ...errors import LoomError
from ...motion import resample
from ...motion.quat import Array
from ...progress import SILENT, Progress
from .. import follow
from ..follow import work as following
from ..follow.result import FollowResult
from . import Drive

# Lengths for a body height of 1.7 m; they scale with the body.
APART = 0.25  # m between points of the line
SHORTEST = 1.0  # m; shorter paths are not replanned


def line(route: Route, unit: float = 1.0) -> Array:
    """Return points (P, 2) along the requested path, in metres; unit : metres per unit of length.

    Example:
        >>> from action_loom.core.drive import database, route
        >>> from action_loom.core.drive.controller import Manner, Wish
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.drive import along
        >>> data = database.build([actions.walk(cycles=1), actions.wave()])
        >>> driven = route.of_states(route.drive_route(data, [Wish(1.3j)] * 120, Manner()))
        >>> bool(1.0 < along.line(driven)[-1, 1] < 3.0)
        True
    """
    way, kept = route.wished, [0]
    for k in range(1, len(way)):
        if abs(way[k] - way[kept[-1]]) >= APART * unit:
            kept.append(k)
    if kept[-1] != len(way) - 1 and len(kept) > 1:
        kept[-1] = len(way) - 1  # a longer last segment is better than a tiny one
    return np.column_stack([way[kept].real, way[kept].imag])


def replan_as_walk(
    data: Database, route: Route, recipe: Drive, progress: Progress = SILENT
) -> tuple[FollowResult | None, list[str]]:
    """Return the driven path replanned as a walk (None if not possible), and warnings."""
    points = line(route, data.unit)
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    if length < SHORTEST * data.unit:
        return None, [f"it went {length:.1f} m: too short a line to settle along, so it is as it was driven"]
    if recipe.ground or recipe.crowd or (recipe.which and recipe.variety):
        return None, ["a ground or a crowd is not known to a walk along a line, so it is as it was driven"]
    asked = follow.Follow(
        path=tuple(map(tuple, np.round(points, 4).tolist())),
        mirror=recipe.mirror,
        plant_feet=recipe.plant_feet,
        add_root_motion=recipe.add_root_motion,
    )
    try:
        made = following.follow(data.sources, asked, progress)
    except LoomError as error:
        return None, [f"it could not be settled along its line, so it is as it was driven: {error}"]
    told = ["settled along its line: it is there at other times than it was driven, and does not stand on the way"]
    return replace(made, clip=resample.to_rate(made.clip, data.rate)), [*made.report["warnings"], *told]
