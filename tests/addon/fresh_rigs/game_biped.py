"""A game animator's biped: its own way of naming, FK and IK everywhere, one bone of settings, deform bones that only
copy.

Legs are IK at first, arms FK; 1 is IK. The foot rolls over heel, toe tip and ball. Knee poles go where the foot goes
and turn with its heading. The head may keep its direction when the neck turns.
"""

from mathutils import Vector

from .human import SIDES, Human
from .maker import Maker
from .truth import Limb, Switch, Truth, plain, sided

SETTINGS = "settings"
SPINE = ("spine_01", "spine_02", "spine_03")


def build(name="game_biped"):
    maker, body = Maker(name), Human()
    _trunk_bones(maker, body)
    for side, sign in SIDES:
        _leg_bones(maker, body, side)
        _arm_bones(maker, body, side, sign)
    maker.make()
    _trunk(maker)
    for side, _ in SIDES:
        _leg(maker, side)
        _arm(maker, side)
    _look(maker)
    return maker.done()


def _trunk_bones(maker, body):
    at = body.at
    maker.stub("root", at("ground"), along=(0.0, -1.0, 0.0), length=0.3)
    maker.stub(SETTINGS, (0.5, 0.0, 1.0), "root")
    maker.stub("cog", at("pelvis"), "root", length=0.15)
    # The hips' control points down, as hips turn about the waist; the deforming bone points up.
    maker.bone("ctrl_hips", at("spine_1"), at("pelvis"), "cog")
    maker.bone("mch_pelvis", at("pelvis"), at("spine_1"), "ctrl_hips")
    points = body.line(("spine_1", "spine_2", "spine_3", "neck", "head", "top"))
    maker.chain([f"ctrl_{s}" for s in SPINE], points[:4], "cog")
    maker.bone("ctrl_neck", points[3], points[4], "ctrl_spine_03")
    maker.bone("mch_head_on_neck", points[4], points[5], "ctrl_neck")
    maker.bone("mch_head_space", points[4], points[5], "root")
    maker.bone("ctrl_head", points[4], points[5], "mch_head_space")
    maker.stub("def_root", at("ground"), along=(0.0, -1.0, 0.0), length=0.2)
    maker.bone("def_pelvis", at("pelvis"), at("spine_1"), "def_root", deform=True)
    maker.chain([f"def_{s}" for s in (*SPINE, "neck", "head")], points, "def_pelvis", deform=True)


def _leg_bones(maker, body, side):
    def named(prefix):
        return [f"{prefix}_{part}_{side}" for part in ("thigh", "shin", "foot", "toe")]

    leg, at = body.line(("hip", "knee", "ankle", "ball", "toe"), side), body.at
    maker.chain(named("def"), leg, "def_pelvis", deform=True)
    maker.chain(named("ctrl_fk"), leg, "ctrl_hips")
    maker.chain(named("mch_ik")[:2], leg[:3], "ctrl_hips")
    sole = {name: Vector((at(name, side).x, at(name, side).y, 0.0)) for name in ("ankle", "heel", "ball", "toe")}
    foot = maker.bone(f"ctrl_foot_ik_{side}", at("ankle", side), at("ankle", side) + Vector((0.0, -0.2, 0.0)), "root")
    back = {"along": (0.0, 1.0, 0.0)}
    maker.stub(f"ctrl_roll_{side}", sole["heel"] + Vector((0.0, 0.1, 0.02)), foot, **back)
    heel = maker.stub(f"ctrl_heel_{side}", sole["heel"], foot, **back)
    # The roll control turns its own bone above each pivot, so both can be used together.
    rolled = maker.stub(f"mch_roll_heel_{side}", sole["heel"], heel, **back)
    tip = maker.stub(f"ctrl_toe_tip_{side}", sole["toe"], rolled, **back)
    ball = maker.stub(f"ctrl_ball_{side}", at("ball", side), tip, **back)
    rolled = maker.stub(f"mch_roll_ball_{side}", at("ball", side), ball, **back)
    maker.bone(f"mch_ik_foot_{side}", at("ankle", side), at("ball", side), rolled)
    maker.bone(f"ctrl_toe_ik_{side}", at("ball", side), at("toe", side), tip)
    maker.stub(f"mch_knee_space_{side}", at("ankle", side), "root")
    maker.stub(f"ctrl_knee_{side}", body.knee_pole(side), f"mch_knee_space_{side}", along=(0.0, -1.0, 0.0))


def _arm_bones(maker, body, side, sign):
    parts = ("upperarm", "forearm", "hand")
    arm = body.line(("shoulder", "elbow", "wrist", "knuckle"), side)
    fingers, out = body.line(("knuckle", "finger", "fingertip"), side), (0.0, 0.0, 1.0)
    for prefix, chest in (("def", "def_spine_03"), ("ctrl", "ctrl_spine_03")):
        deform = prefix == "def"
        clavicle = maker.bone(
            f"{prefix}_clavicle_{side}", body.at("clavicle", side), arm[0], chest, deform=deform, up=out
        )
        first = f"{prefix}_" if deform else "ctrl_fk_"
        maker.chain([f"{first}{p}_{side}" for p in parts], arm, clavicle, deform=deform, up=out)
    maker.bone(
        f"def_forearm_twist_{side}",
        body.middle("elbow", "wrist", side),
        arm[2],
        f"def_forearm_{side}",
        deform=True,
        up=out,
    )
    maker.chain([f"def_index_{i}_{side}" for i in (1, 2)], fingers, f"def_hand_{side}", deform=True, up=out)
    # Fingers follow the hand in IK and in FK.
    maker.bone(f"mch_hand_{side}", arm[2], arm[3], "root", up=out)
    maker.chain([f"ctrl_index_{i}_{side}" for i in (1, 2)], fingers, f"mch_hand_{side}", up=out)
    maker.chain([f"mch_ik_{p}_{side}" for p in parts[:2]], arm[:3], f"ctrl_clavicle_{side}", up=out)
    maker.bone(f"ctrl_hand_ik_{side}", arm[2], arm[3], "root", up=out)
    maker.stub(f"ctrl_elbow_{side}", body.elbow_pole(side), "root", along=(0.0, 1.0, 0.0))


def _trunk(maker):
    maker.prop(SETTINGS, "head_follow", 1.0)
    for limb, at_first in (("leg", 1.0), ("arm", 0.0)):
        for side, _ in SIDES:
            maker.prop(SETTINGS, f"{limb}_ik_{side}", at_first)
    maker.follow("def_root", "root")
    maker.follow("def_pelvis", "mch_pelvis")
    for part in (*SPINE, "neck", "head"):
        maker.follow(f"def_{part}", f"ctrl_{part}")
    maker.constrain("mch_head_space", "COPY_LOCATION", "mch_head_on_neck")
    turned = maker.constrain("mch_head_space", "COPY_ROTATION", "mch_head_on_neck")
    maker.switched(turned, (SETTINGS, "head_follow"))


def _leg(maker, side):
    switch = (SETTINGS, f"leg_ik_{side}")
    foot, roll = f"ctrl_foot_ik_{side}", f"ctrl_roll_{side}"
    maker.ik(f"mch_ik_shin_{side}", f"mch_ik_foot_{side}", f"ctrl_knee_{side}")
    for part in ("thigh", "shin", "foot"):
        maker.blend(f"def_{part}_{side}", f"ctrl_fk_{part}_{side}", f"mch_ik_{part}_{side}", switch, 1)
    maker.blend(f"def_toe_{side}", f"ctrl_fk_toe_{side}", f"ctrl_toe_ik_{side}", switch, 1)
    for bone, low, high in (("heel", -1.5, 0.0), ("ball", 0.0, 1.5)):
        turned = f"mch_roll_{bone}_{side}"
        maker.local(turned, "COPY_ROTATION", roll, use_y=False, use_z=False)
        maker.constrain(turned, "LIMIT_ROTATION", owner_space="LOCAL", use_limit_x=True, min_x=low, max_x=high)
    maker.constrain(f"mch_knee_space_{side}", "COPY_LOCATION", foot)
    maker.constrain(
        f"mch_knee_space_{side}", "COPY_ROTATION", foot, use_x=False, use_y=False, mix_mode="ADD",
        owner_space="LOCAL", target_space="LOCAL_OWNER_ORIENT",
    )  # fmt: skip


def _arm(maker, side):
    switch = (SETTINGS, f"arm_ik_{side}")
    maker.ik(f"mch_ik_forearm_{side}", f"ctrl_hand_ik_{side}", f"ctrl_elbow_{side}")
    maker.follow(f"def_clavicle_{side}", f"ctrl_clavicle_{side}")
    for part, ik in (("upperarm", "mch_ik_upperarm"), ("forearm", "mch_ik_forearm"), ("hand", "ctrl_hand_ik")):
        maker.blend(f"def_{part}_{side}", f"ctrl_fk_{part}_{side}", f"{ik}_{side}", switch, 1)
    maker.local(
        f"def_forearm_twist_{side}", "COPY_ROTATION", f"def_hand_{side}", use_x=False, use_z=False, influence=0.5
    )
    maker.follow(f"mch_hand_{side}", f"def_hand_{side}")
    for i in (1, 2):
        maker.follow(f"def_index_{i}_{side}", f"ctrl_index_{i}_{side}")


def _look(maker):
    bones = maker.rig.pose.bones
    controls = [b.name for b in bones if b.name.startswith(("ctrl_", "cog", "root", SETTINGS))]
    boxes = [n for n in controls if "_ik_" in n or n == SETTINGS]
    maker.shape([n for n in controls if n not in boxes], "circle")
    maker.shape(boxes, "box")
    for name in controls:
        bones[name].rotation_mode = "XYZ"
        # Poles are only moved, FK limbs only turned.
        if name.startswith(("ctrl_knee", "ctrl_elbow")):
            bones[name].lock_rotation = (True,) * 3
        elif name.startswith(("ctrl_fk_", "ctrl_index", "ctrl_neck", "ctrl_spine", "ctrl_roll")):
            bones[name].lock_location = (True,) * 3
    for name in controls:
        if name.startswith("ctrl_roll"):
            bones[name].lock_rotation = (False, True, True)


def _limb(kind, side, ik, pole, parts, **more):
    fk = {f"{part}_{side}": f"ctrl_fk_{part}_{side}" for part in parts}
    return Limb(f"{ik}_{side}", f"{pole}_{side}", fk, Switch(SETTINGS, f"{kind}_ik_{side}", 1, 0), **more)


def _limbs():
    made = {}
    for side, _ in SIDES:
        roll = tuple(f"ctrl_{n}_{side}" for n in ("roll", "heel", "toe_tip", "ball"))
        leg = ("thigh", "shin", "foot", "toe")
        made[f"leg_{side}"] = _limb(
            "leg", side, "ctrl_foot_ik", "ctrl_knee", leg, tips={f"toe_{side}": f"ctrl_toe_ik_{side}"}, roll=roll
        )
        made[f"arm_{side}"] = _limb("arm", side, "ctrl_hand_ik", "ctrl_elbow", ("upperarm", "forearm", "hand"))
    return made


_MIDDLE = {"spine_1": "spine_01", "spine_2": "spine_02", "spine_3": "spine_03", "neck": "neck", "head": "head"}
_SIDE_PARTS = ("clavicle", "upperarm", "forearm", "hand", "thigh", "shin", "foot", "toe")

TRUTH = Truth(
    root="root",
    torso="cog",
    deform={
        "pelvis": ("def_pelvis",),
        **{part: (f"def_{name}",) for part, name in _MIDDLE.items()},
        **sided({part: f"def_{part}_{{s}}" for part in _SIDE_PARTS}),
    },
    controls={
        "pelvis": "ctrl_hips",
        **{part: f"ctrl_{name}" for part, name in _MIDDLE.items()},
        **plain({"clavicle": "ctrl_clavicle_{s}"}),
    },
    limbs=_limbs(),
)
