"""A person as CloudRig makes one: FK-, IK-, STR-, ORG-, DEF- bones, all switches on one bone `Properties`, where 1 is
IK.

Each part of a limb deforms as two bones that reach from STR- to STR- bone by Stretch To. The feet roll by ROLL-
bones.
"""

from itertools import pairwise
from math import radians

from mathutils import Vector

from .human import SIDES, Human
from .maker import Maker
from .truth import Limb, Switch, Truth, plain, sided

LEG, ARM = ("Thigh", "Knee", "Foot", "Toe"), ("UpperArm", "Forearm", "Wrist")
SPINE = ("Spine", "RibCage", "Chest")


def build(name="cloudrig"):
    maker, body = Maker(name), Human(arms_down=radians(45))
    _trunk_bones(maker, body)
    for side, _ in SIDES:
        leg = body.line(("hip", "knee", "ankle", "ball", "toe"), side)
        arm = body.line(("shoulder", "elbow", "wrist", "knuckle"), side)
        _limb_bones(maker, LEG, leg, side.upper(), "STR-Hips", None)
        _foot_bones(maker, body, side)
        maker.bone(f"FK-Clavicle.{side.upper()}", body.at("clavicle", side), arm[0], "FK-Chest")
        maker.bone(
            f"DEF-Clavicle.{side.upper()}",
            body.at("clavicle", side),
            arm[0],
            f"FK-Clavicle.{side.upper()}",
            deform=True,
        )
        _limb_bones(maker, ARM, arm, side.upper(), f"FK-Clavicle.{side.upper()}", (0.0, -1.0, 0.0))
        _hand_bones(maker, body, side)
    maker.make()
    for side, word in (("L", "left"), ("R", "right")):
        _limb(maker, LEG, side, f"ik_{word}_thigh", 1.0)
        _limb(maker, ARM, side, f"ik_{word}_upperarm", 0.0)
        _foot(maker, side)
    _trunk(maker)
    _look(maker)
    return maker.done()


def _trunk_bones(maker, body):
    at, flat = body.at, {"along": (0.0, -1.0, 0.0)}
    maker.stub("root", at("ground"), length=0.3, **flat)
    maker.stub("Properties", (0.0, 0.4, 1.9), "root", **flat)
    maker.stub("MSTR-Spine_Torso", at("spine_1"), "root", length=0.25, **flat)
    maker.stub("MSTR-Spine_Hips", at("spine_1"), "MSTR-Spine_Torso", length=0.2, **flat)
    maker.bone("STR-Hips", at("pelvis"), at("spine_1"), "MSTR-Spine_Hips")
    points = body.line(("spine_1", "spine_2", "spine_3", "neck", "head", "top"))
    maker.chain([f"FK-{n}" for n in SPINE], points, "MSTR-Spine_Torso")
    maker.bone("FK-Neck", points[3], points[4], "FK-Chest")
    maker.bone("FK-Head", points[4], points[5], "FK-Neck")
    maker.bone("DEF-Hips", at("pelvis"), at("spine_1"), "STR-Hips", deform=True)
    for name, head, tail in zip((*SPINE, "Neck", "Head"), points[:-1], points[1:], strict=True):
        maker.stub(f"STR-{name}", head, f"FK-{name}", length=0.04)
        maker.bone(f"DEF-{name}", head, tail, f"STR-{name}", deform=True)
    maker.stub("STR-TIP-Head", points[5], "FK-Head", length=0.04)


def _limb_bones(maker, parts, joints, side, parent, up):
    """Note the FK, IK and ORG chains of a limb, and its halves that deform."""
    names = [f"{part}.{side}" for part in parts]
    maker.chain([f"FK-{n}" for n in names], joints, parent, up=up)
    maker.chain([f"ORG-{n}" for n in names], joints, parent, up=up)
    maker.chain([f"IK-{n}" for n in names[:2]], joints[:3], parent, up=up)
    for i, part in enumerate(parts[:2]):
        middle = joints[i].lerp(joints[i + 1], 0.5)
        for half, head, tail in ((1, joints[i], middle), (2, middle, joints[i + 1])):
            maker.stub(f"STR-{part}{half}.{side}", head, f"ORG-{names[i]}", length=0.04)
            maker.bone(f"DEF-{part}{half}.{side}", head, tail, f"STR-{part}{half}.{side}", deform=True, up=up)
    for i, part in enumerate(parts[2:], 2):
        maker.stub(f"STR-{part}.{side}", joints[i], f"ORG-{names[i]}", length=0.04)
        maker.bone(f"DEF-{names[i]}", joints[i], joints[i + 1], f"STR-{part}.{side}", deform=True, up=up)


def _foot_bones(maker, body, side):
    s, at, back = side.upper(), body.at, {"along": (0.0, 1.0, 0.0)}
    ground = Vector((1.0, 1.0, 0.0))
    foot = maker.stub(f"IK-MSTR-Foot.{s}", at("ankle", side), "root", along=(0.0, -1.0, 0.0), length=0.2)
    maker.stub(f"ROLL-MSTR-Foot.{s}", at("heel", side) + Vector((0.0, 0.08, 0.04)), foot, **back)
    heel = maker.stub(f"ROLL-Heel.{s}", at("heel", side) * ground, foot, **back)
    tip = maker.stub(f"ROLL-Toe_Tip.{s}", at("toe", side) * ground, heel, **back)
    ball = maker.stub(f"ROLL-Ball.{s}", at("ball", side), tip, **back)
    maker.bone(f"IK-Foot.{s}", at("ankle", side), at("ball", side), ball)
    maker.bone(f"IK-Toe.{s}", at("ball", side), at("toe", side), tip)
    maker.stub(f"IK-POLE-Thigh.{s}", body.knee_pole(side, 0.6), "root", along=(0.0, -1.0, 0.0))


def _hand_bones(maker, body, side):
    s, up = side.upper(), (0.0, -1.0, 0.0)
    hand = maker.bone(f"IK-MSTR-Wrist.{s}", body.at("wrist", side), body.at("knuckle", side), "root", up=up)
    maker.bone(f"IK-Wrist.{s}", body.at("wrist", side), body.at("knuckle", side), hand, up=up)
    maker.stub(f"IK-POLE-UpperArm.{s}", body.elbow_pole(side, 0.6), "MSTR-Spine_Torso", along=(0.0, 1.0, 0.0))


def _limb(maker, parts, side, name, at_first):
    switch = maker.prop("Properties", name, at_first)
    pole = f"IK-POLE-{parts[0]}.{side}"
    maker.ik(f"IK-{parts[1]}.{side}", f"IK-{parts[2]}.{side}", pole)
    for part in parts:
        maker.blend(f"ORG-{part}.{side}", f"FK-{part}.{side}", f"IK-{part}.{side}", switch, 1)
    for i, part in enumerate(parts[:2]):
        after = f"STR-{parts[i + 1]}{'1' if i == 0 else ''}.{side}"
        for half, target in ((1, f"STR-{part}2.{side}"), (2, after)):
            maker.stretch(f"DEF-{part}{half}.{side}", target)
            maker.rig.data.bones[f"DEF-{part}{half}.{side}"].bbone_segments = 5


def _foot(maker, side):
    """Let the roll control turn heel, ball and toe tip one after another."""
    roll = f"ROLL-MSTR-Foot.{side}"
    for pivot, low, high in (("Heel", -1.6, 0.0), ("Ball", 0.0, 1.0), ("Toe_Tip", 1.0, 2.6)):
        maker.local(
            f"ROLL-{pivot}.{side}", "TRANSFORM", roll, map_from="ROTATION", map_to="ROTATION",
            from_min_x_rot=low, from_max_x_rot=high, to_min_x_rot=min(low, 0.0) if low < 0.0 else 0.0,
            to_max_x_rot=0.0 if low < 0.0 else high - low,
        )  # fmt: skip


def _trunk(maker):
    order = (*SPINE, "Neck", "Head", "TIP-Head")
    for name, after in pairwise(order):
        maker.stretch(f"DEF-{name}", f"STR-{after}")


def _look(maker):
    for bone in maker.rig.pose.bones:
        kind, _, rest = bone.name.partition("-")
        if kind in ("FK", "MSTR", "STR") or bone.name in ("root", "Properties"):
            maker.shape([bone.name], "circle", 0.4 if kind == "STR" else 1.0)
        elif rest.startswith(("MSTR", "POLE", "Toe.")) and kind in ("IK", "ROLL"):
            maker.shape([bone.name], "box")
        if kind == "FK":
            bone.rotation_mode = "QUATERNION" if "Arm" in rest or "Thigh" in rest else "XYZ"


def _limbs():
    made = {}
    for s, word in (("l", "left"), ("r", "right")):
        big = s.upper()
        leg = plain({"thigh": "FK-Thigh.{S}", "shin": "FK-Knee.{S}", "foot": "FK-Foot.{S}", "toe": "FK-Toe.{S}"}, [s])
        arm = plain({"upperarm": "FK-UpperArm.{S}", "forearm": "FK-Forearm.{S}", "hand": "FK-Wrist.{S}"}, [s])
        tips, roll = {f"toe_{s}": f"IK-Toe.{big}"}, (f"ROLL-MSTR-Foot.{big}",)
        legs, arms = (Switch("Properties", f"ik_{word}_{part}", 1, 0) for part in ("thigh", "upperarm"))
        made[f"leg_{s}"] = Limb(f"IK-MSTR-Foot.{big}", f"IK-POLE-Thigh.{big}", leg, legs, tips, roll)
        made[f"arm_{s}"] = Limb(f"IK-MSTR-Wrist.{big}", f"IK-POLE-UpperArm.{big}", arm, arms)
    return made


TRUTH = Truth(
    root="root",
    torso="MSTR-Spine_Torso",
    deform={
        "pelvis": ("DEF-Hips",),
        **{f"spine_{i}": (f"DEF-{name}",) for i, name in enumerate(SPINE, 1)},
        "neck": ("DEF-Neck",),
        "head": ("DEF-Head",),
        **sided({"thigh": ("DEF-Thigh1.{S}", "DEF-Thigh2.{S}"), "shin": ("DEF-Knee1.{S}", "DEF-Knee2.{S}")}),
        **sided({"upperarm": ("DEF-UpperArm1.{S}", "DEF-UpperArm2.{S}")}),
        **sided({"forearm": ("DEF-Forearm1.{S}", "DEF-Forearm2.{S}"), "hand": "DEF-Wrist.{S}"}),
        **sided({"clavicle": "DEF-Clavicle.{S}", "foot": "DEF-Foot.{S}", "toe": "DEF-Toe.{S}"}),
    },
    controls={
        "pelvis": "MSTR-Spine_Hips",
        **{f"spine_{i}": f"FK-{name}" for i, name in enumerate(SPINE, 1)},
        "neck": "FK-Neck",
        "head": "FK-Head",
        **plain({"clavicle": "FK-Clavicle.{S}"}),
    },
    limbs=_limbs(),
)
