"""Fill the gaps between keyed poses from a character's own clips (methods: Fill)."""
