"""Compose a problem report, in English so that its readers need no other language."""

import platform

import bpy

from ...core import jit, version
from ..ground import troubles
from ..ground.blender_types import armature_data, present, scene_of
from ..model import properties, target_armature

NAME = "Action Loom Problem"
ASKED = """What did you do?

What did you expect?

What came instead?

"""


def compose(context: bpy.types.Context) -> str:
    """Return a report to fill in, with facts about this Blender, the armature and the latest error."""
    return ASKED + "".join(f"{fact}\n" for fact in _facts(context))


def _facts(context: bpy.types.Context) -> list[str]:
    """Return facts about this Blender, the tab's armature and the latest error."""
    facts = [
        f"Action Loom {version.VERSION}, Blender {bpy.app.version_string}",
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        f"Engine: {jit.read_engine()}, {jit.compiler() or 'no compiler'}",
    ]
    armature = target_armature.of_tab(context)
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
