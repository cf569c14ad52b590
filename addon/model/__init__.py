"""Model: what the extension keeps, as properties of scenes, armatures and actions, and as preferences."""
