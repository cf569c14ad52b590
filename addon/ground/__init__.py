"""What everything else builds on: Blender's types, colours, rates, file formats, memory, threads, translations."""
