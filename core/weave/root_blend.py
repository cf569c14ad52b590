"""Blend root trajectories: average each clip's steps in its own heading frame (methods: N-way blending).

The hips are blended in the world, whatever joint carries them, and so are parts of the body outside the hips' subtree
(feet under a root). Other joints outside that subtree (a root bone, an animated armature object, foot targets, poles)
move with the same heading frame as they do in the reference: they stand still, follow without turning, or follow and
turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..motion import continuous_mean, ik, inheritance, kinematics, quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

STILL_SHARE = 0.05  # share of the length of the hips' ground path; a joint with a shorter path stands still
TURNING_SHARE = 0.5  # share of the body's turning; a joint that turns less does not follow its turns


@dataclass(frozen=True, eq=False)
class Part:
    """One clip at the result's frames: hips on the ground (K, 2), facing (K,), and travelling joints.

    rotations (K, J, 4), positions (K, J, 3) : in the world; only of travelling joints, ankles, and joints that show the
        heading
    """

    clip: Clip
    ground: Array
    facing: Array
    rotations: Array
    positions: Array

    @cached_property
    def turning_back(self) -> Array:
        """Rotations (K, 4) from the world into the heading frame."""
        return quat.about_axis("Z", -self.facing)

    def place(self, joint: int) -> Array:
        """Return a joint's position (K, 3) in the heading frame."""
        offset = self.positions[:, joint].copy()
        offset[:, :2] -= self.ground
        return quat.rotate(self.turning_back, offset)


def part(sampled: Clip) -> Part:
    """Return a clip, sampled at the result's frames, split into its root motion and the rest.

    The facing is smoothed on these common frames, so that a clip and a rotated or re-timed copy of it agree.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_blend
        >>> part = root_blend.part(actions.turn_left())
        >>> part.ground.shape, round(np.degrees(part.facing[-1] - part.facing[0]).item())
        ((81, 2), 90)
    """
    rotations, positions = kinematics.world_of(sampled, _telling(sampled.skeleton))
    facing = root_motion.smooth(
        root_motion.raw_heading(sampled.skeleton, rotations, positions), root_motion.HEADING_SIGMA * sampled.rate
    )
    joint = root_motion.travelling_joint(sampled.skeleton)
    return Part(sampled, positions[:, joint, :2], facing, rotations, positions)


def list_needed_joints(skeleton: Skeleton) -> list[int]:
    """Return the joints that `part` needs, with all their ancestors.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.weave import root_blend
        >>> figure = body.skeleton()
        >>> sorted(set(figure.names) - {figure.names[joint] for joint in root_blend.list_needed_joints(figure)})
        ['forearm.L', 'forearm.R', 'hand.L', 'hand.R', 'head', 'neck', 'toe.L', 'toe.R']
    """
    found = set[int]()
    for joint in _telling(skeleton):
        while joint >= 0 and joint not in found:
            found.add(joint)
            joint = int(skeleton.parents[joint])
    return sorted(found)


def _telling(skeleton: Skeleton) -> list[int]:
    """Return the joints that show how a body travels, and its ankles."""
    return [*root_motion.heading_joints(skeleton), *outside(skeleton), *(limb.end for limb in ik.legs(skeleton))]


def trajectory(
    parts: Sequence[Part], weights: Array, reference: int, meeting: int = 0, *, standing: bool = False
) -> tuple[Array, Array]:
    """Return the positions of a blend on the ground (K, 2) and its facing (K,).

    standing : whether all clips were made in place at one origin, so that world positions are averaged; otherwise the
        path of mean steps meets the reference at frame `meeting` (see `_average_trajectory`)

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_blend
        >>> parts = [root_blend.part(clip) for clip in (actions.turn_left(), actions.turn_right())]
        >>> _, facing = root_blend.trajectory(parts, np.full((2, 81), 0.5), reference=0)
        >>> abs(round(np.degrees(facing[-1] - facing[0]).item()))  # straight on
        0
    """
    return _standing(parts, weights, reference) if standing else _average_trajectory(parts, weights, reference, meeting)


def blend(
    parts: Sequence[Part], weights: Array, reference: int, ground: Array, facing: Array
) -> dict[int, tuple[Array, Array]]:
    """Return world rotations (K, 4) and positions (K, 3) of travelling joints, along the trajectory of a blend.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import root_blend
        >>> parts, weights = [root_blend.part(actions.walk())] * 2, np.full((2, 97), 0.5)
        >>> poses = root_blend.blend(parts, weights, 0, *root_blend.trajectory(parts, weights, 0))
        >>> hips = poses[0][1]  # the blend of a walk with itself
        >>> bool(np.allclose(hips, parts[0].positions[:, 0], atol=1e-4))
        True
    """
    turning = quat.about_axis("Z", facing)
    poses: dict[int, tuple[Array, Array]] = {}
    travelling = [carriers(p) for p in parts]
    for joint, turns in travelling[reference].items():
        # A root bone that stays behind in another clip does not show that clip's place.
        having = [k for k, others in enumerate(travelling) if joint in others]
        shares = _shares_of(having, weights, reference)
        chosen = [parts[k] for k in having]
        back = [p.turning_back if turns else quat.about_axis("Z", -p.facing[:1]) for p in chosen]
        relative = [quat.mul(b, p.rotations[:, joint]) for b, p in zip(back, chosen, strict=True)]
        mean = continuous_mean.mean_of_frames([one[:, None] for one in relative], shares)[:, 0]
        rotation = quat.mul(turning if turns else turning[:1], mean)
        poses[joint] = rotation, blend_positions([p.place(joint) for p in chosen], shares, ground, turning)
    return poses


def blend_positions(places: Sequence[Array], weights: Array, ground: Array, turning: Array) -> Array:
    """Return the weighted mean of positions (K, 3) in heading frames, moved along the trajectory of a blend.

    weights (N, K); ground (K, 2), turning (K, 4) : the trajectory, its facing as rotations

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import quat
        >>> from action_loom.core.weave import root_blend
        >>> part = root_blend.part(actions.walk())
        >>> ankle = actions.walk().skeleton.roles["foot.L"]
        >>> turning = quat.about_axis("Z", part.facing)
        >>> places = root_blend.blend_positions([part.place(ankle)], np.ones((1, 97)), part.ground, turning)
        >>> bool(np.allclose(places, part.positions[:, ankle]))
        True
    """
    place = quat.rotate(turning, average(places, weights))
    place[:, :2] += ground
    return place


def _average_trajectory(parts: Sequence[Part], weights: Array, reference: int, meeting: int) -> tuple[Array, Array]:
    """Return the mean trajectory (K, 2), (K,): steps forward, sideways and turning, averaged and integrated.

    A left and a right turn at equal weights thus cancel to a straight path.
    """
    first = parts[reference]
    between = 0.5 * (weights[:, 1:] + weights[:, :-1])
    steps = average([root_motion.increments(p.ground, p.facing) for p in parts], between)
    ground, facing = root_motion.integrate(steps, first.ground[0], float(first.facing[0]))
    return root_motion.moved_together(ground, facing, meeting, first.ground[meeting], float(first.facing[meeting]))


def _standing(parts: Sequence[Part], weights: Array, reference: int) -> tuple[Array, Array]:
    """Return the mean position (K, 2) and facing (K,) of clips that stay in place."""
    ahead = float(np.mean(parts[reference].facing))
    whole_turns = [2.0 * np.pi * np.round((float(np.mean(p.facing)) - ahead) / (2.0 * np.pi)) for p in parts]
    facings = [p.facing - turns for p, turns in zip(parts, whole_turns, strict=True)]
    return average([p.ground for p in parts], weights), average(facings, weights)


def _shares_of(having: list[int], weights: Array, reference: int) -> Array:
    """Return the weights (n, K) of some of the clips, normalized; the reference's alone if all are zero."""
    chosen = weights[having]
    total = chosen.sum(axis=0)
    alone = (np.array(having) == reference)[:, None]
    return np.where(total > 0.0, chosen / np.where(total > 0.0, total, 1.0), alone)


def average(values: Sequence[Array], weights: Array) -> Array:
    """Return the weighted sum of N arrays (K, ...) of one shape; weights (N, K).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.weave import root_blend
        >>> values, weights = [np.zeros((2, 3)), np.ones((2, 3))], np.array([[1.0, 0.5], [0.0, 0.5]])
        >>> root_blend.average(values, weights).tolist()
        [[0.0, 0.0, 0.0], [0.5, 0.5, 0.5]]
    """
    return np.asarray(sum(w.reshape(-1, *[1] * (v.ndim - 1)) * v for w, v in zip(weights, values, strict=True)))


def carriers(reference: Part) -> dict[int, bool]:
    """Return the joints that travel in the reference, including the hips, and whether each turns with the body."""
    skeleton = reference.clip.skeleton
    hips = root_motion.travelling_joint(skeleton)
    turns = dict.fromkeys(_loose_parts(skeleton), True)
    reach = np.ptp(reference.ground, axis=0).max()
    turned = np.ptp(reference.facing)
    for joint in props(skeleton):
        moved = np.ptp(reference.positions[:, joint, :2], axis=0).max()
        if moved <= STILL_SHARE * max(reach, 1e-6):
            continue
        relative = quat.mul(reference.rotations[:, joint], quat.inv(reference.rotations[:1, joint]))
        own_turn = np.ptp(np.unwrap(quat.yaw(relative)))
        turns[joint] = bool(own_turn >= TURNING_SHARE * turned)
    return turns | {hips: True}


def outside(skeleton: Skeleton) -> list[int]:
    """Return the joints outside the hips' subtree; without known hips, all roots but the first."""
    if "hips" not in skeleton.roles:
        return [int(joint) for joint in np.flatnonzero(skeleton.parents < 0)[1:]]
    return [int(joint) for joint in np.flatnonzero(~skeleton.below_hips)]


def props(skeleton: Skeleton) -> list[int]:
    """Return the joints that do not belong to the body: roots, targets, poles, and others outside the hips' subtree.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.weave import root_blend
        >>> figure = body.skeleton()
        >>> root_blend.props(figure), root_blend.props(replace(figure, roles=figure.roles | {"hips": 1}))
        ([], [0])
    """
    return [joint for joint in outside(skeleton) if not skeleton.body[joint]]


def _loose_parts(skeleton: Skeleton) -> list[int]:
    """Return the joints of the body, except the hips, whose parent is outside the body: feet under a root."""
    hangs = skeleton.bearers == skeleton.parents
    return [joint for joint in outside(skeleton) if skeleton.body[joint] and not hangs[joint]]


def place_joints(clip: Clip, poses: dict[int, tuple[Array, Array]]) -> Clip:
    """Return the clip with some joints at given world rotations (F, 4) and positions (F, 3), the others unchanged.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> from action_loom.core.weave import root_blend
        >>> walk = actions.walk()
        >>> rotations, places = kinematics.world(walk)
        >>> lifted = root_blend.place_joints(walk, {0: (rotations[:, 0], places[:, 0] + (0.0, 0.0, 1.0))})
        >>> abs(kinematics.points(lifted) - kinematics.points(walk)).mean(axis=(0, 1)).round(3).tolist()
        [0.0, 0.0, 1.0]
    """
    count = max(poses) + 1  # later joints move with their parents
    basis = quat.to_matrix(clip.rotations[:, :count])
    if clip.scales is not None:
        basis = basis * clip.scales[:, :count, None, :]
    linear, places = np.empty_like(basis), np.empty((*basis.shape[:2], 3))
    frames = kinematics.Frames(clip.skeleton, linear, places)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    for joint in range(count):
        frame = frames.frame_of(joint)
        if joint in poses:
            rotation, place = poses[joint]
            rotations[:, joint], translations[:, joint] = _local(frame, rotation, place)
            basis[:, joint] = quat.to_matrix(rotations[:, joint])
            if clip.scales is not None:
                basis[:, joint] *= clip.scales[:, joint, None, :]
        linear[:, joint], places[:, joint] = frame.apply(basis[:, joint], translations[:, joint])
    return replace(clip, rotations=rotations, translations=translations)


def _local(frame: inheritance.Frame, rotation: Array, place: Array) -> tuple[Array, Array]:
    lengths = np.linalg.norm(frame.turning, axis=-2, keepdims=True)
    turning = quat.from_matrix(frame.turning / np.where(lengths > 0.0, lengths, 1.0))
    return quat.mul(quat.inv(turning), rotation), frame.location_of(place)
