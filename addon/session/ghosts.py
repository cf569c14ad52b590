"""What would be woven, seen before it is written: figures of the result and of its sources in step."""

import dataclasses
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.errors import LoomError
from ...core.motion import cycles, kinematics, resample, root_motion
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ...core.motion.skeleton import Skeleton
from ...core.progress import SILENT
from ...core.recipes.base import Recipe
from ...core.recipes.blend import Blend
from ...core.recipes.reading import Request
from ...core.weave.results import BlendResult, Result
from .. import lists, properties, weaving
from ..blender_types import scene_of
from . import analysis, previews
from .previews import Figure, Ghost

BESIDE = 0.6  # of the body's height, from one source to the next
SOLID = (0.95, 0.95, 0.95, 1.0)


def keep(
    context: bpy.types.Context, mode: str, request: Request, read: weaving.Read, recipe: Recipe, woven: Result
) -> Ghost:
    """Keep what a result would look like, and return it."""
    clip, first_frame, _ = weaving.as_written(context, request, read, recipe, woven)
    rig = properties.rig_of(scene_of(context), properties.of_session(bpy.data.objects, read.armature))
    result = _figure(clip, read, first_frame, SOLID, wide=True)
    sources = _in_step(woven, read, rig, result, first_frame) if isinstance(woven, BlendResult) else []
    hips = root_motion.travelling_joint(clip.skeleton)
    way = result.points[:, hips].copy()
    way[:, 2] = 0.0
    said = f"Preview: {len(clip)} frames from {first_frame:g}"
    ghost = Ghost(mode, (*sources, result), way, request, read, recipe, said)
    previews.keep(read.armature, ghost)
    return ghost


def reweave(context: bpy.types.Context, scene: bpy.types.Scene, armature: bpy.types.Object) -> bool:
    """Weave the ghost of a blend again with the weights of its sources' lines; says whether there was one."""
    ghost, rig = previews.of(armature.session_uid), properties.rig_of(scene, armature)
    if ghost is None or rig is None or not isinstance(ghost.recipe, Blend):
        return False
    weights = lists.weights_of(rig, [source.name for source in ghost.request.sources])
    if weights is None:
        return False
    recipe = dataclasses.replace(ghost.recipe, weights=weights)
    try:
        keep(context, ghost.mode, ghost.request, ghost.read, recipe, weaving.weave(ghost.read, recipe, SILENT))
    except LoomError:
        return False
    return True


def _figure(clip: Clip, read: weaving.Read, first_frame: float, color: tuple[float, ...], *, wide: bool) -> Figure:
    points = kinematics.points(clip) / read.body.world_metres
    lines = _lines(clip.skeleton, skip_first=read.body.moving_object)
    return Figure(clip.name, points, lines, first_frame, color, wide)


def _lines(skeleton: Skeleton, *, skip_first: bool) -> NDArray[np.int64]:
    """Pairs (L, 2) of points that are joined: each joint with the one above it, and with its tip."""
    hanging = [(int(above), joint) for joint, above in enumerate(skeleton.parents) if above >= int(skip_first)]
    tips = [(int(joint), len(skeleton) + k) for k, joint in enumerate(np.flatnonzero(skeleton.tipped))]
    return np.array(hanging + tips, dtype=np.int64)


def _in_step(woven: BlendResult, read: weaving.Read, rig: Any, result: Figure, first_frame: float) -> list[Figure]:
    """The sources of a blend at the moments that are blended, beside the result in turn: at its right, at its left."""
    registered, figures = woven.registration, []
    frames = registered.frames(woven.reference_frames)
    colors = analysis.colors(rig, [clip.name for clip in woven.prepared.clips])
    sample = cycles.sample if registered.cyclic else resample.sample
    aside = BESIDE * read.body.skeleton.height / read.body.world_metres * _right(woven.clip.skeleton, result)
    for k, (clip, at) in enumerate(zip(woven.prepared.clips, frames, strict=True)):
        figure = _figure(sample(clip, at), read, first_frame, (*colors[k], 1.0), wide=False)
        hips = root_motion.travelling_joint(clip.skeleton)
        shift = result.points[0, hips] - figure.points[0, hips]
        shift[2] = 0.0
        shift += (k // 2 + 1) * (-1) ** k * aside
        figures.append(dataclasses.replace(figure, points=figure.points + shift))
    return figures


def _right(skeleton: Skeleton, figure: Figure) -> Array:
    """The direction (3,) on the ground to a figure's right as it begins."""
    roles = skeleton.roles
    across = np.array([1.0, 0.0, 0.0])
    if "thigh.L" in roles and "thigh.R" in roles:
        across = figure.points[0, roles["thigh.R"]] - figure.points[0, roles["thigh.L"]]
        across = np.array([across[0], across[1], 0.0])
    length = float(np.linalg.norm(across))
    return across / length if length > 0.0 else np.array([1.0, 0.0, 0.0])
