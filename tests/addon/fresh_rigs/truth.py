"""The form of a rig's true answers.

Parts of the body are `pelvis`, `spine_1` and up, `neck`, `head`, `tail_1` and on, and for each side `clavicle`,
`upperarm`, `forearm`, `hand`, `thigh`, `shin`, `foot`, `toe` with `_l` or `_r`. A part may hold two deform bones in a
row.
"""

from dataclasses import dataclass, field

ARM, LEG = ("upperarm", "forearm", "hand"), ("thigh", "shin", "foot", "toe")


@dataclass(frozen=True)
class Switch:
    """A custom property of a bone (or with no bone, of the object), and its values for IK and for FK."""

    bone: str
    name: str
    ik: int
    fk: int


@dataclass(frozen=True)
class Limb:
    """Controls of an arm or a leg. `fk` goes by parts; empty where the limb can be posed by IK only."""

    ik: str
    pole: str = ""
    fk: dict[str, str] = field(default_factory=dict)
    switch: Switch | None = None
    # Controls that bend only the toes while the leg is on IK, by parts; controls that roll the foot.
    tips: dict[str, str] = field(default_factory=dict)
    roll: tuple[str, ...] = ()
    # Whether the IK makes it longer.
    stretches: bool = False


@dataclass(frozen=True)
class Truth:
    """True answers for a rig: `root` carries everything, `torso` all but planted hands and feet."""

    root: str
    torso: str
    deform: dict[str, tuple[str, ...]]
    # Controls of the parts that no limb has.
    controls: dict[str, str]
    limbs: dict[str, Limb]
    height: float = 1.7
    # Other bones that may be called the root, or carry the trunk, as well.
    also: tuple[str, ...] = ()


def sided(parts, sides=("l", "r")):
    """Return {part_side: (name,)} of templates: `sided({"thigh": "DEF-Thigh.{s}"})` puts l or r, `{S}` L or R."""
    made = {}
    for side in sides:
        for part, names in parts.items():
            given = (names,) if isinstance(names, str) else names
            word = {"l": "Left", "r": "Right"}[side]
            made[f"{part}_{side}"] = tuple(n.format(s=side, S=side.upper(), W=word, w=word.lower()) for n in given)
    return made


def plain(parts, sides=("l", "r")):
    """Return the same with one name each, for controls."""
    return {part: names[0] for part, names in sided(parts, sides).items()}


def parts_of(limb):
    """Return the parts of a limb: `parts_of("leg_l")`."""
    kind, side = limb.split("_")
    return [f"{part}_{side}" for part in (LEG if kind == "leg" else ARM)]
