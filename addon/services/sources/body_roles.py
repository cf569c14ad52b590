"""Fill the table of an armature's body roles with the detected bones, and store the artist's choices."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError
from ...ground import registrar
from ...model import lists, properties, target_armature

if TYPE_CHECKING:
    from ....core.motion.skeleton import Skeleton

_filling = False


def look_up(rig: Any) -> int:
    """Fill a list's table of roles with their current bones, and return the number of known roles."""
    from ...bridge import control_body  # numpy is loaded at first use, not when Blender starts
    from ...bridge import rig as rigs

    global _filling
    armature = properties.armature_of(rig)
    if armature is None:
        return 0
    try:
        skeleton = control_body.body_or_bones(armature).skeleton
    except LoomError:
        return 0
    how = found_by(armature, skeleton)
    _filling = True  # so that `keep` does not treat detected bones as the artist's choice
    try:
        lists.name_rows(rig.roles, rigs.ROLES)
        for line in rig.roles:
            line.bone = skeleton.names[skeleton.roles[line.name]] if line.name in skeleton.roles else ""
            line.found_by = how.get(line.name, "none").upper()
    finally:
        _filling = False
    return len(skeleton.roles)


def found_by(armature: bpy.types.Object, skeleton: "Skeleton") -> dict[str, str]:
    """Return how each role of an armature was found; "hand" for roles chosen or accepted by the artist."""
    from ...bridge import rig as rigs

    return skeleton.roles_found_by | dict.fromkeys(skeleton.roles.keys() & rigs.chosen_roles(armature).keys(), "hand")


def list_removed_roles(armature: bpy.types.Object) -> set[str]:
    """Return the roles of an armature that the artist has left without a bone."""
    from ...bridge import rig as rigs

    try:
        return {role for role, bone in rigs.chosen_roles(armature).items() if not bone}
    except LoomError:  # choices that can't be read are reported when a button is pressed
        return set()


def accept(armature: bpy.types.Object, roles: dict[str, str]) -> None:
    """Store bones by role as the artist's choices; raises RigError for a linked armature."""
    from ...bridge import rig as rigs

    rigs.set_roles(armature, rigs.chosen_roles(armature) | roles)


def keep(scene: bpy.types.Scene, context: bpy.types.Context) -> None:
    """Store the artist's choices in a table of roles on its armature; refill the table if that fails."""
    from ...bridge import control_body
    from ...bridge import rig as rigs

    armature = target_armature.of_tab(context)
    rig = properties.rig_of(scene, armature)
    if _filling or rig is None or armature is None:
        return
    try:
        found = control_body.found_roles(armature)
        # A chosen bone equal to the detected one was accepted before (`accept`).
        kept = {line.name for line in rig.roles if line.bone != found.get(line.name, "") or line.found_by == "HAND"}
        rigs.set_roles(armature, {line.name: line.bone for line in rig.roles if line.name in kept})
        how = found_by(armature, control_body.body_or_bones(armature).skeleton)
    except LoomError:  # a typed name may not be a bone's
        look_up(rig)
        return
    for line in rig.roles:
        line.found_by = how.get(line.name, "none").upper()


def register() -> None:
    registrar.append(lists.when_role_changed, keep)
