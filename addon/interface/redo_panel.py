"""Draw an operator's redo panel: weights, the main options, and the rest folded."""

from typing import Any

import bpy

from ...core.options import HIDDEN, MODE, PANEL, Declared, Option, declared_options
from ...core.recipes.base import Recipe
from ..ground import option_properties
from ..model import properties

ROWS_OPEN = 5  # options shown open, not counting weights


def draw(layout: bpy.types.UILayout, operator: Any, recipe: type[Recipe], asks: tuple[type[Declared], ...]) -> None:
    """Draw the options of a recipe's operator, and of the other declarations in `asks`."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    about = declared_options(recipe)
    if "weights" in about and not option_properties.value_of(operator, about["weight_keys"]):
        for source in operator.sources:
            layout.prop(source, "weight", text=source.name, slider=True)
    first, groups = options(recipe, asks)
    for option in first:
        if properties.applies(operator, option):
            layout.prop(operator, option.name)
    for title, folded in groups.items():
        header, body = layout.panel(f"action_loom_redo_{title.lower().replace(' ', '_')}", default_closed=True)
        header.label(text=title)
        for option in folded:
            if body is not None and properties.applies(operator, option):
                body.prop(operator, option.name)


def options(recipe: type[Recipe], asks: tuple[type[Declared], ...]) -> tuple[list[Option], dict[str, list[Option]]]:
    """Return the options shown open in the redo panel, and the folded ones by title."""
    shared = {name for one in properties.SHARED.values() if issubclass(recipe, one) for name in declared_options(one)}
    every = option_properties.options_of(recipe)
    own = [about for name, about in every.items() if name not in shared and about.shown in (MODE, PANEL)]
    usual = [about for name, about in every.items() if name in shared and about.shown == MODE]
    first = (own + usual)[:ROWS_OPEN]
    shown = {about.name for about in first}
    groups = {}
    for title, one in (("Synchronise", "matching"), ("Motion Graph", "graph")):
        if issubclass(recipe, properties.SHARED[one]):
            groups[title] = list(option_properties.options_of(properties.SHARED[one]).values())
    groups["More"] = [about for name, about in every.items() if name not in shared]
    groups["Result"] = [about for one in asks for about in option_properties.options_of(one).values()]
    left = {
        title: [about for about in options if about.name not in shown and about.shown != HIDDEN]
        for title, options in groups.items()
    }
    return first, {title: options for title, options in left.items() if options}
