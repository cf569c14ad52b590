"""Measures of a clip: foot contacts, quality, seams, cadence, travel by the feet."""
