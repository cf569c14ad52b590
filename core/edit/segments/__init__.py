"""Curves with few keys: cubic segments between frames, with their own slope at each end."""
