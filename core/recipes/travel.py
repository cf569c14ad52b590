"""The option of verbs that can add root motion to in-place clips (methods: Travel from the feet)."""

from ..options import Choice, Declared, declaration, option


@declaration
class TravelOptions(Declared):
    """Whether in-place clips get root motion if others travel."""

    add_root_motion: str = option(
        "auto",
        "Move in-place clips forward, as their steps suggest",
        choices=(
            Choice("auto", "", "Only if another clip travels or the mode needs it"),
            Choice("no", "", "Stay on the spot"),
        ),
        aliases=("give_travel",),
    )
