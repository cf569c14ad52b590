"""Panels of the sidebar tab "Action Loom": they lay out, and nothing else."""


class SidebarPanel:
    """Where all our panels are."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Action Loom"
