"""Units of length that motion is stored in, and which of them makes a body a person."""

import math

from ..errors import OptionError
from ..motion.skeleton import Skeleton

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}

# Tried in this order. The CMU database stores lengths in inches times 0.45.
_GUESSES = ("m", "cm", "inch", "cmu", "mm", "dm")
_SHORTEST, _TALLEST = 1.2, 2.3  # m
_USUAL, _TINY, _GIANT = ("m", "cm"), 0.5, 4.0  # m; of figures that are no persons
UNKNOWN, TALL = "unknown", 1.7  # m
# Animals are of any size, so only what they are usually modelled in is tried.
_GUESSES_FOUR_FOOTED, _SMALLEST, _LARGEST = ("m", "cm", "mm"), 0.1, 4.0


def guess(height: float, *, four_footed: bool = False) -> str:
    """Return the unit in which a body of that many units is as tall as a person (or an animal), "" where none is."""
    if four_footed:
        return next((u for u in _GUESSES_FOUR_FOOTED if _SMALLEST <= height * UNITS[u] <= _LARGEST), "")
    return next((u for u in _GUESSES if _SHORTEST <= height * UNITS[u] <= _TALLEST), "")


def of_body(skeleton: Skeleton, stated: float = 0.0) -> tuple[str, float]:
    """Return the unit in which a body is as tall as a person (or an animal), and how many metres it is.

    stated : the metres that its file says a unit is, 0 where it says none; believed unless legs are out of all measure
    Else "unknown": a body with legs is then taken as 1.7 m tall, for speeds and heights are judged in metres; small and
    tall ones are what they are in metres or centimetres. What has no legs is read as metres.
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
    """Return what is to be said of a body that is as tall as a person in no unit, read with so many metres a unit."""
    taken = "metres were taken" if metres == 1.0 else f"it is taken as {TALL:g} m tall"
    return f"in no unit is this body as tall as a person, so {taken}"


def metres(unit: str) -> float:
    """Return how many metres a unit is, given by its name or as a number; raises OptionError."""
    try:
        scale = UNITS[unit] if unit in UNITS else float(unit)
    except ValueError:
        scale = 0.0
    if not 0.0 < scale < 1e6:
        raise OptionError(f"units is {unit!r}, but must be {', '.join(UNITS)} or a number of metres")
    return scale
