"""What went wrong last with each armature: the panel shows it whole, the view marks the place where there is one."""

import re
from dataclasses import dataclass

from ...core.cache import Cache
from ...core.errors import LoomError, PathError
from . import memory
from .translations.runtime import translated

# How the end of a sentence begins that says what to do.
_DO = (
    "add|allow|apply|assign|build|choose|clean|close|correct|draw|enable|find|give|import|install|key|leave|lower|make"
    "|mend|name|put|raise|remove|rename|save|say|select|separate|set|show|take|tick|turn|unlock|use|wait|weave"
)
_REMEDY = re.compile(rf"(.+)[:;] ((?:{_DO})\b.+)")


@dataclass(frozen=True)
class Trouble:
    """A sentence, the place that it is about, if any (x, y on the ground, units of the scene), and the panel's mode."""

    text: str
    place: tuple[float, float] | None = None
    mode: str = ""

    @property
    def remedy_first(self) -> tuple[str, str]:
        """What to do, "" where the sentence does not end with that or is told in another language, and why."""
        if translated(self.text) != self.text:
            return "", self.text
        found = _REMEDY.fullmatch(self.text)
        if found is None:
            return "", self.text
        why, remedy = found.groups()
        return remedy[0].upper() + remedy[1:], why


# By the session id of the armature.
_known: Cache[int, Trouble] = memory.cache(8)
_NONE = Trouble("")


def keep(armature: int, mode: str, error: LoomError, metres: float) -> None:
    """Keep what went wrong in a mode of the panel; `metres` in a unit of the scene."""
    place = (error.place[0] / metres, error.place[1] / metres) if isinstance(error, PathError) else None
    _known.keep(armature, Trouble(str(error), place, mode))


def clear(armature: int) -> None:
    """Forget what went wrong: something is tried again."""
    _known.keep(armature, _NONE)


def of(armature: int, mode: str) -> Trouble | None:
    """Return what went wrong last, or None: in another mode of the panel it is no news."""
    found = _known.get(armature)
    return found if found is not None and found.text and found.mode == mode else None
