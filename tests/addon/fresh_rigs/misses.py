"""What is not right yet: by case of test_fresh_found, what was found or measured in Blender 5.2."""

FOUND = {
    # The bones that deform, by roles.
    ("cartoon_cat",): "1 of 17: spine is 変形_胸, not 変形_お腹, which only reaches from hips to chest",
    # Controls, with roles as the add-on finds them.
    ("cloudrig", "found", "trunk"): "6 of 8: pelvis is DEF-Hips, not MSTR-Spine_Hips",
    # Controls, with the right roles chosen by the artist.
    ("cloudrig", "chosen", "trunk"): "4 of 8: pelvis is DEF-Hips, not MSTR-Spine_Hips",
    # Broken rigs.
}

# Posed by, and whether the trunk stays as it is; keyed on; the worst part.
SOLVED: dict[tuple[str, ...], str] = {}
