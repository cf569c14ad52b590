"""Help: the manual, what a report of a problem needs, and forgetting what can be made anew."""

import platform
import shutil
from pathlib import Path
from typing import Any

import bpy

from ...core import jit
from ...core.errors import LoomError
from .. import manual, meant, preferences, properties
from ..blender_types import OperatorReturn, armature_data, present, scene_of
from ..session import jobs, memory, troubles

TEXT = "Action Loom Problem"
ASKED = """What did you do?

What did you expect?

What came instead?

"""
# What can be forgotten.
FORGOTTEN = (
    ("ANALYSED", "Analyses", "Forget what was matched, found and previewed in this session; actions stay as they are"),
    ("COMPILED", "Compiled Code", "Delete the engine's files on disk; it is compiled again when it is next needed"),
)


class ACTION_LOOM_OT_manual(bpy.types.Operator):
    bl_idname = "action_loom.manual"
    bl_label = "Manual"
    bl_description = "Open the manual in the browser; it lies in the extension, no network is needed"

    page: bpy.props.StringProperty(name="Page", description="Its name, such as blend", default="index")

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        try:
            address = manual.address(self.page)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not bpy.app.background:
            bpy.ops.wm.url_open(url=address)
        self.report({"INFO"}, f"The manual is at {address}")
        return {"FINISHED"}


class ACTION_LOOM_OT_report_problem(bpy.types.Operator):
    bl_idname = "action_loom.report_problem"
    bl_label = "Report a Problem"
    bl_description = (
        "Write down what a report of a problem needs, versions, the armature in figures, what went wrong last, in a"
        " text of this file and on the clipboard. Names of yours are in it only where an error names them"
    )
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        content = f"{ASKED}{chr(10).join(_facts(context))}\n"
        text = bpy.data.texts.get(TEXT) or bpy.data.texts.new(TEXT)
        text.from_string(content)
        if not bpy.app.background:
            present(context.window_manager).clipboard = content
        self.report({"INFO"}, f"What a report needs is in the text {text.name} and on the clipboard: add what you did")
        return {"FINISHED"}


def _facts(context: bpy.types.Context) -> list[str]:
    """What is known of this Blender, the armature that the tab is about, and what went wrong last."""
    facts = [
        f"Action Loom {preferences.version()}, Blender {bpy.app.version_string}",
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        f"Engine: {jit.wanted()}, {jit.compiler() or 'no compiler'}",
    ]
    armature = meant.of_tab(context)
    if armature is None:
        return facts
    scene, bones = scene_of(context), present(armature.pose).bones
    modes = sorted({bone.rotation_mode for bone in bones})
    rig = properties.rig_of(scene, armature)
    sources = 0 if rig is None else len(rig.sources)
    settings = properties.settings_of(scene)
    fps = scene.render.fps / scene.render.fps_base
    facts += [
        f"Armature: {len(bones)} bones, {sum(len(bone.constraints) for bone in bones)} constraints,"
        f" {', '.join(modes)}, {len(armature_data(armature).bones)} in rest pose, scale"
        f" {' '.join(f'{one:.4g}' for one in armature.scale[:])}, linked: {'yes' if armature.library else 'no'}",
        f"Scene: {fps:.4g} frames a second, unit {scene.unit_settings.scale_length:.4g} m, {sources} sources,"
        f" mode {settings.mode}, tool {settings.edit}",
    ]
    trouble = troubles.of(armature.session_uid, settings.mode)
    return [*facts, f"Went wrong last: {trouble.text}"] if trouble is not None else facts


class ACTION_LOOM_OT_clear_cache(bpy.types.Operator):
    bl_idname = "action_loom.clear_cache"
    bl_label = "Clear"
    bl_description = "Forget what can be made anew"
    bl_options = {"REGISTER", "INTERNAL"}

    what: bpy.props.EnumProperty(
        name="What",
        description="What is forgotten",
        items=FORGOTTEN,
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, asked: Any) -> str:
        return next(about for name, _, about in FORGOTTEN if name == asked.what)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if jobs.running() is not None:
            cls.poll_message_set("Wait until the work has ended, or cancel it")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        if self.what == "ANALYSED":
            memory.forget()
            self.report({"INFO"}, "Analyses are forgotten; they are made anew when they are needed")
            return {"FINISHED"}
        folder = Path(preferences.compiled_folder())
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            pass  # there is none yet
        except OSError as error:
            self.report({"ERROR"}, f"{folder} can't be deleted: {error.strerror or error}")
            return {"CANCELLED"}
        self.report({"INFO"}, "Compiled code is deleted; it is compiled again when Blender is started next")
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (ACTION_LOOM_OT_manual, ACTION_LOOM_OT_report_problem, ACTION_LOOM_OT_clear_cache)
)
