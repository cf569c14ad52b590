"""Store the search settings of the library and the list of results, for this session only."""

import dataclasses
from contextlib import nullcontext, suppress
from typing import Any, NamedTuple

import bpy

from ....core.recipes.reading import Source
from ...ground import jobs, memory, registrar
from ...ground.blender_types import present
from ...model import lists, preferences, target_armature
from ..sources import source_list

AGAIN = 0.2  # s until the next attempt while an operator runs
_FINDER = "action_loom_library"  # the property of the window manager
DOING = (
    "What is done, such as slow walk turning left, run stop, or crouch; other words must be in file, folder or label"
)
_OF_PANEL = {"SKIP_SAVE"}  # the operator takes the panel's values instead of the values of its previous call


class ACTION_LOOM_PG_found(bpy.types.PropertyGroup):
    """A found stretch, named after its file: its frames first … last, and its distance from the query.

    icon : icon id of its picture, 0 for none
    label : the library's words for the clip
    """

    use: bpy.props.BoolProperty(name="Use", description="Import this one")
    path: bpy.props.StringProperty()
    first: bpy.props.IntProperty(name="First")
    last: bpy.props.IntProperty(name="Last")
    # how long it takes
    seconds: bpy.props.FloatProperty()
    distance: bpy.props.FloatProperty(
        name="Distance",
        description="Average distance from the searched part, in heights of the body; 0 is the same motion",
        precision=3,
    )
    # the label of the motion there, if it was found by words
    done: bpy.props.StringProperty()
    # it matches mirrored, and is shown and imported mirrored
    mirrored: bpy.props.BoolProperty()
    # how many other files have the same take
    copies: bpy.props.IntProperty()
    label: bpy.props.StringProperty(name="Label")
    icon: bpy.props.IntProperty()


class WantedOptions:
    """Search settings, shared by the panel and the operator."""

    part: bpy.props.EnumProperty(
        name="Part",
        description="Which part of the body to compare",
        items=[
            ("whole", "Whole Body", ""),
            ("legs", "Legs", "Hips, legs and feet alone, whatever the arms do"),
            ("arms", "Arms", "Chest, arms and hands alone, whatever the legs do"),
        ],
        options=_OF_PANEL,
    )
    mirror: bpy.props.BoolProperty(
        name="Mirror",
        description="Also find mirrored matches; they are shown and imported mirrored",
        options=_OF_PANEL,
    )
    words: bpy.props.StringProperty(
        name="Words",
        description="Only clips with these words in file, folder or label: walk -sneak is a walk that does not sneak,"
        ' "slow walk" is found as written',
        options=_OF_PANEL,
    )
    most: bpy.props.IntProperty(
        name="Results",
        default=12,
        min=1,
        max=100,
        options=_OF_PANEL,
    )


def show_active() -> float | None:
    """Show the active stretch as a ghost on the tab's armature; the panel shows errors.

    Returns the delay of the next attempt while a job or another operator runs.
    """
    windows = list(present(bpy.context.window_manager).windows)
    if jobs.is_busy() or any(len(one.modal_operators) for one in windows):
        return AGAIN
    with bpy.context.temp_override(window=windows[0]) if windows else nullcontext():
        armature = target_armature.of_tab(bpy.context)
        if armature is None or row(finder()) is None:
            return None
        ours: Any = bpy.ops.action_loom  # type: ignore[attr-defined]  # the stubs know Blender's own only
        with target_armature.as_from_panel(bpy.context, armature), suppress(RuntimeError):
            ours.show_found("INVOKE_DEFAULT")
    return None


def _active_changed(_finder: Any, _context: bpy.types.Context) -> None:
    if not bpy.app.timers.is_registered(show_active):  # Blender may crash if an operator begins in a callback
        bpy.app.timers.register(show_active, first_interval=0.0)


class ACTION_LOOM_PG_finder(WantedOptions, bpy.types.PropertyGroup):
    """The search settings and results, with the place, heading and first frame of the searched stretch."""

    doing: bpy.props.StringProperty(
        name="Doing",
        description=DOING,
        options=_OF_PANEL,
    )
    found: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_found)
    active: bpy.props.IntProperty(default=-1, update=_active_changed)
    placed: bpy.props.BoolProperty()
    place: bpy.props.FloatVectorProperty(size=2)
    facing: bpy.props.FloatProperty()
    frame: bpy.props.FloatProperty(default=1.0)


def finder() -> Any:
    """Return the search settings and results."""
    return getattr(bpy.context.window_manager, _FINDER)


def row(finder: Any) -> Any:
    """Return the active row of the results, or None."""
    return finder.found[finder.active] if 0 <= finder.active < len(finder.found) else None


def chosen_rows(finder: Any) -> list[Any]:
    """Return the ticked rows, or the active one if none is ticked."""
    active = row(finder)
    return [one for one in finder.found if one.use] or ([] if active is None else [active])


class Asked(NamedTuple):
    """The stretch of an action to search for.

    source : the action with its reading options
    first, last : scene frames
    why : the origin of this range
    """

    source: Source
    first: float
    last: float
    why: str = ""


def asked_stretch(scene: bpy.types.Scene, armature: bpy.types.Object) -> Asked | None:
    """Return the stretch of the armature's action to search for, or None without an action; cheap enough for drawing.

    The range is the scene's preview range if set; otherwise the range of the action's line in the list, or the whole
    action.
    """
    if armature.animation_data is None or armature.animation_data.action is None:
        return None
    (source,) = source_list.own_sources(scene, armature, lists.PLAYED)
    whole = dataclasses.replace(source, first=0, last=0)
    first, last = armature.animation_data.action.frame_range[:]
    if scene.use_preview_range:
        return Asked(whole, scene.frame_preview_start, scene.frame_preview_end, "the preview range")
    if source.span is not None:
        return Asked(whole, *source.span, "its range in the list")
    return Asked(whole, first, last)


def forget() -> None:
    """Clear the search results."""
    there = finder()
    there.found.clear()
    there.active, there.placed = -1, False


_CLASSES = (ACTION_LOOM_PG_found, ACTION_LOOM_PG_finder)


def _look(path: str) -> None:
    from . import library_search  # numpy is loaded at first use, not when Blender starts

    library_search.look(path)


def register() -> None:
    registrar.stop_timer(show_active)
    registrar.add_classes(_CLASSES)
    registrar.append(preferences.when_library_changed, _look)
    registrar.add_property(bpy.types.WindowManager, _FINDER, bpy.props.PointerProperty(type=ACTION_LOOM_PG_finder))
    registrar.append(memory.when_forgotten, forget)
