"""Spread the remaining offset between a walk and its path over the walk (methods: Following a drawn path)."""

import numpy as np
from numpy.typing import NDArray

from ..motion import ik, kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..quality import contacts
from ..quality.contacts import Flags
from .edge_table import TALL

REACH = 0.08  # m, for a body height of 1.7 m: approximate limit of a foot's displacement relative to the body


def spread(
    clip: Clip, left: NDArray[np.complex128], lower: Array, sigma: float
) -> tuple[Clip, NDArray[np.complex128], Array]:
    """Return a walk moved onto its path, and its displacement (F,), as x + iy, and lift (F,), metres.

    left (F,) : remaining offset on the ground, as x + iy, metres
    lower (F,) : remaining height, metres
    sigma : seconds over which both are smoothed

    The body is moved by the smoothed offset. A foot in contact would slide with it, so it is moved by the mean over its
    contact instead, with smooth interpolation in the air. Legs follow by inverse kinematics.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import spreading
        >>> walk = actions.walk()
        >>> aside = np.linspace(0.0, 0.1, len(walk)) + 0.0j  # up to 10 cm
        >>> moved, offset, lift = spreading.spread(walk, aside, np.zeros(len(walk)), sigma=1.0)
        >>> round(float(offset[48].real), 2), bool(lift.any())
        (0.05, False)
    """
    smooth = root_motion.smooth(np.column_stack([left.real, left.imag, lower]), sigma * clip.rate)
    moved, offset, lift = root_motion.place_clip(clip, 0.0, smooth), smooth[:, 0] + 1j * smooth[:, 1], smooth[:, 2]
    legs, standing = ik.legs(clip.skeleton), contacts.detect(clip)
    _, positions = kinematics.world_of(moved, [leg.end for leg in legs])
    ankles = {}
    for leg in legs:
        if standing[leg.foot].any():
            reach = REACH * clip.skeleton.height / TALL
            ahead = _limit_offsets(_by_steps(offset, standing[leg.foot]) - offset, reach)
            above = _limit_offsets(_by_steps(lift.astype(np.complex128), standing[leg.foot]) - lift, reach)
            ankles[leg] = positions[:, leg.end] + np.column_stack([ahead.real, ahead.imag, above.real])
    return ik.to_targets(moved, ankles)[0], offset, lift


def _by_steps(offset: NDArray[np.complex128], stands: Flags) -> NDArray[np.complex128]:
    """Return the offset (F,) of a foot: its mean during each contact, smoothly interpolated in the air."""
    stances = contacts.runs(stands)
    means = [offset[start:end].mean() for start, end in stances]
    out = np.full(len(offset), means[0])
    for (start, _), mean in zip(stances, means, strict=True):
        out[start:] = mean
    for (_, end), (start, _), mean, following in zip(stances, stances[1:], means, means[1:], strict=False):
        share = np.arange(1, start - end + 1) / (start - end + 1)
        out[end:start] = mean + share * share * (3.0 - 2.0 * share) * (following - mean)
    return out


def _limit_offsets(ahead: NDArray[np.complex128], reach: float) -> NDArray[np.complex128]:
    """Return offsets (F,) limited to a reach by a smooth function, which avoids abrupt stops at the limit."""
    size: Array = np.maximum(np.abs(ahead), 1e-12)
    return ahead * np.tanh(size / reach) * reach / size
