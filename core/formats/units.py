"""Units of length in motion files, and guessing the unit from the height of the body."""

import math

from ..errors import OptionError
from ..motion.skeleton import Skeleton

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}

# In order of trial. The CMU database stores lengths in inches times 0.45.
_GUESSES = ("m", "cm", "inch", "cmu", "mm", "dm")
_SHORTEST, _TALLEST = 1.2, 2.3  # m; heights of people
# Units to try if no unit gives a figure the height of a person, and the limits of its height in metres.
_USUAL, _TINY, _GIANT = ("m", "cm"), 0.5, 4.0
LEGLESS = "cm"  # unit of files that do not state it and have no legs
UNKNOWN, TALL = "unknown", 1.7  # m; the assumed height if no unit fits
_TOY, _TOWER = 0.1, 12.0  # m; limits of the height of characters in a scene in metres
# Animals may have any size, so only the usual units of models are tried, with these limits of height in metres.
_GUESSES_FOUR_FOOTED, _SMALLEST, _LARGEST = ("m", "cm", "mm"), 0.1, 4.0


def guess(height: float, *, four_footed: bool = False) -> str:
    """Return the unit in which a height is that of a person (or of an animal), "" if no unit fits."""
    if four_footed:
        return next((u for u in _GUESSES_FOUR_FOOTED if _SMALLEST <= height * UNITS[u] <= _LARGEST), "")
    return next((u for u in _GUESSES if _SHORTEST <= height * UNITS[u] <= _TALLEST), "")


def of_body(skeleton: Skeleton, stated: float = 0.0) -> tuple[str, float]:
    """Return the unit that gives a body the height of a person (or an animal), and its size in metres.

    stated : size of a unit in metres according to the file, which is trusted; 0 for none If no unit gives a human
        height, metres or centimetres are chosen for a height of 0.5 to 4 m. Otherwise the unit is "unknown": a body
        with two legs is then assumed to be 1.7 m tall, because speeds and heights are judged in metres; one with four
        legs is read as metres. The size of a body without legs is unknown, and the unit is centimetres.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.formats import units
        >>> figure = body.skeleton()
        >>> large = replace(figure, offsets=100.0 * figure.offsets, tips=100.0 * figure.tips)
        >>> units.of_body(figure), units.of_body(large)
        (('m', 1.0), ('cm', 0.01))
    """
    if stated > 0.0:
        return next((unit for unit, one in UNITS.items() if math.isclose(one, stated)), f"{stated:.6g}"), stated
    if not has_legs(skeleton):
        return LEGLESS, UNITS[LEGLESS]
    height = skeleton.height
    name = guess(height, four_footed=skeleton.four_footed)
    name = name or next((unit for unit in _USUAL if _TINY <= height * UNITS[unit] <= _GIANT), "")
    if name:
        return name, UNITS[name]
    return UNKNOWN, 1.0 if skeleton.four_footed else TALL / height


def of_armature(skeleton: Skeleton) -> tuple[str, float]:
    """Return the unit of an armature and its size in metres: Blender's metres, for any likely height.

    A body with legs below 0.1 m or above 12 m was imported in another unit, which is guessed like the unit of a file.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.formats import units
        >>> figure = body.skeleton()
        >>> giant, in_cm = (replace(figure, offsets=size * figure.offsets) for size in (3.0, 100.0))
        >>> units.of_armature(giant), units.of_armature(in_cm)
        (('m', 1.0), ('cm', 0.01))
    """
    likely = not has_legs(skeleton) or _TOY <= skeleton.height <= _TOWER
    return ("m", 1.0) if likely else of_body(skeleton)


def has_legs(skeleton: Skeleton) -> bool:
    """Return whether both legs of a body are known, which are needed to judge its size.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.formats import units
        >>> units.has_legs(body.skeleton())
        True
    """
    return {"thigh.L", "thigh.R"} <= set(skeleton.roles) and skeleton.height > 0.0


def doubt(skeleton: Skeleton, unit: str, metres: float) -> str:
    """Return a sentence on an assumed unit, "" if it gives the body the height of a person or an animal.

    metres : of the unit used

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.formats import units
        >>> units.doubt(body.skeleton(), "unknown", 1.0)
        'in no unit is this body as tall as a person, so metres were taken'
    """
    if not has_legs(skeleton):
        return "it has no legs that show its size, so centimetres were taken"
    if unit != UNKNOWN:
        return ""
    taken = "metres were taken" if metres == 1.0 else f"it is taken as {TALL:g} m tall"
    return f"in no unit is this body as tall as a person, so {taken}"


def metres(unit: str) -> float:
    """Return the size of a unit in metres, given by its name or as a number; raises OptionError.

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
