"""The library of clips that is searched."""
