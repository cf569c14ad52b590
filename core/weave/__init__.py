"""New clips made from other clips."""
