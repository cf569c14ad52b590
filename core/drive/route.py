"""The recorded route of a driven body: rows played and jumps (methods: Drive)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from . import controller
from .controller import Manner, State, Wish
from .database import Database, Rows

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Route:
    """F recorded frames of a drive.

    row (F,) : of the database; jumped (F,) : whether a jump led there
    place (F,) as x + iy and facing (F,) : of the root, metres and radians
    held (F, S) : whether each foot was locked; moved (F, S) : displacement of feet on the ground, metres
    stepping (F, S) : whether a foot stepped in place, or was released during a contact of its source
    wished (F,) : position of the spring that follows the wishes
    """

    row: Rows
    jumped: Flags
    place: NDArray[np.complex128]
    facing: Array
    held: Flags
    moved: Array
    stepping: Flags
    wished: NDArray[np.complex128]
    wished_facing: Array

    def __len__(self) -> int:
        return len(self.row)


def of_states(states: Sequence[State]) -> Route:
    """Return the route of successive states.

    Example:
        >>> from action_loom.core.drive import controller, database, route
        >>> from action_loom.core.demo_character import actions
        >>> data = database.build([actions.walk(cycles=1), actions.wave()], mirror=False)
        >>> len(route.of_states([controller.begin_state(data)]))
        1
    """
    return Route(
        np.array([state.row for state in states]),
        np.array([state.jumped for state in states]),
        np.array([state.place for state in states]),
        np.array([state.facing for state in states]),
        np.array([[foot.held for foot in state.feet] for state in states]),
        np.array([[abs(foot.off) for foot in state.feet] for state in states]),
        np.array([[foot.since >= 0.0 for foot in state.feet] for state in states]),
        np.array([state.ahead.place for state in states]),
        np.array([state.ahead.facing for state in states]),
    )


def drive_route(
    data: Database,
    wishes: Sequence[Wish],
    manner: Manner,
    place: complex = 0j,
    facing: float = 0.0,
    at: Callable[[int], None] = lambda _: None,
    number: int = 0,
) -> list[State]:
    """Return the states of a body driven by wishes (F,) from standing; at : progress callback before each step.

    number : of a body of a crowd

    The same wishes give bit-identical states.

    Example:
        >>> from action_loom.core.drive import database, route
        >>> from action_loom.core.drive.controller import Manner, Wish
        >>> from action_loom.core.demo_character import actions
        >>> data = database.build([actions.walk(cycles=1), actions.wave()])
        >>> len(route.drive_route(data, [Wish(1.3j)] * 30, Manner()))
        31
    """
    states = [controller.begin_state(data, place, facing, number=number)]
    for k, wish in enumerate(wishes):
        at(k)
        states.append(controller.step(data, manner, states[-1], wish))
    return states
