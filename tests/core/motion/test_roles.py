"""Names, hierarchy and rest pose tell which part of the body each joint is."""

import numpy as np
import pytest
from action_loom.core.figure import body as figure_body
from action_loom.core.formats import bvh
from action_loom.core.motion import roles
from oracles import material
from oracles.role_tables import ARM, LEG, TRUNK, expected


def body(chains, sides):
    """Names and parents of a body: one chain of joints a line, from a known joint down; < is each side in turn."""
    above = {}
    for chain in chains.strip().splitlines():
        for side in sides if "<" in chain else [""]:
            parent = None
            for name in chain.replace("<", side).split(","):
                above.setdefault(name.strip(), parent)
                parent = name.strip()
    names = list(above)
    return names, np.array([-1 if parent is None else names.index(parent) for parent in above.values()])


BODIES = {
    "CMU, MotionBuilder": (
        ("Left", "Right"),
        """
        Hips, LHipJoint, LeftUpLeg, LeftLeg, LeftFoot, LeftToeBase
        Hips, RHipJoint, RightUpLeg, RightLeg, RightFoot, RightToeBase
        Hips, LowerBack, Spine, Spine1, Neck, Neck1, Head
        Spine1, <Shoulder, <Arm, <ForeArm, <Hand, <FingerBase, <HandIndex1
        LeftHand, LThumb
        RightHand, RThumb
        """,
        "Hips, LowerBack, Spine1, Neck, Head",
        "<Shoulder, <Arm, <ForeArm, <Hand",
        "<UpLeg, <Leg, <Foot, <ToeBase",
    ),
    "CMU, ASF": (
        ("l", "r"),
        """
        root, <hipjoint, <femur, <tibia, <foot, <toes
        root, lowerback, upperback, thorax, lowerneck, upperneck, head
        thorax, <clavicle, <humerus, <radius, <wrist, <hand, <fingers
        <hand, <thumb
        """,
        "root, lowerback, thorax, lowerneck, head",
        "<clavicle, <humerus, <radius, <wrist",
        "<femur, <tibia, <foot, <toes",
    ),
    "CMU, Daz": (
        ("l", "r"),
        """
        hip, abdomen, chest, neck, head, leftEye
        head, rightEye
        chest, <Collar, <Shldr, <ForeArm, <Hand, <Thumb1, <Thumb2
        hip, <Buttock, <Thigh, <Shin, <Foot
        """,
        "hip, abdomen, chest, neck, head",
        "<Collar, <Shldr, <ForeArm, <Hand",
        "<Thigh, <Shin, <Foot, -",
    ),
    "Biovision": (
        ("Left", "Right"),
        """
        Hips, Chest, Neck, Head
        Chest, <Collar, <UpArm, <LowArm, <Hand
        Hips, <UpLeg, <LowLeg, <Foot
        """,
        "Hips, Chest, Chest, Neck, Head",
        "<Collar, <UpArm, <LowArm, <Hand",
        "<UpLeg, <LowLeg, <Foot, -",
    ),
    "Biovision, joints by their place": (
        ("Left", "Right"),
        """
        Hips, Chest, Chest2, Chest3, Chest4, Neck, Head
        Chest4, <Collar, <Shoulder, <Elbow, <Wrist
        Hips, <Hip, <Knee, <Ankle, <Toe
        """,
        "Hips, Chest, Chest4, Neck, Head",
        "<Collar, <Shoulder, <Elbow, <Wrist",
        "<Hip, <Knee, <Ankle, <Toe",
    ),
    "Mixamo": (
        ("Left", "Right"),
        """
        mixamorig:Hips, mixamorig:Spine, mixamorig:Spine1, mixamorig:Spine2, mixamorig:Neck, mixamorig:Head
        mixamorig:Head, mixamorig:HeadTop_End
        mixamorig:Head, mixamorig:<Eye
        mixamorig:Spine2, mixamorig:<Shoulder, mixamorig:<Arm, mixamorig:<ForeArm, mixamorig:<Hand
        mixamorig:<Hand, mixamorig:<HandThumb1
        mixamorig:Hips, mixamorig:<UpLeg, mixamorig:<Leg, mixamorig:<Foot, mixamorig:<ToeBase, mixamorig:<Toe_End
        """,
        "mixamorig:Hips, mixamorig:Spine, mixamorig:Spine2, mixamorig:Neck, mixamorig:Head",
        "mixamorig:<Shoulder, mixamorig:<Arm, mixamorig:<ForeArm, mixamorig:<Hand",
        "mixamorig:<UpLeg, mixamorig:<Leg, mixamorig:<Foot, mixamorig:<ToeBase",
    ),
    "Rigify": (
        ("L", "R"),
        """
        DEF-spine, DEF-pelvis.<
        DEF-spine, DEF-thigh.<, DEF-thigh.<.001, DEF-shin.<, DEF-shin.<.001, DEF-foot.<, DEF-toe.<
        DEF-spine, DEF-spine.001, DEF-spine.002, DEF-spine.003, DEF-spine.004, DEF-spine.005, DEF-spine.006
        DEF-spine.003, DEF-breast.<
        DEF-spine.003, DEF-shoulder.<, DEF-upper_arm.<, DEF-upper_arm.<.001, DEF-forearm.<, DEF-forearm.<.001
        DEF-forearm.<.001, DEF-hand.<, DEF-palm.01.<, DEF-f_index.01.<
        """,
        "DEF-spine, DEF-spine.001, DEF-spine.003, DEF-spine.004, DEF-spine.006",
        "DEF-shoulder.<, DEF-upper_arm.<, DEF-forearm.<, DEF-hand.<",
        "DEF-thigh.<, DEF-shin.<, DEF-foot.<, DEF-toe.<",
    ),
    "Unreal": (
        ("l", "r"),
        """
        root, pelvis, spine_01, spine_02, spine_03, neck_01, head
        spine_03, clavicle_<, upperarm_<, upperarm_twist_01_<
        upperarm_<, lowerarm_<, lowerarm_twist_01_<
        lowerarm_<, hand_<, index_01_<
        pelvis, thigh_<, thigh_twist_01_<
        thigh_<, calf_<, calf_twist_01_<
        calf_<, foot_<, ball_<
        root, ik_foot_root, ik_foot_<
        root, ik_hand_root, ik_hand_gun, ik_hand_<
        """,
        "pelvis, spine_01, spine_03, neck_01, head",
        "clavicle_<, upperarm_<, lowerarm_<, hand_<",
        "thigh_<, calf_<, foot_<, ball_<",
    ),
    "Biped": (
        ("L", "R"),
        """
        Bip01, Bip01 Pelvis, Bip01 Spine, Bip01 Spine1, Bip01 Neck, Bip01 Head
        Bip01 Neck, Bip01 < Clavicle, Bip01 < UpperArm, Bip01 < Forearm, Bip01 < Hand, Bip01 < Finger0
        Bip01 Pelvis, Bip01 < Thigh, Bip01 < Calf, Bip01 < Foot, Bip01 < Toe0
        Bip01, Bip01 Footsteps
        """,
        "Bip01 Pelvis, Bip01 Spine, Bip01 Spine1, Bip01 Neck, Bip01 Head",
        "Bip01 < Clavicle, Bip01 < UpperArm, Bip01 < Forearm, Bip01 < Hand",
        "Bip01 < Thigh, Bip01 < Calf, Bip01 < Foot, Bip01 < Toe0",
    ),
    "Biped, underscores": (
        ("L", "R"),
        """
        Bip001, Bip001_Pelvis, Bip001_Spine, Bip001_Spine1, Bip001_Spine2, Bip001_Neck, Bip001_Head
        Bip001_Spine2, Bip001_<_Clavicle, Bip001_<_UpperArm, Bip001_<_Forearm, Bip001_<_Hand
        Bip001_Spine, Bip001_<_Thigh, Bip001_<_Calf, Bip001_<_Foot, Bip001_<_Toe0
        """,
        "Bip001_Pelvis, Bip001_Spine, Bip001_Spine2, Bip001_Neck, Bip001_Head",
        "Bip001_<_Clavicle, Bip001_<_UpperArm, Bip001_<_Forearm, Bip001_<_Hand",
        "Bip001_<_Thigh, Bip001_<_Calf, Bip001_<_Foot, Bip001_<_Toe0",
    ),
    "SMPL": (
        ("left", "right"),
        """
        pelvis, <_hip, <_knee, <_ankle, <_foot
        pelvis, spine1, spine2, spine3, neck, head
        spine3, <_collar, <_shoulder, <_elbow, <_wrist, <_hand
        """,
        "pelvis, spine1, spine3, neck, head",
        "<_collar, <_shoulder, <_elbow, <_wrist",
        "<_hip, <_knee, <_ankle, <_foot",
    ),
    "Rokoko": (
        ("Left", "Right"),
        """
        Hips, Spine1, Spine2, Spine3, Spine4, Neck, Head
        Spine4, <Shoulder, <Arm, <ForeArm, <Hand, <HandIndex1
        Hips, <Thigh, <Shin, <Foot, <Toe, <ToeTip
        """,
        "Hips, Spine1, Spine4, Neck, Head",
        "<Shoulder, <Arm, <ForeArm, <Hand",
        "<Thigh, <Shin, <Foot, <Toe",
    ),
    "Xsens": (
        ("Left", "Right"),
        """
        Pelvis, L5, L3, T12, T8, Neck, Head
        T8, <Shoulder, <UpperArm, <ForeArm, <Hand
        Pelvis, <UpperLeg, <LowerLeg, <Foot, <Toe
        """,
        "Pelvis, L5, T8, Neck, Head",
        "<Shoulder, <UpperArm, <ForeArm, <Hand",
        "<UpperLeg, <LowerLeg, <Foot, <Toe",
    ),
    "MMD": (
        ("左", "右"),
        """
        全ての親, センター, 下半身, <足, <ひざ, <足首, <つま先
        センター, 上半身, 上半身2, 首, 頭, <目
        上半身2, <肩, <腕, <ひじ, <手首, <親指１
        全ての親, <足ＩＫ, <つま先ＩＫ
        """,
        "下半身, 上半身, 上半身2, 首, 頭",
        "<肩, <腕, <ひじ, <手首",
        "<足, <ひざ, <足首, <つま先",
    ),
    "MMD, the mesh on 足D": (
        ("左", "右"),
        """
        全ての親, センター, 腰, 下半身, 腰キャンセル<, 足<, ひざ<, 足首<
        腰キャンセル<, 足D<, ひざD<, 足首D<, 足先EX<
        腰, 上半身, 上半身2, 首, 頭
        上半身2, 肩<, 腕<, 腕捩<, ひじ<, 手捩<, 手首<, 人指１<
        """,
        "下半身, 上半身, 上半身2, 首, 頭",
        "肩<, 腕<, ひじ<, 手首<",
        "足D<, ひざD<, 足首D<, 足先EX<",
    ),
    "CloudRig": (
        ("L", "R"),
        """
        DEF-Hips, DEF-Spine, DEF-RibCage, DEF-Chest, DEF-Neck, DEF-Head
        DEF-Chest, DEF-Clavicle.<, DEF-UpperArm1.<, DEF-Forearm1.<, DEF-Wrist.<
        DEF-UpperArm1.<, DEF-UpperArm2.<
        DEF-Hips, DEF-Thigh1.<, DEF-Knee1.<, DEF-Foot.<, DEF-Toe.<
        DEF-Thigh1.<, DEF-Thigh2.<
        DEF-Knee1.<, DEF-Knee2.<
        """,
        "DEF-Hips, DEF-Spine, DEF-Chest, DEF-Neck, DEF-Head",
        "DEF-Clavicle.<, DEF-UpperArm1.<, DEF-Forearm1.<, DEF-Wrist.<",
        "DEF-Thigh1.<, DEF-Knee1.<, DEF-Foot.<, DEF-Toe.<",
    ),
    "BlenRig": (
        ("L", "R"),
        """
        pelvis_def, spine_1_def, spine_2_def, spine_3_def, neck_1_def, head_def_1
        spine_3_def, clavi_def_<, arm_def_<, forearm_def_<, hand_def_<
        pelvis_def, thigh_def_<, shin_def_<, foot_def_<, foot_toe_1_def_<
        """,
        "pelvis_def, spine_1_def, spine_3_def, neck_1_def, head_def_1",
        "clavi_def_<, arm_def_<, forearm_def_<, hand_def_<",
        "thigh_def_<, shin_def_<, foot_def_<, foot_toe_1_def_<",
    ),
    "Auto-Rig Pro in halves": (
        ("l", "r"),
        """
        root.x, spine_01.x, spine_02.x, spine_03.x, neck.x, head.x
        spine_03.x, shoulder.<, arm_twist.<, forearm_stretch.<, hand.<
        arm_twist.<, arm_stretch.<
        root.x, thigh_twist.<, leg_stretch.<, foot.<, toes_01.<
        thigh_twist.<, thigh_stretch.<
        leg_stretch.<, leg_twist.<
        """,
        "root.x, spine_01.x, spine_03.x, neck.x, head.x",
        "shoulder.<, arm_twist.<, forearm_stretch.<, hand.<",
        "thigh_twist.<, leg_stretch.<, foot.<, toes_01.<",
    ),
    "a cartoon's Japanese names": (
        ("L", "R"),
        """
        腰, お腹, 胸, 首, 頭
        胸, 肩.<, 腕.<, ひじ.<, 手.<
        腰, もも.<, すね.<, 足.<, つま先.<
        """,
        "腰, お腹, 胸, 首, 頭",
        "肩.<, 腕.<, ひじ.<, 手.<",
        "もも.<, すね.<, 足.<, つま先.<",
    ),
}


def named(names, parents):
    return {role: names[joint] for role, joint in roles.find(names, parents).items()}


@pytest.mark.both_engines
@pytest.mark.parametrize("rig", BODIES)
def test_every_role_of_a_usual_rig_is_found(rig):
    sides, chains, trunk, arm, leg = BODIES[rig]
    assert named(*body(chains, sides)) == expected(trunk, arm, leg, sides)


@pytest.mark.parametrize("rig", BODIES)
def test_the_order_of_siblings_does_not_matter(rig):
    sides, chains, trunk, arm, leg = BODIES[rig]
    names, parents = body(chains, sides)
    depth = [len(roles.ancestors(joint, parents)) for joint in range(len(names))]
    order = sorted(range(len(names)), key=lambda joint: (depth[joint], -joint))
    again = np.array([-1 if parents[j] < 0 else order.index(parents[j]) for j in order])
    assert named([names[j] for j in order], again) == expected(trunk, arm, leg, sides)


@pytest.mark.parametrize("prefix", ["mixamorig:", "mixamorig9:", "Armature|mixamorig:", "mixamorig_", "mixamorig", ""])
def test_mixamos_prefix_is_not_part_of_the_name(prefix):
    sides, *texts = BODIES["Mixamo"]
    chains, trunk, arm, leg = (text.replace("mixamorig:", prefix) for text in texts)
    assert named(*body(chains, sides)) == expected(trunk, arm, leg, sides)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("pattern", "missing"),
    [
        ("cmu/cmu_mb_*", []),
        ("cmu/cmu_asf_*", []),
        ("cmu/cmu_daz_*", ["toe.L", "toe.R"]),
        ("odd/bvh-python__test_freebvh", []),
        ("odd/ofxBvh__perfume", []),
        ("odd/bvh-python__test_mocapbank", ["toe.L", "toe.R"]),
        ("odd/bvh-parser__example", ["toe.L", "toe.R"]),
        ("odd/GenoView__Geno_bind", []),
    ],
)
def test_captured_bodies_are_understood(pattern, missing):
    complete = {*TRUNK, *(f"{role}.{side}" for role in ARM + LEG for side in "LR")}
    paths = list(material.SHARED.glob(f"{pattern}.bvh"))
    assert paths
    for path in paths:
        motion = bvh.read(path)
        assert complete - set(roles.find(motion.names, motion.parents)) == set(missing), path.name


@pytest.mark.both_engines
def test_a_joint_that_does_not_hang_where_its_name_says_plays_no_role():
    names = ["hips", "LeftUpLeg", "LeftFoot", "LeftLeg", "RightUpLeg", "RightLeg", "RightFoot"]
    found = named(names, np.array([-1, 0, 0, 1, 0, 4, 5]))
    assert found["shin.L"] == "LeftLeg"
    assert "foot.L" not in found
    assert found["foot.R"] == "RightFoot"


@pytest.mark.both_engines
@pytest.mark.parametrize(
    "names", [["a", "b", "c"], ["Bone", "Bone.001", "Bone.002"], ["", " ", "::"], ["左", "L", "r"]], ids=" ".join
)
def test_names_that_tell_nothing_give_no_roles(names):
    assert roles.find(names, np.array([-1, 0, 1])) == {}


@pytest.mark.both_engines
def test_the_joints_above_one_are_its_parent_first_and_its_root_last():
    assert roles.ancestors(4, np.array([-1, 0, 0, 2, 3])) == [3, 2, 0]
    assert roles.ancestors(0, np.array([-1])) == []


def chain(*names):
    return names, np.arange(len(names)) - 1


def test_hips_below_the_chest_are_no_error():
    found = roles.find(*chain("Chest", "Hips", "LeftThigh", "LeftShin", "LeftFoot"))
    assert found["hips"] == 1
    assert found["shin.L"] == 3
    assert "chest" not in found
    assert "spine" not in found


def test_a_body_of_one_piece_is_hips_and_chest_alike():
    names = ["Torso", "LeftThigh", "RightThigh", "LeftUpperArm", "RightUpperArm"]
    found = named(names, np.array([-1, 0, 0, 0, 0]))
    assert found["hips"] == found["chest"] == "Torso"
    assert "spine" not in found


@pytest.mark.parametrize(
    ("names", "parents"),
    [
        chain(*["n0:LeftThigh"] * 242),
        chain(*[f"{('Left', 'Right')[k % 2]}{('Thigh', 'Shin', 'Foot', 'Toe')[k % 4]}" for k in range(10_000)]),
        chain("Hips", *["Chest"] * 3, *[f"c{k}" for k in range(9_996)]),
        chain(*[f"{('DEF', 'ORG')[k % 2]}-spine{k}" for k in range(10_000)]),
        chain(*[f"DEF-spine.{k % 7}" for k in range(10_000)]),
        (tuple(f"j{k}" for k in range(10_000)), np.array([-1, *[0] * 9_999])),
        (("ORG-a", "ORG-b", "DEF-b", "DEF-a", *(f"DEF-{k}" for k in range(9))), np.array([-1, -1, 0, 1, *[3] * 9])),
    ],
)
def test_no_skeleton_hangs_or_breaks(names, parents):
    assert set(roles.find(names, parents).values()) <= set(range(len(names)))


def test_a_second_or_third_branch_of_names_changes_nothing():
    names, parents = chain("Hips", "LeftThigh", "LeftShin", "LeftFoot", "LeftToe")
    again = (*names, "LeftThigh", "LeftShin", "LeftFoot", "LeftToe")
    assert roles.find(again, np.array([*parents, 0, 5, 6, 7])) == roles.find(names, parents)


def character(name):
    skeleton = material.character(name)
    return skeleton.names, skeleton.parents, skeleton.rest[1]


SIDED = {
    "mannequiny": "clavicle.<, upperarm.<, lowerarm.<, hand.<, thigh.<, calf.<, foot.<, ball.<",
    "RobotExpressive": "Shoulder.<, UpperArm.<, LowerArm.<, -, UpperLeg.<, LowerLeg.<, Foot.<, -",
    "Fox": "-, b_<UpperArm, b_<ForeArm, b_<Hand, b_<Leg01, b_<Leg02, b_<Foot01, b_<Foot02",
    "boxman": "-, arm_upper.<, arm_lower.<, -, leg_upper.<, leg_lower.<, -, -",
    "godot_player": "-, <-arm, <-forearm, -, <-thigh, <-leg, <-foot, -",
}


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("name", "sides", "trunk", "count"),
    [
        ("mannequiny", "lr", "pelvis, spine_01, spine_02, neck_01, head", 21),
        ("RobotExpressive", "LR", "Hips, Abdomen, Torso, Neck, Head", 17),
        ("Fox", ("Left", "Right"), "b_Hip, b_Spine01, b_Spine02, b_Neck, b_Head", 19),
        ("boxman", "LR", "body_IK, -, -, -, head", 10),
        # What this rig calls left is on its right: its knees say so.
        ("godot_player", "rl", "hip, waist, chest, neck, head", 15),
    ],
)
def test_characters_are_understood(name, sides, trunk, count):
    names, parents, places = character(name)
    arm, leg = (", ".join(half) for half in np.split(np.array(SIDED[name].split(", ")), 2))
    found = {role: names[joint] for role, joint in roles.find(names, parents, places).items()}
    if name == "Fox":
        found = {role: joint.rpartition("_")[0] for role, joint in found.items()}
    assert found == expected(trunk, arm, leg, sides)
    assert len(found) == count


def test_left_is_told_by_toes_or_knees_where_names_say_it_wrongly():
    figure = figure_body.skeleton()
    names, parents, places = figure.names, figure.parents, figure.rest[1]
    plain = roles.find(names, parents)
    assert roles.find(names, parents, places) == plain
    seen_in_a_mirror = places * (-1.0, 1.0, 1.0)
    swapped = {f"{role[:-1]}{'R' if role[-1] == 'L' else 'L'}" if "." in role else role: j for role, j in plain.items()}
    assert roles.find(names, parents, seen_in_a_mirror) == swapped
    # Which way up or how large the rest pose is does not matter.
    assert roles.find(names, parents, 40.0 * seen_in_a_mirror[:, [1, 2, 0]]) == swapped
    assert roles.find(names, parents, 40.0 * places[:, [1, 2, 0]]) == plain
    # Without toes the knees tell.
    toeless = [joint for joint, name in enumerate(names) if not name.startswith("toe")]
    above = np.array([toeless.index(p) if p >= 0 else -1 for p in parents[toeless]])
    short = [names[joint] for joint in toeless]
    assert roles.find(short, above, seen_in_a_mirror[toeless])["thigh.L"] == short.index("thigh.R")
    # Legs as straight as captured ones tell nothing.
    straight = seen_in_a_mirror[toeless]
    straight[[short.index(f"{role}.{side}") for role in ("thigh", "shin", "foot") for side in "LR"], 1] = 0.0
    assert roles.find(short, above, straight)["thigh.L"] == short.index("thigh.L")
    # Nor do joints that are all in one place.
    assert roles.find(names, parents, np.zeros((21, 3))) == plain


def test_the_knees_of_birds_bend_backwards_and_say_nothing():
    names, parents, places = character("godot_player")
    places = places.copy()
    places[[names.index("l-leg"), names.index("r-leg")], 1] -= 0.15
    assert roles.find(names, parents, places)["thigh.L"] == names.index("l-thigh")


@pytest.mark.both_engines
def test_feet_and_hands_that_hang_on_a_root_are_found():
    names, parents = body(
        """
        Root, Hips, <UpLeg, <Leg
        Hips, Spine, Chest, <Shoulder, <Arm, <ForeArm
        Root, <Foot, <Toe
        Root, <Hand
        """,
        ("Left", "Right"),
    )
    found = named(names, parents)
    assert (found["foot.L"], found["toe.L"], found["hand.R"]) == ("LeftFoot", "LeftToe", "RightHand")
    # Two of a name: nobody knows which.
    names, parents = [*names, "Left_Foot"], np.append(parents, 0)
    found = named(names, parents)
    assert "foot.L" not in found
    assert found["foot.R"] == "RightFoot"


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("leg", "arm"),
    [
        ("hind_thigh_<, hind_shin_<, hind_foot_<, hind_toe_<", "front_thigh_<, front_shin_<, front_foot_<"),
        ("thigh.<, shin.<, foot.<, toe.<", "shoulder.<, front_thigh.<, front_shin.<, front_foot.<, front_toe.<"),
        ("<BackLegUpper, <BackLegLower, <BackPaw, <BackToe", "<FrontLegUpper, <FrontLegLower, <FrontPaw"),
        ("Leg_Rear_Upper_<, Leg_Rear_Lower_<, Foot_Rear_<", "Leg_Front_Upper_<, Leg_Front_Lower_<, Foot_Front_<"),
    ],
)
def test_front_legs_are_arms(leg, arm):
    names, parents = body(f"Hips, Spine, Chest, Neck, Head\nHips, {leg}\nChest, {arm}", "LR")
    found = named(names, parents)
    for side in "LR":
        for part, of_part in ((leg, ("thigh", "shin", "foot")), (arm, ("upper_arm", "forearm", "hand"))):
            theirs = [name for name in part.replace("<", side).split(", ") if "houlder" not in name][:3]
            assert [found[f"{role}.{side}"] for role in of_part] == theirs
    assert found["chest"] == "Chest"


def test_a_role_of_one_side_is_played_on_the_other_by_who_stands_there():
    figure = figure_body.skeleton()
    places, parents = figure.rest[1], figure.parents
    names = ["a bone" if name == "shin.R" else "Rigth Hand" if name == "hand.R" else name for name in figure.names]
    assert "shin.R" not in roles.find(names, parents)
    reported = roles.find(names, parents, places)
    assert reported == {name: joint for joint, name in enumerate(figure.names)}
    how = roles.found_by(names, parents, places)
    assert {role for role in how if how[role] != roles.NAME} == {"shin.R", "hand.R"}
    assert how["shin.R"] == roles.SHAPE
    # Who stands there but hangs elsewhere is no shin; nor is there one where nobody stands.
    apart = parents.copy()
    apart[figure.index("shin.R")] = 0
    assert roles.find(names, apart, places).get("shin.R") is None
    moved = places + np.where(np.arange(21)[:, None] == figure.index("shin.R"), (0.0, 0.2, 0.0), 0.0)
    assert roles.find(names, parents, moved).get("shin.R") is None
    # One side alone has no mirror.
    one_sided = [name for name in figure.names if not name.endswith(".R")]
    assert set(roles.find(one_sided, parents[: len(one_sided)], places[: len(one_sided)])) == set(one_sided)


def test_how_sure_a_role_is_is_told():
    names, parents, places = character("boxman")
    reported = roles.found_by(names, parents, places)
    assert reported["thigh.L"] == roles.NAME
    assert reported["hips"] == roles.HIERARCHY
    names, parents, places = character("godot_player")
    reported = roles.found_by(names, parents, places)
    assert (reported["thigh.L"], reported["hips"]) == (roles.SHAPE, roles.NAME)
    assert set(reported) == set(roles.find(names, parents, places))
    assert set(roles.found_by(*character("Fox")).values()) == {roles.NAME}


def test_a_jaw_is_no_head_and_padded_numbers_do_not_count():
    joints = ["C_hips0001", "C_spine0001", "C_spine0002", "C_neck0001", "C_head0001", "C_jaw_bind_JNT"]
    parents = [-1, 0, 1, 2, 3, 4]
    for side in "LR":
        for on, chain in (
            (2, ("clavicle0001", "armUpper0001", "armLower0001", "hand0001")),
            (0, ("legUpper0001", "legLower0001", "foot0001", "toe0001")),
        ):
            for name in chain:
                parents.append(on)
                on = len(joints)
                joints.append(f"{side}_{name}")
    found = named(joints, np.array(parents))
    assert found["head"] == "C_head0001"
    assert len(found) == 21
    assert {found["thigh.L"], found["shin.L"], found["hand.R"]} == {"L_legUpper0001", "L_legLower0001", "R_hand0001"}


def test_a_word_before_most_names_is_the_rigs():
    sides, *texts = BODIES["Mixamo"]
    chains, trunk, arm, leg = (text.replace("mixamorig:", "Avatar_") for text in texts)
    names, parents = body(chains, sides)
    more = ["eye_l", "eye_r", "jaw", "hat", "bag"]
    parents = np.concatenate([parents, np.zeros(len(more), dtype=np.int64)])
    assert named([*names, *more], parents) == expected(trunk, arm, leg, sides)
