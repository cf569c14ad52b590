"""What is asked of a new action, apart from the recipe; the same for every verb that makes one."""

from dataclasses import dataclass

from ..options import MODE, RARE, Choice, Declared, option


@dataclass(frozen=True, kw_only=True)
class ResultOptions(Declared):
    """How a result becomes an action."""

    place: str = option(
        "reference",
        "Where the result begins",
        choices=(
            Choice("reference", "", "Where the reference does, facing as it does"),
            Choice("cursor", "3D Cursor", "At the 3D cursor, facing as it is turned"),
        ),
        shown=MODE,
    )
    result_name: str = option(
        "", "Name of the new action; made from the sources' names if empty", label="Result", shown=MODE
    )
    assign: bool = option(True, "Make the new action the armature's", shown=RARE)
    travel: str = option(
        "reference",
        "What carries the body on its way",
        choices=(
            Choice("reference", "", "As in the reference"),
            Choice("root", "Root Bone", "The topmost bone above the hips, smoothly; the sway is left on the hips"),
            Choice("hips", "", "The hips; the bones above them stand still"),
        ),
        shown=RARE,
    )
    interpolation: str = option(
        "linear",
        "Of the new keys; there is one on every frame",
        choices=(
            Choice("linear", "", "Straight from key to key: what captured motion uses"),
            Choice("bezier", "Bézier", "With handles, to be shaped by hand"),
            Choice("constant", "", "Held until the next key: stop motion"),
        ),
        shown=RARE,
    )
    mark_contacts: bool = option(False, "Put a pose marker where a foot begins and ends to stand", shown=RARE)
