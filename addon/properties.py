"""Blender properties made from the recipes' options, and where the panel's settings live."""

from collections.abc import Callable
from typing import Any

import bpy

from ..core.options import Option, declared
from ..core.recipes import Blend

# Weights and reference are set per source in the list, not as options of their own.
PER_SOURCE = ("weights", "reference")


def annotations(recipe: type) -> dict[str, Any]:
    """Return a Blender property for every option of a recipe that the panel shows as it is."""
    return {name: _property(about) for name, about in declared(recipe).items() if name not in PER_SOURCE}


def with_options(recipe: type) -> Callable[[type], type]:
    """Give a Blender class a property for every option of a recipe: so panel, script and JSON can't drift apart."""

    def decorate(cls: type) -> type:
        cls.__annotations__.update(annotations(recipe))
        return cls

    return decorate


def rounded(value: Any) -> Any:
    """Return a number without the noise of single precision; anything else as it is."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _property(about: Option) -> Any:
    common = {"name": about.label, "description": about.description, "options": set()}
    if about.table:
        return bpy.props.StringProperty(**common, default=about.as_text(about.default))
    common["default"] = about.default
    if about.choices:
        items = [(choice, choice.replace("_", " ").title(), "") for choice in about.choices]
        return bpy.props.EnumProperty(items=items, **common)
    if about.kind is bool:
        return bpy.props.BoolProperty(**common)
    if about.kind is str:
        return bpy.props.StringProperty(**common)
    limits = {k: v for k, v in (("min", about.minimum), ("max", about.maximum)) if v is not None}
    if about.kind is int:
        return bpy.props.IntProperty(**common, **{k: int(v) for k, v in limits.items()})
    if about.unit.strip() == "s":
        return bpy.props.FloatProperty(**common, **limits, precision=3, subtype="TIME_ABSOLUTE")
    return bpy.props.FloatProperty(**common, **limits)


class ACTION_LOOM_PG_source(bpy.types.PropertyGroup):
    """One line of the list of sources."""

    action: bpy.props.PointerProperty(type=bpy.types.Action)
    use: bpy.props.BoolProperty(
        name="Use", description="Weave this action into the result", default=True, options=set()
    )
    weight: bpy.props.FloatProperty(
        name="Weight", description="Share of this action in the result", default=1.0, min=0.0, options=set()
    )


class ACTION_LOOM_PG_rig(bpy.types.PropertyGroup):
    """The sources of one armature; every armature has its own list."""

    armature: bpy.props.PointerProperty(type=bpy.types.Object)
    sources: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_source)
    active: bpy.props.IntProperty(options=set())


@with_options(Blend)
class ACTION_LOOM_PG_blend(bpy.types.PropertyGroup):
    """What the panel sets for a blend."""


class ACTION_LOOM_PG_settings(bpy.types.PropertyGroup):
    """Everything that the panels set, kept in the scene."""

    rigs: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_rig)
    blend: bpy.props.PointerProperty(type=ACTION_LOOM_PG_blend)


def rig_of(scene: Any, armature: Any) -> Any:
    """Return the list of sources of an armature, or None."""
    return next((r for r in scene.action_loom.rigs if r.armature == armature), None)


_CLASSES = (ACTION_LOOM_PG_source, ACTION_LOOM_PG_rig, ACTION_LOOM_PG_blend, ACTION_LOOM_PG_settings)
_register, _unregister = bpy.utils.register_classes_factory(_CLASSES)


def register() -> None:
    _register()
    bpy.types.Scene.action_loom = bpy.props.PointerProperty(type=ACTION_LOOM_PG_settings)


def unregister() -> None:
    del bpy.types.Scene.action_loom
    _unregister()
