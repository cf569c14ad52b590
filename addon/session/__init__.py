"""What is remembered while Blender runs; nothing here holds data of Blender's."""
