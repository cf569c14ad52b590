"""Prepare imported motion for weaving: fill the list, select the armature, fit the scene to the files."""

from typing import TYPE_CHECKING, Any

import bpy

from ...bridge import curves, rates
from ...ground.blender_types import present, scene_of
from ...model import lists, properties
from ..results import playback, rate_matching
from ..sources import body_roles, source_list

if TYPE_CHECKING:
    from .import_motion import Imported

TICKED = 2  # initially ticked sources: blending all actions of an armature is seldom wanted


def take_in(
    context: bpy.types.Context, imported: "Imported", *, select: bool, match_rate: bool, fit_range: bool, play: bool
) -> str:
    """List the imported actions, tick the first two, and apply the requested changes; return a description of these.

    play : whether each armature plays its first new action; otherwise only an armature without an action does
    """
    for armature, actions in imported.actions.items():
        rig = list_actions(scene_of(context), armature, actions)
        lists.keep_last(rig, "", actions[0].name, [imported.beside])
        data = armature.animation_data
        if play or data is None or data.action is None:
            curves.assign(armature, actions[0], curves.choose_slot(actions[0], armature))
    armature = next(iter(imported.actions))
    if select and context.mode == "OBJECT":
        _activate(context, armature, seen=not play)
    every = [action for actions in imported.actions.values() for action in actions]
    notes = [_rate_matched(scene_of(context), every)] if match_rate else []
    notes += [_range_fitted(scene_of(context), every)] if fit_range else []
    if play:
        every = imported.actions[armature]
        if properties.settings_of(scene_of(context)).on_rates == "ACTION":  # the artist chose this earlier
            rate_matching.give_actions(scene_of(context), every)
        playback.show(context, armature, every[0], play=True, near=select)
    return "; ".join(filter(None, notes))


def list_actions(scene: bpy.types.Scene, armature: bpy.types.Object, actions: list[bpy.types.Action]) -> Any:
    """Add new actions of an armature to its list and activate the first; return the list.

    The first two are ticked if none is, and they replace ticks that nobody has chosen.
    """
    rig = properties.ensure_rig(scene, armature)
    place = len(rig.sources)
    replaced = not lists.are_ticks_chosen(rig)
    if replaced:
        for line in lists.ticked_lines(rig):
            line.use = False
    for action in actions:
        source_list.add(rig, action, use=len(lists.ticked_lines(rig)) < TICKED)
    if replaced:  # the next import replaces these, too
        rig.ticked_at_first = lists.names_of_ticked(rig)
    rig.active = place
    lists.keep_made(rig, [action.name for action in actions])
    body_roles.look_up(rig)
    return rig


def _activate(context: bpy.types.Context, armature: bpy.types.Object, *, seen: bool) -> None:
    """Select an armature alone, and bring it into view if `seen`; a played action is framed later."""
    for one in list(present(context.selected_objects)):
        one.select_set(False)
    layer = present(context.view_layer)
    if armature.name not in layer.objects:
        return
    armature.select_set(True)
    layer.objects.active = armature
    if seen and not bpy.app.background and context.window is not None:
        for area in context.window.screen.areas:
            region = next((one for one in area.regions if one.type == "WINDOW"), None)
            if area.type == "VIEW_3D" and region is not None:
                with context.temp_override(area=area, region=region):
                    bpy.ops.view3d.view_selected()


def _rate_matched(scene: bpy.types.Scene, actions: list[bpy.types.Action]) -> str:
    """Set the scene's rate to the actions' rate, if they share one; return the change as text."""
    found = {rate for rate in map(rates.rate_of, actions) if rate}
    before = rates.of_scene(scene)
    if len(found) != 1 or not rates.differ(before, rate := found.pop()):
        return ""
    rate_matching.give_scene(scene, rate)
    return f"scene rate {before:g} → {rate:g}"


def _range_fitted(scene: bpy.types.Scene, actions: list[bpy.types.Action]) -> str:
    before = scene.frame_start, scene.frame_end
    ranges = [action.frame_range[:] for action in actions]
    scene.frame_start = max(int(min(first for first, _ in ranges)), 0)
    scene.frame_end = max(round(max(last for _, last in ranges)), scene.frame_start)
    now = scene.frame_start, scene.frame_end
    return "" if now == before else f"scene range {before[0]}–{before[1]} → {now[0]}–{now[1]}"
