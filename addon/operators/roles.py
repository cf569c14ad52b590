"""Which bone plays which role of the body: found from names, corrected by the artist."""

from typing import Any

import bpy

from ...core.errors import LoomError
from .. import properties
from . import common


class ACTION_LOOM_OT_find_roles(bpy.types.Operator):
    bl_idname = "action_loom.find_roles"
    bl_label = "Find Body Roles"
    bl_description = "Find hips, spine, legs and arms by the bones' names; what was chosen by hand is forgotten"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_armature(cls, context)

    def execute(self, context: Any) -> set[str]:
        from ..bridge import rig as rigs

        rigs.set_roles(context.object, {})
        found = look_up(properties.ensure_rig(context.scene, context.object))
        self.report({"INFO"}, f"{found} of {len(rigs.ROLES)} roles found")
        return {"FINISHED"}


class ACTION_LOOM_OT_set_role(bpy.types.Operator):
    bl_idname = "action_loom.set_role"
    bl_label = "Set Body Role"
    bl_description = "Choose the bone that plays a role of the body"
    bl_options = {"REGISTER", "UNDO"}

    role: bpy.props.StringProperty(name="Role", description="Such as hips, spine, thigh.L, foot.R")
    bone: bpy.props.StringProperty(name="Bone", description="Its name; empty if no bone plays the role")

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_armature(cls, context)

    def execute(self, context: Any) -> set[str]:
        from ..bridge import rig as rigs

        try:
            chosen = rigs.chosen_roles(context.object) | {self.role: self.bone}
            rigs.set_roles(context.object, chosen)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        look_up(properties.ensure_rig(context.scene, context.object))
        return {"FINISHED"}


_filling = False


def look_up(rig: Any) -> int:
    """Fill a list's table of roles with the bones that play them now, and return how many are known."""
    from ..bridge import rig as rigs

    global _filling
    try:
        skeleton = rigs.read(rig.armature).skeleton
    except LoomError:
        return 0
    _filling = True  # what is found is not chosen
    try:
        rig.roles.clear()
        for role in rigs.ROLES:
            line = rig.roles.add()
            line.name = role
            line.bone = skeleton.names[skeleton.roles[role]] if role in skeleton.roles else ""
    finally:
        _filling = False
    return len(skeleton.roles)


def keep(scene: Any, context: Any) -> None:
    """Keep what the artist chose in a table of roles on its armature."""
    from ..bridge import rig as rigs

    rig = properties.rig_of(scene, context.object) if context.object is not None else None
    if _filling or rig is None:
        return
    found = rigs.found_roles(rig.armature)
    rigs.set_roles(rig.armature, {line.name: line.bone for line in rig.roles if line.bone != found.get(line.name, "")})


_register, _unregister = bpy.utils.register_classes_factory((ACTION_LOOM_OT_find_roles, ACTION_LOOM_OT_set_role))


def register() -> None:
    _register()
    properties.when_role_changed.append(keep)


def unregister() -> None:
    properties.when_role_changed.remove(keep)
    _unregister()
