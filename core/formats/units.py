"""Units of length in motion files, and a guess of the unit by the height of the body."""

import math

from ..errors import OptionError
from ..motion.skeleton import Skeleton

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}

# Tried in this order. The CMU database stores lengths in inches times 0.45.
_GUESSES = ("m", "cm", "inch", "cmu", "mm", "dm")
_SHORTEST, _TALLEST = 1.2, 2.3  # m; heights of people
_USUAL, _TINY, _GIANT = ("m", "cm"), 0.5, 4.0  # units and heights (m) of figures that are no people
UNKNOWN, TALL = "unknown", 1.7  # m; the assumed height where no unit fits
# Animals have any size, so only the usual units of models are tried.
_GUESSES_FOUR_FOOTED, _SMALLEST, _LARGEST = ("m", "cm", "mm"), 0.1, 4.0


def guess(height: float, *, four_footed: bool = False) -> str:
    """Return the unit in which a body of that height is as tall as a person (or an animal), "" for none."""
    if four_footed:
        return next((u for u in _GUESSES_FOUR_FOOTED if _SMALLEST <= height * UNITS[u] <= _LARGEST), "")
    return next((u for u in _GUESSES if _SHORTEST <= height * UNITS[u] <= _TALLEST), "")


def of_body(skeleton: Skeleton, stated: float = 0.0) -> tuple[str, float]:
    """Return the unit in which a body is as tall as a person (or an animal), and how many metres it is.

    stated : metres of a unit by the file, 0 for none; believed unless a body with legs were under 0.5 or over 4 m tall
    Where no unit makes a person, metres or centimetres are taken for a height of 0.5 to 4 m. Else the unit is
    "unknown": a body with two legs is then taken as 1.7 m tall, since speeds and heights are judged in metres; others
    are read as metres.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.figure import body
        >>> from action_loom.core.formats import units
        >>> figure = body.skeleton()
        >>> large = replace(figure, offsets=100.0 * figure.offsets, tips=100.0 * figure.tips)
        >>> units.of_body(figure), units.of_body(large)
        (('m', 1.0), ('cm', 0.01))
    """
    height, legs = skeleton.height, skeleton.leg_length > 0.0
    if stated > 0.0 and (not legs or _TINY <= height * stated <= _GIANT):
        return next((unit for unit, one in UNITS.items() if math.isclose(one, stated)), f"{stated:.6g}"), stated
    name = guess(height, four_footed=skeleton.four_footed)
    name = name or next((unit for unit in _USUAL if _TINY <= height * UNITS[unit] <= _GIANT), "")
    if name:
        return name, UNITS[name]
    walks = legs and not skeleton.four_footed
    return UNKNOWN, TALL / height if walks else 1.0


def note(metres: float) -> str:
    """Return a note on a body that is as tall as a person in no unit; metres : of its unit, as it was read.

    Example:
        >>> from action_loom.core.formats import units
        >>> units.note(1.0)
        'in no unit is this body as tall as a person, so metres were taken'
    """
    taken = "metres were taken" if metres == 1.0 else f"it is taken as {TALL:g} m tall"
    return f"in no unit is this body as tall as a person, so {taken}"


def metres(unit: str) -> float:
    """Return how many metres a unit is, given by its name or as a number; raises OptionError.

    Example:
        >>> from action_loom.core.formats import units
        >>> units.metres("inch"), units.metres("0.5")
        (0.0254, 0.5)
    """
    try:
        scale = UNITS[unit] if unit in UNITS else float(unit)
    except ValueError:
        scale = 0.0
    if not 0.0 < scale < 1e6:
        raise OptionError(f"units is {unit!r}, but must be {', '.join(UNITS)} or a number of metres")
    return scale
