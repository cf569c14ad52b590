"""Libraries of clips: rows of numbers for every frame, kept in a folder, and what is found among them.

Method: Libraries of clips.
"""
