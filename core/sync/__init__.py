"""Which frames of different clips correspond."""
