"""What keeps an armature from being worked on, in a sentence."""

import bpy

from ..ground import jobs


def why_not(armature: bpy.types.Object | None, *, changes: bool = True) -> str:
    """Return why an object can't be worked on (or read, if nothing `changes`) as an armature; "" where it can."""
    if armature is None or armature.type != "ARMATURE":
        return "Select an armature"
    if armature.mode == "EDIT":
        return "Leave edit mode first: bones are as they were when it began"
    if armature.animation_data is not None and armature.animation_data.use_tweak_mode:
        return "Leave the NLA's tweak mode first"
    if changes and armature.library is not None:
        return f"{armature.name} is linked: make a library override of it first"
    job = jobs.running()
    if changes and job is not None:
        return f"{job.label} is still going on: wait for it, or cancel it"
    return ""
