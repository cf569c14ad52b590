"""Motion graphs: building one of the sources, showing it, and what is done on stretches of a path through it."""

from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ...core.recipes.base import Recipe
from ...core.recipes.graph import BuildGraph
from ...core.recipes.reading import Request
from .. import meant, properties
from ..blender_types import OperatorReturn, present, scene_of
from ..session import graphs
from . import base

if TYPE_CHECKING:
    from ...core.graph.motion_graph import MotionGraph
    from .. import weaving


class _BuildGraph(base.SourcesOperator):
    recipe: ClassVar[type[Recipe]] = BuildGraph

    def finish(
        self, context: bpy.types.Context, request: Request, read: "weaving.Read", recipe: Any, made: "MotionGraph"
    ) -> OperatorReturn:
        for note in (*read.notes, *made.report["warnings"]):
            self.report({"WARNING"}, note)
        known = graphs.keep(context, request, read, recipe, made)
        if known is not None:
            self.report({"INFO"}, "; ".join(known.lines))
        return {"FINISHED"}


class ACTION_LOOM_OT_add_stretch(bpy.types.Operator):
    bl_idname = "action_loom.add_stretch"
    bl_label = "Add Stretch"
    bl_description = "Let the upper body do another action on a stretch of the curve"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        properties.settings_of(scene_of(context)).stretches.add()
        return {"FINISHED"}


class ACTION_LOOM_OT_remove_stretch(bpy.types.Operator):
    bl_idname = "action_loom.remove_stretch"
    bl_label = "Remove Stretch"
    bl_description = "Let the legs' own action go on here"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    index: bpy.props.IntProperty(
        name="Stretch", description="Its place among the stretches, from 0", options={"SKIP_SAVE"}
    )

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        stretches = properties.settings_of(scene_of(context)).stretches
        if not 0 <= self.index < len(stretches):
            self.report({"ERROR"}, f"There is no stretch {self.index}; there are {len(stretches)}, from 0")
            return {"CANCELLED"}
        stretches.remove(self.index)
        return {"FINISHED"}


class ACTION_LOOM_OT_show_graph(bpy.types.Operator):
    bl_idname = "action_loom.show_graph"
    bl_label = "Open in Image Editor"
    bl_description = "Show the actions as lanes and the transitions between them"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not base.poll_armature(cls, context):
            return False
        if graphs.graph_of(scene_of(context), present(meant.armature(context))) is None:
            cls.poll_message_set("Build the graph first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ..pictures import graph_bitmap, images

        known = graphs.graph_of(scene_of(context), present(meant.armature(context)))
        assert known is not None
        lanes = ", ".join(clip.name for clip in reversed(known.graph.clips[: known.graph.inputs.given][:6]))
        pixels, legend = graph_bitmap.large(known.graph, known.colors), graph_bitmap.legend(known.graph, known.colors)
        image = images.image("frames", lanes, pixels, legend)
        return base.show_image(self, context, image)


_build_graph = base.operator(_BuildGraph, idname="build_graph", undo=False)

register, unregister = bpy.utils.register_classes_factory(
    (_build_graph, ACTION_LOOM_OT_add_stretch, ACTION_LOOM_OT_remove_stretch, ACTION_LOOM_OT_show_graph)
)
