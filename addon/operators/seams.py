"""Loops and connections: one cycle of an action, actions one after the other, and where that can be."""

from typing import TYPE_CHECKING, Any

import bpy

from ...core.progress import Progress
from ...core.recipes import Connect, Loop
from .. import candidates, properties
from . import common
from .making import OfSources, Weaving

if TYPE_CHECKING:
    from ...core.sync.repetition import Cycle, Repetition
    from ...core.sync.transitions import Transition
    from .. import weaving


@properties.with_options(Loop)
class ACTION_LOOM_OT_loop(Weaving, bpy.types.Operator):
    bl_idname = "action_loom.loop"
    bl_label = "Loop"
    bl_description = "Make one cycle that repeats without a seam out of the ticked action"
    bl_options = {"REGISTER", "UNDO"}

    recipe = Loop
    least = most = 1


@properties.with_options(Connect)
class ACTION_LOOM_OT_connect(Weaving, bpy.types.Operator):
    bl_idname = "action_loom.connect"
    bl_label = "Connect"
    bl_description = "Make an action that plays the ticked ones one after the other, in the order of the list"
    bl_options = {"REGISTER", "UNDO"}

    recipe = Connect


@properties.with_options(Loop)
class ACTION_LOOM_OT_find_cycles(OfSources, bpy.types.Operator):
    bl_idname = "action_loom.find_cycles"
    bl_label = "Find Cycles"
    bl_description = "List the cycles that the ticked action has, to choose from, and show how well it repeats itself"
    bl_options = {"REGISTER"}

    recipe = Loop
    least = most = 1
    wanted = ("as_seen",)

    as_seen: properties.AS_SEEN

    @staticmethod
    def compute(read: "weaving.Read", recipe: Any, progress: Progress) -> "tuple[Repetition, list[Cycle]]":
        from ...core.weave import loop

        return loop.find(read.clips, recipe, progress)

    def finish(
        self,
        context: Any,
        request: "weaving.Request",
        read: "weaving.Read",
        recipe: Any,
        woven: "tuple[Repetition, list[Cycle]]",
    ) -> set[str]:
        found, offered = woven
        candidates.keep_cycles(context, request, read, found, offered)
        said = ", ".join(f"{one.length} from frame {one.start} ({one.score:.2f})" for one in offered)
        self.report({"INFO"}, f"{read.clips[0].name} repeats itself after {said}")
        return {"FINISHED"}


@properties.with_options(Connect)
class ACTION_LOOM_OT_find_transitions(OfSources, bpy.types.Operator):
    bl_idname = "action_loom.find_transitions"
    bl_label = "Find Transitions"
    bl_description = "List where the first of two ticked actions can go over into the second, to choose from"
    bl_options = {"REGISTER"}

    recipe = Connect
    least = most = 2
    wanted = ("as_seen",)

    as_seen: properties.AS_SEEN

    def from_panel(self, context: Any) -> None:
        super().from_panel(context)
        for name, automatic in candidates.AUTOMATIC["connect"]:  # or only the one chosen last would be found
            setattr(self, name, automatic)

    @staticmethod
    def compute(read: "weaving.Read", recipe: Any, progress: Progress) -> "list[Transition]":
        from ...core.weave import connect

        return connect.find(read.clips, recipe, progress)

    def finish(
        self,
        context: Any,
        request: "weaving.Request",
        read: "weaving.Read",
        recipe: Any,
        woven: "list[Transition]",
    ) -> set[str]:
        candidates.keep_transitions(request, read, woven)
        best = woven[0]
        self.report(
            {"INFO"},
            f"{len(woven)} ways from {read.clips[0].name} into {read.clips[1].name}; the nearest poses are "
            f"{100.0 * best.distance:.1f} cm apart",
        )
        return {"FINISHED"}


class ACTION_LOOM_OT_choose_candidate(bpy.types.Operator):
    bl_idname = "action_loom.choose_candidate"
    bl_label = "Choose"
    bl_description = "Take this one, and go to its frame; once more leaves the choice to Action Loom again"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    index: bpy.props.IntProperty(
        name="Candidate", description="Its place in the list, from 0", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not common.poll_armature(cls, context):
            return False
        if candidates.of(context.scene, context.object) is None:
            cls.poll_message_set("Find some first")
            return False
        return True

    def execute(self, context: Any) -> set[str]:
        settings = context.scene.action_loom
        found = candidates.of(context.scene, context.object)
        assert found is not None
        if not 0 <= self.index < len(found.candidates):
            self.report({"ERROR"}, f"There is no candidate {self.index}; there are {len(found.candidates)}, from 0")
            return {"CANCELLED"}
        chosen = found.candidates[self.index]
        options = candidates.AUTOMATIC[settings.mode] if candidates.is_chosen(settings, chosen) else chosen.options
        for name, value in options:
            setattr(getattr(settings, settings.mode), name, value)
        context.scene.frame_set(round(chosen.frame))
        return {"FINISHED"}


class ACTION_LOOM_OT_show_scores(bpy.types.Operator):
    bl_idname = "action_loom.show_scores"
    bl_label = "Open in Image Editor"
    bl_description = "Show how well the action repeats itself: by the length of a cycle, and by its first frame"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not common.poll_armature(cls, context):
            return False
        found = candidates.of(context.scene, context.object)
        if found is None or found.curves is None:
            cls.poll_message_set("Find cycles first")
            return False
        return True

    def execute(self, context: Any) -> set[str]:
        from .. import painting_scores, pictures

        found = candidates.of(context.scene, context.object)
        assert found is not None
        assert found.curves is not None
        name = found.sources[0][0]
        across = f"{name}: frames of a cycle (above), its first frame (below)"
        image = pictures.image(across, "score", painting_scores.large(found.curves, found.color))
        if not bpy.app.background:
            pictures.show(context, image)
        self.report({"INFO"}, f"{image.name}: {image.size[0]} × {image.size[1]} pixels")
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (
        ACTION_LOOM_OT_loop,
        ACTION_LOOM_OT_connect,
        ACTION_LOOM_OT_find_cycles,
        ACTION_LOOM_OT_find_transitions,
        ACTION_LOOM_OT_choose_candidate,
        ACTION_LOOM_OT_show_scores,
    )
)
