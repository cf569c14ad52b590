"""Make new motion of any length from the frames of clips, through given poses and stretches (methods: Variations)."""
