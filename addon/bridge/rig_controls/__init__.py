"""The controls of rigs of any kind: found by constraints and by poses of a copy, without lists of names."""

from .finding import find
from .found import Drive, Part, RigControls, Setting, Switch

__all__ = ["Drive", "Part", "RigControls", "Setting", "Switch", "find"]
