"""Play a long action on few frames without copying all its keys, which Blender would do for evaluation."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np

from ...core.motion.quat import Array
from ..ground.blender_types import SlottedAction
from . import curve_writing, curves

LONG = 4000  # frames of an action above which copying its keys takes longer than evaluating its curves


@contextmanager
def of(armature: bpy.types.Object, played: SlottedAction, frames: Array, length: int) -> Iterator[SlottedAction]:
    """Yield a temporary action with the values of another at some scene frames (K,).

    Its keys are the evaluated values of each curve, including modifiers.
    length : frames of the action. A short action, or one that is needed between frames, is yielded itself.
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
