"""Move the travel of a clip to its root bone, its hips or its object, with a report.

Method: Mirror, placement, root motion.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...motion import kinematics, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ...weave import reporting, root_carrier
from ...weave.results import RootResult
from ...weave.root_carrier import Carrying
from . import Root


def root(clips: Sequence[Clip], recipe: Root, progress: Progress = SILENT) -> RootResult:
    """Return a clip with its travel on its root bone, its hips or its object; the body does not move in the world.

    Raises ClipError for more than one clip, and SkeletonError for bodies that lack the requested carrier or can't keep
    their world positions (see `root_carrier.by_joint`).

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Root(onto="hips"), [actions.walk(cycles=1)])
        >>> result.report["root"]["joint"], result.report["root"]["travel_m"]
        ('hips', [1.3901, 1.3901])
    """
    began = time.perf_counter()
    (clip,) = clips
    progress.at(0.0, "Making the result")
    result, joint = _carry_travel(clip, recipe)
    progress.at(0.5, "Measuring")
    result = replace(result, name=recipe.result_name([clip.name]))
    figures = {"root": _figures(clip, result, joint, recipe)}
    report = reporting.compose(recipe.verb, clips, result, began, [clip], figures)
    return RootResult(result, report, 0, clip, joint)


def _carry_travel(clip: Clip, recipe: Root) -> tuple[Clip, int]:
    """Return the clip with its travel on the requested carrier, and the joint that carries it."""
    if recipe.onto == "hips":
        return root_carrier.by_hips(clip), root_motion.travelling_joint(clip.skeleton)
    how = Carrying(recipe.smooth, recipe.turn, recipe.height)
    if recipe.onto == "root":
        joint = root_carrier.root_bone(clip)
        return root_carrier.by_joint(clip, joint, how), joint
    joint = root_carrier.moving_object(clip)
    return root_carrier.by_joint(clip, joint, how), joint


def _figures(before: Clip, result: Clip, joint: int, recipe: Root) -> dict[str, Any]:
    """Return the carrier, its travel, the distance of the hips from above it, and its sharpest acceleration."""
    hips = root_motion.travelling_joint(result.skeleton)
    was, now = (kinematics.world_of(clip, [joint, hips])[1] for clip in (before, result))
    away = np.linalg.norm(now[:, hips, :2] - now[:, joint, :2], axis=1)
    return {
        "onto": recipe.onto,
        "joint": result.skeleton.names[joint],
        "travel_m": [round(root_motion.path_length(places[:, joint, :2]), 4) for places in (was, now)],
        "from_hips_cm": [round(100.0 * float(value), 2) for value in (away.mean(), away.max())],
        "acceleration_m_s2": [sharpest(places[:, joint], result.rate) for places in (was, now)],
    }


def sharpest(path: Array, rate: float) -> float | None:
    """Return the 99th percentile of the acceleration along a path (F, 3), m/s²; None for fewer than three frames."""
    if len(path) < 3:
        return None
    return round(float(np.quantile(np.linalg.norm(np.diff(path, n=2, axis=0), axis=1), 0.99)) * rate**2, 3)
