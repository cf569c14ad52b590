"""Whether a surface and its bones go together: what a user is told of weights, units and bind poses."""

import numpy as np

from ..errors import some
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from .skin import LEAST, Skin

OFF_ONE = 0.01  # of weights that add up to 1 but for rounding
OUTSIDE = 0.5  # of the surface's size: so far from it stands a bone that does not belong to it
SMALL = 20.0  # times smaller than the surface are bones in another unit; the bones of a head are not as small
ELSEWHERE = 0.1  # of a bone's length


def notes(surface: Skin, bind: Array, totals: Array) -> list[str]:
    """Return what is strange about a surface and its bones at rest, a sentence each.

    bind (B, 4, 4) : the bones' matrices, in the surface's unit; totals (V,) : what weights add up to as given
    """
    found = []
    loose = int(np.sum(totals <= LEAST))
    if loose:
        found.append(f"{loose:,} of {len(surface):,} vertices have no weights and stay where they are")
    uneven = totals[(totals > LEAST) & (np.abs(totals - 1.0) > OFF_ONE)]
    if len(uneven):
        found.append(
            f"the weights of {len(uneven):,} vertices add up to between {uneven.min():.3g} and {uneven.max():.3g}; "
            "they were scaled to add up to 1"
        )
    return found + _place_notes(surface, bind)


def _place_notes(surface: Skin, bind: Array) -> list[str]:
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    size = float(np.max(high - low))
    places = bind[:, :3, 3]
    outside = np.any((places < low - OUTSIDE * size) | (places > high + OUTSIDE * size), axis=1)
    small = len(places) > 1 and SMALL * float(np.ptp(places, axis=0).max()) < size
    if not small and 2 * int(outside.sum()) <= len(places):
        return []
    what = "the joints are all in one place of the mesh" if small else "most joints lie far outside the mesh"
    return [
        f"{what}: give the pose in which it was made (--bind, --bind-frame), and --scale if its unit is not the clip's"
    ]


def rest_notes(bind: Skeleton, moving: Skeleton, names: list[str]) -> list[str]:
    """Return a sentence on joints that stand elsewhere in their parents in the skeleton that moves."""
    other = []
    for name in names:
        one, two = bind.index(name), moving.index(name)
        if bind.parents[one] >= 0 and moving.parents[two] >= 0:
            offset = bind.offsets[one]
            if np.linalg.norm(moving.offsets[two] - offset) > ELSEWHERE * np.linalg.norm(offset) + 1e-9:
                other.append(name)
    if not other:
        return []
    return [f"{some(other)}: the rest pose of the clip is not that of --bind, and the mesh takes its bones' lengths"]
