"""Known failures of test_fresh_found, {case: reason}: roles found or errors measured in Blender 5.2."""

# Cases of detection: (rig,) for deform bones and broken rigs, (rig, "found" or "chosen" roles, kind) for controls.
FOUND: dict[tuple[str, ...], str] = {}

# Cases of keying: (rig, "found" or "chosen" roles, posed, limbs, figure), and (rig, limbs) for broken rigs.
SOLVED: dict[tuple[str, ...], str] = {}
