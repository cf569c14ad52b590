"""Options of the sources that keyed poses are filled from (methods: Fill)."""

from ..options import RARE, Declared, declaration, option


@declaration
class FillOptions(Declared):
    """How the clips are read that gaps are filled from."""

    trim: bool = option(True, "Remove calibration poses, and jumps in the first and last 0.1 s", shown=RARE)
