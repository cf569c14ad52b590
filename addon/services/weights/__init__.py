"""Weights over time, and the pad that sets them."""
