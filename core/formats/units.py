"""Units of length that motion is stored in, and which of them makes a body a person."""

from ..errors import OptionError

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}

# Tried in this order. The CMU database stores lengths in inches times 0.45.
_GUESSES = ("m", "cm", "inch", "cmu", "mm", "dm")
_SHORTEST, _TALLEST = 1.2, 2.3  # m
# Animals are of any size, so only what they are usually modelled in is tried.
_GUESSES_FOUR_FOOTED, _SMALLEST, _LARGEST = ("m", "cm", "mm"), 0.1, 4.0


def guess(height: float, *, four_footed: bool = False) -> str:
    """Return the unit in which a body of that many units is as tall as a person (or an animal), "" where none is."""
    if four_footed:
        return next((u for u in _GUESSES_FOUR_FOOTED if _SMALLEST <= height * UNITS[u] <= _LARGEST), "")
    return next((u for u in _GUESSES if _SHORTEST <= height * UNITS[u] <= _TALLEST), "")


def metres(unit: str) -> float:
    """Return how many metres a unit is, given by its name or as a number; raises OptionError."""
    try:
        scale = UNITS[unit] if unit in UNITS else float(unit)
    except ValueError:
        scale = 0.0
    if not 0.0 < scale < 1e6:
        raise OptionError(f"units is {unit!r}, but must be {', '.join(UNITS)} or a number of metres")
    return scale
