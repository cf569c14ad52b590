"""Motion graphs: building one of the sources, and walks through it along a curve, at random, or the shortest way."""

import dataclasses
from typing import TYPE_CHECKING, Any

import bpy

from ...core.errors import LoomError
from ...core.options import declared
from ...core.progress import Progress
from ...core.recipes import Follow, Graph, Recipe, ShortestPath, Walk
from .. import graphs, properties
from . import common
from .making import OfSources, Weaving

if TYPE_CHECKING:
    from ...core.graph.graph import Graph as MotionGraph
    from ...core.weave.woven import Woven
    from .. import weaving


@properties.with_options(Graph)
class ACTION_LOOM_OT_build_graph(OfSources, bpy.types.Operator):
    bl_idname = "action_loom.build_graph"
    bl_label = "Build Graph"
    bl_description = "Connect the ticked actions wherever they are alike, and show how; nothing is changed"
    bl_options = {"REGISTER"}

    recipe = Graph
    least = 1
    wanted = ("as_seen",)

    as_seen: properties.AS_SEEN

    @staticmethod
    def compute(read: "weaving.Read", recipe: Any, progress: Progress) -> "MotionGraph":
        from .. import remembered

        return remembered.graph(read.clips, recipe, progress)

    def finish(
        self, context: Any, request: "weaving.Request", read: "weaving.Read", recipe: Any, woven: "MotionGraph"
    ) -> set[str]:
        for note in (*read.notes, *woven.report["warnings"]):
            self.report({"WARNING"}, note)
        known = graphs.keep(context, request, read, recipe, woven)
        if known is not None:
            self.report({"INFO"}, "; ".join(known.said))
        return {"FINISHED"}


class Walking(Weaving):
    """An operator that walks through the graph of its sources."""

    least = 1

    def finish(
        self, context: Any, request: "weaving.Request", read: "weaving.Read", recipe: Any, woven: "Woven"
    ) -> set[str]:
        from ...core.graph.travelled import Followed, Travelled
        from .. import overlay

        assert isinstance(woven, Travelled)
        done = super().finish(context, request, read, recipe, woven)
        walked = dataclasses.replace(request, sources=tuple(recipe.walked(request.sources)))
        graphs.keep(context, walked, read, recipe, woven.graph)
        if isinstance(woven, Followed):
            overlay.keep(read.armature, woven, read.body.world_metres)
        return done


@properties.with_options(Follow)
class ACTION_LOOM_OT_follow(Walking, bpy.types.Operator):
    bl_idname = "action_loom.follow"
    bl_label = "Follow Curve"
    bl_description = "Walk along the curve, through the graph of the ticked actions"
    bl_options = {"REGISTER", "UNDO"}

    recipe = Follow

    curve: bpy.props.StringProperty(
        name="Curve", description="Name of the curve object to walk along; the points of Path if empty"
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not super().poll(context):
            return False
        settings = context.scene.action_loom
        if common.asked_by_a_button(context) and settings.curve is None and not settings.follow.path:
            cls.poll_message_set("Choose a curve to walk along")
            return False
        if common.asked_by_a_button(context) and any(stretch.action is None for stretch in settings.stretches):
            cls.poll_message_set("Choose an action for each stretch of the curve, or remove the stretch")
            return False
        return True

    def from_panel(self, context: Any) -> None:
        told = {name for name in ("curve", "path", "stretches", "place") if self.properties.is_property_set(name)}
        super().from_panel(context)
        drawn = context.scene.action_loom.curve
        if drawn is not None and told.isdisjoint(("curve", "path")):
            self.curve = drawn.name_full  # the path that an edited recipe left in the panel is for want of a curve
        if "place" not in told:
            self.place = "REFERENCE"  # it begins where its curve does
        if "stretches" in told:
            return
        rows: list[tuple[float, ...]] = []
        for stretch in context.scene.action_loom.stretches:
            if stretch.action is not None:
                item = self.sources.add()
                item.name, item.weight = stretch.action.name_full, 1.0
                rows.append((0.01 * stretch.start, 0.01 * stretch.end, len(self.sources)))
        self.stretches = declared(Follow)["stretches"].as_text(tuple(rows))

    def ask(self, context: Any) -> "tuple[weaving.Request, weaving.Read, Recipe]":
        from .. import weaving
        from ..bridge import drawn

        request, read, recipe = super().ask(context)
        if not self.curve:
            return request, read, recipe
        made = weaving.called(bpy.data.objects, self.curve)
        if made is None:
            raise LoomError(f"There is no curve named {self.curve!r}: choose another")
        assert isinstance(recipe, Follow)
        points, closed = drawn.path(made, read.body.world_metres)
        request = dataclasses.replace(request, curve=self.curve)
        return request, read, dataclasses.replace(recipe, path=points.tolist(), closed=closed)


@properties.with_options(Walk)
class ACTION_LOOM_OT_walk(Walking, bpy.types.Operator):
    bl_idname = "action_loom.walk"
    bl_label = "Random Walk"
    bl_description = "Wander through the graph of the ticked actions; another seed, another walk"
    bl_options = {"REGISTER", "UNDO"}

    recipe = Walk


@properties.with_options(ShortestPath)
class ACTION_LOOM_OT_path(Walking, bpy.types.Operator):
    bl_idname = "action_loom.path"
    bl_label = "Shortest Transition"
    bl_description = "Go from a frame of one of the ticked actions to a frame of another, in the least time"
    bl_options = {"REGISTER", "UNDO"}

    recipe = ShortestPath


class ACTION_LOOM_OT_add_stretch(bpy.types.Operator):
    bl_idname = "action_loom.add_stretch"
    bl_label = "Add Stretch"
    bl_description = "Let the upper body do another action on a stretch of the curve"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    def execute(self, context: Any) -> set[str]:
        context.scene.action_loom.stretches.add()
        return {"FINISHED"}


class ACTION_LOOM_OT_remove_stretch(bpy.types.Operator):
    bl_idname = "action_loom.remove_stretch"
    bl_label = "Remove Stretch"
    bl_description = "Let the legs' own action go on here"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    index: bpy.props.IntProperty(
        name="Stretch", description="Its place among the stretches, from 0", options={"SKIP_SAVE"}
    )

    def execute(self, context: Any) -> set[str]:
        stretches = context.scene.action_loom.stretches
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
    def poll(cls, context: Any) -> bool:
        if not common.poll_armature(cls, context):
            return False
        if graphs.of(context.scene, context.object) is None:
            cls.poll_message_set("Build the graph first")
            return False
        return True

    def execute(self, context: Any) -> set[str]:
        from .. import painting_graphs, pictures

        known = graphs.of(context.scene, context.object)
        assert known is not None
        lanes = ", ".join(clip.name for clip in reversed(known.graph.clips[: known.graph.material.given][:6]))
        image = pictures.image("frames", lanes, painting_graphs.large(known.graph, known.colors))
        if not bpy.app.background:
            pictures.show(context, image)
        self.report({"INFO"}, f"{image.name}: {image.size[0]} × {image.size[1]} pixels")
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (
        ACTION_LOOM_OT_build_graph,
        ACTION_LOOM_OT_follow,
        ACTION_LOOM_OT_walk,
        ACTION_LOOM_OT_path,
        ACTION_LOOM_OT_add_stretch,
        ACTION_LOOM_OT_remove_stretch,
        ACTION_LOOM_OT_show_graph,
    )
)
