"""Keep the latest check of each armature, which the panel shows until the armature has another action."""

from typing import TYPE_CHECKING

from ....core.cache import Cache
from ...ground import memory

if TYPE_CHECKING:
    from ...bridge.rig_check import Checked

# By the session id of the armature.
_known: "Cache[int, Checked]" = memory.cache(8)


def keep(armature: int, checked: "Checked") -> None:
    """Keep the findings of a check."""
    _known.keep(armature, checked)


def of(armature: int, action: str) -> "Checked | None":
    """Return the findings about an armature's action, or None."""
    found = _known.get(armature)
    return found if found is not None and found.action == action else None
