"""Ground: Blender's types, colours, rates, file formats, memory, threads, translations."""
