"""A person named and wired like Auto-Rig Pro: c_ controls, `ik_fk_switch` on the IK foot and hand, where 0 is IK.

Thighs, shins, arms and forearms deform in halves: the first doesn't twist, the second reaches by Stretch To. The knee's
pole stays in the world or follows the foot, by a property and two Child Of constraints.
"""

from math import radians

from mathutils import Vector

from .human import SIDES, Human
from .maker import Maker
from .truth import Limb, Switch, Truth, plain, sided

LEG, ARM = ("thigh", "leg", "foot", "toes"), ("arm", "forearm", "hand")
FRONT = {"along": (0.0, -1.0, 0.0)}


def build(name="auto_rig_pro"):
    maker, body = Maker(name), Human(arms_down=radians(35))
    _trunk_bones(maker, body)
    for s, _ in SIDES:
        _limb_bones(maker, LEG, body.line(("hip", "knee", "ankle", "ball", "toe"), s), s, "c_root.x", None)
        _foot_bones(maker, body, s)
        arm = body.line(("shoulder", "elbow", "wrist", "knuckle"), s)
        maker.bone(f"c_shoulder.{s}", body.at("clavicle", s), arm[0], "c_spine_03.x")
        maker.bone(f"shoulder.{s}", body.at("clavicle", s), arm[0], f"c_shoulder.{s}", deform=True)
        _limb_bones(maker, ARM, arm, s, f"c_shoulder.{s}", (0.0, -1.0, 0.0))
        maker.bone(f"c_hand_ik.{s}", arm[2], arm[3], "c_traj", up=(0.0, -1.0, 0.0))
        maker.stub(f"c_arms_pole.{s}", body.elbow_pole(s), "c_root_master.x", along=(0.0, 1.0, 0.0))
    maker.make()
    for s, _ in SIDES:
        _limb(maker, LEG, s, f"c_foot_ik.{s}", f"c_leg_pole.{s}", 0.0)
        _limb(maker, ARM, s, f"c_hand_ik.{s}", f"c_arms_pole.{s}", 1.0)
        _foot(maker, s)
    _look(maker)
    return maker.done()


def _trunk_bones(maker, body):
    at = body.at
    maker.stub("c_pos", at("ground"), length=0.5, **FRONT)
    maker.stub("c_traj", at("ground"), "c_pos", length=0.4, **FRONT)
    maker.stub("c_root_master.x", at("pelvis"), "c_traj", length=0.2)
    maker.bone("c_root.x", at("pelvis"), at("spine_1"), "c_root_master.x")
    maker.bone("root.x", at("pelvis"), at("spine_1"), "c_root.x", deform=True)
    points = body.line(("spine_1", "spine_2", "spine_3", "neck", "head", "top"))
    parent = "c_root_master.x"
    for part, head, tail in zip(_MIDDLE.values(), points[:-1], points[1:], strict=True):
        parent = maker.bone(f"c_{part}", head, tail, parent)
        maker.bone(part, head, tail, parent, deform=True)


def _limb_bones(maker, parts, joints, s, parent, up):
    """Note the FK controls, the solving chain, the chain where both meet, and the deforming bones."""
    names = [f"{part}.{s}" for part in parts]
    maker.chain([f"c_{part}_fk.{s}" for part in parts], joints, parent, up=up)
    maker.chain([f"{part}_ik.{s}" for part in parts[:2]], joints[:3], parent, up=up)
    maker.chain(names[:2], joints[:3], parent, up=up)
    bends = [f"c_{parts[0]}_bend.{s}", f"c_{parts[1]}_bend_in.{s}", f"c_{parts[1]}_bend.{s}"]
    for bend, bone, place in zip(
        bends, (names[0], names[1], names[1]),
        (joints[0].lerp(joints[1], 0.5), joints[1], joints[1].lerp(joints[2], 0.5)), strict=True,
    ):  # fmt: skip
        maker.stub(bend, place, bone, length=0.04)
    halves = {f"{parts[0]}_twist": (0, parent, 0.0), f"{parts[0]}_stretch": (0, bends[0], 0.5),
              f"{parts[1]}_stretch": (1, names[1], 0.0), f"{parts[1]}_twist": (1, bends[2], 0.5)}  # fmt: skip
    for half, (i, above, part) in halves.items():
        ends = (joints[i].lerp(joints[i + 1], part), joints[i].lerp(joints[i + 1], part + 0.5))
        maker.bone(f"{half}.{s}", *ends, above, deform=True, up=up)
    last = names[1]
    for i, part in enumerate(parts[2:], 2):
        name = "toes_01" if part == "toes" else part
        last = maker.bone(f"{name}.{s}", joints[i], joints[i + 1], last, deform=True, up=up)


def _foot_bones(maker, body, s):
    at, sole = body.at, Vector((1.0, 1.0, 0.0))
    foot = maker.bone(f"c_foot_ik.{s}", at("ankle", s), at("ball", s), "c_traj")
    maker.stub(f"c_foot_roll_cursor.{s}", at("heel", s) + Vector((0.0, 0.1, 0.08)), foot)
    maker.stub(f"c_foot_heel.{s}", at("heel", s) * sole, foot, **FRONT)
    maker.stub(f"c_foot_bank.{s}", at("toe", s) * sole, f"c_foot_heel.{s}", **FRONT)
    maker.stub(f"c_foot_01.{s}", at("ball", s), f"c_foot_bank.{s}", **FRONT)
    maker.bone(f"foot_ik_target.{s}", at("ankle", s), at("ball", s), f"c_foot_01.{s}")
    maker.bone(f"c_toes_ik.{s}", at("ball", s), at("toe", s), f"c_foot_bank.{s}")
    maker.stub(f"c_leg_pole.{s}", body.knee_pole(s), "", along=(0.0, 0.0, 1.0))


def _limb(maker, parts, s, control, pole, at_first):
    switch = maker.prop(control, "ik_fk_switch", at_first)
    upper, lower, end = parts[:3]
    target = f"foot_ik_target.{s}" if end == "foot" else control
    maker.ik(f"{lower}_ik.{s}", target, pole)
    for part in (upper, lower):
        maker.blend(f"{part}.{s}", f"{part}_ik.{s}", f"c_{part}_fk.{s}", switch, 1)
    ends = {end: (target, f"c_{end}_fk.{s}"), "toes_01": (f"c_toes_ik.{s}", f"c_toes_fk.{s}")}
    for part, (ik, fk) in list(ends.items())[: len(parts) - 2]:
        maker.constrain(f"{part}.{s}", "COPY_ROTATION", ik)
        maker.switched(maker.constrain(f"{part}.{s}", "COPY_ROTATION", fk), switch, 1)
    _halves(maker, upper, lower, s)


def _halves(maker, upper, lower, s):
    twist = f"{upper}_twist.{s}"
    maker.constrain(twist, "COPY_LOCATION", f"{upper}.{s}")
    maker.constrain(twist, "DAMPED_TRACK", f"c_{upper}_bend.{s}", track_axis="TRACK_Y")
    maker.stretch(twist, f"c_{upper}_bend.{s}")
    maker.stretch(f"{upper}_stretch.{s}", f"c_{lower}_bend_in.{s}")
    maker.stretch(f"{lower}_stretch.{s}", f"c_{lower}_bend.{s}")
    end = f"foot.{s}" if lower == "leg" else f"hand.{s}"
    maker.stretch(f"{lower}_twist.{s}", end)


def _foot(maker, s):
    """Roll the foot by the cursor's way, and let the pole follow the foot by its property."""
    cursor = f"c_foot_roll_cursor.{s}"
    for pivot, low, high in (("heel", -0.3, 0.0), ("01", 0.0, 0.3)):
        maker.local(
            f"c_foot_{pivot}.{s}", "TRANSFORM", cursor, map_from="LOCATION", map_to="ROTATION", map_to_x_from="Z",
            from_min_z=low, from_max_z=high, to_min_x_rot=low * 4.0, to_max_x_rot=high * 4.0,
        )  # fmt: skip
    switch = maker.prop(f"c_leg_pole.{s}", "pole_parent", 1.0)
    maker.switched(maker.child_of(f"c_leg_pole.{s}", f"c_foot_ik.{s}"), switch, 1)
    maker.switched(maker.child_of(f"c_leg_pole.{s}", "c_traj"), switch, 0)


def _look(maker):
    for bone in maker.rig.pose.bones:
        if bone.name.startswith("c_"):
            maker.shape([bone.name], "box" if "_ik." in bone.name or "pole" in bone.name else "circle")
            bone.rotation_mode = "XYZ" if bone.name[:-2].endswith(("_fk", "_pole")) else "QUATERNION"
        if "_fk." in bone.name:
            bone.lock_location = (True,) * 3


_MIDDLE = {
    "spine_1": "spine_01.x",
    "spine_2": "spine_02.x",
    "spine_3": "spine_03.x",
    "neck": "neck.x",
    "head": "head.x",
}


def _limbs():
    made = {}
    for s, _ in SIDES:
        leg = plain(
            {"thigh": "c_thigh_fk.{s}", "shin": "c_leg_fk.{s}", "foot": "c_foot_fk.{s}", "toe": "c_toes_fk.{s}"}, [s]
        )
        arm = plain({"upperarm": "c_arm_fk.{s}", "forearm": "c_forearm_fk.{s}", "hand": "c_hand_fk.{s}"}, [s])
        legs, arms = (Switch(f"c_{end}_ik.{s}", "ik_fk_switch", 0, 1) for end in ("foot", "hand"))
        tips, roll = {f"toe_{s}": f"c_toes_ik.{s}"}, (f"c_foot_01.{s}", f"c_foot_heel.{s}")
        made[f"leg_{s}"] = Limb(f"c_foot_ik.{s}", f"c_leg_pole.{s}", leg, legs, tips, roll)
        made[f"arm_{s}"] = Limb(f"c_hand_ik.{s}", f"c_arms_pole.{s}", arm, arms)
    return made


TRUTH = Truth(
    root="c_traj",
    torso="c_root_master.x",
    also=("c_pos",),
    deform={
        "pelvis": ("root.x",),
        **{part: (name,) for part, name in _MIDDLE.items()},
        **sided({"thigh": ("thigh_twist.{s}", "thigh_stretch.{s}"), "shin": ("leg_stretch.{s}", "leg_twist.{s}")}),
        **sided(
            {"upperarm": ("arm_twist.{s}", "arm_stretch.{s}"), "forearm": ("forearm_stretch.{s}", "forearm_twist.{s}")}
        ),
        **sided({"clavicle": "shoulder.{s}", "hand": "hand.{s}", "foot": "foot.{s}", "toe": "toes_01.{s}"}),
    },
    controls={
        "pelvis": "c_root.x",
        **{part: f"c_{name}" for part, name in _MIDDLE.items()},
        **plain({"clavicle": "c_shoulder.{s}"}),
    },
    limbs=_limbs(),
)
