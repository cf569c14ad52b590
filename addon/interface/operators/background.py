"""Run operators in the background: read, compute in a worker thread, write, with a way to cancel."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import bpy

from ....core import jit
from ....core.errors import LoomError
from ....core.progress import Progress
from ....core.recipes.result import ResultOptions
from ...ground import formats, jobs, last_folders, option_properties, steps, troubles
from ...ground.blender_types import OperatorMixin, OperatorReturn, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import properties, target_armature
from . import polls, reports

TICK = 0.05  # s between two checks of a job
NAVIGATION = {"MIDDLEMOUSE", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE"}


class NotQuickError(LoomError):
    """A result requested only if quick would take longer; the user gets no message."""


class BackgroundOperator(OperatorMixin):
    """An operator that reads, computes and writes: in the background from a panel, at once from a script.

    `inputs` reads, `ready` prepares and `finish` writes, all on the main thread; `compute`, after reading, touches no
    Blender data.
    """

    left = jobs.NOTHING  # reported as the remaining state after a cancel

    # None until its work begins: Blender also calls `cancel` while a confirmation is open.
    _job: jobs.BackgroundJob | None = None
    _timer: bpy.types.Timer | None = None
    unasked = False  # whether it runs automatically; it then stays in the background
    _began = 0.0  # when its work began, by perf_counter
    # The session id of the armature under which an error is stored (it may be gone by then), and metres in a scene
    # unit.
    _troubled, _metres = 0, 1.0

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        try:
            self.from_panel(context)  # Blender does not call it when the dialog is confirmed
            asks = not bpy.app.background and self.has_edits(context)
        except LoomError as error:
            return self.failed(context, error)
        if asks:
            self.overwrite_edits = True  # as the dialog's button announces
            why = "Replace the keys that were edited? Weave makes another action and keeps them"
            manager = present(context.window_manager)
            return manager.invoke_confirm(self, event, title="Edited by hand", message=why, icon="WARNING")
        if bpy.app.background or context.window is None:
            return self.execute(context)
        return self._begin(context)

    def has_edits(self, context: bpy.types.Context) -> bool:
        """Return whether the result to write over was edited by hand; raises LoomError."""
        return False

    def call_again(self, **given: Any) -> None:
        """Call this operator a second time, in the background, and report its error.

        A file browser or a dialog waits for the operator that opened it.
        """
        ours: Any = bpy.ops.action_loom  # type: ignore[attr-defined]  # the stubs know Blender's own only
        try:
            getattr(ours, self.bl_idname.partition("_OT_")[2])("INVOKE_DEFAULT", **given)
        except RuntimeError as error:
            self.report({"ERROR"}, str(error).strip().partition(": ")[2])  # after the word for an error

    def from_panel(self, context: bpy.types.Context) -> None:
        """Copy the panel's values to properties that the caller has not set; later steps use only these."""

    def inputs(self, context: bpy.types.Context) -> Any:
        """Read and return the inputs of `compute`, at once or in steps; raises LoomError."""
        raise NotImplementedError

    @staticmethod
    def compute(inputs: Any, progress: Progress) -> Any:
        """Return the result of the inputs; raises LoomError kinds."""
        from ...services.weaving import computing

        return computing.compute(inputs, progress)

    def ready(self, context: bpy.types.Context, inputs: Any, made: Any) -> steps.Steps[None]:
        """Prepare slow parts of `finish` on the main thread, in cancellable steps, without writing."""
        yield from ()

    def finish(self, context: bpy.types.Context, inputs: Any, made: Any) -> OperatorReturn:
        """Write the result and report to the user; raises LoomError if it can't be written."""
        raise NotImplementedError

    def about(self, context: bpy.types.Context) -> bpy.types.Object | None:
        """Return the armature that the operator works on."""
        return target_armature.armature(context)

    def failed(self, context: bpy.types.Context, error: LoomError) -> OperatorReturn:
        """Report an error: now, and in the panel until the next attempt."""
        if isinstance(error, NotQuickError):
            return {"CANCELLED"}
        if self._troubled:
            mode = properties.settings_of(scene_of(context)).mode
            troubles.keep(self._troubled, mode, error, self._metres)
        if self.unasked:
            return {"CANCELLED"}
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}

    def stopped(self, context: bpy.types.Context) -> None:
        """Report the cancel and the remaining state."""
        if self.unasked:
            return
        self.report({"INFO"}, f"{self.bl_label} was cancelled; {self.left}")

    def fresh_inputs(self, context: bpy.types.Context) -> Any:
        """Return the inputs, and clear the previous error."""
        armature = self.about(context)
        if armature is not None:
            self._troubled = armature.session_uid
            troubles.clear(self._troubled)
        return self.inputs(context)

    def _reading(self, context: bpy.types.Context) -> steps.Steps[Any]:
        self._began = time.perf_counter()
        return steps.of(partial(self.fresh_inputs, context))

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        try:
            with reports.show_progress(context) as shown:
                with _actions_unchanged():
                    inputs = steps.run_steps(self._reading(context), shown)
                made = self.compute(inputs, shown)
                steps.run_steps(self.ready(context, inputs, made), shown)
                return self.finish(context, inputs, made)
        except LoomError as error:
            return self.failed(context, error)

    def _begin(self, context: bpy.types.Context) -> OperatorReturn:
        compute = self.compute  # a separate reference, because Blender may free the operator before the work ends
        try:
            readying = partial(self.ready, context)
            reading = self._reading(context)
            job = jobs.begin(self.bl_label, partial(_compute, compute), self.left, reading, readying, self.unasked)
        except LoomError as error:
            return self.failed(context, error)
        self._job = job
        if not jobs.is_rendering():
            with _actions_unchanged():
                job.step()
        if job.state == "failed":
            return self._end(context, job)
        manager = present(context.window_manager)
        self._timer = manager.event_timer_add(TICK, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        job = present(self._job)
        if event.type == "ESC" and event.value == "PRESS":
            job.cancel()
        if event.type != "TIMER":
            if job.quiet:
                return {"PASS_THROUGH"}
            return {"PASS_THROUGH"} if navigates(context, event) else {"RUNNING_MODAL"}
        if jobs.is_rendering():  # the result is written afterwards
            return {"RUNNING_MODAL"}
        with _actions_unchanged():
            job.step()
        _redraw(context)
        return {"RUNNING_MODAL"} if job.state == "running" else self._end(context, job)

    def _end(self, context: bpy.types.Context, job: jobs.BackgroundJob) -> OperatorReturn:
        self._leave(context)
        if job.state == "done":
            try:
                return self.finish(context, job.inputs, job.result)
            except LoomError as error:
                return self.failed(context, error)
        elif job.state == "cancelled":
            self.stopped(context)
        elif isinstance(job.error, LoomError):
            return self.failed(context, job.error)
        else:
            raise present(job.error)
        return {"CANCELLED"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Stop the job: Blender ends the operator when a file is opened, when it quits, or on Esc in a confirmation."""
        if self._job is not None and self._job is jobs.running():
            jobs.stop("Blender ended it")
        self._leave(context)

    def _leave(self, context: bpy.types.Context) -> None:
        if self._job is not None:
            jobs.forget(self._job)
        if self._timer is not None:
            present(context.window_manager).event_timer_remove(self._timer)
            self._timer = None


class ImportOperator(BackgroundOperator):
    """A background operator on files: chosen in the file browser, or dropped into the view, which opens a dialog.

    Both wait for the operator that opened them, so it then calls itself a second time, with `chosen`.
    """

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: bpy.props.CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(options={"HIDDEN"})
    onto: bpy.props.EnumProperty(name="Onto", description="Which armature gets the actions", items=formats.ONTO)
    limbs: option_properties.annotation(ResultOptions, "limbs")
    here: bpy.props.BoolProperty(
        name="Where It Stands",
        description="Let what is carried onto a character begin where that stands; on at first in a window",
        default=False,
        options={"SKIP_SAVE"},
    )
    chosen: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})
    _asking = False

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_unless(cls, context.mode not in ("OBJECT", "POSE"), "Change to Object Mode first")

    def ask(self, context: bpy.types.Context, title: str, endings: tuple[str, ...], **preset: Any) -> OperatorReturn:
        """Open the dialog or the file browser; preset : values of properties that the caller has not set."""
        self._asking = True
        for name, value in preset.items():
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        manager = present(context.window_manager)
        if self.directory and len(self.files) and self.files[0].name:  # the files were dropped into the view
            return manager.invoke_props_dialog(self, title=translate_text(title), confirm_text="Import")
        self.filter_glob = formats.glob(endings)
        folder = last_folders.of(last_folders.IMPORTED)
        if folder and not (self.filepath or self.directory):
            self.directory = folder
        manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        if not self._asking or bpy.app.background:
            return super().execute(context)
        last_folders.keep(last_folders.IMPORTED, bpy.path.abspath(self.directory))
        given = self.as_keywords(ignore=("chosen", "files", "filter_glob"))
        self.call_again(files=[{"name": one.name} for one in self.files], chosen=True, **given)
        return {"CANCELLED"}  # the second call is the step of Undo


def _actions_unchanged() -> AbstractContextManager[None]:
    from ...bridge import fingerprint  # numpy is loaded at first use, not when Blender starts

    return fingerprint.hash_once()


def _compute(compute: Callable[[Any, Progress], Any], inputs: Any, progress: Progress) -> Any:
    """Compute once the numerical engine is loaded: the first time this takes a second, which the panel shows."""
    jit.prepare(progress)
    return compute(inputs, progress)


def navigates(context: bpy.types.Context, event: bpy.types.Event) -> bool:
    """Return whether an event only moves the view, or belongs to our panel, which has the cancel button."""
    if event.type in NAVIGATION or event.type.startswith(("WHEEL", "NDOF", "NUMPAD", "TIMER")):
        return True
    area = context.area
    sidebar = next((r for r in area.regions if r.type == "UI"), None) if area is not None else None
    if event.type != "LEFTMOUSE" or sidebar is None:
        return False
    across, up = event.mouse_x - sidebar.x, event.mouse_y - sidebar.y
    return bool(0 <= across < sidebar.width and 0 <= up < sidebar.height)


def _redraw(context: bpy.types.Context) -> None:
    """Redraw the progress in the sidebars and the status bar."""
    job = jobs.running()
    busy = job is not None and job.state == "running" and not job.quiet
    text = (
        f"{job.label}: {translate_text(job.doing)} {job.fraction:.0%}  (Esc cancels)"
        if job is not None and busy
        else None
    )
    if context.workspace is not None:
        context.workspace.status_text_set(text and translate_text(text))
    for window in present(context.window_manager).windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()
