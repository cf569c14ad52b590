"""What operators share: when they can run, and how the list of sources reaches them."""

from typing import Any

from .. import properties


def poll_armature(cls: Any, context: Any) -> bool:
    """Say whether an armature is active and can be worked on, and else why not."""
    armature = context.object
    if armature is None or armature.type != "ARMATURE":
        cls.poll_message_set("Select an armature")
        return False
    if armature.mode == "EDIT":
        cls.poll_message_set("Leave edit mode first: bones are as they were when it began")
        return False
    if armature.library is not None:
        cls.poll_message_set(f"{armature.name} is linked: make a library override of it first")
        return False
    if armature.animation_data is not None and armature.animation_data.use_tweak_mode:
        cls.poll_message_set("Leave the NLA's tweak mode first")
        return False
    return True


def ticked_sources(context: Any) -> list[Any]:
    """Return the ticked lines of the active armature's list whose actions still exist."""
    rig = properties.rig_of(context.scene, context.object)
    return [] if rig is None else [s for s in rig.sources if s.use and s.action is not None]
