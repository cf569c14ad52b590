"""Mending the seam where one motion goes over into another."""
