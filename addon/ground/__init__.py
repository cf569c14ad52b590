"""The base of all other packages: Blender's types, colours, rates, file formats, memory, threads, translations."""
