"""Preview a result before it is written: synchronized figures of the result and of its sources."""

import dataclasses
from typing import Any
from weakref import WeakKeyDictionary

import bpy
import numpy as np

from ....core.contacts import keep as keep_hands
from ....core.contacts.figure import figure_of
from ....core.errors import LoomError
from ....core.motion import cycles, kinematics, resample, root_motion
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ....core.motion.skeleton import Skeleton
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request, Source
from ....core.skin.skin import Skin, join_surfaces
from ....core.verbs import Blend, Follow
from ....core.verbs.blend import draft as blend_draft
from ....core.verbs.blend import weights as blend_weights
from ....core.verbs.blend import work as blend
from ....core.verbs.follow.result import FollowResult
from ....core.weave.results import BlendResult, Result, SpliceResult
from ...bridge import clip as clips
from ...bridge import curves, mesh, poses
from ...bridge.clip import ReadAction
from ...bridge.rig import Rig
from ...ground import colors
from ...ground.blender_types import armature_data, scene_of
from ...model import lists, properties
from ..matching import analysis
from ..sources import source_list
from ..weaving import reading, result_parts, writing
from ..weaving.reading import Inputs
from ..weights import weights_over_time
from . import previews, skins, trails, walk_again
from .previews import FOUND, SOLO
from .shapes import Body, Figure, Ghost, Hands, Playing

BESIDE = 0.6  # distance between figures as a share of body height

# The properties that blend results move and would key.
_moved: WeakKeyDictionary[Clip, frozenset[curves.Target]] = WeakKeyDictionary()


def keep(
    context: bpy.types.Context,
    mode: str,
    inputs: Inputs,
    woven: Result,
    asked: tuple[Any, ...],
    *,
    outdated: bool = False,
) -> Ghost:
    """Store the preview of a result, and return it.

    asked : the panel's state at the request, see `panel_state`
    outdated : whether that state has changed since
    """
    scene, request, read, recipe = scene_of(context), inputs.request, inputs.read, inputs.recipe
    armature = writing.find_data(bpy.data.objects, read.armature, "The armature")
    rig, settings = properties.rig_of(scene, armature), properties.settings_of(scene)
    settings.solo = False
    written, first_frame, notice = writing.as_written(context, inputs, woven)
    clip = poses.as_shown(
        written, read.body, armature, writing.keyed_targets(read) | writing.held_targets(armature, read, recipe)
    )
    playing = Playing(first_frame + np.arange(float(len(clip))))
    *figures, shift = _place_figures(woven, read, rig, clip, playing, int(settings.ghost_beside))
    lines = trails.of(woven, recipe, clip, shift, read.body.world_metres)
    body, left_out = _body(scene, armature, clip, read, playing, shift) if settings.ghost_mesh else (None, ())
    summary = f"{len(clip)} frames from {first_frame:g}"
    left_out += (f"{written.name}: {notice}",) if notice else ()
    parts = result_parts.of(woven, recipe, [one.name for one in read.clips], len(clip))
    shown = (lines, body, left_out, asked, outdated, parts, _mark_hands(woven, clip, shift, read, playing))
    ghost = Ghost(mode, tuple(figures), summary, request, read, recipe, woven, *shown)
    previews.keep(read.armature, ghost)
    return ghost


def solo(context: bpy.types.Context, armature: bpy.types.Object, line: Any) -> Ghost:
    """Store the preview of a single source, in the place of its action, and return it; raises LoomError kinds."""
    request = Request(sources=(source_list.source_of(line),))
    read = reading.read(context, armature, request)
    return _alone(context, armature, SOLO, line.action.name, request, read, (*line.color[:], 1.0))


def store_find(
    context: bpy.types.Context, armature: bpy.types.Object, summary: str, read: ReadAction, body: Rig
) -> Ghost:
    """Store the preview of a library stretch on an armature's body, and return it."""
    request = Request(sources=(Source(name=read.clip.name),))
    alone = reading.Read(body, (read,), armature.session_uid, ())
    return _alone(context, armature, FOUND, summary, request, alone, colors.of(colors.RESULT))


def _alone(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    mode: str,
    summary: str,
    request: Request,
    read: reading.Read,
    color: tuple[float, ...],
) -> Ghost:
    scene = scene_of(context)
    clip = poses.as_shown(
        read.clips[0], read.body, armature, writing.keyed_targets(read) | writing.held_targets(armature, read, None)
    )
    playing = Playing(read.sources[0].frames, again=True)
    figure = _figure(clip, read, playing, color, wide=True)
    with_mesh = properties.settings_of(scene).ghost_mesh
    body, left_out = _body(scene, armature, clip, read, playing, np.zeros(3)) if with_mesh else (None, ())
    ghost = Ghost(mode, (figure,), summary, request, read, body=body, left_out=left_out)
    previews.keep(armature.session_uid, ghost)
    return ghost


def show_anew(context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Create the preview's figures again after a change of display settings."""
    ghost, rig = previews.of(armature.session_uid), properties.rig_of(scene_of(context), armature)
    if ghost is None or rig is None:
        return
    if ghost.recipe is not None and ghost.woven is not None:
        _keep_again(context, ghost, ghost.recipe, ghost.woven)
    elif ghost.mode == FOUND:
        store_find(context, armature, ghost.summary, ghost.read.sources[0], ghost.read.body)
    elif 0 <= rig.active < len(rig.sources) and rig.sources[rig.active].action is not None:
        solo(context, armature, rig.sources[rig.active])


def reweave(context: bpy.types.Context, scene: bpy.types.Scene, armature: bpy.types.Object) -> bool:
    """Weave the preview of a blend again with the weights of its sources' lines; return whether there was one."""
    found = _find_reweighted(scene, armature)
    if found is None:
        return False
    ghost, woven, recipe = found
    try:
        _keep_again(context, ghost, recipe, blend.again(woven, recipe))
    except LoomError:
        return False
    return True


def draft(context: bpy.types.Context, scene: bpy.types.Scene, armature: bpy.types.Object) -> bool:
    """Preview a blend only around the current frame; return whether this is possible.

    The preview indicates this, and that feet are not planted yet. Features of the whole blend, such as trails, are left
    out.
    """
    found = _find_reweighted(scene, armature)
    if found is None or not _is_written_as_woven(found[0]):
        return False
    ghost, woven, recipe = found
    read = ghost.read
    first_frame = float(np.floor(read.sources[woven.reference].first_frame + 0.5))
    try:
        few = blend_draft.of(woven, recipe, round(scene.frame_current - first_frame))
    except LoomError:
        return False
    if woven.clip not in _moved:
        _moved[woven.clip] = clips.moved_targets(woven.clip, read.body) | writing.held_targets(armature, read, recipe)
    keyed = writing.keyed_targets(read) | _moved[woven.clip]
    inputs = Inputs(ghost.request, read, recipe)
    clip = poses.as_shown(writing.as_written(context, inputs, few.result)[0], read.body, armature, keyed)
    own = int(len(few.frames) > 1 and few.frames[1] > 1)  # the first frame only shows where the sources stand
    playing = Playing(first_frame + few.frames[own:].astype(np.float64))
    rig, settings = properties.rig_of(scene, armature), properties.settings_of(scene)
    *sources, result, aside = _place_figures(few.result, read, rig, clip, playing, int(settings.ghost_beside))
    figures = tuple(dataclasses.replace(one, points=one.points[own:]) for one in (*sources, result))
    seen = clip.cut(own, len(clip))
    body = _body(scene, armature, seen, read, playing, aside)[0] if settings.ghost_mesh else None
    first, last = playing.frames[0], playing.frames[-1]
    summary = f"Frames {first:g} to {last:g} so far"
    if few.to_plant:
        summary = f"Frames {first:g} to {last:g} so far, feet not planted yet"
    now = dataclasses.replace(ghost, figures=figures, summary=summary, body=body, trails=(), parts=None, hands=None)
    previews.keep(armature.session_uid, now)
    return True


def _find_reweighted(scene: bpy.types.Scene, armature: bpy.types.Object) -> tuple[Ghost, BlendResult, Blend] | None:
    """Return the preview of a blend, its result, and the recipe with the weights of the lines; None for other previews.

    The cyclic clips determine the matching, so the function returns None if the weights change the set of them.
    """
    ghost, rig = previews.of(armature.session_uid), properties.rig_of(scene, armature)
    if ghost is None or rig is None or not isinstance(ghost.recipe, Blend) or not isinstance(ghost.woven, BlendResult):
        return None
    weights = lists.weights_of(rig, [source.name for source in ghost.request.sources])
    if weights is None:
        return None
    try:
        keys = weights_over_time.rows(scene, rig)
        recipe = dataclasses.replace(ghost.recipe, weights=weights, weight_keys=keys)
        count = len(weights)
        if blend_weights.of_recipe(recipe, count).close != blend_weights.of_recipe(ghost.recipe, count).close:
            return None
    except LoomError:
        return None
    return ghost, ghost.woven, recipe


def _is_written_as_woven(ghost: Ghost) -> bool:
    """Return whether each frame of a result is written without changes that depend on other frames."""
    options, read = ghost.request.result, ghost.read
    as_woven = (options.travel, options.place) == ("reference", "reference")
    return as_woven and read.body.controls is None and read.baked is None


def rewalk(context: bpy.types.Context, armature: bpy.types.Object, asked: tuple[Any, ...]) -> bool:
    """Walk the preview of a path again along the current curve, from the change on; return whether there was one.

    asked : the panel's current state

    Raises LoomError if the curve can't be walked.
    """
    ghost = previews.of(armature.session_uid)
    if ghost is None or not isinstance(ghost.recipe, Follow) or not isinstance(ghost.woven, FollowResult):
        return False
    read = ghost.read
    begins = float(read.sources[0].frames[0])
    recipe = walk_again.recipe_now(scene_of(context), ghost.recipe, read.body.world_metres, begins)
    made, recipe = walk_again.walk_curve(ghost.woven, ghost.read.clips, recipe)
    keep(context, ghost.mode, Inputs(ghost.request, ghost.read, recipe), made, asked)
    return True


def _keep_again(context: bpy.types.Context, ghost: Ghost, recipe: Recipe, woven: Result) -> None:
    """Store a preview with a changed result or appearance but an unchanged panel state."""
    inputs = Inputs(ghost.request, ghost.read, recipe)
    keep(context, ghost.mode, inputs, woven, ghost.asked, outdated=ghost.outdated)


def _place_figures(woven: Result, read: reading.Read, rig: Any, clip: Clip, playing: Playing, beside: int) -> list[Any]:
    """Return the figures of the sources and of a result's written clip, and the result's offset (3,).

    beside : the result's offset to the side in steps
    """
    result = _figure(clip, read, playing, colors.of(colors.RESULT), wide=True)
    aside = BESIDE * read.body.skeleton.height / read.body.world_metres * _right(clip.skeleton, result)
    sources = _in_step(woven, read, rig, result, aside, taken=beside)
    shift = beside * aside
    return [*sources, dataclasses.replace(result, points=result.points + shift), shift]


def _mark_hands(woven: Result, clip: Clip, shift: Array, read: reading.Read, playing: Playing) -> Hands | None:
    """Return the contacts of hands of a result's written clip; None without any, and if it is repeated."""
    marks, places = keep_hands.mark_hands(woven.report, len(clip)), figure_of(clip).ends
    if (
        len(clip) != len(woven.clip)
        or not any(one.any() for one in marks.values())
        or not marks.keys() <= places.keys()
    ):
        return None
    palms = np.stack([places[end] for end in marks], axis=1) / read.body.world_metres + shift
    return Hands(tuple(marks), palms, np.stack([*marks.values()], axis=1), playing)


def _figure(clip: Clip, read: reading.Read, playing: Playing, color: tuple[float, ...], *, wide: bool) -> Figure:
    points = kinematics.points(clip) / read.body.world_metres
    lines = kinematics.lines(clip.skeleton, skip_first=read.body.moving_object)
    return Figure(clip.name, points, lines, playing, color, wide)


def _in_step(woven: Result, read: reading.Read, rig: Any, result: Figure, aside: Array, *, taken: int) -> list[Figure]:
    """Return the sources at the woven moments, placed beside the result in turn, left and right.

    taken : the result's own place, in steps to the side; sources use the other places
    """
    if isinstance(woven, BlendResult):
        registered = woven.registration
        sample = cycles.sample if registered.cyclic else resample.sample
        frames = registered.frames(woven.reference_frames)
        moving = [sample(clip, at) for clip, at in zip(woven.prepared.clips, frames, strict=True)]
        names = [clip.name for clip in woven.prepared.clips]
    elif isinstance(woven, SpliceResult):
        moving = [woven.locomotion, woven.action]
        names = [clip.name for clip in read.clips]
    else:
        return []
    figures = []
    free = [side * steps for steps in range(1, len(moving) + 2) for side in (-1, 1) if side * steps != taken]
    for clip, color, place in zip(moving, analysis.colors(rig, names), free, strict=False):
        figure = _figure(clip, read, result.playing, (*color, 1.0), wide=False)
        hips = root_motion.travelling_joint(clip.skeleton)
        shift = result.points[0, hips] - figure.points[0, hips]
        shift[2] = 0.0
        shift += place * aside
        figures.append(dataclasses.replace(figure, points=figure.points + shift))
    return figures


def _right(skeleton: Skeleton, figure: Figure) -> Array:
    """Return the direction (3,) on the ground to a figure's right at its first frame."""
    roles = skeleton.roles
    across = np.array([1.0, 0.0, 0.0])
    if "thigh.L" in roles and "thigh.R" in roles:
        across = figure.points[0, roles["thigh.R"]] - figure.points[0, roles["thigh.L"]]
        across = np.array([across[0], across[1], 0.0])
    length = float(np.linalg.norm(across))
    return across / length if length > 0.0 else np.array([1.0, 0.0, 0.0])


def _body(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    clip: Clip,
    read: reading.Read,
    playing: Playing,
    shift: Array,
) -> tuple[Body | None, tuple[str, ...]]:
    """Return the character's meshes moved by a clip, and messages about meshes that can't be previewed."""
    number = {name: k for k, name in enumerate(read.body.bones)}
    if read.body.controls is not None:
        number |= {name: number[bone] for name, bone in read.body.controls.rides.items()}
    kinds: dict[bool, list[Skin]] = {False: [], True: []}
    refused = []
    seen = [one for one in scene.objects if one.visible_get()]
    skinned, rigid = mesh.skinned_objects(armature, seen), mesh.on_bones(armature, seen)
    for drawn, read_mesh in [(one, skins.of) for one in skinned] + [(one, mesh.read_on_bone) for one in rigid]:
        try:
            one = read_mesh(armature, drawn)
        except LoomError as error:
            refused.append(str(error))
            continue
        bones = np.array([number[name] for name in one.bones], dtype=np.int32)
        surface = mesh.in_armature(one, one.towards)
        kinds[one.preserve_volume].append(dataclasses.replace(surface, bones=bones[surface.bones]))
    linear, volume = (join_surfaces(found) if found else None for found in kinds.values())
    if linear is None and volume is None:
        return None, tuple(refused) or ("No mesh: drawn as lines",)
    rest = np.array([armature_data(armature).bones[name].matrix_local for name in read.body.bones])
    posed, _, standing = poses.bones_and_object(clip, read.body)
    standing[:, :3, 3] += shift
    return Body(linear, volume, rest, posed, standing, playing), tuple(refused)
