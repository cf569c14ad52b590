"""Retarget a clip to the body of another (methods: Body roles and retargeting)."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...bodies import carry, rest_check
from ...motion import kinematics, trim
from ...motion.clip import Channel, Clip
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ...weave import planting, reporting, root_trajectory
from ...weave.results import RetargetResult
from . import Retarget

_BONES = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))


def retarget(clips: Sequence[Clip], recipe: Retarget, progress: Progress = SILENT) -> RetargetResult:
    """Return the second clip on the body of the first; the motion of the first is not used.

    Raises ClipError unless two clips are given, OptionError for an invalid rest pose, and SkeletonError for bodies that
    can't be retargeted (see `carry.onto_body`).

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Retarget(), [actions.sneak(cycles=1), actions.walk(cycles=1)])
        >>> result.clip.name, result.report["retarget"]["scale"]
        ('walk on sneak', 1.0)
    """
    began = time.perf_counter()
    body, given = clips
    progress.at(0.0, "Preparing the clips")
    poses = rest_check.choose(given, recipe.rest), rest_check.choose(body, recipe.body_rest)
    trimmed = trim.if_wanted(given, recipe.trim)
    progress.at(0.3, "Making the result")
    result, carried = carry.onto_body(trimmed.clip, body.skeleton, *poses)
    name = recipe.result_name([clip.name for clip in clips])
    result = replace(result, name=name, channels=_scale_channels(result, carried.scale))
    off = limbs_off(trimmed.clip, result)
    progress.at(0.5, "Planting feet")
    result, planted = planting.of_carried(trimmed.clip, result, recipe, carried)
    progress.at(0.7, "Measuring")
    figures = {
        **planted.report,
        "dropped": reporting.left_out([trimmed]),
        "retarget": carried.as_report()
        | {"limbs_off_degrees": {role: round(float(angle.max()), 3) for role, angle in off.items()}},
    }
    report = reporting.compose("retarget", clips, result, began, [trimmed.clip], figures, carried.warnings)
    return RetargetResult(result, report, 0, trimmed.clip, carried)


def limbs_off(source: Clip, result: Clip) -> dict[str, Array]:
    """Return the angle (F,) in degrees between the directions of each limb in two clips of F frames, by role."""
    places = [kinematics.world(clip)[1] for clip in (source, result)]
    found = {}
    for high, low in ((f"{high}.{side}", f"{low}.{side}") for side in "LR" for high, low in _BONES):
        roles = [clip.skeleton.roles for clip in (source, result)]
        if not all({high, low} <= set(known) for known in roles):
            continue
        bones = [at[:, known[low]] - at[:, known[high]] for at, known in zip(places, roles, strict=True)]
        one, other = (bone / np.maximum(np.linalg.norm(bone, axis=1), 1e-12)[:, None] for bone in bones)
        # Half angles are accurate for small angles, where a cosine is not.
        apart, along = np.linalg.norm(one - other, axis=1), np.linalg.norm(one + other, axis=1)
        found[high] = np.degrees(2.0 * np.arctan2(apart, along))
    return found


def _scale_channels(clip: Clip, scale: float) -> dict[str, Channel]:
    """Return the channels of a clip, with the speeds of its stored root trajectory scaled like its legs."""
    channels = dict(clip.channels)
    for name in root_trajectory.CHANNELS[:2]:
        if name in channels:
            channels[name] = Channel(scale * channels[name].values)
    return channels
