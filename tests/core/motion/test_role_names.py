"""Body roles from names as exporters change them: prefixes, endings, cases, languages."""

import numpy as np
import pytest
from action_loom.core.demo_character import body as figure_body
from action_loom.core.motion import roles
from oracles.role_tables import expected

pytestmark = pytest.mark.both_engines

# Joint names of one body by exporters and rigging tools: trunk, arm and leg in the order of ARM and LEG.
MIXAMO = ("Hips, Spine, Spine1, Neck, Head", "<Shoulder, <Arm, <ForeArm, <Hand", "<UpLeg, <Leg, <Foot, <ToeBase")
RIGIFY = (
    "spine, spine.001, spine.003, spine.004, spine.006",
    "shoulder.<, upper_arm.<, forearm.<, hand.<",
    "thigh.<, shin.<, foot.<, toe.<",
)
NAMINGS = {
    "Mixamo": (("Left", "Right"), *MIXAMO),
    "VRM": (
        ("L", "R"),
        "C_Hips, C_Spine, C_Chest, C_Neck, C_Head",
        "<_Shoulder, <_UpperArm, <_LowerArm, <_Hand",
        "<_UpperLeg, <_LowerLeg, <_Foot, <_ToeBase",
    ),
    "MMD": (("左", "右"), "下半身, 上半身, 上半身2, 首, 頭", "<肩, <腕, <ひじ, <手首", "<足, <ひざ, <足首, <つま先"),
    "Unreal": (
        ("l", "r"),
        "pelvis, spine_01, spine_03, neck_01, head",
        "clavicle_<, upperarm_<, lowerarm_<, hand_<",
        "thigh_<, calf_<, foot_<, ball_<",
    ),
    "Biped": (
        ("L", "R"),
        "Pelvis, Spine, Spine1, Neck, Head",
        "< Clavicle, < UpperArm, < Forearm, < Hand",
        "< Thigh, < Calf, < Foot, < Toe0",
    ),
    "Daz": (
        ("l", "r"),
        "hip, abdomen, chest, neck, head",
        "<Collar, <Shldr, <ForeArm, <Hand",
        "<Thigh, <Shin, <Foot, <Toe",
    ),
    "Daz, Genesis 8": (
        ("l", "r"),
        "hip, abdomenLower, chestUpper, neckLower, head",
        "<Collar, <ShldrBend, <ForearmBend, <Hand",
        "<ThighBend, <Shin, <Foot, <Toe",
    ),
    "Rigify": (("L", "R"), *RIGIFY),
    "Auto-Rig Pro": (
        ("l", "r"),
        "root.x, spine_01.x, spine_02.x, neck.x, head.x",
        "shoulder.<, arm_stretch.<, forearm_stretch.<, hand.<",
        "thigh_stretch.<, leg_stretch.<, foot.<, toes_01.<",
    ),
    "Advanced Skeleton": (
        ("L", "R"),
        "Root_M, Spine1_M, Chest_M, Neck_M, Head_M",
        "Scapula_<, Shoulder_<, Elbow_<, Wrist_<",
        "Hip_<, Knee_<, Ankle_<, Toes_<",
    ),
    "sides behind a hyphen": (
        ("L", "R"),
        "hips, spine, chest, neck, head",
        "clavicle-<, upper-arm-<, forearm-<, hand-<",
        "thigh-<, shin-<, foot-<, toe-<",
    ),
    "nouns first, numbers": (
        ("Left", "Right"),
        "Hip, Spine01, Spine02, Neck, Head",
        "<Shoulder, <ArmUpper, <ArmLower, <Hand",
        "<Leg01, <Leg02, <Foot01, <Foot02",
    ),
}
# Additions of exporters and applications to any name; {0} is the name, and {1} its place in the list.
AROUND = {
    "nothing": "{0}",
    "a namespace": "char1:{0}",
    "two namespaces": "scene|char1:{0}",
    "a namespace that became part of the name": "Character1_{0}",
    "Source engine": "ValveBiped.Bip01_{0}",
    "Biped": "Bip01 {0}",
    "VRM": "J_Bip_{0}",
    "Mixamo": "mixamorig:{0}",
    "Rigify": "DEF-{0}",
    "running numbers": "{0}_{1:03d}",
    "running numbers of Mixamo's": "mixamorig:{0}_0{1}",
    "a copy": "{0}.001",
    "a copy with a namespace": "char1:{0}.002",
    "joint": "{0}_jnt",
}


def renamed(naming, around):
    """The demo figure's joints under other names, in the figure's order."""
    sides, trunk, arm, leg = naming
    reported = expected(trunk, arm, leg, sides)
    return [around.format(reported[role].strip(), k) for k, role in enumerate(figure_body.skeleton().names)]


@pytest.mark.parametrize("naming", NAMINGS)
def test_all_roles_are_found_whatever_exporters_make_of_names(naming):
    figure = figure_body.skeleton()
    for around, name in AROUND.items():
        names = renamed(NAMINGS[naming], name)
        found = {names[joint]: role for role, joint in roles.find(names, figure.parents, figure.rest[1]).items()}
        assert found == dict(zip(names, figure.names, strict=True)), around


@pytest.mark.parametrize("naming", NAMINGS)
@pytest.mark.parametrize("ending", ["{0}_{1:02d}_end", "{0}_end_{1:02d}", "{0}_{1:02d}_Nub"])
def test_running_numbers_may_come_before_the_ends_of_leaf_bones(naming, ending):
    """An FBX of numbered bones: the exporter hangs a leaf bone on each last one, and names it after that."""
    figure = figure_body.skeleton()
    bare = renamed(NAMINGS[naming], AROUND["nothing"])
    leaves = sorted(set(range(len(figure))) - set(figure.parents.tolist()))
    names = [f"{name}_{k:02d}" for k, name in enumerate(bare)] + [
        ending.format(bare[leaf], leaf + (len(bare) if ending.endswith("}") else 0)) for leaf in leaves
    ]
    found = roles.find(names, np.append(figure.parents, leaves))
    assert {names[joint]: role for role, joint in found.items()} == dict(zip(names, figure.names, strict=False))


@pytest.mark.parametrize("case", [str.upper, str.lower])
@pytest.mark.parametrize("naming", ["Mixamo", "Unreal", "Biped", "Rigify", "Daz", "Advanced Skeleton"])
def test_upper_and_lower_case_tell_the_same(naming, case):
    figure = figure_body.skeleton()
    names = [case(name) for name in renamed(NAMINGS[naming], AROUND["nothing"])]
    assert {names[joint]: role for role, joint in roles.find(names, figure.parents).items()} == dict(
        zip(names, figure.names, strict=True)
    )
