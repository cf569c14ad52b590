"""Procedural actions of the small human figure, for the demo and for tests without motion capture.

The figure faces −Y and starts at the origin; its left is +X. Gaits start at the heel strike of the leading foot.
"""

from dataclasses import replace

import numpy as np

from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from .body import MIRROR, arms, make_clip, pair, skeleton, two_bones
from .gait import Gait, RootPath, bending, frames_in, gait, hanging, leaning, make_gait, standing, through

WALK = Gait(
    leads="L",
    off=0.60,
    go=(0.635, 0.98),
    pitch=((0.0, 20.0), (0.08, 0.0), (0.39, 0.0), (0.67, -70.0), (0.94, 20.0)),
    lift=((0.70, 0.12), (0.92, 0.11)),
    ahead=-0.08,
    hips=(0.02, 0.018, 0.022),
    lean=(4.0, 4.0, 2.0),
    arm=(-1.0, 21.0),
    elbow=(22.0, 11.0),
)
SNEAK = Gait(
    leads="R",
    off=0.61,
    go=(0.65, 0.96),
    pitch=((0.0, 18.0), (0.08, 0.0), (0.44, 0.0), (0.70, -45.0), (0.95, 18.0)),
    lift=((0.73, 0.15), (0.92, 0.13)),
    ahead=-0.03,
    hips=(0.14, 0.012, 0.035),
    lean=(16.0, 38.0, 12.0),
    arm=(32.0, 10.0),
    elbow=(76.0, 8.0),
)
RUN = Gait(
    leads="L",
    off=0.32,
    go=(0.33, 0.97),
    pitch=((0.0, 10.0), (0.06, 0.0), (0.15, 0.0), (0.44, -70.0), (0.58, -100.0), (0.92, 10.0)),
    lift=((0.52, 0.37), (0.88, 0.13)),
    ahead=-0.12,
    hips=(0.085, -0.040, 0.010),
    lean=(10.0, 13.0, 2.0),
    arm=(-8.0, 36.0),
    elbow=(92.0, 14.0),
    twist=(10.0, 12.0),
    wrist=(0.2, 0.1),
)
CARRY = Gait(
    leads="L",
    off=0.64,
    go=(0.68, 0.98),
    pitch=((0.0, 14.0), (0.08, 0.0), (0.42, 0.0), (0.69, -58.0), (0.94, 14.0)),
    lift=((0.715, 0.11), (0.93, 0.10)),
    ahead=-0.05,
    hips=(0.03, 0.014, 0.030),
    lean=(-3.0, -11.0, 3.0),
    arm=(0.0, 0.0),
    elbow=(0.0, 0.0),
    twist=(4.0, 0.0),
    holds=(0.18, -0.27, -0.13),
)
_QUARTER = 0.5 * np.pi
_TURN_SPEED, _TURN_STEP = 1.15, 0.62  # m/s and m, of a walk that turns
_WAVES = 1.7  # waves a second


def walk(rate: float = 30.0, cycles: int = 3, *, speed: float = 1.3, step: float = 0.69, turn: float = 0.0) -> Clip:
    """Return an ordinary walk that starts on the left foot; options as in `gait.gait`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> len(walk), walk.rate, walk.skeleton.names[:3]
        (97, 30.0, ('hips', 'spine', 'chest'))
    """
    return gait("walk", WALK, rate, cycles, speed=speed, step=step, turn=turn)


def sneak(rate: float = 30.0, cycles: int = 3, *, speed: float = 0.55, step: float = 0.605, turn: float = 0.0) -> Clip:
    """Return a slow, crouched gait that starts on the right foot; options as in `gait.gait`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> len(actions.sneak(cycles=1)) > len(actions.walk(cycles=1))
        True
    """
    return gait("sneak", SNEAK, rate, cycles, speed=speed, step=step, turn=turn)


def run(rate: float = 30.0, cycles: int = 3, *, speed: float = 3.2, step: float = 1.152, turn: float = 0.0) -> Clip:
    """Return a run, with both feet in the air between steps; options as in `gait.gait`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> run = actions.run()
        >>> round(root_motion.path_length(root_motion.ground_frames(run)[0]) / run.seconds, 1)  # m/s
        3.2
    """
    return gait("run", RUN, rate, cycles, speed=speed, step=step, turn=turn)


def carry(rate: float = 30.0, cycles: int = 3, *, speed: float = 0.95, step: float = 0.56, turn: float = 0.0) -> Clip:
    """Return a slow walk with a box held in both arms; options as in `gait.gait`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> carry = actions.carry(cycles=2)
        >>> carry.name, round(carry.seconds, 1)
        ('carry', 2.3)
    """
    return gait("carry", CARRY, rate, cycles, speed=speed, step=step, turn=turn)


def turn_left(rate: float = 30.0) -> Clip:
    """Return a walk that starts on the right foot and turns by 90° to the left.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> facing = root_motion.heading(actions.turn_left())
        >>> round(float(np.degrees(facing[-1] - facing[0])))
        90
    """
    return _turn("turn left", "R", rate, _QUARTER)


def turn_right(rate: float = 30.0) -> Clip:
    """Return the mirror image of `turn_left`: it starts on the left foot and turns by 90° to the right.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> facing = root_motion.heading(actions.turn_right())
        >>> round(float(np.degrees(facing[-1] - facing[0])))
        -90
    """
    return _turn("turn right", "L", rate, -_QUARTER)


def _turn(name: str, leads: str, rate: float, angle: float) -> Clip:
    """Return a walk of two and a half cycles that turns by an angle, radians to the left."""
    frames = frames_in(rate, _TURN_SPEED, _TURN_STEP)
    path = RootPath(
        _TURN_SPEED * frames / rate, lambda progress: through(progress, ((0.35, 0.0), (2.05, angle))), banks=True
    )
    return make_gait(name, replace(WALK, leads=leads), rate, np.arange(round(2.5 * frames) + 1) / frames, path)


def wave(rate: float = 30.0) -> Clip:
    """Return an action that stands on both feet, raises the right arm, waves, and lowers it.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> wave = actions.wave()
        >>> heights = kinematics.points(wave)[:, wave.skeleton.index("hand.R"), 2]
        >>> heights[[0, 54, -1]].round(2).tolist()
        [0.88, 1.71, 0.88]
    """
    time = np.arange(round(3.6 * rate) + 1) / rate
    shifted = through(time, ((0.0, 0.0), (0.9, 1.0), (2.7, 1.0), (3.6, 0.0)))
    raised = through(time, ((0.2, 0.0), (0.95, 1.0), (2.55, 1.0), (3.4, 0.0)))
    looking = through(time, ((0.0, 0.0), (0.6, 1.0), (2.8, 1.0), (3.5, 0.0)))
    # The arm swings only while it is raised.
    swing = through(time, ((0.7, 0.0), (1.1, 1.0), (2.4, 1.0), (2.8, 0.0)))
    swing *= np.sin(2.0 * np.pi * _WAVES * (time - 0.7))
    body = skeleton()
    ankles, across, feet = standing(body)
    world = {role: np.broadcast_to(rotations, (len(time), 2, 4)) for role, rotations in feet.items()}
    world |= _greeting(shifted, looking, swing)
    world |= _waving(body, world["chest"], raised, swing)
    hips = body.offsets[0] + np.stack([0.065 * shifted, 0.01 * shifted, -0.022 - 0.012 * shifted], axis=-1)
    thighs = hips[:, None] + quat.rotate(world["hips"][:, None], body.offsets[pair(body, "thigh")])
    bones = (body.offsets[body.roles[role]] for role in ("shin.L", "foot.L"))
    world["thigh"], world["shin"] = two_bones(thighs, ankles, across, *bones)
    return make_clip("wave", body, rate, world, hips)


def _greeting(shifted: Array, looking: Array, swing: Array) -> dict[str, Array]:
    """Return the rotations of a trunk that shifts its weight to the left leg and looks slightly to the right."""
    degree = np.radians(1.0)
    hips = leaning(-4.0 * degree * looking, degree, -6.0 * degree * shifted)
    chest = leaning(-10.0 * degree * looking, degree * (1.0 - 2.0 * shifted), degree * (4.0 * shifted + 1.5 * swing))
    head = leaning(-22.0 * degree * looking, -6.0 * degree * looking, degree * (-4.0 * looking - 1.5 * swing))
    return bending(hips, chest, head)


def _waving(body: Skeleton, chest: Array, raised: Array, swing: Array) -> dict[str, Array]:
    """Return the rotations of arms and hands: the left one hangs, the right one is raised and swings at its elbow."""
    still = np.full((len(chest), 2), 0.28)  # the phase at which arms that swing with a gait pass the body
    world = hanging(WALK, still, quat.yaw(chest), np.zeros(len(chest)))
    angle = np.radians(8.0 + 26.0 * swing)
    upper = np.broadcast_to(MIRROR * (0.80, -0.30, 0.28), (len(chest), 2, 3))
    fore = np.stack([np.sin(angle), np.full_like(angle, -0.22), np.cos(angle)], axis=-1)
    up = arms(body, upper, fore[:, None] * MIRROR)
    shares = np.stack([1.0 - raised, raised])
    for role, rotations in up.items():
        turned = quat.mul(chest, rotations[:, 1])
        world[role] = np.stack([world[role][:, 0], quat.mean([world[role][:, 1], turned], shares)], axis=1)
    return world
