"""What a user can ask for: declarations that verbs share. Standard library only."""
