"""Show stretches found in a library on the armature, or import them as its actions."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LibraryError, LoomError
from ....core.progress import Progress
from ...bridge import rates
from ...ground import registrar, steps
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import properties, target_armature
from ...services.library import library_finds
from . import polls, reports
from .library_operator import LibraryOperator

if TYPE_CHECKING:
    from ...services.files.library_clips import Coming, Stretch
    from ...services.files.onto_armature import Moved, Receiver, Solved


class _FoundOperator(LibraryOperator):
    """An operator that retargets found stretches to the armature."""

    rate: bpy.props.EnumProperty(
        name="Rate",
        description="What becomes of the files' frames per second",
        items=[
            ("SCENE", "Convert to the Scene's", "Play at the original speed in this scene"),
            (
                "KEEP",
                "Keep Every Frame",
                "Each captured frame becomes a frame of the scene; the action remembers its own rate",
            ),
        ],
    )
    plant_feet: bpy.props.BoolProperty(
        name="Plant Feet",
        description="Keep standing feet in place",
        default=True,
    )

    def coming(self, context: bpy.types.Context, *, keep: bool) -> "Coming":
        """Return the options to put stretches on the armature, at the place of the searched stretch."""
        from ...services.files.library_clips import Coming

        finder = library_finds.finder()
        place = (finder.place[0], finder.place[1]) if finder.placed else None
        return Coming(0.0 if keep else rates.of_scene(scene_of(context)), self.plant_feet, place, finder.facing)

    @staticmethod
    def compute(inputs: "tuple[list[Stretch], Receiver, Coming]", progress: Progress) -> Any:
        from ...services.files import library_clips

        return library_clips.bring_stretches(*inputs, progress)


class ACTION_LOOM_OT_show_found(_FoundOperator, bpy.types.Operator):
    bl_idname = "action_loom.show_found"
    bl_label = "Show Found"
    bl_description = "Show this stretch as a ghost on the character"
    bl_options = {"REGISTER", "INTERNAL"}

    # its place in the list, from 0; −1 is the active one
    index: bpy.props.IntProperty(default=-1, options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_armature(cls, context) and _poll_found(cls, anything=True)

    def inputs(self, context: bpy.types.Context) -> "tuple[list[Stretch], Receiver, Coming]":
        from ...services.files import onto_armature

        finder = library_finds.finder()
        index = finder.active if self.index < 0 else self.index
        if not 0 <= index < len(finder.found):
            raise LibraryError(f"There is no row {index}; there are {len(finder.found)}, from 0")
        armature = present(target_armature.armature(context))
        self._armature = armature.session_uid
        return _stretches([finder.found[index]]), onto_armature.receiver(armature), self.coming(context, keep=False)

    def finish(self, context: bpy.types.Context, inputs: Any, made: "list[Moved | LoomError]") -> OperatorReturn:
        import numpy as np

        from ...bridge.clip import ReadAction
        from ...services.preview import ghosts
        from ...services.weaving import writing

        (moved,) = made
        if isinstance(moved, LoomError):
            raise moved
        armature = writing.find_data(bpy.data.objects, self._armature, "The armature")
        scene = scene_of(context)
        frames = library_finds.finder().frame + np.arange(len(moved.clip)) * (rates.of_scene(scene) / moved.clip.rate)
        properties.settings_of(scene).solo = False
        ghost = ghosts.store_find(
            context, armature, moved.clip.name, ReadAction(moved.clip, frames, moved.targets), moved.body
        )
        self.report({"INFO"}, f"{ghost.summary}: {len(moved.clip)} frames from {frames[0]:g}")
        return {"FINISHED"}


class ACTION_LOOM_PG_wanted(bpy.types.PropertyGroup):
    """A stretch to import, named after its file: its frames first … last, and whether it is mirrored."""

    path: bpy.props.StringProperty()
    first: bpy.props.IntProperty(name="First")
    last: bpy.props.IntProperty(name="Last")
    mirrored: bpy.props.BoolProperty()


class ACTION_LOOM_OT_import_found(_FoundOperator, bpy.types.Operator):
    bl_idname = "action_loom.import_found"
    bl_label = "Import"
    bl_description = (
        "Import the ticked stretches, or the active one, as actions of this character, beginning where and"
        " when the searched part does"
    )
    bl_options = {"REGISTER", "UNDO"}

    stretches: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_wanted, options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not polls.poll_armature(cls, context):
            return False
        return not target_armature.invoked_from_panel(context) or _poll_found(cls, anything=False)

    def inputs(self, context: bpy.types.Context) -> "tuple[list[Stretch], Receiver, Coming]":
        from ...services.files import onto_armature

        armature = present(target_armature.armature(context))
        if not len(self.stretches):
            for row in library_finds.chosen_rows(library_finds.finder()):
                one = self.stretches.add()
                one.path, one.first, one.last, one.mirrored = row.path, row.first, row.last, row.mirrored
        if not len(self.stretches):
            raise LibraryError("Tick what to import, or click one")
        present(context.view_layer).update()  # a script may have moved the armature just now
        how = self.coming(context, keep=self.rate == "KEEP")
        self._armature = armature.session_uid
        self._keys: dict[int, Solved] = {}  # of the armature's controls, by the number of the stretch
        return _stretches(self.stretches), onto_armature.receiver(armature), how

    def ready(self, context: bpy.types.Context, inputs: Any, made: "list[Moved | LoomError]") -> "steps.Steps[None]":
        from ...services.files import onto_armature
        from ...services.weaving import writing

        armature = writing.find_data(bpy.data.objects, self._armature, "The armature")
        for number, one in enumerate(made):
            if not isinstance(one, LoomError):
                solving = onto_armature.solved_in_steps(armature, one)
                try:
                    self._keys[number] = yield from steps.within(solving, number, len(made))
                except LoomError as error:
                    made[number] = error

    def finish(self, context: bpy.types.Context, inputs: Any, made: "list[Moved | LoomError]") -> OperatorReturn:
        from ...services.files import imported_motion, onto_armature
        from ...services.weaving import writing

        armature = writing.find_data(bpy.data.objects, self._armature, "The armature")
        refused = list(dict.fromkeys(str(one) for one in made if isinstance(one, LoomError)))
        coming = {number: one for number, one in enumerate(made) if not isinstance(one, LoomError)}
        if not coming:
            raise LibraryError("; ".join(refused))
        actions: list[bpy.types.Action] = []
        notes: list[str] = []
        try:
            for number, one in coming.items():
                rate = 0.0 if self.rate == "SCENE" else one.file.rate
                begin = float(round(library_finds.finder().frame))
                keys = self._keys[number]
                action, others = onto_armature.write(armature, one, keys, first_frame=begin, rate=rate)
                actions.append(action)
                notes += others
        except BaseException:
            for action in actions:
                bpy.data.actions.remove(action)
            raise
        imported_motion.list_actions(scene_of(context), armature, actions)
        summary = dict.fromkeys(one.retargeted for one in coming.values() if one.retargeted)
        names = ", ".join(action.name for action in actions[:3]) + (" …" if len(actions) > 3 else "")
        reports.report(self, dict.fromkeys([*refused, *notes]), *summary, f"{names}: now {armature.name}'s")
        return {"FINISHED"}


def _poll_found(cls: type[bpy.types.Operator], *, anything: bool) -> bool:
    """Return whether there are results, and ticked or active ones unless `anything` is set."""
    finder = library_finds.finder()
    if not len(finder.found):
        cls.poll_message_set("Find something first")
        return False
    return polls.poll_unless(
        cls, not anything and not library_finds.chosen_rows(finder), "Tick what to import, or click one"
    )


def _stretches(rows: Any) -> "list[Stretch]":
    from ...services.files.library_clips import Stretch

    return [Stretch(row.path, row.first, row.last, row.mirrored) for row in rows]


register = registrar.registration((ACTION_LOOM_OT_show_found, ACTION_LOOM_PG_wanted, ACTION_LOOM_OT_import_found))
