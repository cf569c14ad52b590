"""Lock the feet of a driven body during contacts, and step before they are dragged (methods: Drive)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from . import springs

# In body heights, the displacement of a foot.
LETS_GO = 0.075  # beyond it the foot steps, if the other stands
ALONE = 0.10  # beyond it the foot steps in any case
FARTHEST = 0.12  # upper limit
LIFTS, LIFT_SHARE = 0.04, 0.5  # largest height of a step in place, and its height as a share of its length
STEP = 0.24  # s, duration of a step in place
IN, OUT = 0.012, 0.06  # s, half-lives of locking a foot to the ground, and of releasing it


@dataclass(frozen=True)
class Foot:
    """The displacement of a foot: `off` on the ground, x + iy, and `lift`, metres.

    held, at : whether it is locked to the ground, and its place; ball, speed : displayed position and its velocity
    rest, fading : decaying offset from its target, and its velocity
    since : seconds into a step in place, negative without one; far : displacement at its start
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


def step_feet(
    feet: Sequence[Foot], balls: Sequence[complex], stands: Sequence[bool], height: float, seconds: float
) -> tuple[Foot, ...]:
    """Return the feet some seconds later; balls : source positions, x + iy; stands : contacts in the source.

    Example:
        >>> from action_loom.core.drive import foot_lock
        >>> foot = foot_lock.Foot(0j)
        >>> for k in range(60):  # a foot that slides 3 cm a second
        ...     foot, = foot_lock.step_feet([foot], [0.03j * k / 60], [True], 1.7, 1 / 60)
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
    was = foot.ball - foot.off  # position in the source
    moving = (ball - was) / seconds  # velocity in the source
    rest, fading, at = foot.rest, foot.fading, foot.at
    if hold and not foot.held:
        # A critically damped spring with this rate and initial velocity comes to rest here without overshooting.
        at = foot.ball + foot.speed / springs.rate_of(IN)
        rest, fading = foot.ball - at, foot.speed
    elif foot.held and not hold:
        rest, fading = foot.ball - was, foot.speed - moving
    rest, fading = springs.fade_offset(rest, fading, IN if hold else OUT, seconds)
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
