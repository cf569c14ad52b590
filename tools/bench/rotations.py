"""Benchmarks of weighted rotation means and of complete blends."""

from dataclasses import replace

import numpy as np
from action_loom.core import verbs
from action_loom.core.motion import quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.frame_map import FrameMap
from action_loom.core.motion.quat import Array
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.sync import registration
from action_loom.core.sync.registration_curve import Registration
from action_loom.core.verbs import Blend
from action_loom.core.verbs.blend import weights as blend_weights
from action_loom.core.verbs.blend import work as blend
from action_loom.core.weave.preprocess import PreparedClips, RegisteredClips
from line import Case, Line, Rival, Target, later
from material import FRAMES, Material

CLIPS, JOINTS = 5, 60
WEIGHTS = np.array([0.1, 0.15, 0.2, 0.25, 0.3])
OTHER_MEAN = 5.0  # degrees allowed between chordal and geodesic mean; the input rotations differ by up to 100°


def lines() -> list[Line]:
    return [
        Line("mean", "weighted mean of rotations, 5 × 1000 × 60", Target(25.0), _mean),
        Line("blend", "blend of 5 × 1000 × 60, registration known", Target(60.0), _blend),
        Line("blend-report", "the same, with its report", Target(), _blend_with_report),
    ]


def _mean(_: Material) -> Case:
    clips, _ = several_clips()
    rotations = [clip.rotations for clip in clips]
    stacked = np.stack(rotations)
    return Case(
        lambda: quat.mean(rotations, WEIGHTS[:, None, None]),
        {
            "scipy": later(_scipy, stacked),
            "numpy, eigenvectors": later(_eigenvectors, stacked),
        },
        moved=8.0 * 4 * (CLIPS + 1) * FRAMES * JOINTS,
    )


def _scipy(stacked: Array) -> Rival:
    from scipy.spatial.transform import Rotation

    rotations = Rotation.from_quat(stacked, scalar_first=True)
    weights = np.broadcast_to(WEIGHTS[:, None, None], stacked.shape[:-1])

    def apart(ours: Array, theirs: Rotation) -> float:
        mean = Rotation.from_quat(ours, scalar_first=True)
        # Our mean is geodesic: the weighted logarithms about it sum to zero.
        left_over = (WEIGHTS[:, None, None, None] * (mean.inv() * rotations).as_rotvec()).sum(axis=0)
        if np.abs(left_over).max() > 1e-6:
            return float("inf")
        return float(np.degrees((mean.inv() * theirs).magnitude().max()))

    return Rival(lambda: rotations.mean(weights=weights, axis=0), apart, OTHER_MEAN)


def _eigenvectors(stacked: Array) -> Rival:
    def work() -> Array:
        products = np.einsum("n,nfji,nfjk->fjik", WEIGHTS, stacked, stacked)
        return np.asarray(np.linalg.eigh(products)[1][..., -1])

    def apart(ours: Array, theirs: Array) -> float:
        sine = np.linalg.norm(quat.mul(quat.inv(ours), theirs)[..., 1:], axis=-1)
        return float(np.degrees(2.0 * np.arcsin(np.minimum(sine, 1.0)).max()))

    return Rival(work, apart, OTHER_MEAN)


def _blend(_: Material) -> Case:
    clips, registered = several_clips()
    equal = blend_weights.of_recipe(Blend(), len(clips))

    def ours() -> Clip:
        at = blend.output_frames(registered.registration, equal, "blended")
        return blend.weave(clips, registered.registration, at, equal.at(registered.registration.share_of_way(at)))[0]

    return Case(ours, moved=8.0 * 7 * (CLIPS + 1) * FRAMES * JOINTS)


def _blend_with_report(_: Material) -> Case:
    clips, registered = several_clips()
    return Case(
        lambda: verbs.apply(Blend(plant_feet=False), clips, prepared=registered),
        moved=8.0 * 7 * (CLIPS + 1) * FRAMES * JOINTS,
    )


def several_clips() -> tuple[list[Clip], RegisteredClips]:
    """Return five clips (1000 frames, 60 joints, rotations about 30° different) with uneven registration curves."""
    rng = np.random.default_rng(0)
    parents = np.array([-1, *(max(0, k - 1) if k % 12 else 0 for k in range(1, JOINTS))])
    offsets, still = np.tile([0.0, 0.02, 0.08], (JOINTS, 1)), np.tile(quat.IDENTITY, (JOINTS, 1))
    names = tuple(f"joint{k}" for k in range(JOINTS))
    skeleton = Skeleton(names, parents, offsets, still, np.zeros((JOINTS, 3)))
    translations = np.zeros((FRAMES, JOINTS, 3))
    translations[:, 0] = 0.01 * np.arange(FRAMES)[:, None]

    def wandering() -> Array:
        steps = rng.normal(size=(FRAMES, JOINTS, 3)) / np.sqrt(FRAMES)
        return quat.exp(0.3 * np.cumsum(steps, axis=0) + 0.2 * rng.normal(size=(JOINTS, 3)))

    common = wandering()
    clips = [
        Clip(f"clip{k}", skeleton, 120.0, quat.mul(common, wandering()), translations.copy()) for k in range(CLIPS)
    ]
    straight, uneven = registration.identity(clips[0]), 3.0 * np.sin(np.linspace(0.0, np.pi, FRAMES))
    curves = [straight, *(replace(straight, frames=straight.frames + uneven) for _ in clips[1:])]
    prepared = PreparedClips(tuple(clips), 0, (), (FrameMap(),) * CLIPS)
    return clips, RegisteredClips(prepared, Registration(0, tuple(curves)), True)
