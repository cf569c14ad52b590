"""Draw pictures as arrays of pixels, and show them as Blender images."""
