"""A person with MMD's bones, as its importer leaves them in Blender: 足ＩＫ, つま先ＩＫ, 付与.

The legs have IK only, without poles, on the body's own bones; knees have limits. 足D, ひざD and 足首D deform
the body's mesh and copy 足, ひざ and 足首 by Transformation constraints; 腰キャンセル turns the legs back when 腰
turns. The arms have FK only, with separate bones for their twist. Almost every bone has the deform flag.
"""

from math import pi, radians

from mathutils import Vector

from .human import SIDES, Human
from .maker import Maker
from .truth import Limb, Truth, plain, sided

FRONT = {"along": (0.0, -1.0, 0.0)}


def build(name="mmd"):
    maker, body = Maker(name), Human(arms_down=radians(38), height=1.58)
    _trunk_bones(maker, body)
    for s, _ in SIDES:
        _leg_bones(maker, body, s)
        _arm_bones(maker, body, s)
    maker.make()
    for side in ("L", "R"):
        _leg(maker, side)
        _arm(maker, side)
    return maker.done([name for names in TRUTH.deform.values() for name in names])


def _trunk_bones(maker, body):
    at, on = body.at, {"deform": True}
    maker.stub("全ての親", at("ground"), length=0.2, **FRONT, **on)
    maker.stub("センター", at("pelvis") * 0.7, "全ての親", length=0.1, **on)
    maker.stub("グルーブ", at("pelvis") * 0.72, "センター", length=0.1, **on)
    maker.stub("腰", at("pelvis"), "グルーブ", length=0.08, **on)
    # The lower body hangs down from the waist.
    maker.bone("下半身", at("spine_1"), at("pelvis"), "腰", **on)
    maker.bone("上半身", at("spine_1"), at("spine_2"), "腰", **on)
    maker.bone("上半身2", at("spine_2"), at("neck"), "上半身", **on)
    maker.bone("首", at("neck"), at("head"), "上半身2", **on)
    maker.bone("頭", at("head"), at("top"), "首", **on)


def _leg_bones(maker, body, s):
    side, joints, on = s.upper(), body.line(("hip", "knee", "ankle", "ball", "toe"), s), {"deform": True}
    cancel = maker.stub(f"腰キャンセル.{side}", joints[0], "下半身", length=0.05, **on)
    maker.chain([f"{n}.{side}" for n in ("足", "ひざ", "足首")], joints, cancel, **on)
    maker.bone(f"つま先.{side}", joints[3], joints[4], f"足首.{side}")
    maker.chain([f"{n}.{side}" for n in ("足D", "ひざD", "足首D", "足先EX")], joints, cancel, **on)
    maker.bone(f"_dummy_足首D.{side}", joints[2], joints[3], f"足首.{side}")
    maker.bone(f"_shadow_足首D.{side}", joints[2], joints[3], f"ひざ.{side}")
    maker.stub(f"足IK親.{side}", joints[2] * Vector((1.0, 1.0, 0.0)), "全ての親", along=(0.0, 1.0, 0.0), **on)
    maker.stub(f"足ＩＫ.{side}", joints[2], f"足IK親.{side}", along=(0.0, 1.0, 0.0), **on)
    maker.stub(f"つま先ＩＫ.{side}", joints[3], f"足ＩＫ.{side}", along=(0.0, 0.0, -1.0), **on)


def _arm_bones(maker, body, s):
    side, on = s.upper(), {"deform": True, "up": (0.0, -1.0, 0.0)}
    joints = body.line(("clavicle", "shoulder", "elbow", "wrist", "knuckle", "fingertip"), s)
    maker.bone(f"肩.{side}", joints[0], joints[1], "上半身2", **on)
    parent = f"肩.{side}"
    for name, twist, head, tail in (("腕", "腕捩", *joints[1:3]), ("ひじ", "手捩", *joints[2:4])):
        middle = head.lerp(tail, 0.6)
        maker.bone(f"{name}.{side}", head, tail, parent, **on)
        parent = maker.bone(f"{twist}.{side}", middle, tail, f"{name}.{side}", **on)
        # This bone takes half of the twist.
        maker.bone(f"{twist}1.{side}", head.lerp(tail, 0.3), middle, f"{name}.{side}", **on)
    maker.bone(f"手首.{side}", joints[3], joints[4], parent, **on)
    maker.bone(f"人指１.{side}", joints[4], joints[5], f"手首.{side}", **on)


def _given(maker, bone, source, part):
    """付与: a bone adds a part of another bone's turn to its own."""
    maker.local(
        bone, "TRANSFORM", source, map_from="ROTATION", map_to="ROTATION", mix_mode_rot="AFTER",
        **{f"from_{end}_{axis}_rot": sign * pi for axis in "xyz" for end, sign in (("min", -1), ("max", 1))},
        **{f"to_{end}_{axis}_rot": sign * pi * part for axis in "xyz" for end, sign in (("min", -1), ("max", 1))},
        map_to_x_from="X", map_to_y_from="Y", map_to_z_from="Z", use_motion_extrapolate=True,
    )  # fmt: skip


def _leg(maker, side):
    bones = maker.rig.pose.bones
    knee = bones[f"ひざ.{side}"]
    knee.use_ik_limit_x, knee.ik_min_x, knee.ik_max_x = True, -pi, radians(8)
    knee.lock_ik_y = knee.lock_ik_z = True
    maker.ik(f"ひざ.{side}", f"足ＩＫ.{side}")
    maker.ik(f"足首.{side}", f"つま先ＩＫ.{side}", length=1)
    _given(maker, f"腰キャンセル.{side}", "腰", -1.0)
    _given(maker, f"足D.{side}", f"足.{side}", 1.0)
    _given(maker, f"ひざD.{side}", f"ひざ.{side}", 1.0)
    maker.follow(f"_shadow_足首D.{side}", f"_dummy_足首D.{side}", owner_space="POSE", target_space="POSE")
    _given(maker, f"足首D.{side}", f"_shadow_足首D.{side}", 1.0)


def _arm(maker, side):
    for name in ("腕捩", "手捩"):
        _given(maker, f"{name}1.{side}", f"{name}.{side}", 0.5)
        maker.rig.pose.bones[f"{name}.{side}"].lock_location = (True,) * 3


_ARMS = {"clavicle": "肩.{S}", "upperarm": "腕.{S}", "forearm": "ひじ.{S}", "hand": "手首.{S}"}
_LEGS = {"thigh": "足D.{S}", "shin": "ひざD.{S}", "foot": "足首D.{S}", "toe": "足先EX.{S}"}

TRUTH = Truth(
    root="全ての親",
    torso="センター",
    also=("グルーブ", "腰"),
    deform={
        "pelvis": ("下半身",),
        "spine_1": ("上半身",),
        "spine_2": ("上半身2",),
        "neck": ("首",),
        "head": ("頭",),
        **sided({**_ARMS, **_LEGS}),
    },
    controls={
        "pelvis": "下半身",
        "spine_1": "上半身",
        "spine_2": "上半身2",
        "neck": "首",
        "head": "頭",
        **plain({**_ARMS, "toe": "足先EX.{S}"}),
    },
    limbs={f"leg_{s}": Limb(f"足ＩＫ.{s.upper()}", tips={f"toe_{s}": f"足先EX.{s.upper()}"}) for s, _ in SIDES},
    height=1.58,
)
