"""Model: the extension's stored data, as properties of scenes, armatures and actions, and as preferences."""
