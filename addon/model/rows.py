"""Define the rows listed in the panel: stretches of a path, and events of an action."""

import bpy

from ...core.recipes.splice import SpliceOptions
from ..ground import option_properties, registrar


@option_properties.with_options(SpliceOptions, group=True)
class ACTION_LOOM_PG_stretch(bpy.types.PropertyGroup):
    """A stretch of the path on which the upper body plays another action, with its splice options."""

    action: bpy.props.PointerProperty(
        type=bpy.types.Action, name="Action", description="What the upper body does on this stretch of the curve"
    )
    label: bpy.props.StringProperty(
        name="Label",
        description="All listed actions of this label, in turn, instead of one action",
        options=set(),
        search=option_properties.labels,
        search_options={"SUGGESTION"},
    )
    more: bpy.props.BoolProperty(name="More", description="Show how this stretch is spliced in", options=set())
    start: bpy.props.FloatProperty(
        name="From",
        description="Where on the curve",
        default=40.0,
        min=0.0,
        max=100.0,
        subtype="PERCENTAGE",
        options=set(),
    )
    end: bpy.props.FloatProperty(
        name="To",
        description="Where on the curve",
        default=70.0,
        min=0.0,
        max=100.0,
        subtype="PERCENTAGE",
        options=set(),
    )


class ACTION_LOOM_PG_event(bpy.types.PropertyGroup):
    """An event at a scene frame: its new frame, hold time and anticipation."""

    first: bpy.props.IntProperty(name="Frame", description="At which frame it happens", options=set())
    to: bpy.props.IntProperty(name="To", description="At which frame it is to come", options=set())
    hold: bpy.props.FloatProperty(
        name="Hold",
        description="How long the pose is held; time runs faster afterwards to catch up",
        min=0.0,
        soft_max=2.0,
        step=10,
        precision=2,
        subtype="TIME_ABSOLUTE",
        options=set(),
    )
    anticipation: bpy.props.FloatProperty(
        name="Anticipation",
        description="Slow down before the event and speed up after it; the event comes a little later",
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options=set(),
    )


register = registrar.registration((ACTION_LOOM_PG_stretch, ACTION_LOOM_PG_event))
