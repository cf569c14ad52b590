"""Asking for a motion by what is measured of it: speed, turn, length of steps (methods: Asking by measures)."""

from dataclasses import dataclass

from ..options import RARE, Declared, option


@dataclass(frozen=True, kw_only=True)
class AskOptions(Declared):
    """What is cut from the clips that a motion is blended of."""

    mirror: bool = option(
        True, "Let the clips' mirror images take part: who turns left can then turn right", shown=RARE
    )
