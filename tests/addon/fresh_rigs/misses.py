"""What is not right yet: by case of test_fresh_found, what was found or measured in Blender 5.2."""

# The bones that deform, by roles; controls, with roles as found and as an artist chose them; broken rigs.
FOUND: dict[tuple[str, ...], str] = {}

# Posed by, and whether the trunk stays as it is; keyed on; the worst part.
SOLVED: dict[tuple[str, ...], str] = {}
