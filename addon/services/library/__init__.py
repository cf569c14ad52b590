"""The searched library of clips."""
