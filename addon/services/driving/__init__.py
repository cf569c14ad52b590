"""Driving an armature live: the session and its display."""
