"""Pictures in panels, in the Image Editor and over the 3D view."""
