"""Previews in the 3D view, and Live."""
