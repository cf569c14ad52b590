"""Unreal's Manny under controls named like Unreal's own control rig.

The deforming bones keep the axes that an FBX of Unreal has in Blender: Y does not follow the limb, every bone is short.
Each copies a bone with its own axes which the control layer carries. ik_foot_*, ik_hand_* only follow the body, for the
game. Switches are true or false, true for IK, and mute constraints.
"""

from mathutils import Vector

from .human import SIDES, Human
from .maker import Maker
from .truth import Limb, Switch, Truth, plain, sided

LEG, ARM = ("thigh", "calf", "foot", "ball"), ("upperarm", "lowerarm", "hand")
SPINE = ("spine_01", "spine_02", "spine_03", "neck_01", "head")
FRONT = {"along": (0.0, -1.0, 0.0)}


def build(name="manny"):
    maker, body = Maker(name), Human(height=1.8)
    _trunk_bones(maker, body)
    for s, sign in SIDES:
        _limb_bones(maker, LEG, body.line(("hip", "knee", "ankle", "ball", "toe"), s), s, "hips_ctrl", "pelvis", None)
        arm, up = body.line(("shoulder", "elbow", "wrist", "knuckle"), s), (0.0, 0.0, 1.0)
        maker.bone(f"clavicle_{s}_ctrl", body.at("clavicle", s), arm[0], "spine_03_ctrl", up=up)
        _skin(maker, f"clavicle_{s}", body.at("clavicle", s), f"clavicle_{s}_ctrl", "spine_03", (0.0, sign, 0.0))
        _limb_bones(maker, ARM, arm, s, f"clavicle_{s}_ctrl", f"clavicle_{s}", up)
        _ik_bones(maker, body, s)
    _game_bones(maker, body)
    maker.make()
    for s, _ in SIDES:
        _limb(maker, LEG, s, "leg", True)
        _limb(maker, ARM, s, "arm", False)
    for bone in [b.name for b in maker.rig.data.bones if b.name.startswith("socket_")]:
        maker.follow(bone.removeprefix("socket_"), bone)
    _look(maker)
    return maker.done()


def _skin(maker, name, head, carrier, parent, along):
    """Note a deforming bone, and the bone with the same axes under a control."""
    maker.stub(name, head, parent, along=along, length=0.08, deform=True, up=(0.0, 0.0, 1.0) if along[1] else None)
    maker.stub(f"socket_{name}", head, carrier, along=along, length=0.08, up=(0.0, 0.0, 1.0) if along[1] else None)


def _trunk_bones(maker, body):
    at = body.at
    maker.stub("global_ctrl", at("ground"), length=0.5, **FRONT)
    maker.stub("root_ctrl", at("ground"), "global_ctrl", length=0.3, **FRONT)
    maker.stub("root", at("ground"), length=0.1, **FRONT)
    maker.stub("socket_root", at("ground"), "root_ctrl", length=0.1, **FRONT)
    maker.stub("body_ctrl", at("pelvis"), "root_ctrl", length=0.3, **FRONT)
    maker.stub("hips_ctrl", at("pelvis"), "body_ctrl", length=0.2, **FRONT)
    _skin(maker, "pelvis", at("pelvis"), "hips_ctrl", "root", (0.0, -1.0, 0.0))
    points = body.line(("spine_1", "spine_2", "spine_3", "neck", "head", "top"))
    above, parent = "body_ctrl", "pelvis"
    for name, head, tail in zip(SPINE, points[:-1], points[1:], strict=True):
        above = maker.bone(f"{name}_ctrl" if name != "neck_01" else "neck_01_ctrl", head, tail, above)
        _skin(maker, name, head, above, parent, (0.0, -1.0, 0.0))
        parent = name


def _limb_bones(maker, parts, joints, s, above, parent, up):
    maker.chain([f"{part}_{s}_fk_ctrl" for part in parts], joints, above, up=up)
    maker.chain([f"{part}_{s}_drv" for part in parts], joints, above, up=up)
    maker.chain([f"{part}_{s}_ik" for part in parts[:2]], joints[:3], above, up=up)
    along = (0.0, 1.0, 0.0) if s == "l" else (0.0, -1.0, 0.0)
    for part, head in zip(parts, joints, strict=False):
        # Unreal's forward axis lies across the limb.
        _skin(maker, f"{part}_{s}", head, f"{part}_{s}_drv", parent, along)
        parent = f"{part}_{s}"
    for i, part in enumerate(parts[:2]):
        middle = joints[i].lerp(joints[i + 1], 0.5)
        maker.stub(f"{part}_twist_01_{s}", middle, f"{part}_{s}", along=along, length=0.05, deform=True)


def _ik_bones(maker, body, s):
    at = body.at
    foot = maker.bone(f"foot_{s}_ik_ctrl", at("ankle", s), at("ankle", s) + Vector((0.0, -0.25, 0.0)), "root_ctrl")
    heel = maker.stub(f"heel_{s}_ctrl", at("heel", s), foot, **FRONT)
    tip = maker.stub(f"tip_{s}_ctrl", at("toe", s) * Vector((1.0, 1.0, 0.0)), heel, **FRONT)
    ball = maker.stub(f"ball_{s}_pivot_ctrl", at("ball", s), tip, **FRONT)
    maker.bone(f"foot_{s}_ik", at("ankle", s), at("ball", s), ball)
    maker.bone(f"ball_{s}_ik", at("ball", s), at("toe", s), tip)
    hand = maker.bone(f"hand_{s}_ik_ctrl", at("wrist", s), at("knuckle", s), "root_ctrl", up=(0.0, 0.0, 1.0))
    maker.bone(f"hand_{s}_ik", at("wrist", s), at("knuckle", s), hand, up=(0.0, 0.0, 1.0))
    maker.stub(f"leg_{s}_pv_ik_ctrl", body.knee_pole(s), "root_ctrl", **FRONT)
    maker.stub(f"arm_{s}_pv_ik_ctrl", body.elbow_pole(s), "root_ctrl", along=(0.0, 1.0, 0.0))


def _game_bones(maker, body):
    """Note bones for the game's own IK: they are beside the body and follow it."""
    at = body.at
    maker.stub("ik_foot_root", at("ground"), "root", length=0.1, **FRONT)
    maker.stub("ik_hand_root", at("ground"), "root", length=0.1, **FRONT)
    maker.stub("ik_hand_gun", at("wrist", "r"), "ik_hand_root", length=0.1, **FRONT)
    for s, _ in SIDES:
        maker.stub(f"ik_foot_{s}", at("ankle", s), "ik_foot_root", length=0.1, **FRONT)
        maker.stub(f"ik_hand_{s}", at("wrist", s), "ik_hand_gun", length=0.1, **FRONT)


def _limb(maker, parts, s, kind, at_first):
    switch = maker.prop("global_ctrl", f"{kind}_{s}_fk_ik_switch", at_first)
    pole, end = f"{kind}_{s}_pv_ik_ctrl", "foot" if kind == "leg" else "hand"
    maker.ik(f"{parts[1]}_{s}_ik", f"{end}_{s}_ik", pole)
    for part in parts:
        maker.muted(maker.follow(f"{part}_{s}_drv", f"{part}_{s}_fk_ctrl", name="FK"), switch, 1)
        maker.muted(maker.follow(f"{part}_{s}_drv", f"{part}_{s}_ik", name="IK"), switch, 0)
    maker.follow(f"ik_{end}_{s}", f"{end}_{s}")
    if f"{end}_{s}" == "hand_r":
        maker.follow("ik_hand_gun", "hand_r")


def _look(maker):
    for bone in maker.rig.pose.bones:
        if bone.name.endswith("_ctrl"):
            maker.shape([bone.name], "box" if "_ik_" in bone.name else "circle")
            bone.rotation_mode = "XYZ"
        if bone.name.endswith("_pv_ik_ctrl"):
            bone.lock_rotation = (True,) * 3


def _limbs():
    made = {}
    for s, _ in SIDES:
        leg = plain(
            {
                "thigh": "thigh_{s}_fk_ctrl",
                "shin": "calf_{s}_fk_ctrl",
                "foot": "foot_{s}_fk_ctrl",
                "toe": "ball_{s}_fk_ctrl",
            },
            [s],
        )
        arm = plain(
            {"upperarm": "upperarm_{s}_fk_ctrl", "forearm": "lowerarm_{s}_fk_ctrl", "hand": "hand_{s}_fk_ctrl"}, [s]
        )
        legs, arms = (Switch("global_ctrl", f"{kind}_{s}_fk_ik_switch", 1, 0) for kind in ("leg", "arm"))
        roll = (f"heel_{s}_ctrl", f"tip_{s}_ctrl", f"ball_{s}_pivot_ctrl")
        made[f"leg_{s}"] = Limb(f"foot_{s}_ik_ctrl", f"leg_{s}_pv_ik_ctrl", leg, legs, roll=roll)
        made[f"arm_{s}"] = Limb(f"hand_{s}_ik_ctrl", f"arm_{s}_pv_ik_ctrl", arm, arms)
    return made


_MIDDLE = {"spine_1": "spine_01", "spine_2": "spine_02", "spine_3": "spine_03", "neck": "neck_01", "head": "head"}
_SIDE_PARTS = {"clavicle": "clavicle", "upperarm": "upperarm", "forearm": "lowerarm", "hand": "hand"}

TRUTH = Truth(
    root="global_ctrl",
    torso="body_ctrl",
    also=("root_ctrl",),
    deform={
        "pelvis": ("pelvis",),
        **{part: (name,) for part, name in _MIDDLE.items()},
        **sided({part: f"{name}_{{s}}" for part, name in _SIDE_PARTS.items()}),
        **sided({"thigh": "thigh_{s}", "shin": "calf_{s}", "foot": "foot_{s}", "toe": "ball_{s}"}),
    },
    controls={
        "pelvis": "hips_ctrl",
        **{part: f"{name}_ctrl" for part, name in _MIDDLE.items()},
        **plain({"clavicle": "clavicle_{s}_ctrl"}),
    },
    limbs=_limbs(),
    height=1.8,
)
