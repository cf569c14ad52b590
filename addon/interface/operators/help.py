"""Open the manual, compose a problem report, and clear caches."""

import shutil
from pathlib import Path
from typing import Any

import bpy

from ...ground import jobs, memory, registrar
from ...ground.blender_types import OperatorReturn, present
from ...model import preferences
from .. import manual
from . import polls, reports

# The caches that can be cleared.
FORGOTTEN = (
    ("ANALYSED", "Analyses", "Free the memory used for matching and previews; actions stay as they are"),
    ("COMPILED", "Compiled Code", "Delete the compiled files on disk; they are made again when needed"),
)


class ACTION_LOOM_OT_manual(bpy.types.Operator):
    bl_idname = "action_loom.manual"
    bl_label = "Manual"
    bl_description = "Open the manual in the browser; it works offline"

    # its name, such as blend
    page: bpy.props.StringProperty(default="index", options={"HIDDEN"})

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        address = manual.address(self.page)
        if not bpy.app.background:
            bpy.ops.wm.url_open(url=address)
        self.report({"INFO"}, f"The manual is at {address}")
        return {"FINISHED"}


class ACTION_LOOM_OT_report_problem(bpy.types.Operator):
    bl_idname = "action_loom.report_problem"
    bl_label = "Report a Problem"
    bl_description = (
        "Collect versions, the armature's figures and the last error for a problem report, as a text and on"
        " the clipboard; your names appear only in the error"
    )
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from .. import problem_report

        content = problem_report.compose(context)
        text = bpy.data.texts.get(problem_report.NAME) or bpy.data.texts.new(problem_report.NAME)
        text.from_string(content)
        if not bpy.app.background:
            present(context.window_manager).clipboard = content
        self.report({"INFO"}, f"The report is in the text {text.name} and on the clipboard: add what you did")
        return {"FINISHED"}


class ACTION_LOOM_OT_clear_cache(bpy.types.Operator):
    bl_idname = "action_loom.clear_cache"
    bl_label = "Clear"
    bl_description = "Forget what can be made anew"
    bl_options = {"REGISTER", "INTERNAL"}

    # what is forgotten
    what: bpy.props.EnumProperty(items=FORGOTTEN, options={"HIDDEN"})

    @classmethod
    def description(cls, _context: bpy.types.Context, asked: Any) -> str:
        return next(about for name, _, about in FORGOTTEN if name == asked.what)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_unless(cls, jobs.running() is not None, "Wait for the running work, or cancel it")

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        if self.what == "ANALYSED":
            memory.forget()
            self.report({"INFO"}, "Analyses were cleared; they are made again when needed")
            return {"FINISHED"}
        folder = Path(preferences.compiled_folder())
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            pass  # the cache does not exist yet
        except OSError as error:
            self.report({"ERROR"}, f"{folder} can't be deleted: {error.strerror or error}")
            return {"CANCELLED"}
        self.report({"INFO"}, "Compiled code was deleted; it is made again when Blender starts next")
        return {"FINISHED"}


register = registrar.registration((ACTION_LOOM_OT_manual, ACTION_LOOM_OT_report_problem, ACTION_LOOM_OT_clear_cache))
