"""Motion graphs: building one of the sources, and showing it."""

from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request
from ....core.verbs import BuildGraph
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import target_armature
from ...services.matching import graphs
from . import base

if TYPE_CHECKING:
    from ....core.graph.motion_graph import MotionGraph
    from ...services.weaving import reading


class _BuildGraph(base.SourcesOperator):
    recipe: ClassVar[type[Recipe]] = BuildGraph

    def finish(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: "MotionGraph"
    ) -> OperatorReturn:
        for note in (*read.notes, *made.report["warnings"]):
            self.report({"WARNING"}, note)
        known = graphs.keep(context, request, read, recipe, made)
        if known is not None:
            self.report({"INFO"}, "; ".join(known.lines))
        return {"FINISHED"}


class ACTION_LOOM_OT_show_graph(bpy.types.Operator):
    bl_idname = "action_loom.show_graph"
    bl_label = "Open Graph in Image Editor"
    bl_description = "Show the actions as lanes and the transitions between them"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not base.poll_armature(cls, context):
            return False
        if graphs.graph_of(scene_of(context), present(target_armature.armature(context))) is None:
            cls.poll_message_set("Build the graph first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...bitmaps import graph_bitmap, images

        known = graphs.graph_of(scene_of(context), present(target_armature.armature(context)))
        assert known is not None
        lanes = ", ".join(clip.name for clip in reversed(known.graph.clips[: known.graph.inputs.given][:6]))
        pixels, legend = graph_bitmap.large(known.graph, known.colors), graph_bitmap.legend(known.graph, known.colors)
        image = images.image("frames", lanes, pixels, legend)
        return base.show_image(self, context, image)


_build_graph = base.operator(_BuildGraph, idname="build_graph", undo=False)

register, unregister = bpy.utils.register_classes_factory((_build_graph, ACTION_LOOM_OT_show_graph))
