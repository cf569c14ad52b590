"""Repairs of the seam between two motions."""
