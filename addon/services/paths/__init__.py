"""Stretches of a drawn curve."""
