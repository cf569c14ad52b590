"""Define the meanings of colours in the 3D view, and read the colours that the preferences choose for them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import bpy

from ... import __package__ as extension
from . import registrar
from .blender_types import present


class Meaning(NamedTuple):
    """The meaning of a colour, and its default."""

    label: str
    description: str
    usual: tuple[float, float, float]


RESULT, GOOD, BAD, TRANSITION, STRETCH, FEET = "result", "good", "bad", "transition", "stretch", "feet"
MEANINGS = {
    RESULT: Meaning(label="Result", description="What would be woven, and where it goes", usual=(0.95, 0.95, 0.95)),
    GOOD: Meaning(label="Good", description="Feet that stand, and a walk on its curve", usual=(0.2, 0.85, 0.4)),
    BAD: Meaning(
        label="Bad", description="Feet that can't be planted, and a walk far from its curve", usual=(0.95, 0.2, 0.1)
    ),
    TRANSITION: Meaning(
        label="Transition", description="Where a result goes from one source to another", usual=(1.0, 0.6, 0.1)
    ),
    STRETCH: Meaning(label="Stretch", description="Where the upper body does something else", usual=(0.3, 0.65, 1.0)),
    FEET: Meaning(label="Feet", description="The ways of feet", usual=(0.6, 0.6, 0.6)),
}

# Listeners for a changed colour, called with scene and context.
when_changed: list[Callable[[bpy.types.Scene, bpy.types.Context], None]] = []


def _after_choice(_chosen: Any, context: bpy.types.Context) -> None:
    if context.scene is not None:
        for listener in when_changed:
            listener(context.scene, context)


class ACTION_LOOM_PG_colors(bpy.types.PropertyGroup):
    """The colours that the preferences have chosen."""


ACTION_LOOM_PG_colors.__annotations__ = {
    name: bpy.props.FloatVectorProperty(
        name=one.label,
        description=one.description,
        default=one.usual,
        subtype="COLOR",
        min=0.0,
        max=1.0,
        update=_after_choice,
    )
    for name, one in MEANINGS.items()
}


def of(meaning: str, alpha: float = 1.0) -> tuple[float, float, float, float]:
    """Return the colour (red, green, blue, alpha) of a meaning."""
    enabled = present(bpy.context.preferences).addons.get(str(extension))
    chosen = None if enabled is None else getattr(enabled.preferences, "colors", None)
    red, green, blue = MEANINGS[meaning].usual if chosen is None else getattr(chosen, meaning)
    return red, green, blue, alpha


def between(share: float) -> tuple[float, float, float, float]:
    """Mix the colours for good (share 0) and bad (1) at constant brightness, so that green and red meet in yellow."""
    good, bad = of(GOOD), of(BAD)
    mixed = [(1.0 - share) * g + share * b for g, b in zip(good[:3], bad[:3], strict=True)]
    bright = (1.0 - share) * max(good[:3]) + share * max(bad[:3])
    red, green, blue = (one * bright / max(*mixed, 1e-6) for one in mixed)
    return red, green, blue, 1.0


register = registrar.registration((ACTION_LOOM_PG_colors,))
