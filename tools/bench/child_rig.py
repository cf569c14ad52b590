"""Benchmarks inside Blender on a rig that Rigify generates."""

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from table import Figures, time_alone

SPANS = ((1.0, 500.0), (301.0, 800.0))  # frames of the two sources
READ = 500  # frames for the time of one


def time_rig(loom: Callable[[str], Any], runs: int, file: str) -> dict[str, Figures]:
    """Time reading a frame of a rig, and weaving 2 × 500 frames of it: the first time, and again."""
    import bpy

    import_module("addon_utils").enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    bpy.ops.pose.rigify_generate()
    rig = bpy.context.object
    bpy.ops.action_loom.import_motion(files=[{"name": file}], onto="ACTIVE")
    action = rig.animation_data.action
    sources = []
    for first, last in SPANS:
        part = action.copy()
        part.use_frame_range, part.frame_start, part.frame_end = True, first, last
        sources.append({"name": part.name, "weight": 1.0})

    def press() -> None:
        bpy.ops.action_loom.blend(sources=sources, ends="pinned", result_name="New")
        bpy.data.actions.remove(bpy.data.actions["New"])

    body = loom("addon.bridge.control_body").body_of(rig)
    reader = loom("addon.ground.steps").at_once(loom("addon.bridge.clip_on_controls").read_in_steps)

    def read() -> None:
        loom("addon.ground.memory").forget()
        reader(bpy.context.scene, rig, action, body, 120.0, None, (1.0, float(READ)))

    def play() -> None:
        for frame in range(1, READ + 1):
            bpy.context.scene.frame_set(frame)

    figures = {"rig-read": Figures(time_alone(read, 1) / READ, {"frame_set": time_alone(play, 1) / READ})}
    loom("addon.ground.memory").forget()
    began = time.thread_time()
    press()
    figures["rig-first"] = Figures(1000.0 * (time.thread_time() - began))
    return figures | {"rig-again": Figures(time_alone(press, runs))}
