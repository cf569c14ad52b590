"""Contacts of hands: found from the motion alone, and kept on results of verbs (methods: Contacts of hands)."""
