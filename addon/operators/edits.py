"""An operator for every verb that changes one action; those that need more than their recipe add it here."""

from typing import ClassVar

import bpy

from ...core.options import declared
from ...core.recipes.base import Recipe
from ...core.recipes.plant import Plant
from ...core.recipes.reading import SourceOptions
from ...core.verbs import OF_ONE_BODY
from .. import contact_rows, meant, option_properties
from ..blender_types import scene_of
from . import base
from .edit_base import EditOperator


class PlantOperator(EditOperator):
    """Plants feet by the edited rows of the armature's action, where there are some."""

    recipe: ClassVar[type[Recipe]] = Plant

    def from_panel(self, context: bpy.types.Context) -> None:
        given = self.properties.is_property_set("spans")
        super().from_panel(context)
        armature = meant.called(context, self.armature)
        action = contact_rows.action_of(armature)
        held = contact_rows.of(scene_of(context), action)
        if given or action is None or held is None or not held.edited:
            return
        if [one.name for one in self.sources] != [action.name_full]:
            return
        (reading,) = self.readings
        source = option_properties.values_of(reading, SourceOptions)
        span = (source["first"], source["last"]) if source["last"] > source["first"] else None
        rows = contact_rows.as_spans(contact_rows.contacts_of(held), contact_rows.frames_of(action, span))
        self.spans = declared(Plant)["spans"].as_text(rows)


_BASES: dict[type[Recipe], type[EditOperator]] = {Plant: PlantOperator}


def _operators() -> list[type]:
    recipes = [row.recipe for row in OF_ONE_BODY.values() if row.recipe.of_action]
    bases = [_BASES.get(one) or type(f"{one.__name__}Base", (EditOperator,), {"recipe": one}) for one in recipes]
    return [base.operator(one) for one in bases]


register, unregister = bpy.utils.register_classes_factory(_operators())
