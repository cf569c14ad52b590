"""Clean up an armature's action, its curves and names, in place; keep a copy of the original on demand."""

import bpy

from ..ground.blender_types import Slot, present
from . import cleaning, curves, result_mark

LABEL = "Clean Up"
# Names that exporters write instead of an action's own.
_LAYERS = {"layer0", "layer", "baselayer", "base layer", "animlayer", "scene", "take 001", "take001"}
_SITES = {"mixamo.com", "mixamo"}


def clean(
    armature: bpy.types.Object, action: bpy.types.Action, steps: cleaning.Steps, *, keep_copy: bool
) -> tuple[cleaning.Cleaned, str]:
    """Clean an action in place; return the changes, and the name of the copy of the original ("" if not kept).

    Raises LoomError for an action that can't be changed, or without a slot that clearly is the armature's. After any
    error the action is unchanged.
    """
    result_mark.check_writable(action)
    slot: Slot = curves.choose_slot(action, armature)
    before = present(action.copy())
    before.name = f"{action.name} before {LABEL}"
    try:
        with curves.whole(action.name, armature, (action, slot)):
            done = cleaning.clean(armature, action, slot, steps)
            if steps.names:
                done.tidied += _name(armature, action)
    except BaseException:
        bpy.data.actions.remove(before)
        raise
    if not keep_copy or not done.anything:
        bpy.data.actions.remove(before)
        return done, ""
    before.use_fake_user = True
    return done, before.name


def _name(armature: bpy.types.Object, action: bpy.types.Action) -> list[str]:
    name = tidy_name(action.name, (armature.name, present(armature.data).name))
    if name == action.name:
        return []
    before, action.name = action.name, name  # Blender adds a number if the name is taken
    return [f"{before} called {action.name}"]


def tidy_name(name: str, armatures: tuple[str, ...]) -> str:
    """Return the last meaningful part of a name such as "Armature|Armature|mixamo.com|Layer0".

    armatures : names of the armature and its data
    If no part is meaningful, return the armature's name, or `name` itself if the armature has the default name.
    """
    parts = [part.strip() for part in name.split("|")]
    if len(parts) == 1:
        return name
    owners = {_plain(one) for one in (*armatures, "Armature")}
    telling = [part for part in parts if part and _plain(part) not in owners | _LAYERS | _SITES]
    if telling:
        return telling[-1]
    own = _plain(armatures[0]) != "armature"
    return armatures[0] if own else name


def _plain(name: str) -> str:
    """Return a name in lower case, without the number that Blender appends to a taken name."""
    stem, _, number = name.lower().rpartition(".")
    return stem if stem and number.isdigit() and len(number) == 3 else name.lower()


def summary(action: bpy.types.Action, done: cleaning.Cleaned, kept: str) -> str:
    """Describe the changes to an action in one line, with counts before and after."""
    if not done.anything:
        return f"{action.name}: {done.curves[0]} curves, {done.keys[0]} keys: nothing to clean up"
    parts = [f"{done.curves[0]} → {done.curves[1]} curves", f"{done.keys[0]} → {done.keys[1]} keys"]
    if done.jumps or done.signs:
        parts.append(f"{done.jumps} jumps of angles and {done.signs} of signs removed")
    if done.closed:
        parts.append(f"{done.closed} curves closed")
    copy = f"; as it was it is {kept!r}" if kept else ""
    return f"{action.name}: {', '.join([*parts, *done.tidied])}{copy}"
