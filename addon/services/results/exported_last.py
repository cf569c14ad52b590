"""The last export of an armature, as a sentence; not stored in the file, because exporting does not change it."""

import bpy

from ....core.cache import Cache
from ...ground import last_folders, memory
from ...model import contact_rows

# The sentence, the session id of the played action, and the folder, by the session id of the armature.
_last: Cache[int, tuple[str, int, str]] = memory.cache(4)


def keep(armature: bpy.types.Object | None, sentence: str, folder: str) -> None:
    """Store the sentence and folder of an export for an armature's current action."""
    last_folders.keep(last_folders.EXPORTED, folder)
    if armature is not None:
        action = contact_rows.action_of(armature)
        _last.keep(armature.session_uid, (sentence, 0 if action is None else action.session_uid, folder))


def folder(armature: bpy.types.Object) -> str:
    """Return the folder of an armature's last export, or of the last one of another, "" for none."""
    return (_last.get(armature.session_uid) or ("", 0, ""))[2] or last_folders.of(last_folders.EXPORTED)


def describe_export(armature: bpy.types.Object) -> str:
    """Return the sentence on the last export, "" for none, or if another action has been played since."""
    sentence, uid, _ = _last.get(armature.session_uid) or ("", 0, "")
    action = contact_rows.action_of(armature)
    return sentence if uid == (0 if action is None else action.session_uid) else ""
