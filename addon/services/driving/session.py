"""A running drive: keys and a goal become wishes, wishes become states; it can pause and go back."""

import cmath
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ....core.drive import controller, crowd, wishes
from ....core.drive.controller import STEP, Manner, State, Wish
from ....core.drive.database import Database
from ....core.drive.ground import Ground

MOST = 4  # steps at once; further ones are dropped
BACK = 60  # steps undone by Backspace
LONGEST = 3600 * 60  # steps
ARRIVES, NEAR = 0.6, 0.12  # s in which the way to a goal is walked, and m (of a body of 1.7 m) at which it is reached
LOOKS, APART = 0.5, 0.1  # m, likewise: look-ahead along a line, and distance between points of a drawn line

# Relative to the camera: ahead, and to the left.
ARROWS = {"UP_ARROW": 1.0 + 0j, "DOWN_ARROW": -1.0 + 0j, "LEFT_ARROW": 1j, "RIGHT_ARROW": -1j}


@dataclass
class Session:
    """A drive: the searched rows, its response options, and its history.

    keys : direction of each key relative to the camera, as in `ARROWS`
    ground : the ground, None for the floor
    states : from the first one; wished : the wish of every step
    held : pressed keys; runs, keeps : whether Shift and Ctrl are pressed
    goal : current target, x + iy metres; line : further targets of a drawn line
    longest : steps after which it pauses; others : companions with the same wishes, which avoid each other
    later : delay in steps of its wishes, as a companion; number : as such, 0 for the main character
    ticks : seconds between updates; late : dropped seconds, because the computer was busy
    """

    data: Database
    manner: Manner
    place: complex = 0j
    facing: float = 0.0
    ground: Ground | None = None
    states: list[State] = field(default_factory=list)
    wished: list[Wish] = field(default_factory=list)
    keys: Mapping[str, complex] = field(default_factory=lambda: ARROWS)
    held: set[str] = field(default_factory=set)
    runs: bool = False
    keeps: bool = False
    goal: complex | None = None
    line: list[complex] = field(default_factory=list)
    paused: bool = False
    longest: int = LONGEST
    others: list["Session"] = field(default_factory=list)
    later: int = 0
    number: int = 0
    ticks: list[float] = field(default_factory=list)
    late: float = 0.0
    _rest: float = 0.0
    _kept_facing: float | None = None
    _asked: list[crowd.Pair] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.states = [controller.begin_state(self.data, self.place, self.facing, self.ground, self.number)]

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def seconds(self) -> float:
        return len(self.wished) * STEP

    def key(self, name: str, *, down: bool, shift: bool, ctrl: bool) -> bool:
        """Handle a pressed or released key; return whether it steers."""
        self.hold(shift=shift, ctrl=ctrl)
        if name not in self.keys:
            return False
        if down:
            self.held.add(name)
            self.go_to(None)
        else:
            self.held.discard(name)
        return True

    def go_to(self, goal: complex | None) -> None:
        """Go to a place, x + iy metres, None for nowhere; forget a drawn line."""
        self.goal, self.line = goal, []

    def draw(self, place: complex | None) -> None:
        """Append a place to the drawn line; None for the sky."""
        last = self.line[-1] if self.line else self.goal
        if place is not None and (last is None or abs(place - last) > APART * self.data.unit):
            self.line.append(place)

    def hold(self, *, shift: bool, ctrl: bool) -> None:
        """Set whether Shift and Ctrl are pressed."""
        if ctrl and not self.keeps:
            self._kept_facing = self.state.facing
        self.runs, self.keeps = shift, ctrl

    def release(self) -> None:
        """Forget all keys, for example when the window loses the focus."""
        self.held.clear()
        self.runs = self.keeps = False

    def wish(self, forward: float) -> Wish:
        """Return the current wish; forward : the camera's direction, radians as a facing."""
        walk, run = self.data.gaits
        speed = run if self.runs else walk
        facing = self._kept_facing if self.keeps else None
        while self.line and (self.goal is None or abs(self.goal - self.state.place) < LOOKS * self.data.unit):
            self.goal = self.line.pop(0)
        if self.goal is not None:
            away = self.goal - self.state.place
            if abs(away) < NEAR * self.data.unit:
                self.goal = None
                return wishes.round_wish(Wish(0j, facing))
            speed = speed if self.line else min(speed, abs(away) / ARRIVES)
            return wishes.round_wish(Wish(away / abs(away) * speed, facing))
        way = sum((self.keys[name] for name in sorted(self.held)), 0j)
        if abs(way) < 1e-6:
            return wishes.round_wish(Wish(0j, facing))
        return wishes.round_wish(Wish(way / abs(way) * 1j * cmath.exp(1j * forward) * speed, facing))

    def advance(self, seconds: float, forward: float) -> int:
        """Advance by a time in whole steps; return the number of steps."""
        self.ticks.append(seconds)
        if self.paused:
            self._rest = 0.0
            return 0
        self._rest += seconds
        count = int(self._rest / STEP + 1e-9)
        self._rest -= count * STEP
        if count > MOST:
            self.late += (count - MOST) * STEP
            count = MOST
        for _ in range(min(count, self.longest - len(self.wished))):
            self._go(self.wish(forward))
        self.paused = len(self.wished) >= self.longest
        return count

    def _go(self, wish: Wish) -> None:
        """Advance one step; companions have the same wish, some a little later, and avoid each other."""
        all_of_them = [self, *self.others]
        if self.others:
            bodies = [(one.data, one.state) for one in all_of_them]
            wanted = [self._before(wish, one.later) for one in all_of_them]
            self._asked = crowd.avoid_others(bodies, wanted, self._asked, leads=True)
        wishes_of = [asked for _, asked in self._asked] or [wish]
        for one, asked in zip(all_of_them, wishes_of, strict=True):
            one.states.append(controller.step(one.data, one.manner, one.state, asked))
            one.wished.append(asked)
            one._forget()

    def _before(self, wish: Wish, steps: int) -> Wish:
        """Return the wish of some steps before the current one."""
        if not steps:
            return wish
        return self.wished[-steps] if steps <= len(self.wished) else Wish()

    def _forget(self) -> None:
        """Keep only a state every quarter of a second and the last second; others can be recomputed from wishes."""
        old = len(self.states) - 1 - BACK
        if old > 0 and old % 15:
            self.states[old] = _GONE

    def take_back(self) -> None:
        """Undo one second."""
        count = max(0, len(self.wished) - BACK)
        first = count - count % 15
        del self.states[first + 1 :]
        again = self.wished[first:count]
        for wish in again:
            self.states.append(controller.step(self.data, self.manner, self.states[-1], wish))
        del self.wished[count:]
        self.go_to(None)
        self._rest, self._asked = 0.0, []
        for other in self.others:
            other.take_back()

    def under(self) -> tuple[tuple[float, ...], ...]:
        """Return the ground around the way in the recipe's format."""
        way = [state.place for state in self.states if state.row >= 0]
        return () if self.ground is None else self.ground.part_near(way).rows()

    def rows(self) -> tuple[tuple[float, ...], ...]:
        """Return the wishes in the recipe's format."""
        return wishes.as_rows(self.wished)

    def kept(self) -> dict[str, Any]:
        """Return the recipe options that describe the drive."""
        start = ((self.place.real, self.place.imag, math.degrees(self.facing)),)
        return {"wishes": self.rows(), "start": start, "ground": self.under(), "places": (), "crowd": ()}

    def predict_path(self) -> list[complex]:
        """Return the predicted path within a second, x + iy."""
        return [ahead.place for ahead in controller.predict_springs(self.manner, self.state, range(6, 61, 6))]


_GONE = State(-1)


def forward_of(along: tuple[float, float, float], up: tuple[float, float, float]) -> float:
    """Return the facing that is ahead for a camera: its direction, or the upward direction of a view from above."""
    flat = complex(along[0], along[1])
    if abs(flat) < 0.3:
        flat = complex(up[0], up[1])
    return cmath.phase(flat / 1j) if abs(flat) > 0.0 else math.pi
