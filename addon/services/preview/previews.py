"""Store the preview of each armature; `ghosts` creates them and loads numpy."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....core.cache import Cache
from ...ground import memory, registrar
from ...model import intents

if TYPE_CHECKING:
    from .shapes import Ghost

FOUND = "found"  # mode of a stretch found in a library
SOLO = "solo"  # mode of a single source, independent of the panel's mode

# By the session id of the armature; None without a preview.
_known: "Cache[int, Ghost | None]" = memory.cache(4)

# Listeners for two events: a preview is stored; none is left.
when_some: list[Callable[[], None]] = []
when_none: list[Callable[[], None]] = []


def of(armature: int) -> "Ghost | None":
    """Return the preview on an armature, or None."""
    return _known.get(armature)


def of_panel(settings: Any, armature: int, *others: str) -> "Ghost | None":
    """Return the preview on an armature made by the panel's mode or by its open tool, or of other modes; or None."""
    ghost = of(armature)
    if ghost is None or ghost.mode in others:
        return ghost
    verb = "" if ghost.recipe is None else ghost.recipe.verb
    fits = verb == settings.edit if settings.tool_open else verb not in intents.ICONS
    return ghost if fits and ghost.mode == settings.mode else None


def every() -> "list[Ghost | None]":
    """Return the previews on all armatures."""
    return list(_known)


def keep(armature: int, ghost: "Ghost | None") -> None:
    """Store the preview on an armature; None removes it."""
    _known.keep(armature, ghost)
    for listener in when_none if all(one is None for one in _known) else when_some:
        listener()


def _forget_previews() -> None:
    for listener in when_none:
        listener()


def register() -> None:
    registrar.append(memory.when_forgotten, _forget_previews)
