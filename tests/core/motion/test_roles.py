"""Names, hierarchy and rest pose determine the body part of each joint."""

import numpy as np
import pytest
from action_loom.core.demo_character import body as figure_body
from action_loom.core.formats import bvh
from action_loom.core.motion import roles
from oracles import material
from oracles.role_bodies import BODIES
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
        # This rig names its right side left; its knees show it.
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
    # Captured legs may be straight, and straight legs show no side.
    straight = seen_in_a_mirror[toeless]
    straight[[short.index(f"{role}.{side}") for role in ("thigh", "shin", "foot") for side in "LR"], 1] = 0.0
    assert roles.find(short, above, straight)["thigh.L"] == short.index("thigh.L")
    # Joints that are all in one place show no side either.
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
    # Two joints of one name: their role is unknown.
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
        ("thigh.<, lower_leg.<, hind_foot.<, r_toe.<", "shoulder.<, upper_arm.<, forearm.<, forefoot.<, f_toe.<"),
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
    # A shin needs the right parent and the right place: either alone is not enough.
    apart = parents.copy()
    apart[figure.index("shin.R")] = 0
    assert roles.find(names, apart, places).get("shin.R") is None
    moved = places + np.where(np.arange(21)[:, None] == figure.index("shin.R"), (0.0, 0.2, 0.0), 0.0)
    assert roles.find(names, parents, moved).get("shin.R") is None
    # A single side lacks a mirror image.
    one_sided = [name for name in figure.names if not name.endswith(".R")]
    assert set(roles.find(one_sided, parents[: len(one_sided)], places[: len(one_sided)])) == set(one_sided)


def test_limbs_that_no_name_tells_are_found_on_a_mirrored_body_too():
    figure = figure_body.skeleton()
    unnamed = ("thigh", "shin", "upper_arm", "forearm")
    names = [f"b{k}" if name.startswith(unnamed) else name for k, name in enumerate(figure.names)]
    places = figure.rest[1]
    found = roles.find(names, figure.parents, places)
    assert len(found) == len(figure.names)
    mirrored = roles.find(names, figure.parents, places * (-1.0, 1.0, 1.0))
    # Sides follow the body, whatever its names say.
    assert {f"{r[:-1]}{'LR'[r.endswith('L')]}" if "." in r else r: joint for r, joint in mirrored.items()} == found


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


def test_a_bone_named_hips_that_carries_no_limb_is_not_the_hips():
    """As in a game pack of animals: hips and legs are siblings below the bone that carries the body."""
    beside = """
        root,Body,Hips,Torso
        Body,Shoulders,Neck,Head
        Body,UpLeg.<,LowLeg.<,Foot.<
        Body,UpArm.<,LowArm.<,Hand.<
    """
    assert named(*body(beside, "LR"))["hips"] == "Body"
    above = beside.replace("Body,UpLeg", "Hips,UpLeg")
    assert named(*body(above, "LR"))["hips"] == "Hips"
