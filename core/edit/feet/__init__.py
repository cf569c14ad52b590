"""Feet that stand where they stand: when they do, how far they are moved, and legs that follow.

Method: Planted feet.
"""
