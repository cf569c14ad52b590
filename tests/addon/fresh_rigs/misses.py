"""What is not right yet: by case of test_fresh_found, what was found or measured in Blender 5.2."""

FOUND = {
    # The bones that deform, by roles.
    ("cartoon_cat",): "12 of 17: hips is none, not 変形_腰",
    # Controls, with roles as the add-on finds them.
    ("cartoon_cat", "found", "arms"): "10 of 10: IK of arm_l is none, not 手IK.L",
    ("cartoon_cat", "found", "legs"): "4 of 4: IK of leg_l is none, not 足IK.L",
    ("cartoon_cat", "found", "switches"): "2 of 2 not found: arm_l",
    ("cloudrig", "found", "trunk"): "6 of 8: pelvis is DEF-Hips, not MSTR-Spine_Hips",
    # Controls, with the right roles chosen by the artist.
    ("cloudrig", "chosen", "trunk"): "4 of 8: pelvis is DEF-Hips, not MSTR-Spine_Hips",
    # Broken rigs.
}

# Posed by, and whether the trunk stays as it is; keyed on; the worst part.
SOLVED = {
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
