"""Options of asking for a motion by its measures: speed, turn, length of steps (methods: Asking by measures)."""

from dataclasses import dataclass

from ..options import RARE, Declared, option


@dataclass(frozen=True, kw_only=True)
class AskOptions(Declared):
    """Which strides of the clips can be blended."""

    mirror: bool = option(
        True, "Let the clips' mirror images take part: who turns left can then turn right", shown=RARE
    )
