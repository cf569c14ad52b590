"""Choose the joint that carries a body's travel: hips, a root bone above them, or the object; the body does not move.

The carrier is below the hips on the ground and faces as the body does, both smoothed. Joints above it are fixed at
their first frame, and joints between it and the hips keep their positions on it in that frame.

Method: Mirror, placement, root motion.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..errors import SkeletonError
from ..motion import cycles, kinematics, quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.roles import ancestors
from ..motion.skeleton import OBJECT
from . import root_blend

SIGMA = 0.5  # s; it leaves a hundredth of a walk's sway, which has a period of about one second
STAYS = 1e-7  # body heights: rounding; a joint with a larger error can't be carried this way


@dataclass(frozen=True)
class Carrying:
    """How a carrier follows the body: smoothed by a Gaussian of `smooth` seconds, with or without turn and height."""

    smooth: float = SIGMA
    turn: bool = True
    height: bool = False


def by_hips(clip: Clip) -> Clip:
    """Return the clip with all travel on the hips; the joints above them stand still.

    Raises SkeletonError as `by_joint` does.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_carrier
        >>> walk = actions.walk()  # its first joint shall be a root bone:
        >>> rooted = replace(walk, skeleton=replace(walk.skeleton, roles=walk.skeleton.roles | {"hips": 1}))
        >>> [round(y, 1) for y in abs(root_carrier.by_hips(rooted).translations[-1, :2, 1]).tolist()]  # root, hips
        [0.0, 4.1]
    """
    return _with_above(clip, _standing(clip, above_hips(clip)))


def by_root(clip: Clip) -> Clip:
    """Return the clip with smoothed travel and facing on the topmost joint above the hips, the sway on the hips.

    Raises SkeletonError for a body without a joint above the hips, and as `by_joint` does.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_carrier
        >>> walk = actions.walk()  # its first joint shall be a root bone:
        >>> rooted = replace(walk, skeleton=replace(walk.skeleton, roles=walk.skeleton.roles | {"hips": 1}))
        >>> [round(y, 1) for y in abs(root_carrier.by_root(rooted).translations[-1, :2, 1]).tolist()]  # root, hips
        [4.2, 0.0]
    """
    return by_joint(clip, next(iter(above_hips(clip)), -1), Carrying())


def by_joint(clip: Clip, joint: int, how: Carrying) -> Clip:
    """Return the clip with its travel on a joint above the hips.

    Joints that are not above the hips keep their world positions; travel and turn per cycle are unchanged. Raises
    SkeletonError for the joint −1, of a body without one, and if scales make this impossible.

    Example:
        >>> from dataclasses import replace
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> from action_loom.core.weave import root_carrier
        >>> walk = actions.walk()  # its first joint shall be a root bone:
        >>> rooted = replace(walk, skeleton=replace(walk.skeleton, roles=walk.skeleton.roles | {"hips": 1}))
        >>> carried = root_carrier.by_joint(rooted, 0, root_carrier.Carrying(smooth=0.3))
        >>> bool(np.allclose(kinematics.points(carried)[:, 1:], kinematics.points(walk)[:, 1:]))  # only the root moved
        True
    """
    if joint not in above_hips(clip):
        name = clip.skeleton.names[root_motion.travelling_joint(clip.skeleton)]
        raise SkeletonError(
            f"{clip.name}: what should carry its travel is not above {name}: add a bone and make it the parent of"
            f" {name}, or, in Blender, put it onto the object"
        )
    above = above_hips(clip)
    rotations, positions = kinematics.world_of(clip, above)
    poses = _standing(clip, above)
    ground, facing, height = _body_path(clip, how.smooth)
    turning = quat.about_axis("Z", facing - _facing_at_rest(clip, above) if how.turn else np.zeros(len(clip)))
    place = np.column_stack([ground, positions[0, joint, 2] + (height - height[0]) * how.height])
    for riding in above[above.index(joint) :]:
        beside = positions[0, riding] - positions[0, joint]
        poses[riding] = quat.mul(turning, rotations[0, riding]), place + quat.rotate(turning, beside)
    return _with_above(clip, poses)


def as_in(clip: Clip, like: Clip) -> Clip:
    """Return a clip with the joints above its hips as in another clip of its body and length; other joints do not move.

    Raises SkeletonError as `by_joint` does.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_carrier
        >>> walk = actions.walk()  # its first joint shall be a root bone:
        >>> rooted = replace(walk, skeleton=replace(walk.skeleton, roles=walk.skeleton.roles | {"hips": 1}))
        >>> again = root_carrier.as_in(root_carrier.by_hips(rooted), rooted)
        >>> bool((again.translations[:, 0] == walk.translations[:, 0]).all())
        True
    """
    above = above_hips(clip)
    if not above:
        return clip
    turns, places = kinematics.world_of(like, above)
    clip = _with_above(clip, {joint: (turns[:, joint], places[:, joint]) for joint in above})
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    # bit-identical, without rounding errors
    rotations[:, above], translations[:, above] = like.rotations[:, above], like.translations[:, above]
    return replace(clip, rotations=rotations, translations=translations)


def above_hips(clip: Clip) -> list[int]:
    """Return the joints above the hips, topmost first.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_carrier
        >>> walk = actions.walk()  # in `rooted` its first joint shall be a root bone:
        >>> rooted = replace(walk, skeleton=replace(walk.skeleton, roles=walk.skeleton.roles | {"hips": 1}))
        >>> root_carrier.above_hips(walk), root_carrier.above_hips(rooted)
        ([], [0])
    """
    skeleton = clip.skeleton
    return ancestors(root_motion.travelling_joint(skeleton), skeleton.parents)[::-1]


def root_bone(clip: Clip) -> int:
    """Return the topmost joint above the hips that is a bone, −1 without one.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_carrier
        >>> walk = actions.walk()  # in `rooted` its first joint shall be a root bone:
        >>> rooted = replace(walk, skeleton=replace(walk.skeleton, roles=walk.skeleton.roles | {"hips": 1}))
        >>> root_carrier.root_bone(walk), root_carrier.root_bone(rooted)
        (-1, 0)
    """
    return next((joint for joint in above_hips(clip) if joint != moving_object(clip)), -1)


def moving_object(clip: Clip) -> int:
    """Return the joint of the armature object, if the clip was read with an animated one; else −1.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_carrier
        >>> walk = actions.walk()
        >>> moving = replace(walk.skeleton, names=("Hero (object)", *walk.skeleton.names[1:]))
        >>> root_carrier.moving_object(walk), root_carrier.moving_object(replace(walk, skeleton=moving))
        (-1, 0)
    """
    return 0 if clip.skeleton.names[0].endswith(OBJECT) else -1


def _body_path(clip: Clip, smooth: float) -> tuple[Array, Array, Array]:
    """Return the hips' positions on the ground (F, 2), the body's facing (F,), and the hips' height (F,), smoothed.

    A cycle is smoothed with cyclic padding, so that the smoothed path is cyclic, too.
    """
    skeleton, frames = clip.skeleton, len(clip)
    hips = root_motion.travelling_joint(skeleton)
    rotations, positions = kinematics.world_of(clip, root_motion.heading_joints(skeleton))
    facing = root_motion.raw_heading(skeleton, rotations, positions)
    if not smooth:
        return positions[:, hips, :2], facing, positions[:, hips, 2]
    path = np.column_stack([positions[:, hips], facing])
    first = 0
    if frames > 1 and (clip.cyclic or cycles.closes(clip)):
        count = int(np.ceil(4.0 * smooth * clip.rate / (frames - 1)))  # the Gaussian extends to 4 sigma
        path, first = _pad_cycle_path(path, count), count * (frames - 1)
    path = root_motion.smooth(path, smooth * clip.rate)[first : first + frames]
    return path[:, :2], path[:, 3], path[:, 2]


def _pad_cycle_path(path: Array, count: int) -> Array:
    """Return a cycle's path (F, 4), x, y, z and facing, with `count` cycles before and after it."""
    ground, facing = path[:, :2] @ np.array([1.0, 1j]), path[:, 3]
    turn, rise = facing[-1] - facing[0], path[-1, 2] - path[0, 2]
    shift = ground[-1] - np.exp(1j * turn) * ground[0]
    places = {0: ground}
    for k in range(1, count + 1):
        places[k] = np.exp(1j * turn) * places[k - 1] + shift
        places[-k] = np.exp(-1j * turn) * (places[1 - k] - shift)
    rows = []
    for k in range(-count, count + 1):
        cycle = np.column_stack([places[k].real, places[k].imag, path[:, 2] + k * rise, facing + k * turn])
        rows.append(cycle if k == count else cycle[:-1])
    return np.concatenate(rows)


def _facing_at_rest(clip: Clip, above: list[int]) -> float:
    """Return the facing, in radians, of the rest pose under the joints above the hips as posed in the first frame."""
    rotations = np.tile(quat.IDENTITY, (1, len(clip.skeleton), 1))
    translations = np.zeros((1, len(clip.skeleton), 3))
    rotations[:, above], translations[:, above] = clip.rotations[:1, above], clip.translations[:1, above]
    resting = replace(clip.cut(0, 1), rotations=rotations, translations=translations)
    return float(root_motion.ground_frames(resting)[1][0])


def _standing(clip: Clip, joints: list[int]) -> dict[int, tuple[Array, Array]]:
    """Return world poses of some joints held at their first frame."""
    rotations, positions = kinematics.world_of(clip, joints)
    frames = len(clip)
    return {j: (np.tile(rotations[0, j], (frames, 1)), np.tile(positions[0, j], (frames, 1))) for j in joints}


def _with_above(clip: Clip, poses: dict[int, tuple[Array, Array]]) -> Clip:
    """Return the clip with the joints above its hips at world poses, and all others where they are."""
    if not poses:
        return clip
    if clip.scales is None and clip.skeleton.inheritance is None:
        rotations, positions = kinematics.world(clip)
        hips = root_motion.travelling_joint(clip.skeleton)
        kept = {j: (rotations[:, j], positions[:, j]) for j in (*root_blend.outside(clip.skeleton), hips)}
        return root_blend.place_joints(clip, kept | poses)
    linear, places = kinematics.matrices(clip)
    rotations = kinematics.world(clip)[0]
    for joint, (turn, place) in poses.items():
        moved = quat.to_matrix(quat.mul(turn, quat.inv(rotations[:, joint])))
        linear[:, joint], places[:, joint] = moved @ linear[:, joint], place
    carried = kinematics.standing_at(clip, linear, places)
    body = np.ones(len(clip.skeleton), dtype=bool)
    body[list(poses)] = False
    away = np.linalg.norm(kinematics.matrices(carried)[1] - places, axis=2).max(axis=0) * body
    if away.max() > STAYS * clip.skeleton.height:
        raise SkeletonError(
            f"{clip.name}: {clip.skeleton.names[int(away.argmax())]!r} would be {100.0 * away.max():.1f} cm from its"
            " place, since the joints above the hips are scaled unevenly: apply their scale first"
        )
    return carried
