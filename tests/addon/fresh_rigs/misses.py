"""Known failures by case of test_fresh_found: the roles found or errors measured in Blender 5.2."""

# The bones that deform, by roles; controls, with roles as found and as an artist chose them; broken rigs.
FOUND: dict[tuple[str, ...], str] = {}

# Keys: how the rig is posed and whether the trunk is left alone; how it is keyed; the worst part.
SOLVED: dict[tuple[str, ...], str] = {}
