"""Takes that are cut into sets, and what becomes of their rows."""
