"""Explain in a sentence why an armature can't be worked on."""

import bpy

from ..ground import jobs


def why_not(armature: bpy.types.Object | None, *, changes: bool = True) -> str:
    """Return why an object can't be changed (or read, without `changes`) as an armature; "" if it can."""
    if armature is None or armature.type != "ARMATURE":
        return "Select an armature"
    if armature.mode == "EDIT":
        return "Leave Edit Mode first: changes to bones count only afterwards"
    if armature.animation_data is not None and armature.animation_data.use_tweak_mode:
        return "Leave the NLA's tweak mode first"
    if changes and armature.library is not None:
        return f"{armature.name} is linked: make a library override of it first"
    return ""


def busy() -> str:
    """Return the job that the window waits for, as a reason why nothing can be changed now; "" for none."""
    job = jobs.visible_job()
    return "" if job is None else f"{job.label} is still running: wait for it, or cancel it"
