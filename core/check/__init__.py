"""How good a clip is."""
