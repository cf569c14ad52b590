"""Synchronising the sources: looking at how they correspond."""

from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ....core.progress import Progress
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request
from ....core.verbs import Synchronise
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import target_armature
from ...services.matching import analysis
from . import base

if TYPE_CHECKING:
    from ....core.weave.preprocess import RegisteredClips
    from ...services.weaving import reading


class _Analyse(base.SourcesOperator):
    recipe: ClassVar[type[Recipe]] = Synchronise  # its options are those of matching, of as many sources as there are

    @staticmethod
    def compute(read: "reading.Read", recipe: Any, progress: Progress) -> "RegisteredClips":
        from ...services.weaving import prepared

        made: RegisteredClips = prepared.prepared(recipe, read.clips, progress)
        return made

    def finish(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: "RegisteredClips"
    ) -> OperatorReturn:
        from ....core.weave import reporting

        ready, registration = made.prepared, made.registration
        analysis.keep(context, request, read, recipe, ready, registration)
        for note in (*read.notes, *reporting.warnings(ready, registration)):
            self.report({"WARNING"}, note)
        reports = reporting.describe(ready, registration)
        alike = ", ".join(f"{one['clip']} {one['likeness']:.2f}" for one in reports)
        self.report({"INFO"}, f"Likeness to {read.clips[registration.reference].name}: {alike}")
        for window in present(context.window_manager).windows:
            for area in window.screen.areas:
                if area.type in ("VIEW_3D", "IMAGE_EDITOR"):
                    area.tag_redraw()
        return {"FINISHED"}


class ACTION_LOOM_OT_show_registration(bpy.types.Operator):
    bl_idname = "action_loom.show_registration"
    bl_label = "Open Registration in Image Editor"
    bl_description = "Show how a source and the reference were matched, with their frames at the axes"
    bl_options = {"REGISTER", "UNDO"}

    source: bpy.props.StringProperty(
        name="Source", description="Name of the action; the one that the panel shows if empty"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not base.poll_armature(cls, context):
            return False
        if analysis.analysis_of(present(target_armature.armature(context))) is None:
            cls.poll_message_set("Analyse the sources first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        known = analysis.analysis_of(present(target_armature.armature(context)))
        assert known is not None
        pair: analysis.Pair | None = analysis.shown(scene_of(context), known)
        if self.source:
            pair = next((one for one in known.pairs if one.name == self.source), None)
        if pair is None:
            names = ", ".join(one.name for one in known.pairs)
            self.report({"ERROR"}, f"There is no picture of {self.source!r}; there are of {names}")
            return {"CANCELLED"}
        return base.show_image(self, context, analysis.large(known, pair))


_analyse = base.operator(
    _Analyse,
    idname="analyse",
    label="Analyse",
    tooltip="Find which frames of the ticked actions correspond, and show it; nothing is changed",
    undo=False,
)

register, unregister = bpy.utils.register_classes_factory((_analyse, ACTION_LOOM_OT_show_registration))
