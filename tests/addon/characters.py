"""Characters and captured clips side by side, and whether limbs point alike, for tests of clips on other bodies."""

import bpy
import material
import numpy as np

CHARACTERS, CAPTURED = material.SHARED / "characters", material.SHARED / "cmu"
WALK, RUN = "cmu_mb_02_01", "cmu_mb_16_15"
_LIMBS = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))
_MIXAMO = {"thigh": "UpLeg", "shin": "Leg", "foot": "Foot", "toe": "ToeBase", "clavicle": "Shoulder"}
_MIXAMO |= {"upper_arm": "Arm", "forearm": "ForeArm", "hand": "Hand"}
_TRUNK = {"hips": "Hips", "spine": "Spine", "chest": "Spine1", "neck": "Neck", "head": "Head"}


def character(name, rate=30):
    """Import an artist's character with its actions named as in the file, select it, and return the armature."""
    bpy.context.scene.render.fps = rate
    before = set(bpy.data.objects)
    bpy.ops.import_scene.gltf(filepath=str(CHARACTERS / f"{name}.glb"))
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE" and one not in before)
    for action in bpy.data.actions:
        while action.name.endswith(f"_{rig.name}"):  # added by the exporter, and before 4.4 by the importer
            action.name = action.name.removesuffix(f"_{rig.name}")
    select(rig)
    return rig


def captured(name=WALK):
    """An armature of a captured file with its action, imported by Blender itself."""
    return material.import_bvh(name, mode="QUATERNION")


def file_of(name):
    return CAPTURED / f"{name}.bvh"


def select(*objects):
    """Select objects; the last one is active."""
    for one in bpy.context.scene.objects:
        one.select_set(one in objects)
    bpy.context.view_layer.objects.active = objects[-1]
    bpy.context.view_layer.update()


def inventory():
    """Return (kind, name) of all data in the file."""
    return {(type(data).__name__, data.name) for data in bpy.data.user_map()}


def called_as_mixamo(loom, rig):
    """Give the bones of an armature the names that Mixamo's files have."""
    for role, bone in roles_of(loom, rig).items():
        part, _, side = role.partition(".")
        name = f"{'Left' if side == 'L' else 'Right'}{_MIXAMO[part]}" if side else _TRUNK[part]
        other = rig.data.bones.get(f"mixamorig:{name}")
        if other is None:
            rig.data.bones[bone].name = f"mixamorig:{name}"


def roles_of(loom, rig):
    skeleton = loom("addon.bridge.rig").read(rig).skeleton
    return {role: skeleton.names[joint] for role, joint in skeleton.roles.items()}


def directions(loom, rig, action, frames):
    """Return the limb directions (F, 3) in the scene while an armature plays an action, by role."""
    material.show(rig, action)
    roles = roles_of(loom, rig)
    pairs = [(f"{high}.{side}", f"{low}.{side}") for high, low in _LIMBS for side in "LR"]
    known = [pair for pair in pairs if set(pair) <= set(roles)]
    bones = [roles[one] for pair in known for one in pair]
    places = np.array([material.pose_positions(rig, bones, frame) for frame in frames])
    limbs = places[:, 1::2] - places[:, ::2]
    limbs /= np.linalg.norm(limbs, axis=2, keepdims=True)
    return {high: limbs[:, k] for k, (high, _) in enumerate(known)}


def worst_limb(loom, one, other, *, without=()):
    """Return the largest angle in degrees between limbs of two armatures, each given as (rig, action, frames).

    without : roles, without their side, to leave out of the comparison
    """
    ours, theirs = directions(loom, *one), directions(loom, *other)
    shared = set(ours) & set(theirs)
    assert {"thigh.L", "thigh.R", "upper_arm.L", "upper_arm.R"} <= shared
    apart = (
        np.linalg.norm(ours[role] - theirs[role], axis=1).max()
        for role in shared
        if role.partition(".")[0] not in without
    )
    return float(np.degrees(2.0 * np.arcsin(max(apart) / 2.0)))


def as_it_comes(loom, verb, **options):
    """Return the options of a verb, without planting and trimming, and a retargeted action where its source is."""
    options = {"place": "REFERENCE"} | options if verb == "retarget" else options
    declared = loom("core.options").declared_options(loom("core.verbs").VERBS[verb].recipe)
    return options | {name: False for name in ("plant_feet", "trim") if name in declared}
