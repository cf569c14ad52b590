"""Pose a rig and read Blender's evaluated result."""

from math import degrees

import bpy
from mathutils import Matrix, Vector


def evaluated(rig):
    """Return {bone: matrix in the world} as evaluated now."""
    rig.update_tag()
    bpy.context.view_layer.update()
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: shown.matrix_world @ bone.matrix for bone in shown.pose.bones}


def turn_switch(rig, switch, to):
    """Set a switch to "ik" or "fk", where the rig has it."""
    owner = rig.pose.bones[switch.bone] if switch.bone else rig
    if switch.name in owner:
        owner[switch.name] = type(owner[switch.name])(getattr(switch, to))


def turn_switches(rig, truth, to):
    """Set the switches of all limbs to "ik" or "fk"."""
    for limb in truth.limbs.values():
        if limb.switch:
            turn_switch(rig, limb.switch, to)


def move(rig, bone, by):
    """Move a control by a vector of the world, in metres, from its rest."""
    posed = rig.pose.bones[bone]
    own = (rig.matrix_world @ posed.bone.matrix_local).to_3x3()
    posed.matrix_basis = Matrix.Translation(own.inverted() @ Vector(by))


def turn(rig, bone, by, axis="X"):
    """Turn a control by radians about one of its own axes, from its rest."""
    rig.pose.bones[bone].matrix_basis = Matrix.Rotation(by, 4, axis)


def rest(rig, bones=None):
    """Put controls back to rest: those named, or all."""
    for bone in rig.pose.bones:
        if bones is None or bone.name in bones:
            bone.matrix_basis = Matrix()


def distance(one, other):
    """Return the distance between the heads of two matrices, in metres."""
    return (one.translation - other.translation).length


def angle(one, other):
    """Return the angle between the orientations of two matrices, in degrees."""
    both = one.to_3x3().normalized().inverted() @ other.to_3x3().normalized()
    return degrees(both.to_quaternion().angle) if both != Matrix.Identity(3) else 0.0


def direction(one, other):
    """Return the angle between the Y axes of two matrices, in degrees."""
    return degrees(one.to_3x3().col[1].angle(other.to_3x3().col[1]))
