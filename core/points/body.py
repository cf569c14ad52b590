"""The points of a body that the solver knows, and the lengths between them that never change."""

from collections.abc import Collection

SIDES = ("L", "R")
MIDDLE = ("neck", "head", "nose", "spine", "pelvis")
PAIRED = (
    *("hip", "knee", "ankle", "heel", "toe", "shoulder", "elbow", "wrist", "index", "pinky", "knuckle", "thumb"),
    *("ear", "eye"),
)
NAMES = (*MIDDLE, *(f"{part}.{side}" for part in PAIRED for side in SIDES))
NEEDED = tuple(f"{part}.{side}" for part in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist") for side in SIDES)

# Pairs of points at a constant distance, with the weight of a correction of their distance. The pair of shoulders has a
# low weight, because the shoulder girdle moves.
GIRDLE = 0.1
_SIDED = (
    ("hip", "knee"),
    ("knee", "ankle"),
    ("ankle", "heel"),
    ("ankle", "toe"),
    ("heel", "toe"),
    ("shoulder", "elbow"),
    ("elbow", "wrist"),
    ("wrist", "index"),
    ("wrist", "pinky"),
    ("wrist", "knuckle"),
    ("wrist", "thumb"),
    ("index", "pinky"),
)
_CENTRAL = (
    ("hip.L", "hip.R", 1.0),
    ("shoulder.L", "shoulder.R", GIRDLE),
    ("ear.L", "ear.R", 1.0),
    ("ear.L", "nose", 1.0),
    ("ear.R", "nose", 1.0),
    ("eye.L", "eye.R", 1.0),
    ("eye.L", "nose", 1.0),
    ("eye.R", "nose", 1.0),
    ("neck", "head", 1.0),
    ("head", "nose", 1.0),
)
Bone = tuple[str, str, float]

LEGS, ARMS = ("knee", "ankle", "heel", "toe"), ("elbow", "wrist", "index", "pinky", "knuckle", "thumb")
# Groups of points whose left and right a tracker exchanges together: a pair of limbs with its girdle, or without it.
GROUPS = (("hip", *LEGS), LEGS, ("shoulder", *ARMS), ARMS)

# Segments between two kinds of points, and their shares of the body's mass [Winter].
MASSES = (
    (("hip", "shoulder"), 0.578),
    (("hip", "knee"), 0.2),
    (("knee", "ankle"), 0.122),
    (("shoulder", "elbow"), 0.056),
    (("elbow", "wrist"), 0.044),
)
HEIGHT_OF_LEG = 0.49  # length of the leg (thigh and shin) in body heights, the same as for a skeleton
USUAL_HEIGHT = 1.7  # m


def bones_between(names: Collection[str]) -> list[Bone]:
    """Return the pairs at a constant distance whose two points are known: the trunk first, then the limbs outwards.

    Example:
        >>> from action_loom.core.points import body
        >>> body.bones_between(["hip.L", "hip.R", "knee.L"])
        [('hip.L', 'hip.R', 1.0), ('hip.L', 'knee.L', 1.0)]
    """
    sided = [(f"{one}.{side}", f"{other}.{side}", 1.0) for one, other in _SIDED for side in SIDES]
    return [bone for bone in (*_CENTRAL, *sided) if bone[0] in names and bone[1] in names]


def other_side(name: str) -> str:
    """Return the name of a point on the other side of the body; the name itself for a point in the middle."""
    return f"{name[:-1]}{'R' if name.endswith('L') else 'L'}" if name[-2:] in (".L", ".R") else name
