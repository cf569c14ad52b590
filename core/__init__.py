"""Motion without Blender: clips, their synchronisation, what is woven from them, and how good it is."""
