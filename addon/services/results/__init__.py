"""Results after they were written: rebuilt, replaced, played, pushed down."""
