"""What lies between keyed poses, found in a character's own clips (methods: Fill)."""
