"""Where a blend goes: every clip's travel in its own heading frame, averaged as steps (methods: N-way blending).

The hips are blended in the world, whatever carries them, and so are parts of the body that hang elsewhere (feet that
hang on a root). Other joints that are not below the hips (a root bone, an armature object that moves, feet targets,
poles) ride in the same heading frame, each as it does in the reference: standing still, following without turning, or
following and turning.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..motion import ik, inheritance, kinematics, quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

STILL_SHARE = 0.05  # of the hips' ground path; a joint that goes less far stands still
TURNING_SHARE = 0.5  # of the body's turning; a joint that turns less does not turn with it


@dataclass(frozen=True, eq=False)
class Part:
    """One clip at the result's frames, its hips on the ground (K, 2), its facing (K,), and joints that travel.

    rotations (K, J, 4), positions (K, J, 3) : in the world; of what tells how it travels, and of the ankles
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
        """Return a joint's place (K, 3) in the heading frame."""
        offset = self.positions[:, joint].copy()
        offset[:, :2] -= self.ground
        return quat.rotate(self.turning_back, offset)


def part(sampled: Clip) -> Part:
    """Split a clip that has been sampled at the result's frames.

    The facing is smoothed on these common frames: a clip and its own turned or re-timed copy then have the same.
    """
    rotations, positions = kinematics.world_of(sampled, _needed(sampled.skeleton))
    facing = root_motion.smooth(
        root_motion.raw_heading(sampled.skeleton, rotations, positions), root_motion.HEADING_SIGMA * sampled.rate
    )
    joint = root_motion.travelling_joint(sampled.skeleton)
    return Part(sampled, positions[:, joint, :2], facing, rotations, positions)


def _needed(skeleton: Skeleton) -> list[int]:
    """Return the joints that tell how a body travels."""
    return [*root_motion.heading_joints(skeleton), *outside(skeleton), *(limb.end for limb in ik.legs(skeleton))]


def way(
    parts: Sequence[Part], weights: Array, reference: int, meeting: int = 0, *, standing: bool = False
) -> tuple[Array, Array]:
    """Return where a blend goes on the ground (K, 2) and which way it faces (K,).

    standing : all clips were made in place round one origin, so they are averaged where they stand. Else the walk of
    their mean steps is where the reference is at frame `meeting` (see `_walked`).
    """
    return _standing(parts, weights, reference) if standing else _walked(parts, weights, reference, meeting)


def blend(
    parts: Sequence[Part], weights: Array, reference: int, ground: Array, facing: Array
) -> dict[int, tuple[Array, Array]]:
    """Return world rotations (K, 4) and places (K, 3) of the joints that travel, along a way."""
    turning = quat.about_axis("Z", facing)
    poses: dict[int, tuple[Array, Array]] = {}
    travelling = [carriers(p) for p in parts]
    for joint, turns in travelling[reference].items():
        # A root bone that stays behind in another clip says nothing of where this one is.
        having = [k for k, others in enumerate(travelling) if joint in others]
        shares = _shares_of(having, weights, reference)
        chosen = [parts[k] for k in having]
        back = [p.turning_back if turns else quat.about_axis("Z", -p.facing[:1]) for p in chosen]
        relative = [quat.mul(b, p.rotations[:, joint]) for b, p in zip(back, chosen, strict=True)]
        rotation = quat.mul(turning if turns else turning[:1], quat.mean(relative, shares))
        poses[joint] = rotation, along([p.place(joint) for p in chosen], shares, ground, turning)
    return poses


def along(places: Sequence[Array], weights: Array, ground: Array, turning: Array) -> Array:
    """Return the mean of places (K, 3) in heading frames, by weights (N, K), on the way of a blend."""
    place = quat.rotate(turning, average(places, weights))
    place[:, :2] += ground
    return place


def _walked(parts: Sequence[Part], weights: Array, reference: int, meeting: int) -> tuple[Array, Array]:
    """The mean walk (K, 2), (K,): steps ahead, aside and turning are averaged, and gone from the reference's place.

    So a left and a right turn at equal weights go straight on.
    """
    first = parts[reference]
    between = 0.5 * (weights[:, 1:] + weights[:, :-1])
    steps = average([root_motion.increments(p.ground, p.facing) for p in parts], between)
    ground, facing = root_motion.integrate(steps, first.ground[0], float(first.facing[0]))
    return root_motion.moved_together(ground, facing, meeting, first.ground[meeting], float(first.facing[meeting]))


def _standing(parts: Sequence[Part], weights: Array, reference: int) -> tuple[Array, Array]:
    """The mean place (K, 2) and facing (K,) of clips that stay where they are."""
    ahead = float(np.mean(parts[reference].facing))
    whole = [2.0 * np.pi * np.round((float(np.mean(p.facing)) - ahead) / (2.0 * np.pi)) for p in parts]
    facings = [p.facing - turns for p, turns in zip(parts, whole, strict=True)]
    return average([p.ground for p in parts], weights), average(facings, weights)


def _shares_of(having: list[int], weights: Array, reference: int) -> Array:
    """Return the weights (n, K) of some of the clips with sum 1; the reference's alone where all of theirs are zero."""
    chosen = weights[having]
    total = chosen.sum(axis=0)
    alone = (np.array(having) == reference)[:, None]
    return np.where(total > 0.0, chosen / np.where(total > 0.0, total, 1.0), alone)


def average(values: Sequence[Array], weights: Array) -> Array:
    """Return the weighted sum of N arrays (K, ...) of one shape; weights (N, K)."""
    return np.asarray(sum(w.reshape(-1, *[1] * (v.ndim - 1)) * v for w, v in zip(weights, values, strict=True)))


def carriers(reference: Part) -> dict[int, bool]:
    """Return the joints that travel in the reference, the hips among them, and whether each turns with the body."""
    skeleton = reference.clip.skeleton
    hips = root_motion.travelling_joint(skeleton)
    found = dict.fromkeys(loose_parts(skeleton), True)
    reach = np.ptp(reference.ground, axis=0).max()
    turned = np.ptp(reference.facing)
    for joint in props(skeleton):
        moved = np.ptp(reference.positions[:, joint, :2], axis=0).max()
        if moved <= STILL_SHARE * max(reach, 1e-6):
            continue
        relative = quat.mul(reference.rotations[:, joint], quat.inv(reference.rotations[:1, joint]))
        own_turn = np.ptp(np.unwrap(quat.yaw(relative)))
        found[joint] = bool(own_turn >= TURNING_SHARE * turned)
    return found | {hips: True}


def outside(skeleton: Skeleton) -> list[int]:
    """Return the joints that neither are the hips nor hang below them; all but the first root without hips."""
    if "hips" not in skeleton.roles:
        return [int(joint) for joint in np.flatnonzero(skeleton.parents < 0)[1:]]
    return [int(joint) for joint in np.flatnonzero(~skeleton.below_hips)]


def props(skeleton: Skeleton) -> list[int]:
    """Return the joints that are no part of the body: roots, targets, poles, and what else is not below the hips."""
    return [joint for joint in outside(skeleton) if not skeleton.body[joint]]


def loose_parts(skeleton: Skeleton) -> list[int]:
    """Return the joints of the body that hang on what is none, but for the hips: feet on a root."""
    hangs = skeleton.bearers == skeleton.parents
    return [joint for joint in outside(skeleton) if skeleton.body[joint] and not hangs[joint]]


def place_joints(clip: Clip, poses: dict[int, tuple[Array, Array]]) -> Clip:
    """Return the clip with some joints at given world rotations (F, 4) and places (F, 3), the others as they are."""
    count = max(poses) + 1  # joints below the last one go with it
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
