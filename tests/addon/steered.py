"""Make a biped that keys steer, for tests of Drive."""

from types import SimpleNamespace

import bpy
import material


def event(kind, value="PRESS", *, shift=False, ctrl=False):
    return SimpleNamespace(type=kind, value=value, shift=shift, ctrl=ctrl, mouse_x=0, mouse_y=0)


def walking():
    rig = material.biped()
    material.key_walk(rig, "slow", frames=36)
    material.key_walk(rig, "quick", frames=24, stride=1.6)
    material.list_sources(rig, "slow", "quick", mode="drive")
    return rig


def go(steering, seconds):
    for _ in range(round(60 * seconds)):
        steering.tick(bpy.context, 1.0 / 60.0)
