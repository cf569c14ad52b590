"""What was exported last of an armature, in words; not in the file, which exporting does not change."""

import bpy

from ....core.cache import Cache
from ...ground import memory
from ...model import contact_rows

# The sentence and the session id of the action that played, by the session id of the armature.
_last: Cache[int, tuple[str, int]] = memory.cache(4)


def keep(armature: bpy.types.Object | None, sentence: str) -> None:
    """Keep what was exported while an armature's action plays."""
    if armature is not None:
        action = contact_rows.action_of(armature)
        _last.keep(armature.session_uid, (sentence, 0 if action is None else action.session_uid))


def said(armature: bpy.types.Object) -> str:
    """Return what was exported last, "" for nothing, or if another action plays since."""
    sentence, uid = _last.get(armature.session_uid) or ("", 0)
    action = contact_rows.action_of(armature)
    return sentence if uid == (0 if action is None else action.session_uid) else ""
