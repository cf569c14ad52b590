"""Weaving: read, compute, write, report."""
