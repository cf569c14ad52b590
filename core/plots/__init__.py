"""Pictures of results; the only code that imports matplotlib."""
