"""Synchronising the sources: looking at how they correspond, and re-timing one of them to another."""

from typing import TYPE_CHECKING, Any

import bpy

from ...core.progress import Progress
from ...core.recipes import Synchronise
from .. import analysis, properties
from . import common
from .making import OfSources, Weaving

if TYPE_CHECKING:
    from ...core.weave.matched import Matched
    from .. import weaving


@properties.with_options(Synchronise)
class ACTION_LOOM_OT_analyse(OfSources, bpy.types.Operator):
    bl_idname = "action_loom.analyse"
    bl_label = "Analyse"
    bl_description = "Find which frames of the ticked actions correspond, and show it; nothing is changed"
    bl_options = {"REGISTER"}

    recipe = Synchronise  # its options are those of matching, of as many sources as there are
    wanted = ("as_seen",)

    as_seen: properties.AS_SEEN

    @staticmethod
    def compute(read: "weaving.Read", recipe: Any, progress: Progress) -> "Matched":
        from .. import remembered

        return remembered.matched(read.clips, recipe, progress)

    def finish(
        self, context: Any, request: "weaving.Request", read: "weaving.Read", recipe: Any, woven: "Matched"
    ) -> set[str]:
        from ...core.weave import reporting

        ready, registered = woven.prepared, woven.registration
        analysis.keep(context, request, read, recipe, ready, registered)
        for note in (*read.notes, *reporting.warnings(ready, registered)):
            self.report({"WARNING"}, note)
        told = reporting.describe(ready, registered)
        alike = ", ".join(f"{one['clip']} {one['likeness']:.2f}" for one in told)
        self.report({"INFO"}, f"Likeness to {read.clips[registered.reference].name}: {alike}")
        for window in context.window_manager.windows:
            for area in window.screen.areas:
                if area.type in ("VIEW_3D", "IMAGE_EDITOR"):
                    area.tag_redraw()
        return {"FINISHED"}


@properties.with_options(Synchronise)
class ACTION_LOOM_OT_retime(Weaving, bpy.types.Operator):
    bl_idname = "action_loom.retime"
    bl_label = "Re-time to Reference"
    bl_description = "Make a new action of the other ticked one, in step with the reference"
    bl_options = {"REGISTER", "UNDO"}

    recipe = Synchronise

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not super().poll(context):
            return False
        rig = properties.rig_of(context.scene, context.object)
        ticked = len(properties.ticked(rig))
        if ticked > 2 and not bpy.app.background:
            cls.poll_message_set(f"Tick the reference and one other source; {ticked} are")
            return False
        return True


class ACTION_LOOM_OT_show_registration(bpy.types.Operator):
    bl_idname = "action_loom.show_registration"
    bl_label = "Open in Image Editor"
    bl_description = "Show how a source and the reference were matched, with their frames at the axes"
    bl_options = {"REGISTER", "UNDO"}

    source: bpy.props.StringProperty(
        name="Source", description="Name of the action; the one that the panel shows if empty"
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not common.poll_armature(cls, context):
            return False
        if analysis.of(context.object) is None:
            cls.poll_message_set("Analyse the sources first")
            return False
        return True

    def execute(self, context: Any) -> set[str]:
        from .. import pictures

        known = analysis.of(context.object)
        assert known is not None
        pair: analysis.Pair | None = analysis.shown(context.scene, known)
        if self.source:
            pair = next((one for one in known.pairs if one.name == self.source), None)
        if pair is None:
            names = ", ".join(one.name for one in known.pairs)
            self.report({"ERROR"}, f"There is no picture of {self.source!r}; there are of {names}")
            return {"CANCELLED"}
        image = analysis.large(known, pair)
        if not bpy.app.background:
            pictures.show(context, image)
        self.report({"INFO"}, f"{image.name}: {image.size[0]} × {image.size[1]} pixels")
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (ACTION_LOOM_OT_analyse, ACTION_LOOM_OT_retime, ACTION_LOOM_OT_show_registration)
)
