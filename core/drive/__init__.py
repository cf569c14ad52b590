"""A body that is driven: motion matching on a character's own actions, and what was driven as a clip.

Method: Drive.
"""
