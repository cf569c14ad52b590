"""Learnt styles, and pads of speeds."""
