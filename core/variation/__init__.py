"""New motion of any length out of a clip's own frames, guided, through poses and stretches (methods: Variations)."""
