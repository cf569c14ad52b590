"""Find cycles and transitions to choose from, choose one, and show how well an action repeats."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.progress import Progress
from ....core.verbs import Connect, Loop
from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import properties, target_armature
from . import polls, reports
from .verb_operator import Hooks, VerbOperator, operator

if TYPE_CHECKING:
    from ...services.weaving.reading import Inputs


class FindCyclesHooks(Hooks):
    """List the cycles of an action in the panel."""

    def compute(self, inputs: tuple["Inputs", ...], progress: Progress) -> list[Any]:
        from ....core.verbs.loop import work as loop

        return [loop.find(inputs[0].read.clips, inputs[0].recipe, progress)]

    def finish(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> OperatorReturn:
        from ...services.matching import candidates

        read, (repetition, offered) = inputs[0].read, made[0]
        candidates.keep_cycles(context, inputs[0], repetition, offered)
        first = read.sources[0].first_frame  # scene frames, here and in the list
        listed = ", ".join(f"{one.length} from frame {first + one.start:.0f} ({one.score:.2f})" for one in offered)
        op.report({"INFO"}, f"{read.clips[0].name} repeats itself after {listed}")
        return {"FINISHED"}


class FindTransitionsHooks(Hooks):
    """List the transitions from one action to another in the panel."""

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        return polls.poll_sources(cls, context, 2, 2)

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        from ...services.matching import candidates

        for name, automatic in candidates.AUTOMATIC["connect"]:  # otherwise only the last choice would be found
            setattr(op, name, automatic)

    def compute(self, inputs: tuple["Inputs", ...], progress: Progress) -> list[Any]:
        from ....core.verbs.connect import work as connect

        return [connect.find(inputs[0].read.clips, inputs[0].recipe, progress)]

    def finish(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> OperatorReturn:
        from ...services.matching import candidates

        clips, (offered,) = inputs[0].read.clips, made
        candidates.keep_transitions(inputs[0], offered)
        op.report(
            {"INFO"},
            f"{len(offered)} ways from {clips[0].name} into {clips[1].name}; the nearest poses are "
            f"{100.0 * offered[0].distance:.1f} cm apart",
        )
        return {"FINISHED"}


class ACTION_LOOM_OT_choose_candidate(bpy.types.Operator):
    bl_idname = "action_loom.choose_candidate"
    bl_label = "Choose"
    bl_description = (
        "Use this one and go to its frame if its action plays; click again to leave the choice to Action Loom"
    )
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    # its place in the list, from 0
    index: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        from ...services.matching import candidates

        return polls.poll_armature(cls, context) and polls.poll_unless(
            cls,
            candidates.candidates_of(scene_of(context), present(target_armature.armature(context))) is None,
            "Find some first",
        )

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.matching import candidates

        settings = properties.settings_of(scene_of(context))
        found = candidates.candidates_of(scene_of(context), present(target_armature.armature(context)))
        assert found is not None
        if not 0 <= self.index < len(found.candidates):
            self.report({"ERROR"}, f"There is no row {self.index}; there are {len(found.candidates)}, from 0")
            return {"CANCELLED"}
        chosen = found.candidates[self.index]
        options = candidates.AUTOMATIC[settings.mode] if candidates.is_chosen(settings, chosen) else chosen.options
        for name, value in options:
            setattr(getattr(settings, settings.mode), name, value)
        if _plays(present(target_armature.armature(context)), found.sources[0].name):
            scene_of(context).frame_set(round(chosen.frame))
        return {"FINISHED"}


def _plays(armature: bpy.types.Object, name: str) -> bool:
    """Return whether an armature plays an action: only then does a candidate's frame show it."""
    data = armature.animation_data
    return data is not None and data.action is not None and data.action.name_full == name


class ACTION_LOOM_OT_show_scores(bpy.types.Operator):
    bl_idname = "action_loom.show_scores"
    bl_label = "Open Scores in Image Editor"
    bl_description = "Show how well the action repeats, by the cycle's length and first frame"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        from ...services.matching import candidates

        if not polls.poll_armature(cls, context):
            return False
        found = candidates.candidates_of(scene_of(context), present(target_armature.armature(context)))
        return polls.poll_unless(cls, found is None or found.curves is None, "Find some first")

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...bitmaps import images, score_bitmap
        from ...services.matching import candidates

        found = candidates.candidates_of(scene_of(context), present(target_armature.armature(context)))
        assert found is not None
        assert found.curves is not None
        name = found.sources[0].name
        across = f"{name}: frames of a cycle (above), its first frame (below)"
        pixels, legend = score_bitmap.large(found.curves, found.color), score_bitmap.legend(found.color)
        image = images.image(across, "score", pixels, legend)
        return reports.show_image(self, context, image)


_find_cycles = operator(
    Loop,
    FindCyclesHooks(),
    idname="find_cycles",
    label="Find Cycles",
    tooltip="List the cycles of the ticked action to choose from, and show how well it repeats",
    undo=False,
)
_find_transitions = operator(
    Connect,
    FindTransitionsHooks(),
    idname="find_transitions",
    label="Find Transitions",
    tooltip="List the places where the first ticked action can go over into the second",
    undo=False,
)

register = registrar.registration(
    (_find_cycles, _find_transitions, ACTION_LOOM_OT_choose_candidate, ACTION_LOOM_OT_show_scores)
)
