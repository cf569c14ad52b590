"""What went wrong last with each armature: the panel shows it whole, the view marks the place where there is one."""

from dataclasses import dataclass

from ...core.cache import Cache
from ...core.errors import LoomError, PathError
from . import memory


@dataclass(frozen=True)
class Trouble:
    """A sentence, and the place (x, y on the ground, in units of the scene) that it is about, if any."""

    text: str
    place: tuple[float, float] | None = None


# By the session id of the armature.
_known: Cache[int, Trouble] = memory.cache(8)
_NONE = Trouble("")


def keep(armature: int, error: LoomError, metres: float) -> None:
    """Keep what went wrong; `metres` in a unit of the scene."""
    place = (error.place[0] / metres, error.place[1] / metres) if isinstance(error, PathError) else None
    _known.keep(armature, Trouble(str(error), place))


def clear(armature: int) -> None:
    """Forget what went wrong: something is tried again."""
    _known.keep(armature, _NONE)


def of(armature: int) -> Trouble | None:
    """Return what went wrong last, or None."""
    found = _known.get(armature)
    return found if found is not None and found.text else None
