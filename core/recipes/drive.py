"""Options of the rows that a driven body is searched in (methods: Drive)."""

from ..options import RARE, declaration, option
from .travel import TravelOptions


@declaration
class DriveOptions(TravelOptions):
    """Which frames a driven body can play."""

    mirror: bool = option(True, "Use the clips' mirror images, too", shown=RARE)
