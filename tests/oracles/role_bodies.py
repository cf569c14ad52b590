"""Bodies by the names of common naming schemes.

By scheme: its words for left and right, chains of joints (see `test_roles.body`), and the bones of trunk, arm and leg.
"""

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
