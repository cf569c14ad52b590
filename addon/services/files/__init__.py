"""Motion files and models, in and out."""
