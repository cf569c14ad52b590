"""What a user can ask for: declarations only, standard library only."""
