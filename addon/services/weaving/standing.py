"""Determine the place and heading at which a figure's action begins, so that a result can begin there."""

import dataclasses

import bpy
import numpy as np

from ....core.errors import LoomError
from ....core.motion import kinematics, root_motion
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ....core.recipes.matching import Matching
from ....core.recipes.reading import Request, Source
from ....core.verbs import Follow
from ...bridge import curves, pose_now, rates
from ...bridge.rig import Rig
from ...ground import steps
from ...model import contact_rows
from . import reading
from .reading import Inputs

FIGURE = "figure"
AT_REST = 1e-9  # metres, and of a quaternion
NEAR = 1e-3, 0.1  # metres and degrees: a result moves only if its place differs by more


def found_in_steps(scene: bpy.types.Scene, armature: bpy.types.Object, inputs: Inputs) -> steps.Steps[Inputs]:
    """Return inputs whose result options store the figure's place as numbers, if the result is to begin there.

    A rebuilt result therefore begins at the same place. Edits of an action keep its place, and so do walks along a
    curve.
    """
    result, recipe = inputs.request.result, inputs.recipe
    if result.place != FIGURE or result.stand:
        return inputs
    has_its_place = recipe.of_action or isinstance(recipe, Follow) or _plays_reference(armature, inputs)
    row = () if has_its_place else (yield from place_in_steps(scene, armature, inputs.read.body))
    place = dataclasses.replace(result, stand=(row,)) if row else dataclasses.replace(result, place="reference")
    return dataclasses.replace(inputs, request=dataclasses.replace(inputs.request, result=place))


found = steps.at_once(found_in_steps)


def _plays_reference(armature: bpy.types.Object, inputs: Inputs) -> bool:
    """Return whether the figure plays the source that determines the result's place."""
    sources, recipe = inputs.request.sources, inputs.recipe
    if not sources:
        return True
    reference = recipe.reference_index(len(sources)) if isinstance(recipe, Matching) else 0
    action = contact_rows.action_of(armature)
    if action is None or reference is None:  # the reference is determined when the sources are matched
        return False
    return action.name_full == sources[reference].name and sources[reference].span is None


def place_in_steps(scene: bpy.types.Scene, armature: bpy.types.Object, body: Rig) -> steps.Steps[tuple[float, ...]]:
    """Return an armature's place, x and y in metres and the heading in degrees; () if its action can't be read."""
    action = contact_rows.action_of(armature)
    try:
        if action is None:
            clip = pose_now.read(armature, body, rates.of_scene(scene))
        else:
            first, last = (round(frame) for frame in action.frame_range[:])
            # One frame is enough, because smoothing keeps the first frame's heading; a range needs two.
            source = Source(name=action.name_full, first=first, last=min(first + 1, last))
            made_of = [(action, curves.choose_slot(action, armature))]
            request = Request(sources=(source,))
            clip = (yield from reading.read_actions_in_steps(scene, armature, made_of, request)).clips[0]
    except LoomError:  # the figure then lacks its own place
        return ()
    (x, y), facing = place_of(clip)
    # Rounded, so that a result at this place in single precision counts as the same place for the next one.
    return round(float(x), 4), round(float(y), 4), round(float(np.degrees(facing)), 2)


def place_of(clip: Clip) -> tuple[Array, float]:
    """Return a body's ground position (2,) in its first frame, and its heading, radians."""
    return root_motion.ground_frames(clip)[0][0], float(root_motion.heading(clip)[0])


def move_to_stand(clip: Clip, row: tuple[float, ...], body: Rig) -> Clip:
    """Return a clip that begins at a place and heading in the format of `stand`; unchanged if it already does.

    A root bone at rest stays at rest: its children move instead, if they can.
    """
    place, facing = np.array(row[:2]), np.radians(row[2])
    here, faces = place_of(clip)
    turn = np.degrees(np.angle(np.exp(1j * (facing - faces))))
    if np.linalg.norm(place - here) < NEAR[0] and abs(turn) < NEAR[1]:
        return clip
    there = root_motion.beginning_at(clip, place, float(facing))
    return _with_root_at_rest(clip, there) if _root_stands(clip, body) else there


def _root_stands(clip: Clip, body: Rig) -> bool:
    """Return whether the only root of a body is at rest in all frames, and its children could move."""
    below = np.flatnonzero(clip.skeleton.parents == 0)
    if (clip.skeleton.parents < 0).sum() != 1 or not len(below) or not body.movable[below].all():
        return False
    turned = 1.0 - np.abs(clip.rotations[:, 0, 0])
    return bool(np.abs(clip.translations[:, 0]).max() < AT_REST and turned.max() < AT_REST)


def _with_root_at_rest(clip: Clip, there: Clip) -> Clip:
    linear, places = kinematics.matrices(there)
    still = kinematics.matrices(clip)
    linear[:, 0], places[:, 0] = still[0][:, 0], still[1][:, 0]
    return kinematics.standing_at(there, linear, places)
