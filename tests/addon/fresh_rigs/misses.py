"""What is not right yet: by case of test_fresh_found, what was found or measured in Blender 5.2."""

FOUND = {
    # The bones that deform, by roles.
    ("cartoon_cat",): "12 of 17: hips is none, not 変形_腰",
    ("cloudrig",): "11 of 21: chest is DEF-Spine, not DEF-Chest",
    ("blenrig",): "4 of 21: clavicle.L is none, not clavi_def_L",
    ("auto_rig_pro",): "5 of 21: hips is none, not root.x",
    # Controls, with roles as the add-on finds them.
    ("cartoon_cat", "found", "arms"): "10 of 10: IK of arm_l is none, not 手IK.L",
    ("cartoon_cat", "found", "legs"): "4 of 4: IK of leg_l is none, not 足IK.L",
    ("cartoon_cat", "found", "switches"): "2 of 2 not found: arm_l",
    ("cloudrig", "found", "trunk"): "6 of 8: pelvis is DEF-Hips, not MSTR-Spine_Hips",
    ("cloudrig", "found", "arms"): "10 of 10: IK of arm_l is none, not IK-MSTR-Wrist.L",
    ("cloudrig", "found", "legs"): "14 of 14: IK of leg_l is none, not IK-MSTR-Foot.L",
    ("cloudrig", "found", "switches"): "4 of 4 not found: leg_l",
    ("blenrig", "found", "trunk"): "8 of 8: pelvis is pelvis_def, not pelvis_ctrl",
    ("blenrig", "found", "legs"): "10 of 14: thigh_l is thigh_def_L, not thigh_fk_L",
    ("auto_rig_pro", "found", "arms"): "10 of 10: IK of arm_l is none, not c_hand_ik.l",
    ("auto_rig_pro", "found", "legs"): "14 of 14: IK of leg_l is none, not c_foot_ik.l",
    ("auto_rig_pro", "found", "switches"): "4 of 4 not found: leg_l",
    # Controls, with the right roles chosen by the artist.
    ("cloudrig", "chosen", "trunk"): "4 of 8: pelvis is DEF-Hips, not MSTR-Spine_Hips",
    # Broken rigs.
}

# Posed by, and whether the trunk stays as it is; keyed on; the worst part.
SOLVED = {
    ("blenrig", "found", "fk", "fk", "directions"): "toe_l 15.9°",
    ("blenrig", "found", "fk", "fk", "ends"): "hand_r 25.2 mm",
    ("blenrig", "found", "fk", "fk", "middles"): "forearm_r 24.3 mm",
    ("blenrig", "found", "fk", "ik", "directions"): "toe_l 15.9°",
    ("blenrig", "found", "fk", "ik", "middles"): "forearm_l 45.8 mm",
    ("blenrig", "found", "fk limbs", "fk", "directions"): "toe_l 15.5°",
    ("blenrig", "found", "fk limbs", "ik", "directions"): "toe_l 15.5°",
    ("blenrig", "found", "ik", "fk", "directions"): "toe_l 16.3°",
    ("blenrig", "found", "ik", "fk", "ends"): "hand_r 25.2 mm",
    ("blenrig", "found", "ik", "fk", "middles"): "forearm_r 24.3 mm",
    ("blenrig", "found", "ik", "ik", "directions"): "toe_l 16.3°",
    ("blenrig", "found", "ik", "ik", "middles"): "forearm_l 15.2 mm",
    ("blenrig", "found", "ik limbs", "fk", "directions"): "toe_r 15.7°",
    ("blenrig", "found", "ik limbs", "ik", "directions"): "toe_r 15.7°",
    ("cartoon_cat", "chosen", "fk", "fk", "directions"): "thigh_r 8.4°",
    ("cartoon_cat", "chosen", "fk", "fk", "middles"): "shin_l 24.8 mm",
    ("cartoon_cat", "chosen", "fk", "ik", "directions"): "thigh_r 8.4°",
    ("cartoon_cat", "chosen", "fk", "ik", "middles"): "shin_l 24.8 mm",
    ("cartoon_cat", "chosen", "fk limbs", "fk", "directions"): "thigh_r 8.5°",
    ("cartoon_cat", "chosen", "fk limbs", "fk", "middles"): "shin_r 24.8 mm",
    ("cartoon_cat", "chosen", "fk limbs", "ik", "directions"): "thigh_r 8.5°",
    ("cartoon_cat", "chosen", "fk limbs", "ik", "middles"): "shin_r 24.8 mm",
    ("cartoon_cat", "chosen", "ik", "fk", "directions"): "thigh_r 8.6°",
    ("cartoon_cat", "chosen", "ik", "fk", "middles"): "shin_l 24.8 mm",
    ("cartoon_cat", "chosen", "ik", "ik", "directions"): "thigh_r 8.6°",
    ("cartoon_cat", "chosen", "ik", "ik", "middles"): "shin_l 24.8 mm",
    ("cartoon_cat", "chosen", "ik limbs", "fk", "directions"): "thigh_r 8.6°",
    ("cartoon_cat", "chosen", "ik limbs", "fk", "middles"): "shin_r 24.9 mm",
    ("cartoon_cat", "chosen", "ik limbs", "ik", "directions"): "thigh_r 8.6°",
    ("cartoon_cat", "chosen", "ik limbs", "ik", "middles"): "shin_r 24.9 mm",
    ("manny", "found", "fk", "ik", "directions"): "toe_l 15.9°",
    ("manny", "found", "fk limbs", "ik", "directions"): "toe_l 15.5°",
}
