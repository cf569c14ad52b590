"""Draw a result's root trajectory, the paths of its feet, and of its centre of mass in flight, as lines."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....core.graph.walk_result import WalkResult
from ....core.motion import root_motion
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ....core.quality import contacts, world_pose
from ....core.recipes.base import Recipe
from ....core.verbs import Follow
from ....core.verbs.follow.result import FollowResult
from ....core.weave.results import ConnectResult, Result
from ....core.weight.centre import mass_shares
from ....core.weight.flights import OFF
from ....core.weight.lift import fall_freely
from ...ground import colors
from .shapes import Trail

ROOT, FOOT, STANDS, WORST = colors.RESULT, colors.FEET, colors.GOOD, colors.BAD
RING = 0.07  # body heights
Part = tuple[NDArray[np.bool_], str]
SEAM = 0.15  # s marked on each side of a seam


def of(woven: Result, recipe: Recipe, clip: Clip, shift: Array, metres: float) -> tuple[Trail, ...]:
    """Return the lines of a result from its written clip, offset by `shift`; metres : in a scene unit."""
    body = world_pose.pose(clip)
    root = body.points[:, root_motion.travelling_joint(clip.skeleton)] * np.array([1.0, 1.0, 0.0]) / metres + shift
    found = [Trail(root, ROOT, wide=False)]
    if len(root) == len(woven.clip):  # a loop written several times in a row has no transitions
        for flags, color in _parts(woven, recipe):
            found += _mark_stretches(root, flags, color)
        flights = woven.report.get("flights") or ()
        found += mark_flights(flights, clip, body.points + shift * metres, metres)
    if isinstance(woven, FollowResult):
        found.append(Trail(worst(woven, metres) + shift, WORST, wide=True))
    for foot in contacts.standing_feet(body).values():
        path = foot.ball / metres + shift
        found += [Trail(path, FOOT, wide=False), *_mark_stretches(path, foot.ball_stands, STANDS)]
    return tuple(one for one in found if len(one.points) > 1)


def mark_flights(flights: Sequence[dict[str, Any]], clip: Clip, points: Array, metres: float) -> list[Trail]:
    """Return the path of the centre of mass in each flight, and a real flight's path where it falls wrongly.

    flights : as in reports; points (F, P, 3) : of the clip, metres; metres : in a scene unit
    """
    found = []
    for flight in flights:
        first, last = round(max(flight["first"], 0.0)), round(min(flight["last"], len(clip) - 1.0))
        if last - first < 2:
            continue
        centre = np.einsum("p,fpk->fk", mass_shares(clip.skeleton), points[first : last + 1])
        is_off = flight["verdict"] == OFF
        found.append(Trail(centre / metres, WORST if is_off else STANDS, wide=is_off))
        if is_off:
            found.append(Trail(fall_freely(centre, clip.rate) / metres, STANDS, wide=False))
    return found


def worst(walked: FollowResult, metres: float) -> Array:
    """Return a line (K, 3) from the walk's point farthest from its path to the path, with a ring around the latter."""
    frame = walked.report["follow"]["max_frame"]
    there, here = walked.path.at(walked.gone[frame : frame + 1])[0], walked.places[frame]
    ring = there + RING * walked.clip.skeleton.height * np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 25))
    line = np.concatenate([[here, there], ring]) / metres
    return np.stack(
        [line.real, line.imag, np.full(len(line), walked.path.height_at(walked.gone)[frame] / metres)], axis=1
    )


def _mark_stretches(path: Array, flags: NDArray[np.bool_], color: str) -> list[Trail]:
    """Return the stretches of a path on which flags (F,) are true."""
    return [Trail(path[start : end + 1], color, wide=True) for start, end in contacts.runs(flags)]


def _parts(woven: Result, recipe: Recipe) -> list[Part]:
    """Return flags (F,) of transition frames, and of frames on which the upper body plays another action."""
    frames = np.arange(len(woven.clip))
    if isinstance(woven, ConnectResult):
        seams = np.array(woven.seams)
        near = np.abs(frames[:, None] - seams) <= SEAM * woven.clip.rate
        return [(near.any(axis=1), colors.TRANSITION)]
    if not isinstance(woven, WalkResult):
        return []
    parts: list[Part] = [(woven.origin.other >= 0, colors.TRANSITION)]
    if isinstance(woven, FollowResult) and isinstance(recipe, Follow):
        share = woven.gone / woven.path.length
        parts += [((share >= row[0]) & (share <= row[1]), colors.STRETCH) for row in recipe.stretches]
    return parts
