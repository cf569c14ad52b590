"""The game animator's biped, broken in one way each, like files that came through many hands.

`Truth.broken` holds names, one of which a sentence about the break must contain; `BREAKS` makes the breaks.
"""

from dataclasses import replace

import bpy

from . import game_biped

LEG = (
    "left leg",
    *(f"{p}_{n}_l" for p in ("ctrl_fk", "mch_ik", "def") for n in ("thigh", "shin", "foot")),
    "ctrl_foot_ik_l",
)
ARM = (
    "left arm",
    *(f"{p}_{n}_l" for p in ("ctrl_fk", "mch_ik", "def") for n in ("upperarm", "forearm", "hand")),
    "ctrl_hand_ik_l",
)


def target_deleted(rig):
    """Delete the target bone of the left leg's IK."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["mch_ik_foot_l"])
    bpy.ops.object.mode_set(mode="OBJECT")


def cycle(rig):
    """Let the left knee's pole follow the shin that it turns, a dependency cycle."""
    rig.pose.bones["mch_knee_space_l"].constraints[0].subtarget = "mch_ik_shin_l"


def switch_missing(rig):
    """Delete the left leg's FK/IK property, but not its drivers."""
    del rig.pose.bones[game_biped.SETTINGS]["leg_ik_l"]


def other_armature(rig):
    """Let the left hand's IK aim at a grip on a prop's armature."""
    prop = bpy.data.objects.new("prop", bpy.data.armatures.new("prop"))
    bpy.context.scene.collection.objects.link(prop)
    bpy.context.view_layer.objects.active = prop
    bpy.ops.object.mode_set(mode="EDIT")
    grip, hand = prop.data.edit_bones.new("grip_l"), rig.data.bones["ctrl_hand_ik_l"]
    grip.head, grip.tail = hand.head_local, hand.tail_local
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = rig
    solver = next(c for c in rig.pose.bones["mch_ik_forearm_l"].constraints if c.type == "IK")
    solver.target, solver.subtarget = prop, "grip_l"


def locked(rig):
    """Lock the left leg's IK control, pole and FK controls completely."""
    for name in ("ctrl_foot_ik_l", "ctrl_fk_thigh_l", "ctrl_fk_shin_l", "ctrl_fk_foot_l", "ctrl_knee_l"):
        bone = rig.pose.bones[name]
        bone.lock_location, bone.lock_rotation, bone.lock_rotation_w = (True,) * 3, (True,) * 3, True


def scripted_driver(rig):
    """Let the drivers of the left leg's switch call a function that this file lacks."""
    for curve in rig.animation_data.drivers:
        if curve.driver.variables[0].targets[0].data_path.endswith('["leg_ik_l"]'):
            curve.driver.expression = "no_such_function(var)"


BREAKS = {
    f"game_biped_{break_.__name__}": (break_, names)
    for break_, names in (
        (target_deleted, (*LEG, "mch_ik_foot_l")),
        (cycle, (*LEG, "ctrl_knee_l", "mch_knee_space_l")),
        (switch_missing, (*LEG, "leg_ik_l", game_biped.SETTINGS)),
        (other_armature, (*ARM, "grip_l", "prop")),
        (locked, (*LEG, "ctrl_knee_l")),
        (scripted_driver, (*LEG, "leg_ik_l", "no_such_function")),
    )
}
TRUTH = {name: replace(game_biped.TRUTH, broken=names) for name, (_, names) in BREAKS.items()}


def build(name):
    rig = game_biped.build(name)
    BREAKS[name][0](rig)
    bpy.context.view_layer.update()
    return rig
