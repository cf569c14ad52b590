"""Draw the sliders of the mode Style with the measures that they reached."""

from collections.abc import Sequence
from typing import Any

import bpy

from ...core.options import PANEL
from ...core.recipes.style import NAMED
from ...core.verbs import Restyle
from ..ground.blender_types import present
from ..ground.translations.runtime import translate_text
from ..model import properties, target_armature
from ..services.styles import named_styles, styles

PICTURE = 2.0  # of the height of a button
LETTERS = {"leg lengths": "legs", "leg lengths/s": "legs/s", "steps/min": "/min"}


def draw_named(layout: bpy.types.UILayout, settings: Any) -> None:
    """Draw the named styles with pictures, and how far the chosen one goes."""
    row = layout.row(align=True)
    for name in ("none", *NAMED):
        column = row.column(align=True)
        column.template_icon(named_styles.icon_of("" if name == "none" else name), scale=PICTURE)
        column.prop_enum(settings, "named_style", name)
    if settings.restyle.toward:
        layout.prop(settings.restyle, "toward_amount", slider=True)


def draw(layout: bpy.types.UILayout, context: bpy.types.Context, settings: Any, names: Sequence[str]) -> None:
    """Draw the sliders of some measures, and below a moved one the reached measure; red if its effect was limited."""
    armature = present(target_armature.of_tab(context))
    reached, group = styles.reached_measures(armature), settings.restyle
    for about in properties.shown_options(Restyle.verb, PANEL):
        if about.name not in names:
            continue
        measured = None if reached is None else reached.measured.get(about.name)
        column = layout.column(align=True)
        row = column.row()
        row.alert = reached is not None and about.name in reached.held
        row.prop(group, about.name, slider=True)
        if measured is not None and reached is not None:
            unit = styles.unit_of(about.name)
            text = f"{measured['measure_before']:.3g} → {measured['measure_after']:.3g} {LETTERS.get(unit, unit)}"
            right = column.row()
            right.alignment = "RIGHT"
            right.alert = about.name in reached.held
            right.label(text=translate_text(f"{text}, held back" if about.name in reached.held else text))
