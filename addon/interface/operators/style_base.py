"""What operators share that learn a style from their sources."""

import bpy

from ...ground.blender_types import scene_of
from ...model import lists, properties, target_armature
from ...services.styles import style_labels
from . import base


class StyleSources(base.SourcesOperator):
    """An operator that learns from its sources, of whom the panel says who they are."""

    labels: str
    kept: str

    def from_panel(self, context: bpy.types.Context) -> None:
        given = {name: getattr(self, name) for name in ("labels", "kept") if self.properties.is_property_set(name)}
        super().from_panel(context)
        rig = properties.rig_of(scene_of(context), target_armature.called(context, self.armature))
        settings = properties.settings_of(scene_of(context))
        self.labels = given.get("labels", style_labels.of_panel(settings, lists.ticked(rig)))
        self.kept = given.get("kept", "" if settings.kept_style is None else settings.kept_style.name)
