"""Poses that an action is made to go through."""
