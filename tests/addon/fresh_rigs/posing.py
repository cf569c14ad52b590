"""Set the switches of a rig and read Blender's evaluated result."""

import bpy


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
