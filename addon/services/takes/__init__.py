"""Takes cut into sets, and the actions made of their rows."""
