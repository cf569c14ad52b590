"""Bitmaps: pictures as arrays of pixels, and as images of Blender's."""
