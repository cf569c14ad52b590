"""Report warnings first, then the summary, because Blender shows the last message."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ....core.errors import LoomError, one_line
from ....core.progress import Progress
from ....core.recipes.reading import Source
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import contact_rows, frame_conversion, lists, properties

if TYPE_CHECKING:
    from ...services.weaving.reading import Inputs
    from ...services.weaving.writing import Written


class EachResult(NamedTuple):
    """One result: its inputs, the woven result, and the written action."""

    inputs: "Inputs"
    made: Any
    written: "Written"

    @property
    def source(self) -> Source:
        return self.inputs.request.sources[0]

    @property
    def partner(self) -> "EachResult | None":
        """The result of the partner, None without one."""
        theirs, beside = self.inputs.read.partner, self.written.partner
        return None if theirs is None or beside is None else EachResult(theirs, self.made.partner, beside)


@contextmanager
def show_progress(context: bpy.types.Context) -> Iterator[Progress]:
    """Yield a progress that Blender shows at the mouse pointer; in background mode it shows nothing."""
    manager = present(context.window_manager)
    manager.progress_begin(0, 100)

    def show(fraction: float, _doing: str) -> bool:
        manager.progress_update(100 * fraction)
        return True

    try:
        yield Progress(show)
    finally:
        manager.progress_end()


def refuse_errors(execute: Callable[[Any, bpy.types.Context], OperatorReturn]) -> Any:
    """Let an operator report a LoomError and cancel. Blender counts the arguments of `execute`: exactly two."""

    @wraps(execute)
    def execute_or_refuse(self: Any, context: bpy.types.Context) -> OperatorReturn:
        try:
            return execute(self, context)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    return execute_or_refuse


def _seconds_of(operator: Any, made: Any) -> float:
    """Return the time since the click, or that of the computation for an operator without a job."""
    began: float = getattr(operator, "_began", 0.0)
    return time.perf_counter() - began if began else made.report["seconds_taken"]


def report(operator: bpy.types.Operator, warnings: Iterable[str], *summaries: str) -> None:
    """Report warnings first, then the summaries; Blender shows the last message."""
    for note in dict.fromkeys(warnings):
        operator.report({"WARNING"}, one_line(note))
    for sentence in dict.fromkeys(summaries):
        operator.report({"INFO"}, one_line(sentence))


def report_results(
    operator: bpy.types.Operator, context: bpy.types.Context, each: Sequence[EachResult], refused: Sequence[str] = ()
) -> None:
    """Report results with their contacts and figures, which panels show as well, and refused sources."""
    from ....core.verbs.follow.result import FollowResult
    from ...services.weaving import reporting

    scene, first = scene_of(context), each[0]
    both = [one for lead in each for one in (lead, lead.partner) if one is not None]
    notes = [*refused, *(note for one in both for note in one.inputs.notes)]
    for one in both:
        action, read = one.written.action, one.inputs.read
        if isinstance(one.made, FollowResult):
            from ...services.preview import walk_tracks

            walk_tracks.keep(read.armature, action, one.made, read.body.world_metres)
        contact_rows.keep_planted(scene, action, one.inputs.recipe, one.made.report)
        contact_rows.keep_hands(scene, action, one.made.report)
        firsts = [(source.clip.name, source.first_frame) for source in read.sources]
        warnings = frame_conversion.frames_of_clips(one.made.report["warnings"], firsts)
        own = [*one.written.notes, *contact_rows.warnings_of(scene, action, warnings)]
        named = {action.name, one.made.clip.name, *(name for name, _ in firsts)}
        notes += [note if len(both) == 1 or note.startswith(tuple(named)) else f"{action.name}: {note}" for note in own]
    count = len(each) + len(refused)
    line = f"{first.inputs.recipe.label}: {len(each)} of {count} actions"
    if count == 1:
        line = reporting.summary(first.written, first.made, _seconds_of(operator, first.made))
    keep_told(scene, each, line, notes, properties.settings_of(scene).mode)
    done = []
    for one in each:
        start = contact_rows.frames_of(one.written.action)[0]
        done += [*one.inputs.read.retarget_notes, *contact_rows.in_scene(one.made.report.get("notes", ()), start)]
    report(operator, notes, *done, line)


def keep_told(
    scene: bpy.types.Scene, each: Sequence[EachResult], line: str, notes: Iterable[str], mode: str = ""
) -> None:
    """Keep the line and the warnings on results for the tab, in one mode or, if it is empty, in all."""
    first = each[0]
    rig = properties.rig_of(scene, properties.of_session(bpy.data.objects, first.inputs.read.armature))
    if rig is not None:
        lists.keep_last(rig, line, first.written.action.name, dict.fromkeys(map(one_line, notes)), mode)
        lists.keep_made(rig, [one.written.action.name for one in each])


def show_image(operator: bpy.types.Operator, context: bpy.types.Context, image: bpy.types.Image) -> OperatorReturn:
    """Show an image in an Image Editor, if a window is available, and report a summary of it."""
    from ...bitmaps import images
    from ..pictures import image_overlay

    if not bpy.app.background:
        image_overlay.show()
        images.show(context, image)
    operator.report({"INFO"}, images.summary(image))
    return {"FINISHED"}
