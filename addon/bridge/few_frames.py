"""Play a long action on few frames: Blender copies all keys of what it evaluates."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np

from ...core.motion.quat import Array
from ..ground.blender_types import SlottedAction
from . import curve_writing, curves

LONG = 4000  # frames of an action from which on copying its keys takes longer than evaluating its curves here


@contextmanager
def of(armature: bpy.types.Object, played: SlottedAction, frames: Array, length: int) -> Iterator[SlottedAction]:
    """Yield an action that moves as another does at some scene frames (K,), for as long as it is needed.

    Its keys are what Blender says that each curve is there, with its modifiers. length : frames of the action; a short
    one is yielded itself, and one that is to be seen between frames
    """
    if length < LONG or (frames != np.floor(frames)).any():
        yield played
        return
    action, slot = curves.new_action(played[0].name, armature)
    try:
        writer = curve_writing.Writer(curves.holder_of(action, slot), frames.astype(np.float32), "CONSTANT")
        for curve in curves.curves_of(*played):
            if not curve.mute:
                values = np.array([curve.evaluate(frame) for frame in frames.tolist()])
                writer.write_channel(f"{curve.data_path}[{curve.array_index}]", values, constant=True)
        yield action, slot
    finally:
        bpy.data.actions.remove(action)
