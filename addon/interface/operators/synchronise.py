"""Analyse how the sources correspond, and show it."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.progress import Progress
from ....core.verbs import Synchronise
from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...ground.redraw import redraw_areas
from ...model import target_armature
from ...services.matching import analysis
from . import polls, reports
from .verb_operator import Hooks, operator

if TYPE_CHECKING:
    from ...services.weaving.reading import Inputs


class AnalyseHooks(Hooks):
    """Keep how the sources correspond, for the panel; nothing is written."""

    def compute(self, inputs: tuple["Inputs", ...], progress: Progress) -> list[Any]:
        from ...services.weaving import prepared

        return [prepared.read_prepared(inputs[0].recipe, inputs[0].read.clips, progress)]

    def finish(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> OperatorReturn:
        from ....core.weave import reporting

        read, ready, registration = inputs[0].read, made[0].prepared, made[0].registration
        analysis.keep(context, inputs[0], ready, registration)
        rows = reporting.describe(ready, registration)
        alike = ", ".join(f"{one['clip']} {one['likeness']:.2f}" for one in rows)
        summary = f"Likeness to {read.clips[registration.reference].name}: {alike}"
        reports.report(op, (*read.notes, *reporting.warnings(ready, registration)), summary)
        redraw_areas("VIEW_3D", "IMAGE_EDITOR")
        return {"FINISHED"}


class ACTION_LOOM_OT_show_registration(bpy.types.Operator):
    bl_idname = "action_loom.show_registration"
    bl_label = "Open Registration in Image Editor"
    bl_description = "Show which frames of this action and the reference correspond"
    bl_options = {"REGISTER", "UNDO"}

    # name of the action; the one shown in the panel if empty
    source: bpy.props.StringProperty(options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_armature(cls, context) and polls.poll_unless(
            cls, analysis.analysis_of(present(target_armature.armature(context))) is None, "Analyse the sources first"
        )

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        known = analysis.analysis_of(present(target_armature.armature(context)))
        assert known is not None
        pair: analysis.Pair | None = analysis.shown_pair(scene_of(context), known)
        if self.source:
            pair = next((one for one in known.pairs if one.name == self.source), None)
        if pair is None:
            names = ", ".join(one.name for one in known.pairs)
            self.report({"ERROR"}, f"There is no picture of {self.source!r}; there are of {names}")
            return {"CANCELLED"}
        return reports.show_image(self, context, analysis.large(known, pair))


_analyse = operator(
    Synchronise,
    AnalyseHooks(),
    idname="analyse",
    label="Analyse",
    tooltip="Find which frames of the ticked actions correspond; nothing is changed",
    undo=False,
)

register = registrar.registration((_analyse, ACTION_LOOM_OT_show_registration))
