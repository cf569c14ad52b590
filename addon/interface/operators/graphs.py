"""Build a motion graph of the sources, and show it."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.verbs import BuildGraph
from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import target_armature
from . import polls, reports
from .verb_operator import Hooks, operator

if TYPE_CHECKING:
    from ...services.weaving.reading import Inputs


class GraphHooks(Hooks):
    """Keep the graph for the panel."""

    def finish(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> OperatorReturn:
        from ...services.matching import graphs

        (one,), (graph,) = inputs, made
        known = graphs.keep(context, one, graph)
        summary = () if known is None else ("; ".join(known.lines),)
        reports.report(op, (*one.read.notes, *graph.report["warnings"]), *summary)
        return {"FINISHED"}


class ACTION_LOOM_OT_show_graph(bpy.types.Operator):
    bl_idname = "action_loom.show_graph"
    bl_label = "Open Graph in Image Editor"
    bl_description = "Show the actions as lanes and the transitions between them"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        from ...services.matching import graphs

        return polls.poll_armature(cls, context) and polls.poll_unless(
            cls,
            graphs.graph_of(scene_of(context), present(target_armature.armature(context))) is None,
            "Build the graph first",
        )

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...bitmaps import graph_bitmap, images
        from ...services.matching import graphs

        known = graphs.graph_of(scene_of(context), present(target_armature.armature(context)))
        assert known is not None
        lanes = ", ".join(clip.name for clip in reversed(known.graph.clips[: known.graph.inputs.given][:6]))
        pixels, legend = graph_bitmap.large(known.graph, known.colors), graph_bitmap.legend(known.graph, known.colors)
        image = images.image("frames", lanes, pixels, legend)
        return reports.show_image(self, context, image)


_build_graph = operator(BuildGraph, GraphHooks(), idname="build_graph", undo=False)

register = registrar.registration((_build_graph, ACTION_LOOM_OT_show_graph))
