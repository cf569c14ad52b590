"""Sources: the actions an armature can weave, and information about them."""
