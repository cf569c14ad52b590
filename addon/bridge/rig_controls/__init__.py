"""The controls of rigs of any kind: found by constraints and by poses of a copy, without lists of names."""

from .finding import find
from .found import Drive, Part, RigControls, Setting, Switch
from .solving import Solved, solve

__all__ = ["Drive", "Part", "RigControls", "Setting", "Solved", "Switch", "find", "solve"]
