"""Shared helpers of planted-feet tests: press the button, locate feet, read why a button is grey."""

import json

import bpy
import material
import numpy as np
import pytest


def longest(held):
    """The row of the longest contact on a ball."""
    return max((row for row in held.rows if row.part == "ball"), key=lambda row: row.last - row.first)


def recipe_of(action):
    return json.loads(action["action_loom"]["recipe"])


def planted(rig, **options):
    """Press Plant Feet and return the action it makes."""
    made = material.new_action(lambda: bpy.ops.action_loom.plant("INVOKE_DEFAULT", **options))
    assert rig.animation_data.action == made
    return made


def tips(rig, foot, frames):
    """Return the world positions of the ball of a foot."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append((rig.matrix_world @ rig.pose.bones[f"foot.{foot}"].tail)[:2])
    return np.array(found)


def way(rig, foot, first, last):
    places = tips(rig, foot, range(first, last + 1))
    return float(np.linalg.norm(places - places.mean(axis=0), axis=1).max())


def why_not(rig, operator):
    with bpy.context.temp_override(action_loom_armature=rig):
        if getattr(bpy.ops.action_loom, operator).poll():
            return ""
        with pytest.raises(RuntimeError) as reported:
            getattr(bpy.ops.action_loom, operator)()
    return str(reported.value).split("poll() ")[-1].strip()
