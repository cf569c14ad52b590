"""What operators share: when they can run, and how they tell of a result."""

from typing import TYPE_CHECKING, Any

import bpy

from .. import jobs, properties

if TYPE_CHECKING:
    from ...core.weave.woven import Woven
    from .. import weaving


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
    job = jobs.running()
    if job is not None:
        cls.poll_message_set(f"{job.label} is still going on: wait for it, or cancel it")
        return False
    return True


def poll_sources(cls: Any, context: Any, least: int) -> bool:
    """Say whether enough sources are ticked where there is a list; scripts name theirs and need no list."""
    if not poll_armature(cls, context):
        return False
    rig = properties.rig_of(context.scene, context.object)
    ticked = len(properties.ticked(rig))
    if rig is not None and len(rig.sources) and ticked < least and not bpy.app.background:
        cls.poll_message_set(f"Tick {least} sources or more; {ticked} {'is' if ticked == 1 else 'are'}")
        return False
    return True


def tell(operator: Any, context: Any, read: "weaving.Read", written: "weaving.Written", woven: "Woven") -> None:
    """Report a result: warnings first, then its figures, which the panel shows as well."""
    for note in (*read.notes, *written.notes, *woven.report["warnings"]):
        operator.report({"WARNING"}, note)
    line = summary(written.action, woven)
    armature = next((o for o in bpy.data.objects if o.session_uid == read.armature), None)
    rig = properties.rig_of(context.scene, armature)
    if rig is not None:
        rig.last = line
    operator.report({"INFO"}, line)


def summary(action: Any, woven: "Woven") -> str:
    """Return the main figures of a result in one line."""
    report = woven.report
    after = report["quality"]["after"]["slide_cm_s"]
    slide = "" if after is None else f", feet slide {after:.1f} cm/s"
    return f"{action.name}: {report['frames']} frames in {report['seconds_taken']:.2f} s{slide}"
