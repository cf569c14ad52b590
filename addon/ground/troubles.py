"""Remember the last error of each armature, for the panel, and its place, for the 3D view."""

from typing import NamedTuple

from ...core.cache import Cache
from ...core.errors import LoomError, PathError
from . import memory


class Trouble(NamedTuple):
    """An error message, its place on the ground if any (x, y in units of the scene), and the panel's mode."""

    text: str
    place: tuple[float, float] | None = None
    mode: str = ""


# Errors by the session id of the armature.
_known: Cache[int, Trouble] = memory.cache(8)
_NONE = Trouble("")


def keep(armature: int, mode: str, error: LoomError, metres: float) -> None:
    """Remember an error in a mode of the panel; `metres` is the length of one unit of the scene."""
    place = (error.place[0] / metres, error.place[1] / metres) if isinstance(error, PathError) else None
    _known.keep(armature, Trouble(str(error), place, mode))


def clear(armature: int) -> None:
    """Forget the error of an armature, because the user tries again."""
    _known.keep(armature, _NONE)


def of(armature: int, mode: str) -> Trouble | None:
    """Return the last error in this mode of the panel, or None."""
    found = _known.get(armature)
    return found if found is not None and found.text and found.mode == mode else None
