"""Drive a body: motion matching on a character's own actions, and baking the driven motion as a clip.

Method: Drive.
"""
