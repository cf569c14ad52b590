"""Styles that were learnt, and pads of speeds."""
