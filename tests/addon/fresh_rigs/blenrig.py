"""A person named and wired like BlenRig: properties on a bone per limb, 0 is IK, feet rolled by an action.

The FK controls themselves follow the solved chain in IK, so the deforming bones only ever follow the FK bones. A
property chooses whether the knee is solved with its pole: two IK constraints on one bone.
"""

from math import radians

import bpy
from mathutils import Vector

from .human import SIDES, Human
from .maker import Maker
from .truth import Limb, Switch, Truth, plain, sided

LEG, ARM = ("thigh", "shin", "foot", "foot_toe_1"), ("arm", "forearm", "hand")
SPINE = ("spine_1", "spine_2", "spine_3", "neck_1", "head")
FRONT = {"along": (0.0, -1.0, 0.0)}


def build(name="blenrig"):
    maker, body = Maker(name), Human(arms_down=radians(10))
    _trunk_bones(maker, body)
    for s, _ in SIDES:
        side = s.upper()
        _limb_bones(maker, LEG, body.line(("hip", "knee", "ankle", "ball", "toe"), s), side, "pelvis_ctrl", None)
        _foot_bones(maker, body, s)
        arm, up = body.line(("shoulder", "elbow", "wrist", "knuckle"), s), (0.0, 0.0, 1.0)
        maker.bone(f"shoulder_{side}", body.at("clavicle", s), arm[0], "spine_3_fk", up=up)
        maker.bone(f"clavi_def_{side}", body.at("clavicle", s), arm[0], f"shoulder_{side}", deform=True, up=up)
        _limb_bones(maker, ARM, arm, side, f"shoulder_{side}", up)
        maker.bone(f"hand_ik_ctrl_{side}", arm[2], arm[3], "master", up=up)
        maker.stub(f"elbow_pole_{side}", body.elbow_pole(s), "master", along=(0.0, 1.0, 0.0))
    maker.make()
    for s, _ in SIDES:
        _limb(maker, LEG, s.upper(), "leg", f"foot_ik_{s.upper()}", 0.0)
        _limb(maker, ARM, s.upper(), "arm", f"hand_ik_ctrl_{s.upper()}", 1.0)
    _trunk(maker)
    _roll_actions(maker)
    _look(maker)
    return maker.done()


def _trunk_bones(maker, body):
    at = body.at
    maker.stub("master", at("ground"), length=0.4, **FRONT)
    maker.stub("master_torso", at("pelvis"), "master", length=0.2, **FRONT)
    maker.bone("pelvis_ctrl", at("spine_1"), at("pelvis"), "master_torso")
    maker.bone("pelvis_def", at("pelvis"), at("spine_1"), "pelvis_ctrl", deform=True)
    maker.stub("torso_fk_ctrl", at("spine_2"), "master_torso", length=0.2)
    for i, name in enumerate(("head", "torso", "leg_L", "leg_R", "arm_L", "arm_R")):
        maker.stub(f"properties_{name}", (0.9, 0.0, 0.6 + 0.2 * i), "master")
    points, parent = body.line(("spine_1", "spine_2", "spine_3", "neck", "head", "top")), "master_torso"
    for name, head, tail in zip(SPINE, points[:-1], points[1:], strict=True):
        parent = maker.bone(f"{name}_fk", head, tail, parent)
        maker.bone("head_def_1" if name == "head" else f"{name}_def", head, tail, parent, deform=True)


def _limb_bones(maker, parts, joints, side, parent, up):
    maker.chain([f"{part}_fk_{side}" for part in parts], joints, parent, up=up)
    maker.chain([f"{part}_ik_{side}" for part in parts[:2]], joints[:3], parent, up=up)
    for i, part in enumerate(parts):
        maker.bone(f"{part}_def_{side}", joints[i], joints[i + 1], f"{part}_fk_{side}", deform=True, up=up)
    twist = (joints[0], joints[0].lerp(joints[1], 0.4))
    maker.bone(f"{parts[0]}_twist_def_{side}", *twist, parent, deform=True, up=up)


def _foot_bones(maker, body, s):
    at, side, flat = body.at, s.upper(), Vector((1.0, 1.0, 0.0))
    sole = maker.stub(f"sole_ctrl_{side}", at("heel", s) * flat, "master", length=0.3, **FRONT)
    maker.stub(f"foot_roll_ctrl_{side}", at("heel", s) + Vector((0.0, 0.12, 0.05)), sole)
    heel = maker.stub(f"heel_roll_{side}", at("heel", s) * flat, sole, **FRONT)
    tip = maker.stub(f"toe_roll_2_{side}", at("toe", s) * flat, heel, **FRONT)
    ball = maker.stub(f"toe_roll_1_{side}", at("ball", s), tip, **FRONT)
    lift = maker.stub(f"foot_ik_ctrl_{side}", at("ball", s), ball, length=0.08, **FRONT)
    maker.bone(f"foot_ik_{side}", at("ankle", s), at("ball", s), lift)
    maker.bone(f"foot_toe_ik_ctrl_{side}", at("ball", s), at("toe", s), tip)
    maker.stub(f"knee_pole_{side}", body.knee_pole(s), sole, **FRONT)


def _limb(maker, parts, side, kind, target, at_first):
    settings = f"properties_{kind}_{side}"
    switch = maker.prop(settings, f"ik_{kind}_{side}", at_first)
    poles = maker.prop(settings, f"toggle_{kind}_ik_pole_{side}", 1.0)
    pole = f"{'knee' if kind == 'leg' else 'elbow'}_pole_{side}"
    solved = f"{parts[1]}_ik_{side}"
    maker.switched(maker.ik(solved, target, name="IK without pole"), poles, 0)
    maker.switched(maker.ik(solved, target, pole, name="IK with pole"), poles, 1)
    sources = [f"{part}_ik_{side}" for part in parts[:2]] + [target, f"foot_toe_ik_ctrl_{side}"]
    for part, source in zip(parts, sources, strict=False):
        maker.switched(maker.follow(f"{part}_fk_{side}", source), switch, 0)
    twist = f"{parts[0]}_twist_def_{side}"
    maker.constrain(twist, "COPY_LOCATION", f"{parts[0]}_fk_{side}")
    maker.constrain(twist, "DAMPED_TRACK", f"{parts[1]}_fk_{side}", track_axis="TRACK_Y")


def _trunk(maker):
    for name, part in (("spine_1", 0.3), ("spine_2", 0.4), ("spine_3", 0.3)):
        maker.local(f"{name}_fk", "COPY_ROTATION", "torso_fk_ctrl", mix_mode="AFTER", influence=part)


def _roll_actions(maker):
    """Make the action of a roll, and let each roll control play it on its foot."""
    bones = maker.rig.pose.bones
    for side in ("L", "R"):
        action = bpy.data.actions.new(f"zz_foot_roll_{side}")
        maker.rig.animation_data_create().action = action
        for name, low, high in (("heel_roll", 1.0, 0.0), ("toe_roll_1", 0.0, -1.0)):
            bone = bones[f"{name}_{side}"]
            bone.rotation_mode = "XYZ"
            for frame, angle in ((-10, low), (0, 0.0), (10, high)):
                bone.rotation_euler = (angle, 0.0, 0.0)
                bone.keyframe_insert("rotation_euler", frame=frame)
            bone.rotation_euler = (0.0, 0.0, 0.0)
        maker.rig.animation_data.action = None
        for name in ("heel_roll", "toe_roll_1"):
            made = maker.constrain(
                f"{name}_{side}", "ACTION", f"foot_roll_ctrl_{side}", action=action, transform_channel="ROTATION_X",
                target_space="LOCAL", min=-60.0, max=60.0, frame_start=-10, frame_end=10,
            )  # fmt: skip
            # Since 4.4 an action has slots, and the constraint names one.
            if hasattr(made, "action_slot"):
                made.action_slot = action.slots[0]


def _look(maker):
    for bone in maker.rig.pose.bones:
        words = bone.name.split("_")
        if "def" in words or words[:2] in (["thigh", "ik"], ["shin", "ik"], ["arm", "ik"], ["forearm", "ik"]):
            continue
        if words[0] in ("heel", "toe") or bone.name.startswith("foot_ik_L") or bone.name.startswith("foot_ik_R"):
            continue
        maker.shape([bone.name], "box" if "pole" in words or "sole" in words or "ik" in words else "circle")
        if bone.rotation_mode != "XYZ" and "fk" in words:
            bone.rotation_mode = "YZX" if "hand" in words else "XYZ"


def _limbs():
    made = {}
    for s, _ in SIDES:
        side = s.upper()
        leg = plain(
            {"thigh": "thigh_fk_{S}", "shin": "shin_fk_{S}", "foot": "foot_fk_{S}", "toe": "foot_toe_1_fk_{S}"}, [s]
        )
        arm = plain({"upperarm": "arm_fk_{S}", "forearm": "forearm_fk_{S}", "hand": "hand_fk_{S}"}, [s])
        legs, arms = (Switch(f"properties_{kind}_{side}", f"ik_{kind}_{side}", 0, 1) for kind in ("leg", "arm"))
        tips, roll = {f"toe_{s}": f"foot_toe_ik_ctrl_{side}"}, (f"foot_roll_ctrl_{side}", f"foot_ik_ctrl_{side}")
        made[f"leg_{s}"] = Limb(f"sole_ctrl_{side}", f"knee_pole_{side}", leg, legs, tips, roll)
        made[f"arm_{s}"] = Limb(f"hand_ik_ctrl_{side}", f"elbow_pole_{side}", arm, arms)
    return made


_PARTS = {"upperarm": "arm", "forearm": "forearm", "hand": "hand", "thigh": "thigh", "shin": "shin", "foot": "foot"}

TRUTH = Truth(
    root="master",
    torso="master_torso",
    deform={
        "pelvis": ("pelvis_def",),
        **{f"spine_{i}": (f"spine_{i}_def",) for i in (1, 2, 3)},
        "neck": ("neck_1_def",),
        "head": ("head_def_1",),
        **sided({part: f"{name}_def_{{S}}" for part, name in _PARTS.items()}),
        **sided({"clavicle": "clavi_def_{S}", "toe": "foot_toe_1_def_{S}"}),
    },
    controls={
        "pelvis": "pelvis_ctrl",
        **{f"spine_{i}": f"spine_{i}_fk" for i in (1, 2, 3)},
        "neck": "neck_1_fk",
        "head": "head_fk",
        **plain({"clavicle": "shoulder_{S}"}),
    },
    limbs=_limbs(),
)
