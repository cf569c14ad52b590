"""Fill the table of an armature's controls with the detected ones, and store the artist's choices."""

from typing import Any

import bpy

from ....core.errors import LoomError
from ...ground import registrar
from ...model import lists, properties, target_armature

_filling = False


def look_up(rig: Any) -> int:
    """Fill a list's table with the controls of its armature, and return their number; 0 for plain bones."""
    from ...bridge import control_body  # numpy is loaded at first use, not when Blender starts

    global _filling
    armature = properties.armature_of(rig)
    if armature is None:
        return 0
    found = control_body.controls_of(armature) if control_body.has_controls(armature) else None
    rows = {} if found is None else control_body.rows_of(found)
    _filling = True  # so that `keep` does not treat detected controls as the artist's choice
    try:
        lists.name_rows(rig.controls, list(rows))
        for line in rig.controls:
            line.bone = rows[line.name]
    finally:
        _filling = False
    rig.control_notes = "" if found is None else "\n".join(found.notes)
    return sum(bool(control) for control in rows.values())


def keep(scene: bpy.types.Scene, context: bpy.types.Context) -> None:
    """Store the artist's choices in the table; refill it if that fails."""
    from ...bridge import control_body

    armature = target_armature.of_tab(context)
    rig = properties.rig_of(scene, armature)
    if _filling or rig is None or armature is None:
        return
    try:
        found = control_body.rows_of(control_body.controls_of(armature))
        changed = {line.name: line.bone for line in rig.controls if line.bone != found.get(line.name)}
        control_body.set_chosen(armature, control_body.chosen_controls(armature) | changed)
    except LoomError:  # a typed name may not be a bone's
        look_up(rig)


def register() -> None:
    registrar.append(lists.when_control_changed, keep)
