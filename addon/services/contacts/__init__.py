"""Contacts and other events, as pose markers."""
