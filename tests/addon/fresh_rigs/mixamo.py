"""Mixamo's bones under controls named and wired like Mixamo's add-on for Blender: 0 on the IK control is IK.

IK controls and poles are parented by Child Of constraints only. The foot stays on the solved shin; a cursor rolls it.
"""

from mathutils import Vector

from .human import SIDES, Human
from .maker import Maker
from .truth import Limb, Switch, Truth, plain, sided

LEG, ARM = ("UpLeg", "Leg", "Foot", "Toe"), ("Arm", "ForeArm", "Hand")
SPINE = ("Spine", "Spine1", "Spine2", "Neck", "Head")
WORDS = {"l": "Left", "r": "Right"}
BACK = {"along": (0.0, 1.0, 0.0)}


def build(name="mixamo"):
    maker, body = Maker(name), Human(height=1.75)
    _trunk_bones(maker, body)
    for s, _ in SIDES:
        _leg_bones(maker, body, s)
        _arm_bones(maker, body, s)
    maker.make()
    for word in WORDS.values():
        _leg(maker, word)
        _arm(maker, word)
    maker.follow("mixamorig:Hips", "Hips_Free_Helper")
    for name in SPINE:
        maker.follow(f"mixamorig:{name}", f"Ctrl_{name}")
    _look(maker)
    return maker.done()


def _trunk_bones(maker, body):
    at = body.at
    maker.stub("Ctrl_Master", at("ground"), along=(0.0, -1.0, 0.0), length=0.4)
    maker.stub("Ctrl_Hips", at("pelvis"), "Ctrl_Master", length=0.1)
    maker.bone("Ctrl_Hips_Free", at("spine_1"), at("pelvis"), "Ctrl_Hips")
    maker.bone("Hips_Free_Helper", at("pelvis"), at("spine_1"), "Ctrl_Hips_Free")
    maker.bone("mixamorig:Hips", at("pelvis"), at("spine_1"), deform=True)
    points = body.line(("spine_1", "spine_2", "spine_3", "neck", "head", "top"))
    maker.chain([f"Ctrl_{n}" for n in SPINE], points, "Ctrl_Hips")
    maker.chain([f"mixamorig:{n}" for n in SPINE], points, "mixamorig:Hips", deform=True)


def _leg_bones(maker, body, s):
    word, at, joints = WORDS[s], body.at, body.line(("hip", "knee", "ankle", "ball", "toe"), s)
    maker.chain(
        [f"mixamorig:{word}{n}" for n in ("UpLeg", "Leg", "Foot", "ToeBase")], joints, "mixamorig:Hips", deform=True
    )
    maker.chain([f"Ctrl_{n}_FK_{word}" for n in LEG], joints, "Ctrl_Hips_Free")
    maker.chain([f"{n}_IK_{word}" for n in LEG[:2]], joints[:3], "Ctrl_Hips_Free")
    sole = Vector((1.0, 1.0, 0.0))
    foot = maker.bone(f"Ctrl_Foot_IK_{word}", at("ankle", s), at("ball", s))
    maker.stub(f"Ctrl_FootRoll_Cursor_{word}", at("heel", s) + Vector((0.0, 0.1, 0.1)), foot)
    heel = maker.stub(f"FootHeelMid_{word}", at("heel", s) * sole, foot, **BACK)
    end = maker.stub(f"ToeEnd_{word}", at("toe", s) * sole, heel, **BACK)
    lift = maker.stub(f"Ctrl_Foot_01_{word}", at("ball", s), end, **BACK)
    maker.bone(f"Foot_IK_target_{word}", at("ankle", s), at("ball", s), lift)
    maker.bone(f"Foot_IK_{word}", at("ankle", s), at("ball", s), foot)
    maker.bone(f"Ctrl_Toe_IK_{word}", at("ball", s), at("toe", s), end)
    maker.stub(f"Ctrl_LegPole_IK_{word}", body.knee_pole(s, 0.7))


def _arm_bones(maker, body, s):
    word, up = WORDS[s], (0.0, 0.0, 1.0)
    joints, clavicle = body.line(("shoulder", "elbow", "wrist", "knuckle"), s), body.at("clavicle", s)
    maker.bone(f"Ctrl_Shoulder_{word}", clavicle, joints[0], "Ctrl_Spine2", up=up)
    maker.bone(f"mixamorig:{word}Shoulder", clavicle, joints[0], "mixamorig:Spine2", deform=True, up=up)
    maker.chain([f"mixamorig:{word}{n}" for n in ARM], joints, f"mixamorig:{word}Shoulder", deform=True, up=up)
    # FK arms are parented to the chest and follow the shoulder by constraint.
    maker.chain([f"Ctrl_{n}_FK_{word}" for n in ARM], joints, "Ctrl_Spine2", up=up)
    maker.chain([f"{n}_IK_{word}" for n in ARM[:2]], joints[:3], f"Ctrl_Shoulder_{word}", up=up)
    maker.bone(f"Shoulder_End_{word}", joints[0], joints[0] + Vector((0.0, 0.0, 0.05)), f"Ctrl_Shoulder_{word}")
    maker.bone(f"Ctrl_Hand_IK_{word}", joints[2], joints[3], up=up)
    maker.stub(f"Ctrl_ArmPole_IK_{word}", body.elbow_pole(s))


def _follow_either(maker, bone, ik, fk, switch):
    maker.follow(bone, ik, name="IK_follow")
    maker.switched(maker.follow(bone, fk, name="FK_follow"), switch, 1)


def _leg(maker, word):
    foot = f"Ctrl_Foot_IK_{word}"
    switch = maker.prop(foot, "ik_fk_switch", 0.0)
    maker.child_of(foot, "Ctrl_Master")
    maker.child_of(f"Ctrl_LegPole_IK_{word}", foot)
    maker.ik(f"Leg_IK_{word}", f"Foot_IK_target_{word}", f"Ctrl_LegPole_IK_{word}")
    maker.constrain(f"Foot_IK_{word}", "COPY_LOCATION", f"Leg_IK_{word}", head_tail=1.0)
    maker.constrain(f"Foot_IK_{word}", "COPY_ROTATION", f"Foot_IK_target_{word}")
    for part in ("UpLeg", "Leg", "Foot"):
        _follow_either(maker, f"mixamorig:{word}{part}", f"{part}_IK_{word}", f"Ctrl_{part}_FK_{word}", switch)
    toe = f"mixamorig:{word}ToeBase"
    maker.constrain(toe, "COPY_ROTATION", f"Ctrl_Toe_IK_{word}")
    maker.switched(maker.constrain(toe, "COPY_ROTATION", f"Ctrl_Toe_FK_{word}"), switch, 1)
    for pivot, low, high in (("FootHeelMid", -0.2, 0.0), ("ToeEnd", 0.0, 0.2)):
        maker.local(
            f"{pivot}_{word}", "TRANSFORM", f"Ctrl_FootRoll_Cursor_{word}", map_from="LOCATION", map_to="ROTATION",
            map_to_x_from="Z", from_min_z=low, from_max_z=high, to_min_x_rot=low * 5.0, to_max_x_rot=high * 5.0,
        )  # fmt: skip


def _arm(maker, word):
    hand = f"Ctrl_Hand_IK_{word}"
    switch = maker.prop(hand, "ik_fk_switch", 1.0)
    maker.child_of(hand, "Ctrl_Master")
    maker.child_of(f"Ctrl_ArmPole_IK_{word}", "Ctrl_Hips")
    maker.follow(f"mixamorig:{word}Shoulder", f"Ctrl_Shoulder_{word}")
    maker.constrain(f"Ctrl_Arm_FK_{word}", "COPY_LOCATION", f"Shoulder_End_{word}")
    maker.ik(f"ForeArm_IK_{word}", hand, f"Ctrl_ArmPole_IK_{word}")
    for part in ("Arm", "ForeArm"):
        _follow_either(maker, f"mixamorig:{word}{part}", f"{part}_IK_{word}", f"Ctrl_{part}_FK_{word}", switch)
    _follow_either(maker, f"mixamorig:{word}Hand", hand, f"Ctrl_Hand_FK_{word}", switch)


def _look(maker):
    for bone in maker.rig.pose.bones:
        if bone.name.startswith("Ctrl_"):
            maker.shape([bone.name], "box" if "_IK_" in bone.name else "circle")
            bone.rotation_mode = "QUATERNION" if "_IK_" in bone.name else "XYZ"


def _limbs():
    made = {}
    for s, word in WORDS.items():
        leg = dict(
            zip(
                (f"{p}_{s}" for p in ("thigh", "shin", "foot", "toe")),
                (f"Ctrl_{n}_FK_{word}" for n in LEG),
                strict=True,
            )
        )
        arm = dict(
            zip(
                (f"{p}_{s}" for p in ("upperarm", "forearm", "hand")), (f"Ctrl_{n}_FK_{word}" for n in ARM), strict=True
            )
        )
        legs, arms = (Switch(f"Ctrl_{end}_IK_{word}", "ik_fk_switch", 0, 1) for end in ("Foot", "Hand"))
        tips, roll = {f"toe_{s}": f"Ctrl_Toe_IK_{word}"}, (f"Ctrl_Foot_01_{word}",)
        made[f"leg_{s}"] = Limb(f"Ctrl_Foot_IK_{word}", f"Ctrl_LegPole_IK_{word}", leg, legs, tips, roll)
        made[f"arm_{s}"] = Limb(f"Ctrl_Hand_IK_{word}", f"Ctrl_ArmPole_IK_{word}", arm, arms)
    return made


_MIDDLE = dict(zip(("spine_1", "spine_2", "spine_3", "neck", "head"), SPINE, strict=True))
_SIDE_PARTS = {"clavicle": "Shoulder", "upperarm": "Arm", "forearm": "ForeArm", "hand": "Hand"}
_LEG_PARTS = {"thigh": "UpLeg", "shin": "Leg", "foot": "Foot", "toe": "ToeBase"}

TRUTH = Truth(
    root="Ctrl_Master",
    torso="Ctrl_Hips",
    deform={
        "pelvis": ("mixamorig:Hips",),
        **{part: (f"mixamorig:{name}",) for part, name in _MIDDLE.items()},
        **sided({part: f"mixamorig:{{W}}{name}" for part, name in {**_SIDE_PARTS, **_LEG_PARTS}.items()}),
    },
    controls={
        "pelvis": "Ctrl_Hips_Free",
        **{part: f"Ctrl_{name}" for part, name in _MIDDLE.items()},
        **plain({"clavicle": "Ctrl_Shoulder_{W}"}),
    },
    limbs=_limbs(),
    height=1.75,
)
