"""Pose distances by the rotations of joints (methods: Pose distance)."""

from copy import copy
from typing import Self

import numpy as np

from .. import jit
from ..motion import kinematics, quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..recipes.matching import Matching
from . import joint_weights
from .distance import Metric
from .posed_clip import PosedClip

LEAST = 1e-12  # squared sines below this are rounding, and treated as zero
# The ten distinct products of two components, and the frequency of each in (q·q')².
_FIRST, _SECOND = np.triu_indices(4)
_OCCURRENCE = np.sqrt(np.where(_FIRST == _SECOND, 1.0, 2.0))


class AngleMetric(Metric):
    """Angles between joint rotations, Σ α·angle^p, as a mean over the window with the largest weight at its centre.

    The hips' rotation is taken in the heading frame, so that turning a clip changes nothing; the other joints'
    rotations about their rest frames. Window frames beyond a clip's end are replaced by the centre frame ([Zheng]).
    """

    floor = 0.002  # rad²
    passes = 1

    def __init__(self, body: PosedClip, matching: Matching) -> None:
        weights = joint_weights.rotation_weights(body.clip.skeleton, matching.joints)
        self._used = np.flatnonzero(weights)
        self._weights = weights[self._used]
        self._rotations = _in_heading_frame(body.clip)[:, self._used]

    def take_frames(self, frames: slice) -> Self:
        other = copy(self)
        other._rotations = self._rotations[frames]
        return other

    def matrix(self, other: Self, window: int) -> Array:
        """Return the distances (M, N), rad², between the poses of this clip and of another."""
        rotations, others = (np.ascontiguousarray(body._rotations.transpose(1, 2, 0)) for body in (self, other))
        return _in_window(angles_apart(rotations, others, self._weights), window)


def angles_apart(rotations: Array, others: Array, weights: Array) -> Array:
    """Return Σ weight·angle² (M, N) of joint rotations (J, 4, M) and (J, 4, N)."""
    distances: Array = jit.kernels(__package__).angles_apart(rotations, others, weights)
    return distances


class ChordalMetric(Metric):
    """1 − (q·q')², the squared sine of half the angle: one matrix product, and q and −q are the same rotation."""

    floor = 0.0005
    passes = 1

    def __init__(self, body: PosedClip, matching: Matching) -> None:
        weights = joint_weights.rotation_weights(body.clip.skeleton, matching.joints)
        q = _in_heading_frame(body.clip)
        products = q[..., _FIRST] * q[..., _SECOND] * _OCCURRENCE * np.sqrt(weights)[:, None]
        self._products = products.reshape(len(q), -1)

    def take_frames(self, frames: slice) -> Self:
        other = copy(self)
        other._products = self._products[frames]
        return other

    def matrix(self, other: Self, window: int) -> Array:
        """Return the distances (M, N), without unit, between the poses of this clip and of another."""
        squares = 1.0 - self._products @ other._products.T
        return _in_window(np.where(squares > LEAST, squares, 0.0), window)


def _in_heading_frame(clip: Clip) -> Array:
    """Return rotations (F, J, 4) about the rest frames; the rotation of the hips is relative to the heading."""
    rotations = clip.rotations.copy()
    hips = root_motion.travelling_joint(clip.skeleton)
    world, positions = kinematics.world(clip)
    raw = root_motion.raw_pelvis_heading(clip.skeleton, world, positions)
    facing = root_motion.smooth(raw, root_motion.HEADING_SIGMA * clip.rate)
    rotations[:, hips] = quat.mul(quat.about_axis("Z", -facing), world[:, hips])
    return rotations


def _in_window(poses: Array, window: int) -> Array:
    """Return the mean over a window of distances (M, N), weighted by a Hann window."""
    if window == 0:
        return poses
    weights = 0.5 + 0.5 * np.cos(np.pi * np.arange(-window, window + 1) / (window + 1))
    return weighted_window(poses, weights / weights.sum())


def weighted_window(poses: Array, weights: Array) -> Array:
    """Return Σ ω P(i + k, j + k), k = −W … W, with weights ω (2W+1,); frames out of range use the centre frame."""
    means: Array = jit.kernels(__package__).weighted_window(poses, weights)
    return means
