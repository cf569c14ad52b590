"""Make an action of each ticked row of a take, all of one reading."""

import dataclasses
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError
from ....core.progress import Progress
from ....core.verbs import CutOut
from ...ground import steps
from ...ground.blender_types import OperatorReturn, scene_of
from ...model import frame_conversion, lists, properties, take_rows, target_armature
from . import polls
from .reports import EachResult
from .result_hooks import ResultHooks
from .verb_operator import VerbOperator

if TYPE_CHECKING:
    from ...services.weaving.reading import Inputs
    from ...services.weaving.writing import Written

_OF_ROW = ("name", "start", "end", "kind", "loop", "begins", "ends")


class CutOutHooks(ResultHooks):
    """Make an action with a fake user of each row, and an asset if requested."""

    nothing = "Cut the take into a set first"

    rows: bpy.props.CollectionProperty(type=take_rows.ACTION_LOOM_PG_cut_row, options={"HIDDEN"})
    others: bpy.props.CollectionProperty(type=take_rows.ACTION_LOOM_PG_cut_row, options={"HIDDEN"})

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        if not polls.poll_armature(cls, context):
            return False
        if not target_armature.invoked_from_panel(context):
            return True
        rig = properties.rig_of(scene_of(context), target_armature.armature(context))
        why = "" if rig is not None and rig.take is not None and len(rig.take_rows) else self.nothing
        why = why or ("" if any(row.use for row in rig.take_rows) else "Tick a row of the set")
        return polls.poll_unless(cls, why, why)

    def is_unfilled(self, op: Any) -> bool:
        return not len(op.sources)

    def fill_sources(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        rig = properties.rig_of(scene_of(context), op.about(context))
        if rig is None or rig.take is None:
            return
        for line in lists.own_lines(rig, rig.take):
            op.add_line(line)
        if not len(op.sources):
            op.add_source(rig.take.name_full)

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        settings = properties.settings_of(scene_of(context))
        rig = properties.rig_of(scene_of(context), op.about(context))
        if rig is not None and given.isdisjoint(("rows", "others")):
            op.rows.clear()
            op.others.clear()
            active = rig.take_active if op.preview else -1
            for k, row in enumerate(rig.take_rows):
                if k == active or (row.use and active < 0):
                    _copy(op.rows.add(), row)
                elif row.loop:
                    _copy(op.others.add(), row)
        for name in set(take_rows.HOW) - given:
            setattr(op, name, getattr(settings, f"take_{name}"))
        op.place, op.assign, op.result_name = "REFERENCE", False, ""  # each result begins at the origin

    def read(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object
    ) -> "steps.Steps[tuple[Inputs, ...]]":
        """Read the take once; each row has its own recipe."""
        from ...services.takes import set_rows

        request = op.request()
        if not request.sources or not len(op.rows):
            raise LoomError(self.nothing)
        CutOut.check_count(len(request.sources))
        inputs: Inputs = yield from op.read(context, armature, request, op.recipe_now())
        first = round(inputs.read.sources[0].first_frame)
        every = [*op.rows, *op.others]
        roots = {"ROOT"} if op.preview else op.roots
        wanted = set_rows.wanted_actions(list(op.rows), every, first, mirror=op.mirror and not op.preview, roots=roots)
        op.made_of_rows = [(one.name, op.rows[one.row].name) for one in wanted]
        result = dataclasses.replace(request.result, assign=False)
        return tuple(
            dataclasses.replace(
                inputs,
                recipe=dataclasses.replace(one.recipe, trim=inputs.recipe.trim),
                request=dataclasses.replace(request, result=dataclasses.replace(result, result_name=one.name)),
            )
            for one in wanted
        )

    def compute(self, inputs: tuple["Inputs", ...], progress: Progress) -> list[Any]:
        from ....core import verbs
        from ...services.weaving import computing, prepared

        # Tracked once; each loop is made once for all actions that connect to it.
        take = prepared.read_prepared(inputs[0].recipe, inputs[0].read.clips, progress.part(0.0, 0.2))
        first = round(inputs[0].read.sources[0].first_frame)

        def cut(one: "Inputs", part: Progress) -> Any:
            try:
                made = verbs.apply(one.recipe, one.read.clips, part, take)
            except LoomError as error:
                name, text = one.request.result.result_name, str(error).partition(": ")[2] or str(error)
                raise type(error)(f"{name}: {frame_conversion.frames_in_scene(text, first)}") from None
            name = one.request.result.result_name
            warnings = [f"{name}: {text.partition(': ')[2] or text}" for text in made.report["warnings"]]
            clip = dataclasses.replace(made.clip, name=name)
            return dataclasses.replace(made, clip=clip, report={**made.report, "warnings": warnings})

        return computing.compute_each(inputs, progress.part(0.2, 1.0), cut)

    def finish(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> OperatorReturn:
        from ...services.weaving import writing

        return super().finish(op, context, inputs if op.preview else writing.keyed_alike(context, inputs, made), made)

    def write(self, op: Any, context: bpy.types.Context, inputs: "Inputs", made: Any) -> "Written":
        """Write an action over its previous version, unless the artist has edited that."""
        from ...services.results import rebuilding
        from ...services.takes import set_rows

        name = inputs.request.result.result_name
        rig = properties.rig_of(scene_of(context), op.about(context))
        written = rebuilding.write(context, inputs, made, set_rows.place_of(rig, name))
        written.action.use_fake_user = True
        return written

    def done(self, op: Any, context: bpy.types.Context, each: list[EachResult], refused: list[str]) -> None:
        from ...services.takes import set_assets

        armature = op.about(context)
        rig = properties.rig_of(scene_of(context), armature)
        rows = {} if rig is None else {row.name: row for row in rig.take_rows}
        of_row = dict(op.made_of_rows)
        for one in each:
            name = of_row.get(one.inputs.request.result.result_name, "")
            own = not one.inputs.recipe.mirrored and not (one.inputs.recipe.in_place and "ROOT" in op.roots)
            if name in rows and own:
                rows[name].made = one.written.action
        notes = [*refused]
        if op.assets and armature is not None:
            notes += set_assets.mark(context, armature, [one.written.action for one in each], op.catalog)
        super().done(op, context, each, notes)


CutOutHooks.__annotations__ |= take_rows.HOW


def _copy(row: Any, kept: Any) -> None:
    for name in _OF_ROW:
        setattr(row, name, getattr(kept, name))
