"""What is left between a walk and its path, spread over the walk in steps: standing feet stay.

Method: Following a drawn path.
"""

import numpy as np
from numpy.typing import NDArray

from ..check import contacts
from ..check.contacts import Flags
from ..motion import ik, kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from .edge_table import TALL

REACH = 0.08  # m, of a body 1.7 m tall; by more a foot is hardly led away from where the body goes


def spread(
    clip: Clip, left: NDArray[np.complex128], lower: Array, sigma: float
) -> tuple[Clip, NDArray[np.complex128], Array]:
    """Return a walk moved by what is left (F,), as x + iy, and lifted by (F,), smoothed over so many seconds.

    And by how much it was moved and lifted.

    The body glides by that, and a foot that stands would with it: it is moved by the mean of its stance instead, and to
    the next place while it is in the air. Legs follow.
    """
    smooth = root_motion.smooth(np.column_stack([left.real, left.imag, lower]), sigma * clip.rate)
    moved, way, lift = root_motion.placed(clip, 0.0, smooth), smooth[:, 0] + 1j * smooth[:, 1], smooth[:, 2]
    legs, standing = ik.legs(clip.skeleton), contacts.detect(clip)
    _, positions = kinematics.world_of(moved, [leg.end for leg in legs])
    ankles = {}
    for leg in legs:
        if standing[leg.foot].any():
            reach = REACH * clip.skeleton.height / TALL
            ahead = _limited(_by_steps(way, standing[leg.foot]) - way, reach)
            above = _limited(_by_steps(lift.astype(np.complex128), standing[leg.foot]) - lift, reach)
            ankles[leg] = positions[:, leg.end] + np.column_stack([ahead.real, ahead.imag, above.real])
    return ik.led(moved, ankles)[0], way, lift


def _by_steps(way: NDArray[np.complex128], stands: Flags) -> NDArray[np.complex128]:
    """The way (F,) as a foot takes it: its mean while the foot stands, smoothly to the next one in the air."""
    stances = contacts.runs(stands)
    means = [way[start:end].mean() for start, end in stances]
    out = np.full(len(way), means[0])
    for (start, _), mean in zip(stances, means, strict=True):
        out[start:] = mean
    for (_, end), (start, _), mean, following in zip(stances, stances[1:], means, means[1:], strict=False):
        share = np.arange(1, start - end + 1) / (start - end + 1)
        out[end:start] = mean + share * share * (3.0 - 2.0 * share) * (following - mean)
    return out


def _limited(ahead: NDArray[np.complex128], reach: float) -> NDArray[np.complex128]:
    """Distances (F,) that are softly kept within a reach."""
    size: Array = np.maximum(np.abs(ahead), 1e-12)
    return ahead * np.tanh(size / reach) * reach / size
