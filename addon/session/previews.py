"""What is previewed on each armature; `ghosts` makes it, which loads numpy."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.cache import Cache
from . import memory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...core.motion.quat import Array
    from ...core.recipes.base import Recipe
    from ...core.recipes.reading import Request
    from .. import weaving


@dataclass(frozen=True, eq=False)
class Figure:
    """Somebody who moves: points (F, P, 3) in units of the scene, from a scene frame on, joined by lines (L, 2)."""

    name: str
    points: "Array"
    lines: "NDArray[np.int64]"
    first_frame: float
    color: tuple[float, ...]
    wide: bool

    def at(self, frame: float) -> "Array":
        """The points (P, 3) at a frame of the scene; before and after its frames it stands."""
        place = min(max(frame - self.first_frame, 0.0), len(self.points) - 1.0)
        here = int(place)
        after = min(here + 1, len(self.points) - 1)
        between: Array = self.points[here] + (place - here) * (self.points[after] - self.points[here])
        return between


@dataclass(frozen=True, eq=False)
class Ghost:
    """What would be woven in a mode of the panel: figures (the result last), its way on the ground, and how it came.

    way (F, 3) : of the result's hips, on the ground, in units of the scene
    """

    mode: str
    figures: tuple[Figure, ...]
    way: "Array"
    request: "Request"
    read: "weaving.Read"
    recipe: "Recipe"
    said: str


# By the session id of the armature; an empty place where there is none.
_known: "Cache[int, Ghost | None]" = memory.cache(4)


def of(armature: int) -> "Ghost | None":
    """Return what is previewed on an armature, or None."""
    return _known.get(armature)


def keep(armature: int, ghost: "Ghost | None") -> None:
    """Keep what is previewed on an armature; None lets it go."""
    _known.keep(armature, ghost)


def any_left() -> bool:
    """Say whether anything is previewed."""
    return any(ghost is not None for ghost in _known)
