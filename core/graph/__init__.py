"""Motion graphs: clips connected by transitions, and walks through them along a drawn path or at random."""
