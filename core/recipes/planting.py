"""Options of planting feet and of weight, for every verb that makes a clip out of others (methods: Planted feet)."""

from ..options import HIDDEN, RARE, Declared, declaration, option


def spans_option(only_for: tuple[str, tuple[str | bool, ...]] | None = None) -> tuple[tuple[float, ...], ...]:
    """Return the option of the spans in which feet stand; only_for : as of options.

    Example:
        >>> from action_loom.core.options import Declared, declaration
        >>> from action_loom.core.recipes import planting
        >>> @declaration
        ... class Stands(Declared):
        ...     spans: tuple[tuple[float, ...], ...] = planting.spans_option()
        >>> Stands(spans="0 0 3 9").spans
        ((0.0, 0.0, 3.0, 9.0),)
    """
    rows: tuple[tuple[float, ...], ...] = option(
        (),
        "When feet stand: rows of a foot (0 left, 1 right, 2 and 3 in front, 4 to 7 between), what it stands on"
        " (0 ball, 1 heel), the first frame, counted from 0, and the frame after the last; found if none are given;"
        " the report has them",
        bounds=(0.0, 1e9),
        table=True,
        shown=HIDDEN,  # they come from a report
        only_for=only_for,
    )
    return rows


def hands_option(earlier: str) -> str:
    """Return the option of keeping hands on their contacts; earlier : as of options.

    Example:
        >>> from action_loom.core.options import Declared, declaration
        >>> from action_loom.core.recipes import planting
        >>> @declaration
        ... class Holds(Declared):
        ...     keep_hands: str = planting.hands_option("off")
        >>> Holds().keep_hands
        'auto'
    """
    kept: str = option(
        "auto",
        "Keep hands on what they hold or touch in the sources",
        choices=("auto", "off"),
        shown=RARE,
        earlier=earlier,
    )
    return kept


@declaration
class SpanOptions(Declared):
    """When feet stand, where the user gives it."""

    spans: tuple[tuple[float, ...], ...] = spans_option()


@declaration
class PlantOptions(SpanOptions):
    """Whether feet of a result are planted and its flights repaired, and when feet stand, in frames of the result.

    Where the legs of a result are one source's own, unchanged, only given spans are planted.
    """

    spans: tuple[tuple[float, ...], ...] = spans_option(("plant_feet", (True,)))
    plant_feet: bool = option(
        True,
        "Keep standing feet in place",
    )
    real_falls: float = option(
        0.0,
        "How far jumps of the result fall as real ones do: 0 is not at all, 1 all the way",
        bounds=(0.0, 1.0),
        shown=RARE,
    )
    keep_hands: str = hands_option("off")
