"""Takes: a long recording becomes a set of named actions (methods: A take becomes a set)."""
