"""The controls of rigs of any kind: found by constraints and by poses of a copy, without lists of names."""

from .finding import find
from .found import Drive, Part, RigControls, Setting, Switch
from .showing import shown_in_steps
from .solving import Limbs, Solved, solve, solve_in_steps

__all__ = [
    "Drive",
    "Limbs",
    "Part",
    "RigControls",
    "Setting",
    "Solved",
    "Switch",
    "find",
    "shown_in_steps",
    "solve",
    "solve_in_steps",
]
