"""Options for the sources of filling between keyed poses (methods: Fill)."""

from ..options import RARE, Declared, declaration, option


@declaration
class FillOptions(Declared):
    """How the clips are read from which gaps are filled."""

    mirror: bool = option(True, "Use the clips' mirror images, too", shown=RARE)
    trim: bool = option(True, "Remove calibration poses, and jumps in the first and last 0.1 s", shown=RARE)
