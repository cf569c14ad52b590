"""Notes for the user on a surface that does not match its bones: weights, units and bind poses (methods: Skinning)."""

import numpy as np

from ..errors import some
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from .skin import LEAST, Skin

OFF_ONE = 0.01  # accepted difference of a sum of weights from 1, because files round their weights
OUTSIDE = 0.5  # share of the surface's size; a bone farther outside the surface does not belong to it
SMALL = 20.0  # ratio of a surface's size to that of its bones; larger ratios (not reached by heads) show another unit
ELSEWHERE = 0.1  # share of a bone's length; a joint whose position differs by more belongs to another rest pose


def notes(surface: Skin, bind: Array, totals: Array) -> list[str]:
    """Return sentences on problems of a surface and its bones at rest.

    bind (B, 4, 4) : the bones' matrices, in the surface's unit; totals (V,) : sums of the weights as given

    Example:
        >>> import numpy as np
        >>> from action_loom.core.skin import fit, skin
        >>> corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
        >>> square = skin.skin(corners, [[(0, 1.0)]] * 3 + [[]], [[0, 1, 2, 3]])
        >>> fit.notes(square, np.eye(4)[None], np.array([1.0, 1.0, 1.0, 0.0]))
        ['1 of 4 vertices have no weights and stay where they are']
    """
    sentences = []
    loose = int(np.sum(totals <= LEAST))
    if loose:
        sentences.append(f"{loose:,} of {len(surface):,} vertices have no weights and stay where they are")
    uneven = totals[(totals > LEAST) & (np.abs(totals - 1.0) > OFF_ONE)]
    if len(uneven):
        sentences.append(
            f"the weights of {len(uneven):,} vertices add up to between {uneven.min():.3g} and {uneven.max():.3g}; "
            "they were scaled to add up to 1"
        )
    return sentences + _place_notes(surface, bind)


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
    """Return a sentence on joints whose rest positions in their parents differ in the moving skeleton.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.skin import fit
        >>> figure = body.skeleton()
        >>> longer = replace(figure, offsets=1.2 * figure.offsets)
        >>> fit.rest_notes(figure, longer, ["shin.L"])[0].partition(",")[0]
        "'shin.L': the rest pose of the clip is not that of --bind"
        >>> fit.rest_notes(figure, figure, ["shin.L"])
        []
    """
    other = []
    for name in names:
        bound, moved = bind.index(name), moving.index(name)
        if bind.parents[bound] >= 0 and moving.parents[moved] >= 0:
            offset = bind.offsets[bound]
            if np.linalg.norm(moving.offsets[moved] - offset) > ELSEWHERE * np.linalg.norm(offset) + 1e-9:
                other.append(name)
    if not other:
        return []
    return [f"{some(other)}: the rest pose of the clip is not that of --bind, and the mesh takes its bones' lengths"]
