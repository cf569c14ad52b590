"""Keep what is previewed on each armature; `ghosts` makes the previews, which loads numpy."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ....core.cache import Cache
from ...ground import memory

if TYPE_CHECKING:
    from .shapes import Ghost

FOUND = "found"  # mode of a stretch that was found in a library
SOLO = "solo"  # mode of a source shown by itself, whatever the panel's mode is

# By the session id of the armature; None where nothing is previewed.
_known: "Cache[int, Ghost | None]" = memory.cache(4)

# Listeners for: some preview is kept; none is left.
when_some: list[Callable[[], None]] = []
when_none: list[Callable[[], None]] = []


def of(armature: int) -> "Ghost | None":
    """Return the preview on an armature, or None."""
    return _known.get(armature)


def every() -> "list[Ghost | None]":
    """Return the previews on all armatures."""
    return list(_known)


def keep(armature: int, ghost: "Ghost | None") -> None:
    """Keep the preview on an armature; None removes it."""
    _known.keep(armature, ghost)
    for listener in when_none if all(one is None for one in _known) else when_some:
        listener()


def _forgotten() -> None:
    for listener in when_none:
        listener()


def register() -> None:
    memory.when_forgotten.append(_forgotten)


def unregister() -> None:
    memory.when_forgotten.remove(_forgotten)
