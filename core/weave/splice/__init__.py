"""The upper body of one clip on the lower body of another."""
