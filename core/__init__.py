"""Motion without Blender: clips, their registration, the verbs that weave new clips, and measures of their quality."""
