"""Panels of the sidebar tab "Action Loom": they lay out, and nothing else."""

from typing import Any


class SidebarPanel:
    """Where all our panels are."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Action Loom"


def armature_of(context: Any) -> Any:
    """Return the active armature, or None."""
    active = context.object
    return active if active is not None and active.type == "ARMATURE" else None
