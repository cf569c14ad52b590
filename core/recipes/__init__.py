"""Declarations of user requests, shared by verbs. Standard library only."""
