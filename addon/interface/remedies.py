"""Draw the button that fixes the problem of an error or a warning, if there is one."""

import re
from collections.abc import Callable
from typing import Any

import bpy

from ...core.verbs import CutOut, Loop, Walk
from ..ground.blender_types import present, scene_of
from ..ground.translations.runtime import translate_text
from ..model import properties, target_armature

_NOWHERE = "0 0 0"  # metres to the right and ahead, and degrees
_Draw = Callable[[bpy.types.UILayout, str], Any]  # with the name of the message's action


def _choose(text: str, of: str, value: str) -> _Draw:
    """Return a function that draws a button to set an enum of the panel."""

    def draw(layout: bpy.types.UILayout, _action: str) -> None:
        button: Any = present(layout.operator("wm.context_set_enum", text=text))
        button.data_path, button.value = f"scene.action_loom.{of}", value

    return draw


def _switch_on(text: str, of: str) -> _Draw:
    def draw(layout: bpy.types.UILayout, _action: str) -> None:
        button: Any = present(layout.operator("wm.context_set_boolean", text=text))
        button.data_path, button.value = f"scene.action_loom.{of}", True

    return draw


def _tool(text: str, tool: str) -> _Draw:
    def draw(layout: bpy.types.UILayout, action: str) -> None:
        opening: Any = present(layout.operator("action_loom.open_tool", text=f"{translate_text(text)}…"))
        opening.tool, opening.action = tool, action

    return draw


def _plant(layout: bpy.types.UILayout, _action: str) -> None:
    """Draw the button that switches on Plant Feet for the panel's mode, if it has the option."""
    mode = properties.settings_of(scene_of(bpy.context)).mode
    if hasattr(getattr(properties.settings_of(scene_of(bpy.context)), mode, None), "plant_feet"):
        _switch_on(text="Plant Feet", of=f"{mode}.plant_feet")(layout, "")


_WHOLE = _choose(text="Take the Whole Clip", of="loop.whole", value="yes")
_LOOP_FIRST = _choose(text="Loop It First", of="intent", value="Loop")


def _loop(layout: bpy.types.UILayout, action: str) -> None:
    """Draw the button to loop an action first, or in Loop itself the one to take it whole."""
    (_WHOLE if properties.settings_of(scene_of(bpy.context)).intent == "Loop" else _LOOP_FIRST)(layout, action)


def _straighten(layout: bpy.types.UILayout, action: str) -> None:
    """Draw the button that lets a loop go straight on, or an endless variation end where and as it begins.

    Engines that move a character by its root need the turning loop of a take, so the button makes a second loop.
    """
    settings, found = properties.settings_of(scene_of(bpy.context)), bpy.data.actions.get(action)
    if settings.mode == CutOut.verb and found is not None:
        row = layout.row()
        target_armature.mark_action(row, found)
        text = f"{translate_text('Straighten')}: {action}"
        again: Any = present(row.operator("action_loom.loop", text=text, translate=False))
        again.straighten, again.whole = "yes", "yes"
    elif settings.mode == Loop.verb:
        _choose(text="Straighten", of="loop.straighten", value="yes")(layout, "")
    elif settings.mode == Walk.verb:
        button: Any = present(layout.operator("wm.context_set_string", text="Straighten"))
        button.data_path, button.value = "scene.action_loom.walk.way", _NOWHERE


def _roles(layout: bpy.types.UILayout, _action: str) -> None:
    """Draw the button that shows the table of roles, whose panel a button can't unfold."""
    table: Any = getattr(bpy.types, "ACTION_LOOM_PT_roles")  # noqa: B009 - registered at runtime
    if table.poll(bpy.context):
        layout.popover(panel="ACTION_LOOM_PT_roles", text="Show Body Roles")
    else:
        _switch_on(text="Show Body Roles", of="experts")(layout, "")


_KEEP_WALKING = _choose(text="Keep Walking", of="follow.ending", value="walk")


def _stand(layout: bpy.types.UILayout, action: str) -> None:
    """Draw the tick of an action that stands, if its name says so, and the button to keep walking."""
    from ..services.sources import first_ticks

    rig = properties.rig_of(scene_of(bpy.context), target_armature.of_tab(bpy.context))
    lines = () if rig is None else (line for line in rig.sources if line.action is not None and not line.use)
    words = {line: first_ticks.words_of(line.action.name) for line in lines}
    found = [line for line in words if first_ticks.STANDS & set(words[line])]
    standing = min(found, key=lambda line: len(words[line]), default=None)  # idle is plainer than fight idle
    if standing is not None:
        layout.prop(standing, "use", text=standing.action.name, translate=False)
    _KEEP_WALKING(layout, action)


# Patterns of English messages with their buttons; the first match is used.
REMEDIES: tuple[tuple[re.Pattern[str], _Draw], ...] = (
    (re.compile(r"take the whole clip"), _WHOLE),
    (re.compile(r"is no cycle|does not repeat|does not close|cycle of it with Loop"), _loop),
    (re.compile(r"try it with Plant Feet"), _plant),
    (re.compile(r"plant them"), _tool(text="Plant Feet", tool="plant")),
    (re.compile(r"mend it with Filter"), _tool(text="Filter", tool="filter")),
    (re.compile(r"try Weight"), _tool(text="Weight", tool="weight")),
    (
        re.compile(r"walks? on the spot|its feet disagree|no clip travels|a foot stands only"),
        _tool(text="Add Root Motion", tool="travel"),
    ),
    (
        re.compile(r"was deleted, or is in another file|is no longer in"),
        lambda layout, _: layout.operator("action_loom.edit_recipe", icon="PREFERENCES"),
    ),
    (re.compile(r"body roles|Body Roles"), _roles),
    (re.compile(r"stops in mid-step"), _stand),
    (re.compile(r"[Cc]hoose a curve"), lambda layout, _: layout.operator("action_loom.new_curve", icon="CURVE_DATA")),
)
_TURNS = re.compile(r"^(?:(.+?): )?it closes, but Blender can't repeat its turn", re.MULTILINE)
_TIGHT = re.compile(r"the path is too tight")
_STRAIGHT = 1e6  # m; radius of clips that hardly turn
_RADIUS = re.compile(r"turn with a radius of ([\d.]+) m")
_BEND = re.compile(r"bend the walk by (\d+)°")
_LOOK = re.compile(r"(?:at frame|in frames) (\d+)\b.*: look there")


def _widen(layout: bpy.types.UILayout, message: str) -> None:
    """Draw the button that widens the bends of a drawn line, and raises the walk's own bend if it is too small."""
    from ..services.paths import drawn_paths  # numpy is loaded at first use, not when Blender starts

    if drawn_paths.points_of(properties.settings_of(scene_of(bpy.context)).curve) is not None:
        button: Any = present(layout.operator("action_loom.draw_path", text="Widen Bends", icon="MOD_SMOOTH"))
        radius = _RADIUS.search(message)
        button.wider, button.radius = True, float(radius[1]) if radius else _STRAIGHT


def draw(layout: bpy.types.UILayout, message: str, action: str = "") -> None:
    """Draw the button that fixes the problem of a message, if there is one, or that shows its frame.

    action : the name of the message's action, "" if unknown
    """
    turning = _TURNS.findall(message)
    for name in turning if properties.settings_of(scene_of(bpy.context)).mode == CutOut.verb else turning[:1]:
        _straighten(layout, name)
    for about, button in REMEDIES:
        if about.search(message):
            button(layout, action)
            return
    if bend := _BEND.search(message):
        turn: Any = present(layout.operator("wm.context_set_float", text=f"{translate_text('Bend')}: {bend[1]} °/m"))
        turn.data_path, turn.value = "scene.action_loom.follow.bend", float(bend[1])
    elif _TIGHT.search(message):
        _widen(layout, message)
    if shown := _LOOK.search(message):
        text = translate_text(f"frame {shown[1]}")
        go = present(layout.operator("action_loom.go_to_frame", text=text[:1].upper() + text[1:], icon="TIME"))
        go.frame = int(shown[1])
