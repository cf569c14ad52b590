"""Keep the meshes on armatures as last read, until they change.

A handler notices geometry that Blender evaluates again, whatever was painted or moved; mesh settings are compared.
"""

import dataclasses
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
from bpy.app.handlers import persistent

from ....core.cache import Cache
from ...ground import memory, registrar
from ...ground.blender_types import present

if TYPE_CHECKING:
    from ...bridge.mesh import SkinnedMesh


@dataclass(eq=False)
class _Read:
    """A mesh as last read.

    mesh : session id of the mesh data
    settings : its settings at that time
    holds : False once its geometry was evaluated again
    """

    skin: "SkinnedMesh"
    mesh: int
    settings: Hashable
    holds: bool = True


# By the session ids of armature and mesh object.
_known: Cache[tuple[int, int], _Read] = memory.cache(64)


def of(armature: bpy.types.Object, drawn: bpy.types.Object) -> "SkinnedMesh":
    """Return the surface of a mesh deformed by an armature, from the cache if it has not changed.

    Don't call it from handlers or while Blender draws: it evaluates pending changes. Raises RigError as
    `bridge.mesh.read` does.
    """
    from ...bridge import mesh  # numpy is loaded at first use, not when Blender starts

    present(bpy.context.view_layer).update()  # a script may have changed something just now
    settings = mesh.settings(armature, drawn)
    key = armature.session_uid, drawn.session_uid
    known = _known.get(key)
    if known is None or not known.holds or known.settings != settings:
        skin = mesh.read(armature, drawn)
        known = _Read(skin, present(drawn.data).session_uid, settings)
    towards = mesh.standing(armature, drawn)
    if (known.skin.towards != towards).any():
        known.skin = dataclasses.replace(known.skin, towards=towards)
    return _known.keep(key, known).skin


@persistent
def _after_evaluation(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if not len(_known) or not depsgraph.id_type_updated("MESH"):
        return
    updated = [one.id for one in depsgraph.updates if one.is_updated_geometry]
    changed = {present(one.original).session_uid for one in updated if isinstance(one, bpy.types.Mesh)}
    for known in _known:
        known.holds = known.holds and known.mesh not in changed


def register() -> None:
    registrar.append(bpy.app.handlers.depsgraph_update_post, _after_evaluation)
