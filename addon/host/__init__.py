"""Run the command line inside Blender on the actions of the opened file."""
