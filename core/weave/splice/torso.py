"""How the trunk of an action is turned about the pelvis joint so that it goes with a locomotion.

Everything is seen in heading frames: standing at the pelvis joint, facing where the hips face but for their swing.

Method: Splicing upper body onto locomotion.
"""

from dataclasses import dataclass

import numpy as np

from ...motion import kinematics, quat, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...recipes.splice import SpliceOptions
from .mask import UpperBody

HEADING_SIGMA = 0.5  # s; with less, the swing of the hips is taken for facing, and the trunk turned with it


@dataclass(frozen=True, eq=False)
class Torso:
    """How the trunk of a clip stands in its heading frame, in each of F frames.

    turning (F, 4) : of the pelvis joint; carrier (F, 4) : of the frame in which it turns
    points (F, P, 3) : of the trunk, from the pelvis joint
    """

    turning: Array
    carrier: Array
    points: Array


def facing(clip: Clip) -> Array:
    """Return which way the hips face (F,) but for their swing, radians."""
    return root_motion.pelvis_heading(clip, HEADING_SIGMA)


def facing_at(clip: Clip, frames: Array) -> Array:
    """Return the same at some frames (K,) that are played at the clip's own speed.

    All of the clip tells it then. Where its speed is changed, so is its swing: facing is that of the re-timed clip.
    """
    return np.interp(frames, np.arange(len(clip)), facing(clip))


def measure(clip: Clip, upper: UpperBody, faced: Array) -> Torso:
    """Return how the trunk stands as seen by who faces (F,) radians; the upper body must have a pelvis joint."""
    assert upper.pelvis is not None
    rotations, positions = kinematics.world_of(clip, [upper.pelvis, *upper.trunk])
    back = quat.about_axis("Z", -faced)
    turning = quat.mul(back, rotations[:, upper.pelvis])
    points = positions[:, upper.trunk] - positions[:, upper.pelvis, None]
    carrier = quat.mul(turning, quat.inv(clip.rotations[:, upper.pelvis]))
    return Torso(turning, carrier, quat.rotate(back[:, None], points))


def correction(locomotion: Torso, action: Torso, rate: float, recipe: SpliceOptions) -> Array:
    """Return the rotations (F, 4) after the action's own by which its trunk goes with the locomotion's.

    gaussian : as the locomotion's stands, averaged over neighbours; the action's quick turning stays ([Nomura])
    heck : as the locomotion's stands, less the mean of that, which is the action's posture ([Heck])
    additive : as the action's own stands, with what the locomotion's does about its mean
    """
    if recipe.method == "additive":
        mean = locomotion.points.mean(axis=0)[None]
        return in_own_frame(onto(locomotion.points, mean), action)
    found = in_own_frame(onto(locomotion.points, action.points), action)
    if recipe.method == "heck":
        return without_mean(found, 1.0)
    return without_mean(smoothed(found, recipe.smoothing * rate), recipe.posture)


def onto(targets: Array, points: Array) -> Array:
    """Return the rotations (F, 4) that carry points (F, P, 3) best onto wanted ones, about the origin (Horn 1987)."""
    # The quaternion nearest to a matrix that is no rotation is Horn's, if the matrix is Σ wanted · pointᵀ.
    return quat.from_matrix(np.einsum("...pi,...pj->...ij", targets, points))


def in_own_frame(turned: Array, action: Torso) -> Array:
    """Return rotations Q (F, 4) of the trunk in the heading frame as q in the pelvis joint's: Q·turning = turning·q.

    There a mean over frames is one of what is done to the body, not of the ways that the body is turned.
    """
    return quat.mul(quat.mul(quat.inv(action.turning), turned), action.turning)


def smoothed(corrections: Array, sigma: float) -> Array:
    """Return rotations (F, 4) averaged with their neighbours, by exp(−k²/2σ²), σ in frames.

    The window of [Nomura], 60 frames, is 12 σ wide; what is more than 4 σ away is left out, a ten-thousandth. Ends go
    on by odd reflection, so that what changes evenly stays as it is there, too.
    """
    return quat.normalize(root_motion.smooth(quat.continuous(corrections), sigma))


def without_mean(corrections: Array, share: float) -> Array:
    """Return rotations (F, 4) with a share of their mean taken off again: q·mean⁻¹ where it is all of it."""
    mean = quat.mean_of_frames(corrections[:, None])[0]
    return quat.mul(corrections, quat.exp(-share * quat.log(mean)))


def placed(locomotion: Torso, action: Torso, corrections: Array) -> Array:
    """Return the pelvis joint's rotations (F, 4) on the locomotion's hips that give the action's trunk, corrected."""
    return quat.mul(quat.mul(quat.inv(locomotion.carrier), action.turning), corrections)
