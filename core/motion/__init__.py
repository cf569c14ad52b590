"""Rotations, skeletons and clips, and the kinematics of clips."""
