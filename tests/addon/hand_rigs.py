"""Rigs of a person built by hand: legs on IK, rolling feet, layers; and the state that finding may not change."""

import bpy
import numpy as np

SIDES = {"L": 1.0, "R": -1.0}


def found_parts(found):
    return found, {part.name: part for part in found.parts}


def state(rig):
    """Return the state that finding must not change: pose, properties, constraints, counts of data, selection."""
    pose = {b.name: (b.matrix_basis.copy().freeze(), {k: repr(b[k]) for k in list(b.keys())}) for b in rig.pose.bones}
    influences = [(b.name, c.name, c.influence, c.mute) for b in rig.pose.bones for c in b.constraints]
    kinds = ("objects", "scenes", "armatures", "meshes", "actions", "collections")
    counts = {kind: len(getattr(bpy.data, kind)) for kind in kinds}
    context = bpy.context
    return pose, influences, counts, context.view_layer.objects.active, list(context.selected_objects), context.scene


# --- rigs by hand ---------------------------------------------------------------------------------------------------

SPINE = {"hips": ("root", (0, 0, 1.0), (0, 0, 1.1)), "spine": ("hips", (0, 0, 1.1), (0, 0, 1.3))}
SPINE |= {"chest": ("spine", (0, 0, 1.3), (0, 0, 1.5)), "neck": ("chest", (0, 0, 1.5), (0, 0, 1.6))}
SPINE |= {"head": ("neck", (0, 0, 1.6), (0, 0, 1.8))}
LEG = {"thigh": ("hips", (0.1, 0, 0.95), (0.1, -0.03, 0.5)), "shin": ("thigh", (0.1, -0.03, 0.5), (0.1, 0, 0.1))}
LEG |= {"foot": ("shin", (0.1, 0, 0.1), (0.1, -0.12, 0.03)), "toe": ("foot", (0.1, -0.12, 0.03), (0.1, -0.2, 0.03))}
ARM = {
    "upper_arm": ("chest", (0.2, 0, 1.45), (0.45, 0.02, 1.45)),
    "forearm": ("upper_arm", (0.45, 0.02, 1.45), (0.7, 0, 1.45)),
}
ARM |= {"hand": ("forearm", (0.7, 0, 1.45), (0.8, 0, 1.45))}


def add_bone(bones, name, parent, head, tail, *, deform=True):
    bone = bones.new(name)
    bone.head, bone.tail, bone.parent, bone.use_deform = head, tail, bones.get(parent or ""), deform
    return bone


FINGERS = {
    f"{finger}{k + 1}": (f"{finger}{k}" if k else "hand", (x, y, 1.45), (x + 0.04, y, 1.45))
    for finger, y in (("index", -0.02), ("ring", 0.02))
    for k, x in enumerate((0.82, 0.86))
}
EARS = {"ear": ("head", (0.06, 0, 1.75), (0.12, 0, 1.85))}
TAIL = {
    f"tail{k + 1}": (f"tail{k}" if k else "hips", (0, 0.1 + 0.1 * k, 1.0), (0, 0.2 + 0.1 * k, 1.0)) for k in range(3)
}
JAW = {"jaw": ("head", (0, -0.02, 1.65), (0, -0.1, 1.62))}


def person(*, prefix="", more=False):
    """Make an armature of plain bones, left in Edit Mode; all of them except root deform.

    more : whether it has fingers, ears, a tail and a jaw
    """
    data = bpy.data.armatures.new("Person")
    rig = bpy.data.objects.new("Person", data)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = data.edit_bones
    add_bone(bones, "root", None, (0, 0, 0), (0, 0.3, 0), deform=False)
    for name, (parent, head, tail) in (SPINE | (TAIL | JAW if more else {})).items():
        add_bone(bones, prefix + name, parent if parent == "root" else prefix + parent, head, tail)
    for side, sign in SIDES.items():
        for name, (parent, *ends) in (LEG | ARM | (FINGERS | EARS if more else {})).items():
            above = prefix + (f"{parent}.{side}" if parent in LEG | ARM | FINGERS else parent)
            head, tail = ((sign * x, y, z) for x, y, z in ends)
            add_bone(bones, f"{prefix}{name}.{side}", above, head, tail)
    return rig


def with_legs_on_ik(*, pole=True, switch=True):
    """Make a person with leg IK targets under root, poles, and a property on root where 1 is IK."""
    rig = person()
    bones = rig.data.edit_bones
    for side, sign in SIDES.items():
        foot = bones[f"foot.{side}"]
        add_bone(bones, f"goal.{side}", "root", foot.head, foot.tail, deform=False).roll = foot.roll
        add_bone(bones, f"knee.{side}", "root", (sign * 0.1, -0.6, 0.5), (sign * 0.1, -0.7, 0.5), deform=False)
    bpy.ops.object.mode_set(mode="OBJECT")
    for side in SIDES:
        one = rig.pose.bones[f"shin.{side}"].constraints.new("IK")
        one.target, one.subtarget, one.chain_count = rig, f"goal.{side}", 2
        if pole:
            one.pole_target, one.pole_subtarget, one.pole_angle = rig, f"knee.{side}", -np.pi / 2
        turn = rig.pose.bones[f"foot.{side}"].constraints.new("COPY_ROTATION")
        turn.target, turn.subtarget = rig, f"goal.{side}"
        if switch:
            rig.pose.bones["root"][f"legs {side}"] = 1.0
            drive(one, "influence", rig, f'pose.bones["root"]["legs {side}"]')
            drive(turn, "influence", rig, f'pose.bones["root"]["legs {side}"]')
    return rig


def drive(owner, name, rig, path, expression=""):
    driver = owner.driver_add(name).driver
    driver.type = "SCRIPTED" if expression else "SUM"
    if expression:
        driver.expression = expression
        return
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = rig, path


def with_foot_roll():
    """Make a person whose feet roll about heel, toe and ball controls; target and foot are children of the ball's."""
    rig = person()
    bones = rig.data.edit_bones
    for side, sign in SIDES.items():
        foot = bones[f"foot.{side}"]
        ball = foot.tail.copy()
        add_bone(bones, f"goal.{side}", "root", foot.head, ball, deform=False).roll = foot.roll
        places = {"heel": (sign * 0.1, 0.05, 0.0), "tip": (sign * 0.1, -0.2, 0.0), "ball": ball}
        above = f"goal.{side}"
        for name, place in places.items():
            add_bone(bones, f"{name}.{side}", above, place, (place[0], place[1], place[2] + 0.1), deform=False)
            above = f"{name}.{side}"
        add_bone(bones, f"target.{side}", above, foot.head, ball, deform=False).roll = foot.roll
        add_bone(bones, f"knee.{side}", "root", (sign * 0.1, -0.6, 0.5), (sign * 0.1, -0.7, 0.5), deform=False)
    bpy.ops.object.mode_set(mode="OBJECT")
    shape = bpy.data.objects.new("shape", None)
    for side in SIDES:
        for name in ("goal", "heel", "tip", "ball", "knee"):
            rig.pose.bones[f"{name}.{side}"].custom_shape = shape
        one = rig.pose.bones[f"shin.{side}"].constraints.new("IK")
        one.target, one.subtarget, one.chain_count = rig, f"target.{side}", 2
        one.pole_target, one.pole_subtarget, one.pole_angle = rig, f"knee.{side}", -np.pi / 2
        turn = rig.pose.bones[f"foot.{side}"].constraints.new("COPY_ROTATION")
        turn.target, turn.subtarget = rig, f"target.{side}"
    rig.pose.bones["root"].custom_shape = shape
    return rig


def with_layers(kinds=("COPY_TRANSFORMS",), *, more=False):
    """Make a person whose deforming bones follow controls of other names; `more` is that of `person`."""
    rig = person(prefix="D_", more=more)
    bones = rig.data.edit_bones
    names = [bone.name for bone in bones if bone.name != "root"]
    for name in names:
        one = bones[name]
        above = "root" if one.parent.name == "root" else one.parent.name.replace("D_", "c ")
        add_bone(bones, name.replace("D_", "c "), above, one.head, one.tail, deform=False).roll = one.roll
    for name in names:
        bones[name].parent = bones["root"]
    bpy.ops.object.mode_set(mode="OBJECT")
    shape = bpy.data.objects.new("shape", None)
    for name in names:
        for kind in kinds:
            one = rig.pose.bones[name].constraints.new(kind)
            if kind == "CHILD_OF":
                one.inverse_matrix = rig.data.bones[name.replace("D_", "c ")].matrix_local.inverted()
            about = one.targets.new() if kind == "ARMATURE" else one
            about.target, about.subtarget = rig, name.replace("D_", "c ")
        rig.pose.bones[name.replace("D_", "c ")].custom_shape = shape
    rig.pose.bones["root"].custom_shape = shape
    return rig


def with_stretched_limbs(*, hung=True):
    """Make a person whose arms and legs deform by bones that stretch to the next joint; legs are on IK, with poles.

    hung : whether these bones are children of the posing chain, otherwise they copy only its places
    """
    rig = with_legs_on_ik()
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    pairs = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))
    limbs = [(f"{one}.{side}", f"{after}.{side}") for side in SIDES for one, after in pairs]
    for name, _ in limbs:
        one = bones[name]
        one.use_deform = False
        add_bone(bones, f"D_{name}", name if hung else "root", one.head, one.tail).roll = one.roll
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, after in limbs:
        constraints = rig.pose.bones[f"D_{name}"].constraints
        if not hung:
            place = constraints.new("COPY_LOCATION")
            place.target, place.subtarget = rig, name
        stretch = constraints.new("STRETCH_TO")
        stretch.target, stretch.subtarget = rig, after
        stretch.rest_length = rig.data.bones[name].length
    return rig


LAYERS = [("COPY_TRANSFORMS",), ("COPY_LOCATION", "COPY_ROTATION"), ("ARMATURE",), ("CHILD_OF",)]


def lost_target(rig):
    rig.pose.bones["shin.L"].constraints["IK"].target = None
    return "Left leg: the constraint IK on shin.L has lost its target; keyed as it is"
