"""Driving an armature live: the session, and what it shows."""
