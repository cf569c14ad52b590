"""A cartoon cat on two legs: Japanese names, an object of scale 0.01 with bones 100 times larger.

Legs are IK only and stretch by their solver; the deforming bones are bendy and reach between tweaks by Stretch To. Arms
have FK, chosen by a property of the object whose 1 means FK. The belly is one bendy bone between hips and chest; the
tail is a Spline IK on a curve that three controls hook.
"""

import bpy
from mathutils import Vector

from .human import SIDES
from .maker import Maker
from .truth import Limb, Switch, Truth, plain, sided

HEIGHT = 1.2
MIDDLE = {
    "hips": (0.0, 0.0, 0.36),
    "waist": (0.0, 0.0, 0.42),
    "chest": (0.0, 0.0, 0.62),
    "neck": (0.0, 0.01, 0.76),
    "head": (0.0, 0.0, 0.82),
    "top": (0.0, 0.0, 1.18),
}
LEFT = {
    "shoulder": (0.12, 0.0, 0.72),
    "elbow": (0.27, 0.05, 0.66),
    "wrist": (0.42, 0.0, 0.60),
    "knuckle": (0.50, 0.0, 0.57),
    "hip": (0.09, 0.0, 0.33),
    "knee": (0.095, -0.02, 0.19),
    "ankle": (0.10, 0.01, 0.05),
    "toe": (0.11, -0.12, 0.02),
    "ear": (0.12, 0.0, 1.10),
    "ear_end": (0.18, 0.0, 1.25),
}
TAIL = [Vector((0.0, 0.08 + 0.11 * i, 0.36 + 0.02 * i * i)) for i in range(6)]


def _at(name, side=""):
    if not side:
        return Vector(MIDDLE[name])
    x, y, z = LEFT[name]
    return Vector((x if side == "l" else -x, y, z))


def build(name="cartoon_cat"):
    maker = Maker(name, size=100.0)
    _trunk_bones(maker)
    for side, _ in SIDES:
        _leg_bones(maker, side.upper())
        _arm_bones(maker, side.upper())
    _tail_bones(maker)
    maker.make()
    for side, _ in SIDES:
        _leg(maker, side.upper())
        _arm(maker, side.upper())
    _trunk(maker)
    _tail(maker)
    _look(maker)
    return maker.done()


def _trunk_bones(maker):
    maker.stub("全体", (0.0, 0.0, 0.0), along=(0.0, -1.0, 0.0), length=0.3)
    maker.stub("体", _at("hips"), "全体", along=(0.0, -1.0, 0.0), length=0.2)
    maker.bone("腰", _at("hips"), _at("waist"), "体")
    maker.bone("胸", _at("chest"), _at("neck"), "体")
    maker.bone("首", _at("neck"), _at("head"), "胸")
    maker.bone("頭", _at("head"), _at("top"), "首")
    maker.bone("変形_腰", _at("hips"), _at("waist"), "腰", deform=True)
    maker.bone("変形_お腹", _at("waist"), _at("chest"), "変形_腰", deform=True)
    maker.bone("変形_胸", _at("chest"), _at("neck"), "胸", deform=True)
    maker.bone("変形_首", _at("neck"), _at("head"), "首", deform=True)
    maker.bone("変形_頭", _at("head"), _at("top"), "頭", deform=True)
    for side, _ in SIDES:
        ear = (_at("ear", side), _at("ear_end", side))
        maker.bone(f"耳.{side.upper()}", *ear, "頭")
        maker.bone(f"変形_耳.{side.upper()}", *ear, f"耳.{side.upper()}", deform=True)


def _limb_bones(maker, joints, names, parent, side, up):
    """Note the solving, tweaking and deforming bones of two bones in a row."""
    first, second = names
    solved = maker.chain([f"_{n}.{side}" for n in names], joints, parent, up=up)
    tweaks = []
    for i, bone in enumerate((solved[0], solved[0], solved[1])):
        # Tweaks are at the joints and follow the bone above.
        tweaks.append(maker.stub(f"調整_{first}{i}.{side}", joints[i], parent if i == 0 else bone, length=0.03))
    for i, name in enumerate((first, second)):
        maker.bone(f"変形_{name}.{side}", joints[i], joints[i + 1], tweaks[i], deform=True, up=up)


def _leg_bones(maker, side):
    low = side.lower()
    joints = [_at(n, low) for n in ("hip", "knee", "ankle")]
    _limb_bones(maker, joints, ("もも", "すね"), "腰", side, None)
    maker.bone(f"足IK.{side}", joints[2], _at("toe", low), "全体")
    maker.stub(f"かかと.{side}", (joints[2].x, joints[2].y + 0.04, 0.0), f"足IK.{side}", along=(0.0, 1.0, 0.0))
    maker.bone(f"_足.{side}", joints[2], _at("toe", low), f"かかと.{side}")
    maker.bone(f"変形_足.{side}", joints[2], _at("toe", low), f"_足.{side}", deform=True)
    maker.stub(f"ひざ向き.{side}", joints[1] + Vector((0.0, -0.3, 0.0)), f"足IK.{side}", along=(0.0, -1.0, 0.0))


def _arm_bones(maker, side):
    low, up = side.lower(), (0.0, 0.0, 1.0)
    joints = [_at(n, low) for n in ("shoulder", "elbow", "wrist", "knuckle")]
    _limb_bones(maker, joints[:3], ("腕", "ひじ"), "胸", side, up)
    maker.chain([f"腕FK.{side}", f"ひじFK.{side}", f"手FK.{side}"], joints, "胸", up=up)
    maker.chain([f"_腕IK.{side}", f"_ひじIK.{side}"], joints[:3], "胸", up=up)
    maker.bone(f"手IK.{side}", joints[2], joints[3], "全体", up=up)
    maker.bone(f"変形_手.{side}", joints[2], joints[3], f"_ひじ.{side}", deform=True, up=up)
    maker.stub(f"ひじ向き.{side}", joints[1] + Vector((0.0, 0.3, 0.0)), "体", along=(0.0, 1.0, 0.0))


def _tail_bones(maker):
    maker.chain([f"しっぽ{i}" for i in range(1, 6)], TAIL, "変形_腰", deform=True)
    for name, place in (("しっぽ根元", TAIL[0]), ("しっぽ中", TAIL[3]), ("しっぽ先", TAIL[5])):
        maker.stub(name, place, "腰", length=0.1)


def _reach(maker, side, first, second):
    for i, name in enumerate((first, second)):
        maker.stretch(f"変形_{name}.{side}", f"調整_{first}{i + 1}.{side}")
        bone = maker.rig.data.bones[f"変形_{name}.{side}"]
        bone.bbone_segments, bone.bbone_easein, bone.bbone_easeout = 6, 0.5, 0.5


def _leg(maker, side):
    maker.ik(f"_すね.{side}", f"_足.{side}", f"ひざ向き.{side}", use_stretch=True)
    for name in ("もも", "すね"):
        maker.rig.pose.bones[f"_{name}.{side}"].ik_stretch = 0.2
    _reach(maker, side, "もも", "すね")


def _arm(maker, side):
    switch = maker.prop("", f"腕FK_{side}", 0.0)
    maker.ik(f"_ひじIK.{side}", f"手IK.{side}", f"ひじ向き.{side}")
    for name in ("腕", "ひじ"):
        maker.blend(f"_{name}.{side}", f"_{name}IK.{side}", f"{name}FK.{side}", switch, 1)
    hand = f"変形_手.{side}"
    maker.switched(maker.constrain(hand, "COPY_ROTATION", f"手IK.{side}"), switch, 0)
    maker.switched(maker.constrain(hand, "COPY_ROTATION", f"手FK.{side}"), switch, 1)
    _reach(maker, side, "腕", "ひじ")


def _trunk(maker):
    bone = maker.rig.data.bones["変形_お腹"]
    bone.bbone_segments = 8
    bone.bbone_handle_type_start = bone.bbone_handle_type_end = "TANGENT"
    bone.bbone_custom_handle_start = maker.rig.data.bones["変形_腰"]
    bone.bbone_custom_handle_end = maker.rig.data.bones["変形_胸"]
    maker.stretch("変形_お腹", "変形_胸")
    for side in ("L", "R"):
        maker.rig.data.bones[f"変形_耳.{side}"].bbone_segments = 4


def _tail(maker):
    """Lay a curve through the tail, hook it to its controls, and let the tail follow it."""
    curve = bpy.data.curves.new("しっぽ", "CURVE")
    curve.dimensions = "3D"
    # A line through all joints, so that the tail rests where it was built.
    spline = curve.splines.new("POLY")
    spline.points.add(len(TAIL) - 1)
    for point, place in zip(spline.points, TAIL, strict=True):
        point.co = (*(place * maker.size), 1.0)
    line = bpy.data.objects.new("しっぽ", curve)
    bpy.context.scene.collection.objects.link(line)
    line.parent = maker.rig
    bpy.context.view_layer.update()
    for i, name in enumerate(("しっぽ根元", "しっぽ中", "しっぽ先")):
        hook = line.modifiers.new(name, "HOOK")
        hook.object, hook.subtarget = maker.rig, name
        hook.vertex_indices_set(range(2 * i, 2 * i + 2))
        hook.matrix_inverse = maker.rig.data.bones[name].matrix_local.inverted()
    follow = maker.constrain("しっぽ5", "SPLINE_IK", chain_count=5, xz_scale_mode="NONE")
    follow.target = line


def _look(maker):
    names = [b.name for b in maker.rig.pose.bones if not b.name.startswith(("_", "変形_"))]
    shown = [n for n in names if not (n[:3] == "しっぽ" and n[3:].isdigit())]
    boxes = [n for n in shown if "IK" in n]
    maker.shape([n for n in shown if n not in boxes], "circle")
    maker.shape(boxes, "box")
    for name in shown:
        maker.rig.pose.bones[name].rotation_mode = "YXZ" if "足" in name else "QUATERNION"
        if "向き" in name:
            maker.rig.pose.bones[name].lock_rotation = (True,) * 3


def _limbs():
    made = {}
    for side in ("L", "R"):
        made[f"leg_{side.lower()}"] = Limb(f"足IK.{side}", f"ひざ向き.{side}", roll=(f"かかと.{side}",), stretches=True)
        fk = plain({"upperarm": "腕FK.{S}", "forearm": "ひじFK.{S}", "hand": "手FK.{S}"}, [side.lower()])
        switch = Switch("", f"腕FK_{side}", 0, 1)
        made[f"arm_{side.lower()}"] = Limb(f"手IK.{side}", f"ひじ向き.{side}", fk, switch)
    return made


_PARTS = {"upperarm": "腕", "forearm": "ひじ", "hand": "手", "thigh": "もも", "shin": "すね", "foot": "足"}

TRUTH = Truth(
    root="全体",
    torso="体",
    deform={
        "pelvis": ("変形_腰",),
        "spine_1": ("変形_お腹",),
        "spine_2": ("変形_胸",),
        "neck": ("変形_首",),
        "head": ("変形_頭",),
        **{f"tail_{i}": (f"しっぽ{i}",) for i in range(1, 6)},
        **sided({part: f"変形_{name}.{{S}}" for part, name in _PARTS.items()}),
    },
    controls={"pelvis": "腰", "spine_2": "胸", "neck": "首", "head": "頭"},
    limbs=_limbs(),
    height=HEIGHT,
)
