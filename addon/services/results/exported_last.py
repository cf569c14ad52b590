"""What was exported last of an armature, in words; not in the file, which exporting does not change."""

import bpy

from ....core.cache import Cache
from ...ground import memory
from ...model import contact_rows

# The sentence, the session id of the action that played, and the folder, by the session id of the armature.
_last: Cache[int, tuple[str, int, str]] = memory.cache(4)


def keep(armature: bpy.types.Object | None, sentence: str, folder: str) -> None:
    """Keep what was exported while an armature's action plays, and where to."""
    if armature is not None:
        action = contact_rows.action_of(armature)
        _last.keep(armature.session_uid, (sentence, 0 if action is None else action.session_uid, folder))


def folder(armature: bpy.types.Object) -> str:
    """Return the folder that took an armature's action last, "" for none."""
    return (_last.get(armature.session_uid) or ("", 0, ""))[2]


def said(armature: bpy.types.Object) -> str:
    """Return what was exported last, "" for nothing, or if another action plays since."""
    sentence, uid, _ = _last.get(armature.session_uid) or ("", 0, "")
    action = contact_rows.action_of(armature)
    return sentence if uid == (0 if action is None else action.session_uid) else ""
