"""Draw the sidebar's panels as Blender does, on a layout that rejects unknown properties and functions."""

from types import FunctionType, SimpleNamespace

import bpy

PANELS = (
    "sources",
    "source",
    "roles",
    "library",
    "weave",
    "repair",
    "feet",
    "graph",
    "random_walk",
    "examples",
    "controls",
    "synchronise",
    "synchronise_more",
    "check",
)


class Layout:
    """Record a panel's drawing calls, and reject unknown properties and operators."""

    def __init__(self, drawn):
        object.__setattr__(self, "drawn", drawn)

    def __setattr__(self, name, value):
        assert name in bpy.types.UILayout.bl_rna.properties, name

    def __getattr__(self, name):
        assert name in bpy.types.UILayout.bl_rna.functions, name

        def call(*given, **options):
            self.drawn.append((name, given, options))
            if name == "prop":
                assert given[1] in given[0].bl_rna.properties, given
            if name in ("operator", "operator_menu_enum"):
                module, _, operator = given[0].partition(".")
                properties = getattr(getattr(bpy.ops, module), operator).get_rna_type().properties
                return Given(properties)
            return (Layout(self.drawn), Layout(self.drawn)) if name == "panel" else Layout(self.drawn)

        return call


class Given:
    """Accept an operator's properties, and reject unknown ones."""

    def __init__(self, properties):
        object.__setattr__(self, "properties", properties)

    def __setattr__(self, name, value):
        assert name in self.properties, name


class Drawing:
    """A panel as its own draw functions see it; Blender makes none without a window."""

    def __init__(self, panel, layout):
        self.panel, self.layout = panel, layout

    def __getattr__(self, name):
        return getattr(self.panel, name).__get__(self)


class Dialog:
    """An operator as its own draw functions see it."""

    def __init__(self, operator, layout):
        self.operator, self.layout, self.bl_rna = operator, layout, operator.properties.bl_rna

    def __getattr__(self, name):
        found = vars(type(self.operator)).get(name)
        return found.__get__(self) if isinstance(found, FunctionType) else getattr(self.operator, name)


def draw_dialog(operator):
    """Draw the dialog of a running operator and return the recorded calls."""
    drawn = []
    dialog = Dialog(operator, Layout(drawn))
    dialog.draw(context_now())
    return drawn


def context_now():
    active = bpy.context.view_layer.objects.active
    selected = bpy.context.selected_objects
    region = SimpleNamespace(width=280)
    preferences = bpy.context.preferences
    return SimpleNamespace(
        scene=bpy.context.scene, object=active, selected_objects=selected, region=region, preferences=preferences
    )


def draw(panel, context, layout=None):
    """Draw a panel as Blender would and return the recorded calls."""
    drawn = []
    if hasattr(panel, "poll") and not panel.poll(context):
        return drawn
    drawing = Drawing(panel, Layout(drawn) if layout is None else layout)
    for function in ("draw_header_preset", "draw"):
        if function in vars(panel):
            getattr(panel, function)(drawing, context)
    return drawn


def draw_all():
    """Draw every panel, those for experts and the open tool's too."""
    context = context_now()
    settings = context.scene.action_loom
    settings.experts = True
    settings.tool_open = False
    drawn = {name: draw(getattr(bpy.types, f"ACTION_LOOM_PT_{name}"), context) for name in PANELS}
    settings.tool_open = True
    drawn["repair"] = draw(bpy.types.ACTION_LOOM_PT_repair, context)
    settings.tool_open = False
    rig = context.scene.action_loom.rigs[0] if len(context.scene.action_loom.rigs) else None
    drawn["lines"] = []
    for place, line in enumerate(rig.sources if rig is not None else ()):
        lines = Drawing(bpy.types.ACTION_LOOM_UL_sources, Layout(drawn["lines"]))
        lines.draw_item(context, lines.layout, rig, line, 0, rig, "active", place)
    finder = bpy.context.window_manager.action_loom_library
    for place, found in enumerate(finder.found):
        lines = Drawing(bpy.types.ACTION_LOOM_UL_found, Layout(drawn["lines"]))
        lines.draw_item(context, lines.layout, finder, found, 0, finder, "active", place)
    return drawn
