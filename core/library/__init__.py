"""Libraries of clips: a row of numbers for every frame, kept in a folder and searched (methods: Libraries of clips)."""
