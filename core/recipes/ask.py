"""Options of asking for a motion by its measures: speed, turn, length of steps (methods: Asking by measures)."""

from ..options import RARE, declaration, option
from .style import BasisOptions


@declaration
class AskOptions(BasisOptions):
    """Which strides of the clips can be blended."""

    mirror: bool = option(True, "Use the clips' mirror images, too", shown=RARE)
