"""Curves through few of their frames: cubic segments with slopes of their own at both ends."""
