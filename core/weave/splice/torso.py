"""Correct the rotation of an action's trunk about the pelvis joint to match a locomotion.

All computations are in heading frames: at the pelvis joint, with the heading of the hips without their swing.

Method: Splicing upper body onto locomotion.
"""

from dataclasses import dataclass

import numpy as np

from ...motion import kinematics, quat, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...recipes.splice import SpliceOptions
from .mask import UpperBody

HEADING_SIGMA = 0.5  # s; with less, the swing of the hips would count as heading, and the trunk would turn with it


@dataclass(frozen=True, eq=False)
class Torso:
    """The trunk of a clip in its heading frame, in each of F frames.

    turning (F, 4) : rotation of the pelvis joint; carrier (F, 4) : rotation of its parent frame
    points (F, P, 3) : of the trunk, relative to the pelvis joint
    """

    turning: Array
    carrier: Array
    points: Array


def facing(clip: Clip) -> Array:
    """Return the heading of the hips (F,) without their swing, radians.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.splice import torso
        >>> facing = np.degrees(torso.facing(actions.walk(cycles=6)))
        >>> np.ptp(facing[30:-30]).round(1).item()  # the hips swing by 14°
        0.4
    """
    return root_motion.pelvis_heading(clip, HEADING_SIGMA)


def facing_at(clip: Clip, frames: Array) -> Array:
    """Return the heading of the hips (K,) at some frames (K,) played at the clip's own speed.

    It is smoothed over the whole clip, then sampled. A re-timed clip swings at another speed, so use `facing` of the
    re-timed clip for it.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.splice import torso
        >>> walk = actions.walk()
        >>> bool((torso.facing_at(walk, np.array([0.0, 10.0])) == torso.facing(walk)[[0, 10]]).all())
        True
    """
    return np.interp(frames, np.arange(len(clip)), facing(clip))


def measure(clip: Clip, upper: UpperBody, faced: Array) -> Torso:
    """Return the trunk of a clip in frames that face (F,) radians; the upper body must have a pelvis joint.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.splice import mask, torso
        >>> walk = actions.walk()
        >>> trunk = torso.measure(walk, mask.upper_body(walk.skeleton), torso.facing(walk))
        >>> trunk.turning.shape, trunk.points.shape
        ((97, 4), (97, 6, 3))
    """
    assert upper.pelvis is not None
    rotations, positions = kinematics.world_of(clip, [upper.pelvis, *upper.trunk])
    back = quat.about_axis("Z", -faced)
    turning = quat.mul(back, rotations[:, upper.pelvis])
    points = positions[:, upper.trunk] - positions[:, upper.pelvis, None]
    carrier = quat.mul(turning, quat.inv(clip.rotations[:, upper.pelvis]))
    return Torso(turning, carrier, quat.rotate(back[:, None], points))


def correction(locomotion: Torso, action: Torso, rate: float, recipe: SpliceOptions) -> Array:
    """Return the rotations (F, 4), applied after the action's own, that fit its trunk to the locomotion.

    gaussian : onto the locomotion's trunk, averaged over neighbours; quick turns of the action stay ([Nomura])
    heck : onto the locomotion's trunk, without the mean, so the action keeps its posture ([Heck])
    additive : from the locomotion's mean trunk onto its trunk: its swing is added to the action's own

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import quat
        >>> from action_loom.core.recipes.splice import SpliceOptions
        >>> from action_loom.core.weave.splice import mask, torso
        >>> clips = actions.walk(), actions.sneak().cut(0, 97)
        >>> upper = mask.upper_body(clips[0].skeleton)
        >>> walk, sneak = (torso.measure(clip, upper, torso.facing(clip)) for clip in clips)
        >>> turns = quat.log(torso.correction(walk, sneak, 30.0, SpliceOptions()))
        >>> round(np.degrees(np.linalg.norm(turns, axis=1).mean()).item())  # the crouched trunk is set upright
        30
    """
    if recipe.method == "additive":
        mean = locomotion.points.mean(axis=0)[None]
        return in_own_frame(onto(locomotion.points, mean), action)
    turned = in_own_frame(onto(locomotion.points, action.points), action)
    if recipe.method == "heck":
        return without_mean(turned, 1.0)
    return without_mean(smooth_rotations(turned, recipe.smoothing * rate), recipe.posture)


def onto(targets: Array, points: Array) -> Array:
    """Return the rotations (F, 4) about the origin that bring points (F, P, 3) nearest to targets (Horn 1987)."""
    # Given Σ target · pointᵀ, which is not a rotation, `from_matrix` returns the nearest quaternion, as in Horn.
    return quat.from_matrix(np.einsum("...pi,...pj->...ij", targets, points))


def in_own_frame(turned: Array, action: Torso) -> Array:
    """Return rotations Q (F, 4) of the trunk in the heading frame as q in the pelvis joint's: Q·turning = turning·q.

    In that frame a mean over frames is a mean of the corrections, independent of the body's rotation.
    """
    return quat.mul(quat.mul(quat.inv(action.turning), turned), action.turning)


def smooth_rotations(corrections: Array, sigma: float) -> Array:
    """Return rotations (F, 4) averaged with their neighbours, weighted by exp(−k²/2σ²), σ in frames.

    The window of [Nomura], 60 frames, is 12 σ wide; here it is cut at 4 σ, which drops a ten-thousandth of the weight.
    Ends are extended by odd reflection, so that a uniform change is preserved there, too.
    """
    return quat.normalize(root_motion.smooth(quat.continuous(corrections), sigma))


def without_mean(corrections: Array, share: float) -> Array:
    """Return rotations (F, 4) without a share of their mean: q·mean⁻¹ for the share 1."""
    mean = quat.mean_of_frames(corrections[:, None])[0]
    return quat.mul(corrections, quat.exp(-share * quat.log(mean)))


def place_pelvis(locomotion: Torso, action: Torso, corrections: Array) -> Array:
    """Return the pelvis joint's rotations (F, 4) on the locomotion's hips that produce the action's corrected trunk.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import quat
        >>> from action_loom.core.weave.splice import mask, torso
        >>> walk = actions.walk()
        >>> upper = mask.upper_body(walk.skeleton)
        >>> trunk = torso.measure(walk, upper, torso.facing(walk))
        >>> rotations = torso.place_pelvis(trunk, trunk, np.tile(quat.IDENTITY, (97, 1)))  # its own trunk, uncorrected
        >>> bool(np.allclose(rotations, walk.rotations[:, upper.pelvis]))
        True
    """
    return quat.mul(quat.mul(quat.inv(locomotion.carrier), action.turning), corrections)
