"""Options for the motion-matching database (methods: Drive)."""

from ..options import HIDDEN, RARE, declaration, option
from .travel import TravelOptions


@declaration
class DriveOptions(TravelOptions):
    """Which frames a driven body can play."""

    mirror: bool = option(True, "Use the clips' mirror images, too", shown=RARE)
    library: str = option(
        "",
        "A library (NAME.loomlib) of up to a quarter of an hour: it is driven with its clips, too",
        shown=HIDDEN,  # set in the panel Library
    )
