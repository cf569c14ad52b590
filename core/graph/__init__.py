"""Motion graphs: how clips go over into each other, and walks through them, along a drawn path or at random."""
