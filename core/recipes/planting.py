"""Options of planting feet, for every verb that makes a clip out of others (methods: Planted feet)."""

from ..options import HIDDEN, Declared, declaration, option


@declaration
class SpanOptions(Declared):
    """When feet stand, where the user gives it."""

    spans: tuple[tuple[float, ...], ...] = option(
        (),
        "When feet stand: rows of a foot (0 left, 1 right, 2 and 3 in front), what it stands on (0 ball, 1 heel), the"
        " first frame, counted from 0, and the frame after the last; found if none are given; the report has them",
        minimum=0.0,
        maximum=1e9,
        table=True,
        shown=HIDDEN,  # they come from a report
    )


@declaration
class PlantOptions(SpanOptions):
    """Whether feet of a result are planted, and when they stand, in frames of the result.

    Where the legs of a result are one source's own, unchanged, only given spans are planted.
    """

    plant_feet: bool = option(
        True,
        "Keep standing feet in place; legs copied unchanged from one clip are not touched",
    )
