"""Options of a new action in addition to the recipe, the same for every verb that makes one."""

from ..options import HIDDEN, MODE, RARE, Choice, Declared, declaration, option


@declaration
class ResultOptions(Declared):
    """How a result becomes an action."""

    place: str = option(
        "reference",
        "Where the result begins",
        choices=(
            Choice("reference", "", "Where the reference does"),
            Choice("cursor", "3D Cursor", "At the 3D cursor, facing as it is turned"),
            Choice("figure", "Where It Stands", "Where the figure stands now, facing as it does"),
        ),
        shown=MODE,
    )
    stand: tuple[tuple[float, ...], ...] = option(
        (),
        "Where it stood: x and y in metres, and the direction it faced in degrees; found when it is woven if empty",
        bounds=(-1e6, 1e6),
        table=True,
        only_for=("place", ("figure",)),
        shown=HIDDEN,
    )
    result_name: str = option(
        "", "Name of the new action; from the sources' names if empty", label="Result", shown=MODE
    )
    assign: bool = option(True, "Make the new action the armature's", shown=RARE)
    travel: str = option(
        "reference",
        "Which bone carries the travel",
        choices=(
            Choice("reference", "", "As in the reference"),
            Choice("root", "Root Bone", "The topmost bone above the hips; the hips keep the sway"),
            Choice("hips", "", "The hips; all above them stands still"),
        ),
        shown=RARE,
    )
    keys: str = option(
        "every",
        "How many keys the new action has",
        choices=(
            Choice("every", "Every Frame", "One on every frame, as captured motion has"),
            Choice("few", "Few", "As few Bézier keys as a bound allows, for editing by hand"),
        ),
        shown=RARE,
    )
    keys_within: float = option(
        2.0,
        "How far any joint may be off in any frame",
        label="At Most",
        bounds=(0.01, 1000.0),
        unit=" mm",
        usual=(0.5, 20.0),
        only_for=("keys", ("few",)),
        shown=RARE,
    )
    keys_feet: float = option(
        0.0,
        "How far hips, legs and feet may be off; standing feet must not shake",
        label="Feet at Most",
        bounds=(0.0, 1000.0),
        unit=" mm",
        usual=(0.0, 5.0),
        zero="a quarter of the other",
        only_for=("keys", ("few",)),
        shown=RARE,
    )
    interpolation: str = option(
        "linear",
        "Interpolation of the new keys",
        choices=(
            Choice("linear", "", "Straight from key to key, as in captures"),
            Choice("bezier", "Bézier", "With handles, to be shaped by hand"),
            Choice("constant", "", "Held until the next key: stop motion"),
        ),
        only_for=("keys", ("every",)),
        shown=RARE,
    )
    limbs: str = option(
        "source",
        "Which controls of arms and legs get keys",
        choices=(
            Choice("source", "As Source", "Those that the sources key; FK for captures"),
            Choice("fk", "FK", "Those that turn each bone"),
            Choice("ik", "IK", "Those of hands and feet, and of elbows and knees"),
            Choice("both", "Both", "Both, shown on IK"),
        ),
        shown=RARE,
    )
    partner: str = option("", "An armature that acts with this one; it gets a result, too", shown=RARE)
    adapts: str = option(
        "both",
        "Whose arms keep the contacts of two figures",
        choices=(Choice("both"), Choice("leader"), Choice("partner")),
        needs=("partner",),
        shown=RARE,
    )
    mark_contacts: bool = option(False, "Put pose markers where feet begin and end to stand", shown=RARE)
