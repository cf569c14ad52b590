"""A drive while it lasts: keys and a goal become wishes, wishes become states; it can pause and go back."""

import cmath
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ....core.drive import controller, wishes
from ....core.drive.controller import STEP, Manner, State, Wish
from ....core.drive.database import Database
from ....core.drive.ground import Ground

MOST = 4  # steps at a time; what is later is let go
BACK = 60  # steps that Backspace takes back
LONGEST = 3600 * 60  # steps
ARRIVES, NEAR = 0.6, 0.12  # s in which the way to a goal is gone, and m (of a body 1.7 m tall) at which it is reached

# Seen from the camera: ahead, and to the left.
ARROWS = {"UP_ARROW": 1.0 + 0j, "DOWN_ARROW": -1.0 + 0j, "LEFT_ARROW": 1j, "RIGHT_ARROW": -1j}


@dataclass
class Session:
    """A drive: the rows that it is found in, how it answers, and what happened so far.

    keys : where each key leads, seen from the camera, as `ARROWS` has it
    ground : what it walks on, None for the floor
    states : from the first one; wished : the wish of every step
    held : keys that are down; runs, keeps : whether Shift and Ctrl are; goal : where to go, x + iy metres
    ticks : seconds between looks at the clock; late : seconds that were let go, because the computer was busy
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
    paused: bool = False
    ticks: list[float] = field(default_factory=list)
    late: float = 0.0
    _rest: float = 0.0
    _kept_facing: float | None = None

    def __post_init__(self) -> None:
        self.states = [controller.begun(self.data, self.place, self.facing, self.ground)]

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def seconds(self) -> float:
        return len(self.wished) * STEP

    def key(self, name: str, *, down: bool, shift: bool, ctrl: bool) -> bool:
        """Take a key that went down or up; say whether it steers."""
        self.hold(shift=shift, ctrl=ctrl)
        if name not in self.keys:
            return False
        if down:
            self.held.add(name)
            self.goal = None
        else:
            self.held.discard(name)
        return True

    def hold(self, *, shift: bool, ctrl: bool) -> None:
        """Take whether Shift and Ctrl are down."""
        if ctrl and not self.keeps:
            self._kept_facing = self.state.facing
        self.runs, self.keeps = shift, ctrl

    def release(self) -> None:
        """Forget all keys, as when the window loses the focus."""
        self.held.clear()
        self.runs = self.keeps = False

    def wish(self, forward: float) -> Wish:
        """Return what is wished now; forward : where the camera looks, radians as a facing."""
        walk, run = self.data.gaits
        speed = run if self.runs else walk
        facing = self._kept_facing if self.keeps else None
        if self.goal is not None:
            away = self.goal - self.state.place
            if abs(away) < NEAR * self.data.unit:
                self.goal = None
                return wishes.rounded(Wish(0j, facing))
            return wishes.rounded(Wish(away / abs(away) * min(speed, abs(away) / ARRIVES), facing))
        way = sum((self.keys[name] for name in sorted(self.held)), 0j)
        if abs(way) < 1e-6:
            return wishes.rounded(Wish(0j, facing))
        return wishes.rounded(Wish(way / abs(way) * 1j * cmath.exp(1j * forward) * speed, facing))

    def advance(self, seconds: float, forward: float) -> int:
        """Go on in whole steps by so many seconds; returns how many."""
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
        for _ in range(min(count, LONGEST - len(self.wished))):
            wish = self.wish(forward)
            self.states.append(controller.step(self.data, self.manner, self.state, wish))
            self.wished.append(wish)
            self._forget()
        return count

    def _forget(self) -> None:
        """Keep states of every quarter of a second and the last second only: wishes make the others again."""
        old = len(self.states) - 1 - BACK
        if old > 0 and old % 15:
            self.states[old] = _GONE

    def take_back(self) -> None:
        """Take back a second."""
        count = max(0, len(self.wished) - BACK)
        first = count - count % 15
        del self.states[first + 1 :]
        again = self.wished[first:count]
        for wish in again:
            self.states.append(controller.step(self.data, self.manner, self.states[-1], wish))
        del self.wished[count:]
        self.goal, self._rest = None, 0.0

    def under(self) -> tuple[tuple[float, ...], ...]:
        """Return the ground around the way as the recipe has it."""
        way = [state.place for state in self.states if state.row >= 0]
        return () if self.ground is None else self.ground.near(way).rows()

    def rows(self) -> tuple[tuple[float, ...], ...]:
        """Return the wishes as the recipe has them."""
        return wishes.as_rows(self.wished)

    def predicted(self) -> list[complex]:
        """Return where the wish leads within a second, x + iy."""
        return [ahead.place for ahead in controller.predicted(self.manner, self.state, range(6, 61, 6))]


_GONE = State(-1)


def forward_of(along: tuple[float, float, float], up: tuple[float, float, float]) -> float:
    """Return the facing that is ahead for a camera: where it looks, from above what is up in the picture."""
    flat = complex(along[0], along[1])
    if abs(flat) < 0.3:
        flat = complex(up[0], up[1])
    return cmath.phase(flat / 1j) if abs(flat) > 0.0 else math.pi
