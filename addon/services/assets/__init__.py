"""Actions as assets."""
