"""Poses that an action is changed to pass through."""
