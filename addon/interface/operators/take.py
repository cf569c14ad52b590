"""Cut a take into a set: rows in the panel, which can be edited, completed, and put into the NLA."""

from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ....core.errors import LoomError
from ....core.progress import Progress
from ....core.recipes.reading import ReadingOptions, Request, Source
from ....core.verbs import CutOut
from ...ground import registrar, steps
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import lists, properties, take_rows, target_armature
from . import polls, reports
from .background import BackgroundOperator

if TYPE_CHECKING:
    from ...services.weaving.reading import Read


class TakeRead(NamedTuple):
    """A take and its data: the action's session id, the scene frame of its first frame, and its clip."""

    action: int
    first: int
    read: "Read"


def take_of(context: bpy.types.Context, armature: bpy.types.Object) -> Source | None:
    """Return the take to cut, with reading options: the only ticked action, or the played one."""
    from ...services.sources import source_list

    ticked = source_list.own_sources(scene_of(context), armature, lists.TICKED)
    if len(ticked) == 1:
        return ticked[0]
    data = armature.animation_data
    if data is None or data.action is None:
        return None
    return source_list.own_sources(scene_of(context), armature, lists.PLAYED)[0]


class ACTION_LOOM_OT_cut_take(BackgroundOperator, bpy.types.Operator):
    bl_idname = "action_loom.cut_take"
    bl_label = "Cut Into a Set"
    bl_description = "Cut the ticked action, or the one that plays, into loops, starts, stops, turns and other actions"
    bl_options = {"REGISTER", "UNDO"}
    left = "the rows are as before"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not polls.poll_armature(cls, context):
            return False
        armature = present(target_armature.armature(context))
        data = armature.animation_data
        rig = properties.rig_of(scene_of(context), armature)
        if (data is None or data.action is None) and len(lists.first_ticked(rig, 2)) != 1:
            cls.poll_message_set("Tick the take, one action, or play it")
            return False
        return True

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[TakeRead]":
        from ...services.weaving import reading

        armature = present(target_armature.armature(context))
        source = take_of(context, armature)
        if source is None:
            raise LoomError(f"{armature.name} has no action: play one, or tick actions in the list")
        request = Request(sources=(source,), reading=ReadingOptions())
        read = yield from reading.read_in_steps(context, armature, request, CutOut())
        self._metres = read.body.world_metres
        return TakeRead(read.made_of[0][0], round(read.sources[0].first_frame), read)

    @staticmethod
    def compute(inputs: TakeRead, progress: Progress) -> Any:
        from ....core.verbs.take import take_set

        return take_set.make(inputs.read.clips[0], progress=progress)

    def finish(self, context: bpy.types.Context, inputs: TakeRead, made: Any) -> OperatorReturn:
        from ...services.takes import set_rows
        from ...services.weaving import writing

        armature = writing.find_data(bpy.data.objects, inputs.read.armature, "The armature")
        action = writing.find_data(bpy.data.actions, inputs.action, "The take")
        rig = properties.ensure_rig(scene_of(context), armature)
        set_rows.fill(rig, action, inputs.first, made)
        settings = properties.settings_of(scene_of(context))
        said = take_rows.describe(rig.take_rows, mirror=settings.take_mirror)
        lists.keep_last(rig, f"{action.name}: {said}", action.name, made.warnings, settings.mode)
        reports.report(self, (*inputs.read.notes, *made.warnings), rig.last)
        return {"FINISHED"}


class _EditRows(polls.OnRows):
    """A mixin for operators that change rows and report the changed row."""

    def edited(self, context: bpy.types.Context) -> Any:
        """Change rows and return the one to report; raises LoomError."""
        raise NotImplementedError

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        row = self.edited(context)
        self.report({"INFO"}, f"{row.name}: frames {row.start} to {row.end}")
        return {"FINISHED"}


class ACTION_LOOM_OT_split_take_row(_EditRows, bpy.types.Operator):
    bl_idname = "action_loom.split_take_row"
    bl_label = "Split"
    bl_description = "Part the active row at the current frame"

    def edited(self, context: bpy.types.Context) -> Any:
        from ...services.takes import set_rows

        return set_rows.split(self.rig(context), scene_of(context).frame_current)


class ACTION_LOOM_OT_join_take_rows(_EditRows, bpy.types.Operator):
    bl_idname = "action_loom.join_take_rows"
    bl_label = "Join"
    bl_description = "Join the active row with the one that begins next"

    def edited(self, context: bpy.types.Context) -> Any:
        from ...services.takes import set_rows

        return set_rows.join(self.rig(context))


class ACTION_LOOM_OT_fill_hole(polls.OnRows, bpy.types.Operator):
    bl_idname = "action_loom.fill_hole"
    bl_label = "Fill"
    bl_description = "Make what the set lacks out of what it has: mirror it, or tick both actions for Parametric"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    # its place in the list, from 0
    index: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ....core.verbs.take import coverage

        rig, settings = self.rig(context), properties.settings_of(scene_of(context))
        if not 0 <= self.index < len(rig.take_holes):
            self.report({"ERROR"}, f"There is no row {self.index}; there are {len(rig.take_holes)}, from 0")
            return {"CANCELLED"}
        hole = rig.take_holes[self.index]
        names = hole.of.split("\n") if hole.of else []
        if hole.fill == coverage.MIRROR:
            settings.take_mirror = True
            for row in rig.take_rows:
                row.use = row.use or row.name in names
            self.report({"INFO"}, f"{names[0]} will be mirrored: press Weave")
            return {"FINISHED"}
        if hole.fill != coverage.BLEND:
            self.report({"ERROR"}, f"{hole.name} Nothing of this take can fill it: find it in a library, or record it")
            return {"CANCELLED"}
        woven = {row.name: row.made for row in rig.take_rows if row.name in names}
        if len(woven) < len(names) or None in woven.values():
            self.report({"ERROR"}, f"Weave {' and '.join(names)} first: the action between is blended of both")
            return {"CANCELLED"}
        for line in rig.sources:
            line.use = line.action in woven.values()
        settings.mode = "ask"
        self.report({"INFO"}, f"{' and '.join(names)} are ticked: choose a speed between")
        return {"FINISHED"}


class ACTION_LOOM_OT_push_down_set(polls.OnRows, bpy.types.Operator):
    bl_idname = "action_loom.push_down_set"
    bl_label = "Set to NLA"
    bl_description = "Put the woven actions of the set on a new NLA track, one after the other"

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.results import nla_strips
        from ...services.takes import set_rows

        armature, rig = present(target_armature.armature(context)), self.rig(context)
        made = set_rows.woven_actions(rig)
        if not made:
            raise LoomError("Weave the set first: none of its ticked rows has an action yet")
        pushed = nla_strips.push_down(armature, [Source(name=action.name_full) for action in made])
        first, last = pushed.strips[0].frame_start, pushed.strips[-1].frame_end
        pushed.track.name = f"{rig.take.name} set" if rig.take is not None else "set"
        what = f"{len(made)} actions"
        reports.report(self, pushed.notes, f"{what}: in the NLA of {armature.name} from frame {first:g} to {last:g}")
        return {"FINISHED"}


register = registrar.registration(
    (
        ACTION_LOOM_OT_cut_take,
        ACTION_LOOM_OT_split_take_row,
        ACTION_LOOM_OT_join_take_rows,
        ACTION_LOOM_OT_fill_hole,
        ACTION_LOOM_OT_push_down_set,
    )
)
