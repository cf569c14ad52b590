"""Clips changed where they are wrong: feet that slide, and what later tools for poses need."""
