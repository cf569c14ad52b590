"""What carries a body's travel: hips, a root bone above them, or the object; the body stays where it is.

The carrier is under the hips and faces as the body does, both smoothed; joints above it stand still as in the first
frame, and those between it and the hips ride on it as they do there.

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

SIGMA = 0.5  # s; of a walk's sway, about once a second, a hundredth is left
STAYS = 1e-7  # of the body's height; a body that would be farther off can't be carried so


@dataclass(frozen=True)
class Carrying:
    """How a carrier goes: over how many seconds it is smoothed, whether it turns, and goes up and down, as the body."""

    smooth: float = SIGMA
    turn: bool = True
    height: bool = False


def by_hips(clip: Clip) -> Clip:
    """Return the clip with the joints above the hips standing still, and the hips going the whole way.

    Raises SkeletonError as `by_joint` does.
    """
    return _with_above(clip, _standing(clip, above_hips(clip)))


def by_root(clip: Clip, how: Carrying = Carrying()) -> Clip:
    """Return the clip with its travel and facing, smoothed, on the topmost joint above the hips, sway on the hips.

    Raises SkeletonError for a body that has no joint above the hips, and as `by_joint` does.
    """
    return by_joint(clip, next(iter(above_hips(clip)), -1), how)


def by_joint(clip: Clip, joint: int, how: Carrying) -> Clip:
    """Return the clip with its travel on a joint above the hips; −1 where there is none, which is refused.

    What is not above the hips stays where it is in the world; cycles go as far and turn as much in each. Raises
    SkeletonError where joints are scaled so that they can't stay.
    """
    if joint < 0:
        name = clip.skeleton.names[root_motion.travelling_joint(clip.skeleton)]
        raise SkeletonError(
            f"{clip.name}: there is no root bone above {name}, so its travel can't be put on one: add a bone and make"
            f" it the parent of {name}, or leave the travel on the hips"
        )
    above = above_hips(clip)
    rotations, positions = kinematics.world_of(clip, above)
    poses = _standing(clip, above)
    ground, facing, height = _body(clip, how.smooth)
    turning = quat.about_axis("Z", facing - _facing_at_rest(clip, above) if how.turn else np.zeros(len(clip)))
    place = np.column_stack([ground, positions[0, joint, 2] + (height - height[0]) * how.height])
    for riding in above[above.index(joint) :]:
        beside = positions[0, riding] - positions[0, joint]
        poses[riding] = quat.mul(turning, rotations[0, riding]), place + quat.rotate(turning, beside)
    return _with_above(clip, poses)


def as_in(clip: Clip, like: Clip) -> Clip:
    """Return a clip with the joints above its hips as those of another of its body and length; all else stays.

    Raises SkeletonError as `by_joint` does.
    """
    above = above_hips(clip)
    if not above:
        return clip
    theirs = kinematics.world_of(like, above)
    made = _with_above(clip, {joint: (theirs[0][:, joint], theirs[1][:, joint]) for joint in above})
    rotations, translations = made.rotations.copy(), made.translations.copy()
    rotations[:, above], translations[:, above] = like.rotations[:, above], like.translations[:, above]  # to the bit
    return replace(made, rotations=rotations, translations=translations)


def above_hips(clip: Clip) -> list[int]:
    """Return the joints above the hips, topmost first."""
    skeleton = clip.skeleton
    return ancestors(root_motion.travelling_joint(skeleton), skeleton.parents)[::-1]


def root_bone(clip: Clip) -> int:
    """Return the topmost joint above the hips that is a bone, −1 where there is none."""
    return next((joint for joint in above_hips(clip) if joint != moving_object(clip)), -1)


def moving_object(clip: Clip) -> int:
    """Return the joint that is the armature object, where the clip was read with one that moves; else −1."""
    return 0 if clip.skeleton.names[0].endswith(OBJECT) else -1


def _body(clip: Clip, smooth: float) -> tuple[Array, Array, Array]:
    """Where the hips are on the ground (F, 2), which way the body faces (F,), and how high the hips are (F,), smoothed.

    Cycles have more of them before and after: what is smoothed repeats then as they do.
    """
    skeleton, frames = clip.skeleton, len(clip)
    hips = root_motion.travelling_joint(skeleton)
    rotations, positions = kinematics.world_of(clip, root_motion.heading_joints(skeleton))
    facing = root_motion.raw_heading(skeleton, rotations, positions)
    if not smooth:
        return positions[:, hips, :2], facing, positions[:, hips, 2]
    way = np.column_stack([positions[:, hips], facing])
    first = 0
    if frames > 1 and (clip.cyclic or cycles.closes(clip)):
        laps = int(np.ceil(4.0 * smooth * clip.rate / (frames - 1)))
        way, first = _laps(way, laps), laps * (frames - 1)
    way = root_motion.smooth(way, smooth * clip.rate)[first : first + frames]
    return way[:, :2], way[:, 3], way[:, 2]


def _laps(way: Array, count: int) -> Array:
    """A cycle's way (F, 4), x, y, z and facing, with so many cycles before and after it."""
    ground, facing = way[:, :2] @ np.array([1.0, 1j]), way[:, 3]
    turn, rise = facing[-1] - facing[0], way[-1, 2] - way[0, 2]
    shift = ground[-1] - np.exp(1j * turn) * ground[0]
    places = {0: ground}
    for lap in range(1, count + 1):
        places[lap] = np.exp(1j * turn) * places[lap - 1] + shift
        places[-lap] = np.exp(-1j * turn) * (places[1 - lap] - shift)
    rows = []
    for lap in range(-count, count + 1):
        one = np.column_stack([places[lap].real, places[lap].imag, way[:, 2] + lap * rise, facing + lap * turn])
        rows.append(one if lap == count else one[:-1])
    return np.concatenate(rows)


def _facing_at_rest(clip: Clip, above: list[int]) -> float:
    """Which way the body would face at rest on the joints above the hips as they stand in the first frame, radians."""
    rotations = np.tile(quat.IDENTITY, (1, len(clip.skeleton), 1))
    translations = np.zeros((1, len(clip.skeleton), 3))
    rotations[:, above], translations[:, above] = clip.rotations[:1, above], clip.translations[:1, above]
    resting = replace(clip.cut(0, 1), rotations=rotations, translations=translations)
    return float(root_motion.ground_frames(resting)[1][0])


def _standing(clip: Clip, joints: list[int]) -> dict[int, tuple[Array, Array]]:
    """World poses of some joints that stand still as in the first frame."""
    rotations, positions = kinematics.world_of(clip, joints)
    frames = len(clip)
    return {j: (np.tile(rotations[0, j], (frames, 1)), np.tile(positions[0, j], (frames, 1))) for j in joints}


def _with_above(clip: Clip, poses: dict[int, tuple[Array, Array]]) -> Clip:
    """The clip with the joints above its hips at world poses, and all others where they are."""
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
    made = kinematics.standing_at(clip, linear, places)
    body = np.ones(len(clip.skeleton), dtype=bool)
    body[list(poses)] = False
    away = np.linalg.norm(kinematics.matrices(made)[1] - places, axis=2).max(axis=0) * body
    if away.max() > STAYS * clip.skeleton.height:
        raise SkeletonError(
            f"{clip.name}: {clip.skeleton.names[int(away.argmax())]!r} would be {100.0 * away.max():.1f} cm from its"
            " place, since the joints above the hips are scaled unevenly: apply their scale first"
        )
    return made
