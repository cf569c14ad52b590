"""Collision avoidance for bodies that travel together: reciprocal velocity obstacles (methods: Drive).

A simple implementation after [van den Berg]: of candidate velocities around the wanted one, choose the one that is
similar to it and collides late.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import wishes
from .controller import EVERY, Manner, State, Wish, begin_state, step
from .database import Database

# Lengths are for a body height of 1.7 m.
RADIUS = 0.35  # m; the roots of two bodies keep twice this distance
SOON, NEAR = 4.0, 6.0  # s and m; later collisions and more distant bodies are ignored
WEIGHT = 2.0  # m; divided by the seconds until a collision, it is a cost in m/s
TURNS = 0.1  # cost of changing the velocity, per m/s
LEFT = 0.2  # m/s; cost of passing on the left
SPEEDS, WAYS = (
    (0.0, 0.4, 0.7, 1.0, 1.3),
    16,
)  # candidate velocities: shares of the wanted speed, and number of directions

Complex = NDArray[np.complex128]
Pair = tuple[Wish, Wish]  # the original wish, and the wish modified for avoidance


def avoiding(
    own: int, places: Complex, velocities: Complex, wanted: Complex, radii: NDArray[np.float64], leads: bool = False
) -> complex:
    """Return the velocity of one of N bodies that is near its wanted one and avoids the others, m/s as x + iy.

    places, velocities, wanted, radii (N,) : of all; leads : whether the first body leaves all avoidance to the others

    Example:
        >>> import numpy as np
        >>> from action_loom.core.drive import crowd
        >>> places, wanted = np.array([0j, 3j]), np.array([1j, -1j])  # they go towards each other
        >>> chosen = crowd.avoiding(0, places, wanted, wanted, np.full(2, 0.35))
        >>> abs(chosen.real) > 0.1, chosen.imag > 0.3
        (True, True)
    """
    wish = complex(wanted[own])
    away = places - places[own]
    others = np.flatnonzero((np.abs(away) < NEAR) & (np.arange(len(places)) != own))
    if not len(others) or wish == 0j:
        return wish
    ways = np.exp(2j * np.pi * np.arange(WAYS) / WAYS)
    tried = np.concatenate([[wish], (wish * np.outer(SPEEDS, ways)).reshape(-1)])
    # A standing or leading body does not give way, so the other one must avoid it alone.
    shared = (wanted[others] != 0j) & ~(leads & (others == 0))
    moving = np.where(shared, 0.5 * (velocities[own] + velocities[others]), velocities[others])
    seconds = _until(away[others], tried[:, None] - moving, radii[own] + radii[others], shared)
    price = WEIGHT / np.maximum(seconds.min(axis=1), 0.05)
    price = np.where(seconds.min(axis=1) < SOON, price, 0.0) + np.abs(tried - wish)
    price += TURNS * np.abs(tried - velocities[own])  # avoid oscillation
    # crossing bodies pass on the right, so that both do not choose one side
    price += LEFT * ((tried * wish.conjugate()).imag > 1e-9)
    return complex(tried[int(np.argmin(np.round(price, 9)))])


def _until(
    away: Complex, speeds: Complex, apart: NDArray[np.float64], shared: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the seconds (T, N) until a body collides with others at offsets `away` (N,) for relative speeds (T, N)."""
    speeds = np.where(shared, 2.0 * speeds, speeds)  # both bodies contribute equally
    a = np.abs(speeds) ** 2
    b = (speeds * away.conj()).real
    c = np.abs(away) ** 2 - apart**2
    root = b * b - a * c
    hits = (root > 0.0) & (b > 0.0) & (a > 1e-12)
    first = (b - np.sqrt(np.maximum(root, 0.0))) / np.maximum(a, 1e-12)
    return np.where(hits, np.maximum(first, 0.0), np.inf)


def avoid_others(
    bodies: Sequence[tuple[Database, State]], wanted: Sequence[Wish], before: Sequence[Pair], *, leads: bool
) -> list[Pair]:
    """Return for each body its original wish, and the wish modified to avoid the others.

    before : the previous result, () at first; it is kept for some steps while the wishes do not change
    leads : whether the first body follows its wish, and leaves all avoidance to the others

    Example:
        >>> from action_loom.core.drive import controller, crowd, database
        >>> from action_loom.core.demo_character import actions
        >>> data, ahead = database.build([actions.walk(cycles=1), actions.wave()]), controller.Wish(1.3j)
        >>> bodies = [(data, controller.begin_state(data, place, facing)) for place, facing in ((0j, 0.0), (3j, 3.14))]
        >>> pairs = crowd.avoid_others(bodies, [ahead, controller.Wish(-1.3j)], (), leads=True)
        >>> pairs[0][1] == ahead, pairs[1][1] == pairs[1][0]  # the first leads, the other gives way
        (True, False)
    """
    known = [pair[0] for pair in before]
    if known == list(wanted) and bodies[0][1].steps % EVERY:
        return list(before)
    places = np.array([state.place for _, state in bodies])
    # Requested velocities exclude body sway, because swaying bodies would alternately give way to both sides.
    velocities = np.array([wish.velocity for _, wish in before] or [state.velocity for _, state in bodies])
    wished = np.array([wish.velocity for wish in wanted])
    radii = np.array([RADIUS * data.unit for data, _ in bodies])
    pairs = []
    for k, wish in enumerate(wanted):
        got, unit = wish.velocity, bodies[k][0].unit
        if k or not leads:
            own: list[Complex] = [np.asarray(one / unit, dtype=np.complex128) for one in (places, velocities, wished)]
            got = unit * avoiding(k, own[0], own[1], own[2], radii / unit, leads)
        pairs.append((wish, wishes.round_wish(Wish(got, wish.facing))))
    return pairs


def drive_crowd(
    bodies: Sequence[tuple[Database, complex, float]],
    wished: Sequence[Sequence[Wish]],
    manner: Manner,
    at: Callable[[int], None] = lambda _: None,
    *,
    leads: bool = False,
    alike: bool = False,
) -> tuple[list[list[State]], list[list[Wish]]]:
    """Return the states of bodies that avoid each other, and the modified wishes, which reproduce each state alone.

    bodies : of each its database, start position and facing; wished : the wishes of each
    at : progress callback, called with the step before each; alike : whether all begin at the same pose

    Example:
        >>> from action_loom.core.drive import crowd, database
        >>> from action_loom.core.drive.controller import Manner, Wish
        >>> from action_loom.core.demo_character import actions
        >>> data = database.build([actions.walk(cycles=1), actions.wave()])
        >>> states, asked = crowd.drive_crowd([(data, 0j, 0.0), (data, 1 + 0j, 0.0)], [[Wish(1.3j)] * 30] * 2, Manner())
        >>> len(states[1]), asked[1][-1] == Wish(1.3j)
        (31, True)
    """
    states = [[begin_state(*body, number=0 if alike else number)] for number, body in enumerate(bodies)]
    got: list[list[Wish]] = [[] for _ in bodies]
    pairs: list[Pair] = []
    datas = [body[0] for body in bodies]
    for frame, now in enumerate(zip(*wished, strict=True)):
        at(frame)
        pairs = avoid_others(
            [(data, one[-1]) for data, one in zip(datas, states, strict=True)], now, pairs, leads=leads
        )
        for k, (data, (_, wish)) in enumerate(zip(datas, pairs, strict=True)):
            got[k].append(wish)
            states[k].append(step(data, manner, states[k][-1], wish))
    return states, got


def later(wished: Sequence[Wish], steps: int) -> list[Wish]:
    """Return wishes (F,) delayed by some steps; the last ones are dropped.

    Example:
        >>> from action_loom.core.drive import crowd
        >>> from action_loom.core.drive.controller import Wish
        >>> [wish.velocity.imag for wish in crowd.later([Wish(1j)] * 3, 1)]
        [0.0, 1.0, 1.0]
    """
    return [*[Wish()] * min(steps, len(wished)), *wished[: len(wished) - steps if steps < len(wished) else 0]]
