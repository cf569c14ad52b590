"""Sliders of the mode Style as panels draw them, with what they came to."""

from typing import Any

import bpy

from ...core.options import PANEL
from ...core.recipes.style import SLIDERS
from ...core.verbs import Restyle
from ..ground.blender_types import present
from ..ground.translations.runtime import translated
from ..model import properties, target_armature
from ..services.styles import styles

LETTERS = {"leg lengths": "legs", "leg lengths/s": "legs/s", "steps/min": "/min"}


def draw(layout: bpy.types.UILayout, context: bpy.types.Context, settings: Any) -> None:
    """Draw a slider for each measure, and below those that were moved what came of it; red where it was held back."""
    armature = present(target_armature.of_tab(context))
    came, group = styles.came(armature), settings.restyle
    for about in properties.shown(Restyle.verb, PANEL):
        if about.name not in SLIDERS:
            continue
        told = None if came is None else came.measured.get(about.name)
        column = layout.column(align=True)
        row = column.row()
        row.alert = came is not None and about.name in came.held
        row.prop(group, about.name, slider=True)
        if told is not None and came is not None:
            unit = styles.unit_of(about.name)
            said = f"{told['measure_before']:.3g} → {told['measure_after']:.3g} {LETTERS.get(unit, unit)}"
            right = column.row()
            right.alignment = "RIGHT"
            right.alert = about.name in came.held
            right.label(text=translated(f"{said}, held back" if about.name in came.held else said))


def others() -> list[tuple[str, Any]]:
    """Return the options of the mode Style that are no sliders, with their group."""
    return [(Restyle.verb, about) for about in properties.shown(Restyle.verb, PANEL) if about.name not in SLIDERS]
