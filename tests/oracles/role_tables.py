"""Body roles of a rig's joints, by the rig's naming scheme."""

TRUNK = ("hips", "spine", "chest", "neck", "head")
ARM = ("clavicle", "upper_arm", "forearm", "hand")
LEG = ("thigh", "shin", "foot", "toe")


def expected(trunk, arm, leg, sides):
    """Return the roles of a whole body; - marks a joint that the rig lacks."""
    reported = dict(zip(TRUNK, trunk.split(","), strict=True))
    for side, word in zip("LR", sides, strict=True):
        for role, name in zip(ARM + LEG, [*arm.split(","), *leg.split(",")], strict=True):
            reported[f"{role}.{side}"] = name.replace("<", word)
    return {role: name.strip() for role, name in reported.items() if name.strip() != "-"}
