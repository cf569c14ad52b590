"""Interface: operators, panels, menus, overlays, manual."""
