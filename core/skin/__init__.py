"""Surfaces that bones move: linear blend skinning and dual quaternions (methods: Skinning)."""
