"""What operators share: when they can run, and how they tell of a result."""

from typing import TYPE_CHECKING, Any

import bpy

from .. import jobs, properties

if TYPE_CHECKING:
    from ...core.weave.woven import Woven
    from .. import weaving


def poll_armature(cls: Any, context: Any, *, changes: bool = True) -> bool:
    """Say whether an armature is active and can be worked on (or read, if nothing `changes`), and else why not."""
    armature = context.object
    if armature is None or armature.type != "ARMATURE":
        cls.poll_message_set("Select an armature")
        return False
    if armature.mode == "EDIT":
        cls.poll_message_set("Leave edit mode first: bones are as they were when it began")
        return False
    if armature.animation_data is not None and armature.animation_data.use_tweak_mode:
        cls.poll_message_set("Leave the NLA's tweak mode first")
        return False
    if changes and armature.library is not None:
        cls.poll_message_set(f"{armature.name} is linked: make a library override of it first")
        return False
    job = jobs.running()
    if changes and job is not None:
        cls.poll_message_set(f"{job.label} is still going on: wait for it, or cancel it")
        return False
    return True


def asked_by_a_button(context: Any) -> bool:
    """Say whether it is the sidebar that asks: what a button is about is on the panel, a script names it itself."""
    return context.region is not None and context.region.type == "UI"


def poll_sources(cls: Any, context: Any, least: int, most: int | None = None) -> bool:
    """Say whether an armature is there and, for a button, as many of its sources are ticked as it takes."""
    if not poll_armature(cls, context):
        return False
    ticked = len(properties.ticked(properties.rig_of(context.scene, context.object)))
    if asked_by_a_button(context) and (ticked < least or (most is not None and ticked > most)):
        needed = f"{least} source{'s' if least > 1 else ''}{' or more' if most is None else ''}"
        cls.poll_message_set(f"Tick {needed}; {ticked} {'is' if ticked == 1 else 'are'}")
        return False
    return True


def tell(operator: Any, context: Any, read: "weaving.Read", written: "weaving.Written", woven: "Woven") -> None:
    """Report a result: warnings first, then its figures, which the panel shows as well."""
    for note in (*read.notes, *written.notes, *woven.report["warnings"]):
        operator.report({"WARNING"}, note)
    line = summary(written.action, woven)
    armature = properties.of_session(bpy.data.objects, read.armature)
    rig = properties.rig_of(context.scene, armature)
    if rig is not None:
        rig.last = line
    operator.report({"INFO"}, line)


def summary(action: Any, woven: "Woven") -> str:
    """Return the main figures of a result in one line."""
    report = woven.report
    after = report["quality"]["after"]["slide_cm_s"]
    figures = "" if after is None else f", feet slide {after:.1f} cm/s"
    if "follow" in report:
        figures += f", {100.0 * report['follow']['rms']:.1f} cm off the curve"
    first, last = action.curve_frame_range
    return f"{action.name}: {round(last - first) + 1} frames in {report['seconds_taken']:.2f} s{figures}"
