"""Giving a clip that walks on the spot its travel, and taking it off again (methods: Travel from the feet)."""

from dataclasses import dataclass

from ..options import Choice, Declared, option


@dataclass(frozen=True, kw_only=True)
class TravelOptions(Declared):
    """What is done with clips that walk on the spot where others travel."""

    add_root_motion: str = option(
        "auto",
        "Whether clips that walk on the spot are given the travel that their feet say",
        choices=(
            Choice("auto", "", "Where others travel, or where there would be no way to go without"),
            Choice("no", "", "They stay on the spot"),
        ),
        aliases=("give_travel",),
    )
