"""Blending actions of one armature into a new one."""

from typing import TYPE_CHECKING, Any

import bpy

from ...core.errors import LoomError
from ...core.options import declared
from ...core.progress import Progress
from ...core.recipes import Blend
from .. import properties
from . import common

if TYPE_CHECKING:
    from ...core.weave.woven import Woven
    from .. import weaving


class ACTION_LOOM_PG_blend_source(bpy.types.PropertyGroup):
    """A source as an operator takes it; operators can't hold pointers to actions."""

    weight: bpy.props.FloatProperty(name="Weight", default=1.0, min=0.0)


class ACTION_LOOM_PG_source_reading(bpy.types.PropertyGroup):
    """How a source is read where it is not as usual; apart, since scripts must give all of a collection's members."""

    rate: bpy.props.FloatProperty(
        name="Rate", description="Frames per second the action was made at; 0 is the scene's", default=0.0, min=0.0
    )
    slot: bpy.props.StringProperty(name="Slot", description="Identifier of the slot; the fitting one if empty")


@properties.with_options(Blend)
class ACTION_LOOM_OT_blend(bpy.types.Operator):
    bl_idname = "action_loom.blend"
    bl_label = "Weave"
    bl_description = "Make a new action that lies between the ticked ones"
    bl_options = {"REGISTER", "UNDO"}

    sources: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_blend_source, options={"HIDDEN"})
    readings: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_source_reading, options={"HIDDEN"})
    reference: bpy.props.StringProperty(
        name="Reference", description=declared(Blend)["reference"].description, default="1"
    )
    result_name: bpy.props.StringProperty(
        name="Result", description="Name of the new action; made from the sources' names if empty"
    )
    assign: bpy.props.BoolProperty(name="Assign", description="Make the new action the armature's", default=True)
    interpolation: bpy.props.EnumProperty(
        name="Interpolation",
        description="Of the new keys; there is one on every frame",
        items=[("LINEAR", "Linear", ""), ("BEZIER", "Bézier", ""), ("CONSTANT", "Constant", "")],
    )
    mark_contacts: bpy.props.BoolProperty(
        name="Mark Contacts", description="Put a pose marker where a foot begins and ends to stand", default=False
    )
    as_seen: bpy.props.BoolProperty(
        name="As Seen", description="Read poses with constraints and drivers, not only what is keyed", default=False
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_armature(cls, context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        panel = context.scene.action_loom.blend
        for name in properties.annotations(Blend):
            setattr(self, name, getattr(panel, name))
        self.sources.clear()
        for source in common.ticked_sources(context):
            item = self.sources.add()
            item.name, item.weight = source.action.name, source.weight
        return self.execute(context)

    def execute(self, context: Any) -> set[str]:
        from .. import weaving  # numpy is loaded at first use, not when Blender starts

        try:
            request, recipe = self._request(), self._recipe()
            read = weaving.read(context, request)
            woven = recipe.apply([source.clip for source in read.sources], _progress(context.window_manager))
            written = weaving.write(context, request, read, recipe, woven)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            context.window_manager.progress_end()
        for note in (*read.notes, *written.notes, *woven.report["warnings"]):
            self.report({"WARNING"}, note)
        self.report({"INFO"}, _summary(written.action, woven))
        return {"FINISHED"}

    def _request(self) -> "weaving.Request":
        from .. import weaving

        readings = {reading.name: (reading.rate, reading.slot) for reading in self.readings}
        return weaving.Request(
            tuple((source.name, *readings.get(source.name, (0.0, ""))) for source in self.sources),
            result_name=self.result_name,
            assign=self.assign,
            as_seen=self.as_seen,
            interpolation=self.interpolation,
            mark_contacts=self.mark_contacts,
        )

    def _recipe(self) -> Blend:
        # Blender keeps numbers in single precision: 0.042 would be told as 0.0419999994.
        values = {name: properties.rounded(getattr(self, name)) for name in properties.annotations(Blend)}
        weights = tuple(properties.rounded(source.weight) for source in self.sources)
        return Blend(**values, weights=weights, reference=self.reference)


def _progress(window_manager: Any) -> Progress:
    window_manager.progress_begin(0, 100)

    def show(fraction: float, _doing: str) -> bool:
        window_manager.progress_update(100 * fraction)
        return True

    return Progress(show)


def _summary(action: Any, woven: "Woven") -> str:
    after = woven.report["quality"]["after"]["slide_cm_s"]
    slide = "" if after is None else f", feet slide {after:.1f} cm/s"
    return f"{action.name}: {woven.report['frames']} frames in {woven.report['seconds_taken']:.2f} s{slide}"


register, unregister = bpy.utils.register_classes_factory(
    (ACTION_LOOM_PG_blend_source, ACTION_LOOM_PG_source_reading, ACTION_LOOM_OT_blend)
)
