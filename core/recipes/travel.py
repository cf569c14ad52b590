"""The option of verbs that can add root motion to clips on the spot (methods: Travel from the feet)."""

from ..options import Choice, Declared, declaration, option


@declaration
class TravelOptions(Declared):
    """Whether clips that walk on the spot get root motion where others travel."""

    add_root_motion: str = option(
        "auto",
        "Whether clips that walk on the spot are given the travel that their feet say",
        choices=(
            Choice("auto", "", "Where others travel, or where there would be no way to go without"),
            Choice("no", "", "They stay on the spot"),
        ),
        aliases=("give_travel",),
    )
