"""Make actions from sources, one from all or one from each; preview them, or write and report them."""

import dataclasses
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LONGEST, LoomError
from ....core.progress import Progress
from ....core.recipes.base import Recipe
from ....core.recipes.reading import ReadingOptions, Request, Source
from ....core.recipes.result import ResultOptions
from ....core.verbs import Bake
from ...ground import steps
from ...ground.blender_types import OperatorReturn, by_full_name, scene_of
from ...model import contact_rows, lists, properties
from ...services.preview import previews
from ...services.sources import source_list
from . import polls, reports
from .background import NotQuickError
from .reports import EachResult
from .verb_operator import Hooks, VerbOperator

if TYPE_CHECKING:
    from ...services.weaving import reading
    from ...services.weaving.reading import Inputs
    from ...services.weaving.writing import Written


_NAMED = 4  # refused sources that one message names


class ResultHooks(Hooks):
    """Make an action from all sources together, or from each source if the recipe takes one.

    nothing : error message if no source is given for processing one by one
    one_by_one : whether each source is processed separately
    """

    asks = (ReadingOptions, ResultOptions)
    nothing = "Choose an action first"
    one_by_one = False  # True even for a recipe that takes more than one clip

    # show the result as a ghost, without writing it
    preview: bpy.props.BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})
    # leave it where clips would have to be matched first, or a graph to be built
    quick: bpy.props.BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})

    # the result to write over, by name; a new one is made if empty
    into: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    overwrite_edits: bpy.props.BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})

    # preview the panel's settings automatically, without messages
    unasked: bpy.props.BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        most = None if cls.recipe.most == 1 else cls.recipe.most
        return polls.poll_sources(cls, context, cls.recipe.least, most) and polls.poll_partner(cls, context, cls.recipe)

    def has_edits(self, op: Any) -> bool:
        from ...model import storage
        from ...services.results import updating

        return bool(op.into) and storage.edited_by_hand(updating.find_result(op.into, overwrite_edits=True))

    # --- inputs

    def inputs(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object
    ) -> "steps.Steps[tuple[Inputs, ...]]":
        from ...services.preview import panel_state
        from ...services.weaving import prepared

        if op.into:
            from ...services.results import updating

            result = updating.find_result(op.into, overwrite_edits=op.overwrite_edits)
            op.written_over = result.session_uid
            return updating.inputs_for(result, (yield from self.read(op, context, armature)))
        made = yield from self.read(op, context, armature)
        if op.preview:
            scene = scene_of(context)
            rig, mode = properties.rig_of(scene, armature), properties.settings_of(scene).mode
            op.panel_state = mode, panel_state.asked_state(scene, rig, mode)  # the panel may change during weaving
        if op.quick and not all(prepared.is_known(one.recipe, one.read.clips) for one in made):
            raise NotQuickError(f"{op.bl_label} takes long: press its button")
        return made

    def read(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object
    ) -> "steps.Steps[tuple[Inputs, ...]]":
        """Return the inputs of each result; unreadable sources are refused. Raises LoomError if none can be read."""
        request = op.request()
        if not self.one_by_one and op.recipe.most != 1:
            inputs = yield from op.read(context, armature, request, op.recipe_now())
            return (self.completed(op, inputs),)
        if not request.sources:
            raise LoomError(self.nothing)
        made: list[Inputs] = []
        errors: list[LoomError] = []
        which_ones = self.chosen(op, context, request.sources)
        for k, which in enumerate(which_ones):
            source = request.sources[which]
            one = dataclasses.replace(request, sources=(source, *self.others(op)))
            try:
                reading = self.read_one(op, context, armature, one, self.recipe_of(op, which))
                made.append(self.completed(op, (yield from steps.within(reading, k, len(which_ones)))))
            except LoomError as error:
                errors.append(error)
                op.refused.append(_name_source([source], error))
        if not made:
            raise _merged_error(errors, op.refused)
        return tuple(made)

    def read_one(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object, request: Request, recipe: Recipe
    ) -> "steps.Steps[Inputs]":
        """Return the inputs of one result of several, in steps; raises LoomError kinds."""
        inputs: Inputs = yield from op.read(context, armature, request, recipe)
        return inputs

    def completed(self, op: Any, inputs: "Inputs") -> "Inputs":
        """Return inputs completed with data specific to this verb, such as a curve's points; raises LoomError."""
        return inputs

    def chosen(self, op: Any, context: bpy.types.Context, sources: Sequence[Source]) -> Sequence[int]:
        """Return the indices of the sources to process: all, or the active line's for a preview."""
        every = range(len(sources))
        if not op.preview:
            return every
        active = lists.active_line(properties.rig_of(scene_of(context), op.about(context)))
        named = None if active is None else (active.action.name_full, active.armature)
        return [k for k in every if (sources[k].name, sources[k].armature) == named][:1] or every[:1]

    def recipe_of(self, op: Any, which: int) -> Recipe:
        """Return the recipe of one of several sources."""
        recipe: Recipe = op.recipe_now()
        return recipe

    def others(self, op: Any) -> tuple[Source, ...]:
        """Return the sources read together with each of several sources."""
        return ()

    # --- compute

    def compute(self, inputs: tuple["Inputs", ...], progress: Progress) -> list[Any]:
        from ...services.weaving import computing

        return computing.compute_each(inputs, progress)

    # --- finish

    def ready(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> "steps.Steps[None]":
        from ...services.weaving import writing

        if not op.preview:
            yield from writing.all_ready_in_steps(context, inputs, made)
            for one, result in zip(inputs, made, strict=True):
                if one.read.partner is not None and not isinstance(result, LoomError):
                    yield from writing.ready_in_steps(context, one.read.partner, result.partner)

    def finish(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> OperatorReturn:
        if op.preview:
            return self._show(op, context, inputs[0], made[0])
        refused, errors = list(op.refused), []
        each: list[EachResult] = []
        left: list[str] = []
        unchanged = 0
        for given, result in zip(inputs, made, strict=True):
            one = with_result(given, assign=given.request.result.assign and not each)  # only one action can be assigned
            try:
                if isinstance(result, LoomError):
                    raise result
                if not op.into and self.is_unchanged(op, one, result):
                    unchanged += 1
                    left += _why_unchanged(context, one, result)
                    continue
                each.append(EachResult(one, result, self.write(op, context, one, result)))
            except LoomError as error:
                errors.append(error)
                refused.append(_name_source(one.request.sources, error))
        if not each and not unchanged:
            raise _merged_error(errors, refused)
        if each:
            self.done(op, context, each, [*refused, *left])
        else:
            nothing = f"{op.bl_label}: nothing was changed, so no action was made"
            rig = properties.rig_of(scene_of(context), properties.of_session(bpy.data.objects, inputs[0].read.armature))
            if rig is not None:
                lists.keep_last(rig, nothing, mode=properties.settings_of(scene_of(context)).mode)
            reports.report(op, refused, nothing, *left)
        return {"FINISHED"}

    def is_unchanged(self, op: Any, inputs: "Inputs", made: Any) -> bool:
        """Return whether an action of a result would equal its source."""
        asked = dataclasses.replace(inputs.request.result, result_name="", assign=True)
        return not made.report["changed"] and asked == ResultOptions() and not any(inputs.read.retargeted)

    def write(self, op: Any, context: bpy.types.Context, inputs: "Inputs", made: Any) -> "Written":
        """Write one result; raises LoomError if it can't be written."""
        from ...services.results import updating
        from ...services.weaving import writing

        if op.into:
            return updating.write(context, inputs, made, op.written_over)
        return writing.write(context, inputs, made)

    def done(self, op: Any, context: bpy.types.Context, each: list[EachResult], refused: list[str]) -> None:
        """List all results, store the first one for the panel, and report all."""
        previews.keep(each[0].inputs.read.armature, None)  # the preview has become an action
        list_results(context, op.about(context), each)
        for one in filter(None, (one.partner for one in each)):
            list_results(context, properties.of_session(bpy.data.objects, one.inputs.read.armature), [one])
        self.remember(op, context, each[0])
        show_result(context, op.about(context), each[0])
        reports.report_results(op, context, each, refused)

    def remember(self, op: Any, context: bpy.types.Context, one: EachResult) -> None:
        """Store the data of a result that the panel needs."""
        from ...services.matching import analysis
        from ...services.preview import ghost_follow

        armature = op.about(context)
        if armature is not None:
            ghost_follow.note(context, armature)
        analysis.keep_woven(context, one.inputs, one.made)
        self.keep(context, one.inputs, one.made)

    def keep(self, context: bpy.types.Context, inputs: "Inputs", made: Any) -> None:
        """Store further data of a result for the panel."""

    def _show(self, op: Any, context: bpy.types.Context, inputs: "Inputs", made: Any) -> OperatorReturn:
        from ...services.preview import ghosts

        if isinstance(made, LoomError):
            raise made
        mode, state = op.panel_state
        ghost = ghosts.keep(context, mode, inputs, made, state)
        if op.unasked:
            return {"CANCELLED"}  # creates no undo step
        notes = (*inputs.notes, *made.report["warnings"])
        carried = (*inputs.read.retarget_notes, *made.report.get("notes", ()))
        reports.report(op, notes, *carried, f"Preview: {ghost.summary}")
        return {"FINISHED"}


def points_of_curve(name: str, read: "reading.Read") -> tuple[tuple[tuple[float, ...], ...], bool]:
    """Return the points of a curve object, in metres, and whether it is closed; raises LoomError."""
    from ...bridge import curve_path

    curve = by_full_name(bpy.data.objects, name)
    if curve is None:
        raise LoomError(f"There is no curve named {name!r}: choose another")
    points, closed = curve_path.path(curve, read.body.world_metres, float(read.sources[0].frames[0]))
    return tuple(tuple(point) for point in points.tolist()), closed


class CurveHooks(ResultHooks):
    """Take the points of an option from a curve object, if one is chosen."""

    curve: bpy.props.StringProperty(
        name="Curve", description="Name of the curve object to walk along; the points of Path if empty"
    )

    def __init__(self, option: str = "path", *, decides_start: bool = False) -> None:
        self.option, self.decides_start = option, decides_start

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        chosen = properties.settings_of(scene_of(context)).ask_curve
        if chosen is not None and given.isdisjoint(("curve", self.option)):
            op.curve = chosen.name_full
            op.place = "REFERENCE" if self.decides_start and "place" not in given else op.place

    def completed(self, op: Any, inputs: "Inputs") -> "Inputs":
        if not op.curve:
            return inputs
        points, closed = points_of_curve(op.curve, inputs.read)
        rows = tuple(point[:2] for point in ((*points, points[0]) if closed else points))
        request = dataclasses.replace(inputs.request, curve=op.curve)
        recipe = dataclasses.replace(inputs.recipe, **{self.option: rows})
        return dataclasses.replace(inputs, request=request, recipe=recipe)


def list_results(context: bpy.types.Context, armature: bpy.types.Object | None, each: Sequence[EachResult]) -> None:
    """Add the actions of results to an armature's list if it has one, and activate the first of them.

    The result of a tool replaces its ticked source in the selection; no other result is ticked, and neither are baked
    results, which are for other programs.
    """
    rig = properties.rig_of(scene_of(context), armature)
    if rig is None:
        return
    rig.edited = None
    count = len(rig.sources)
    for one in each:
        if not lists.own_lines(rig, one.written.action):
            result = source_list.add(rig, one.written.action, use=False)
            made_of = _own_line(rig, one.inputs.request.sources[0].name) if one.inputs.recipe.of_action else None
            if made_of is not None and not isinstance(one.inputs.recipe, Bake):
                source_list.take_its_place(rig, made_of, result)
    if len(rig.sources) > count:
        rig.active = count


def _own_line(rig: Any, name: str) -> Any:
    """Return the line of a list with the armature's own action of this name, None for none."""
    return next((one for one in rig.sources if one.action and one.action.name_full == name and lists.is_own(one)), None)


def show_result(context: bpy.types.Context, armature: bpy.types.Object | None, one: EachResult) -> None:
    """Show the result assigned to its armature: always if there is a window, otherwise if it is to be played."""
    from ...services.results import playback

    play = properties.settings_of(scene_of(context)).play
    if armature is not None and one.inputs.request.result.assign and (play or not bpy.app.background):
        playback.show(context, armature, one.written.action, play=play)


def _why_unchanged(context: bpy.types.Context, inputs: "Inputs", made: Any) -> list[str]:
    """Return notes and warnings of an unwritten result, and list refused contacts with its source."""
    from ...services.weaving import writing

    scene, action, span = scene_of(context), writing.sources_of(inputs.read)[0][0], inputs.request.sources[0].span
    if (made.report.get("plant") or {}).get("refused", True):
        contact_rows.keep_planted(scene, action, inputs.recipe, made.report, span)
    else:
        contact_rows.say(scene, action, "its feet slide too little to plant")
    warnings = contact_rows.warnings_of(scene, action, made.report["warnings"], span)
    return [*made.report["notes"], *warnings]


def with_result(inputs: "Inputs", **options: Any) -> "Inputs":
    """Return inputs with other result options, which the partner's result has, too."""
    result = dataclasses.replace(inputs.request.result, **options)
    partner = None if inputs.read.partner is None else with_result(inputs.read.partner, **options)
    read = dataclasses.replace(inputs.read, partner=partner)
    return dataclasses.replace(inputs, request=dataclasses.replace(inputs.request, result=result), read=read)


def _name_source(sources: Sequence[Source], error: LoomError) -> str:
    """Return an error message with the name of the first source."""
    known = not sources or sources[0].name in str(error)
    return str(error) if known else f"{sources[0].name}: {error}"


def _merged_error(errors: list[LoomError], refused: list[str]) -> LoomError:
    """Return the only error, or one that combines all."""
    if len(refused) == 1:
        return errors[0]
    shown = refused[:_NAMED]
    each = [textwrap.shorten(one, (LONGEST - 20) // len(shown) - 2, placeholder=" …") for one in shown]
    more = f" and {len(refused) - len(shown)} more" if len(refused) > len(shown) else ""
    return LoomError("; ".join(each) + more)
