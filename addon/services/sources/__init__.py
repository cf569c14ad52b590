"""Sources: the actions an armature can weave, and what is known of them."""
