"""Planting of feet: when they stand, how far they are moved, and the legs and pelvis that follow.

Method: Planted feet.
"""
