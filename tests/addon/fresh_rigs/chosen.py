"""Translate the true answers into the add-on's words: roles of bones, names of limbs."""

from .truth import parts_of

_NAMES = {"pelvis": "hips", "upperarm": "upper_arm"}


def role(truth, part):
    """Return the role of a part, or "" for a part without a role, like tails and the middle of a spine."""
    spines = [one for one in truth.deform if one.startswith("spine_")]
    if part in spines:
        return {spines[0]: "spine", spines[-1]: "chest"}.get(part, "")
    name, _, side = part.partition("_")
    return "" if name == "tail" else _NAMES.get(name, name) + (f".{side.upper()}" if side else "")


def roles(truth):
    """Return {role: deform bone}, as an artist would choose them in the panel."""
    return {role(truth, part): names[0] for part, names in truth.deform.items() if role(truth, part)}


def part_name(limb):
    """Return the add-on's name of a limb: "Left leg" for "leg_l"."""
    kind, _, side = limb.partition("_")
    return f"{'Left' if side == 'l' else 'Right'} {kind}"


def bones_of(truth, limb):
    """Return the first deform bone of each part of a limb."""
    return [truth.deform[part][0] for part in parts_of(limb) if part in truth.deform]


def limb_of(part):
    """Return the limb that a part of the body belongs to, or ""."""
    return next((limb for limb in ("arm_l", "arm_r", "leg_l", "leg_r") if part in parts_of(limb)), "")


def expected(truth, kind):
    """Return {name: control} of the trunk, the arms or the legs; names are parts or purposes like "IK of arm_l"."""
    if kind == "trunk":
        return {part: control for part, control in truth.controls.items() if not limb_of(part)}
    out = {part: control for part, control in truth.controls.items() if limb_of(part).startswith(kind[:3])}
    for name, limb in truth.limbs.items():
        if name.startswith(kind[:3]):
            out |= {f"IK of {name}": limb.ik, f"pole of {name}": limb.pole, **limb.fk}
            out |= {f"{part} on IK": control for part, control in limb.tips.items()}
    return out


def as_found(truth, found, kind):
    """Return the found controls in the same form; FK entries exist only for limbs with FK in the truth."""
    controls = {bone: dict(part.fk).get(role, "") for part in found.parts for role, bone in part.bones}
    out = {part: controls.get(truth.deform[part][0], "") for part in truth.deform if part in expected(truth, kind)}
    parts = {part.name: part for part in found.parts}
    for name in truth.limbs if kind != "trunk" else ():
        if name.startswith(kind[:3]):
            one = parts.get(part_name(name))
            bones, tips = (dict(one.bones), dict(one.tips)) if one else ({}, {})
            out |= {f"IK of {name}": one.ik if one else "", f"pole of {name}": one.pole if one else ""}
            out |= {
                f"{part} on IK": c
                for part in parts_of(name)
                for r, c in tips.items()
                # Controls that roll the foot may turn it.
                if bones[r] in truth.deform.get(part, ()) and c not in truth.limbs[name].roll
            }
            out |= {f"{part} on IK": "" for part in truth.limbs[name].tips if f"{part} on IK" not in out}
    return out
