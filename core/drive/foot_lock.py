"""Feet of a driven body: they stay where they stand, and step before they are dragged (methods: Drive)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from . import springs

# In body heights.
LETS_GO = 0.075  # a foot that would be moved farther steps, if the other stands
ALONE = 0.10  # it does so in any case
FARTHEST = 0.12  # no foot is ever moved farther
LIFTS, LIFT_SHARE = 0.04, 0.5  # a step in place is as high at most, and that share of its way
STEP = 0.24  # s that a step in place takes
IN, OUT = 0.012, 0.06  # s, half-lives in which a foot comes to its place on the ground, and leaves it


@dataclass(frozen=True)
class Foot:
    """How a foot is moved: by `off` on the ground, x + iy, and `lift`, metres.

    held, at : whether it is held on the ground, and where; ball, speed : where it is shown, and its velocity
    rest, fading : what is left of the way to where it belongs, and its velocity
    since : seconds into a step in place, negative while there is none; far : what it was moved by as that began
    """

    ball: complex
    off: complex = 0j
    lift: float = 0.0
    held: bool = False
    at: complex = 0j
    speed: complex = 0j
    rest: complex = 0j
    fading: complex = 0j
    since: float = -1.0
    far: float = 0.0


def stepped(
    feet: Sequence[Foot], balls: Sequence[complex], stands: Sequence[bool], height: float, seconds: float
) -> tuple[Foot, ...]:
    """Return the feet some seconds later; balls : where they would be, x + iy; stands : whether their source stands.

    Example:
        >>> from action_loom.core.drive import foot_lock
        >>> foot = foot_lock.Foot(0j)
        >>> for k in range(60):  # a foot that slides 3 cm a second
        ...     foot, = foot_lock.stepped([foot], [0.03j * k / 60], [True], 1.7, 1 / 60)
        >>> round(abs(foot.ball), 3), round(abs(foot.off), 3)
        (0.0, 0.03)
    """
    stepping = any(foot.since >= 0.0 for foot in feet)
    out = []
    for foot, ball, standing in zip(feet, balls, stands, strict=True):
        out.append(_foot(foot, ball, standing, height, seconds, stepping))
        stepping = stepping or out[-1].since >= 0.0
    return tuple(out)


def _foot(foot: Foot, ball: complex, standing: bool, height: float, seconds: float, stepping: bool) -> Foot:
    since = foot.since + seconds if foot.since >= 0.0 else -1.0
    since = -1.0 if since >= STEP else since
    hold = standing and since < 0.0
    far = foot.far
    if foot.held and hold:
        away = abs(foot.at - ball) / height
        if away > ALONE or (away > LETS_GO and not stepping):
            hold, since, far = False, 0.0, away * height
    was = foot.ball - foot.off  # where the source had it
    moving = (ball - was) / seconds  # as fast as the source moves it
    rest, fading, at = foot.rest, foot.fading, foot.at
    if hold and not foot.held:
        # It runs out without coming back: a spring at this rate that begins with this velocity ends here.
        at = foot.ball + foot.speed / springs.rate_of(IN)
        rest, fading = foot.ball - at, foot.speed
    elif foot.held and not hold:
        rest, fading = foot.ball - was, foot.speed - moving
    rest, fading = springs.faded(rest, fading, IN if hold else OUT, seconds)
    there = (at if hold else ball) + rest
    off = there - ball
    most = FARTHEST * height
    if abs(off) > most:
        off *= most / abs(off)
    lift = 0.0
    if since >= 0.0:
        lift = min(LIFTS * height, LIFT_SHARE * far) * math.sin(math.pi * since / STEP) ** 2
    if not hold and abs(off) < 1e-6 * height and since < 0.0:
        off = rest = fading = 0j
    shown = ball + off
    return Foot(shown, off, lift, hold, at, (shown - foot.ball) / seconds, rest, fading, since, far)
