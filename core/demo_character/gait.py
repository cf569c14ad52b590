"""Gaits of the small figure: the motion of its feet, with hips, trunk and arms.

A cycle starts at the heel strike of the leading foot; the phase of a foot (0 … 1) starts at its own heel strike.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import OptionError
from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from .body import MIRROR, SIDES, make_clip, pair, reaching, skeleton, two_bones

_BALL, _HEEL = 0.020, 0.190  # m; height of the ball of a standing foot, and distance back to the heel
_ARM_OUT, _ARM_HANGS = np.radians(24.0), np.radians(7.0)  # from straight down, at rest and in a gait
_TILT, _TOES_OUT = np.radians((3.5, 6.0))
_WIDTH = 0.14  # m between the feet
_STRAIGHTEST = 0.9965  # of leg length; a straighter leg would make the knee snap
_SOFT = 50.0  # 1/m; smaller values round the path of the hips where a leg would be too short
_RAMP = 0.35  # share of the time between two keys spent on acceleration, and on deceleration
_ELBOWS = (0.35, 0.5, -1.0)  # direction of the left elbow when the hand holds something
_CYCLE = 2.0 * np.pi
_GRAVITY = 9.81
# Points and weights (Gauss-Legendre) that integrate a path from its headings: exact for arcs.
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(32)

Keys = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Gait:
    """The parameters of a gait; metres, degrees, and shares of the cycle.

    leads : the foot that strikes first, "L" or "R"
    off : phase at which the ball of a foot leaves the ground
    go : phases between which a foot moves forward
    pitch : (phase, angle) of the foot, positive with the toes up
    lift : (phase, height) of the ball while it is off the ground
    ahead : distance of the ankle in front of the hips at mid-stance
    hips : lowering relative to rest, and amplitude of the vertical motion (negative: first down, as in a run) and of
        the lateral motion
    lean : forward, of pelvis, chest and head
    arm, elbow : mean and swing of the arms forward, and of the elbows' bend
    twist : of pelvis and chest against each other
    wrist : shares of the elbows' bend by which forearms turn inwards and hands hang
    holds : position of the left wrist in front of the chest, the right one is mirrored; None if the arms swing
    """

    leads: str
    off: float
    go: tuple[float, float]
    pitch: Keys
    lift: Keys
    ahead: float
    hips: tuple[float, float, float]
    lean: tuple[float, float, float]
    arm: tuple[float, float]
    elbow: tuple[float, float]
    twist: tuple[float, float] = (7.0, 7.0)
    wrist: tuple[float, float] = (0.4, 0.65)
    holds: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class RootPath:
    """The root trajectory of a body.

    stride : metres in each cycle
    facing : direction (radians to the left) after a number of cycles from its start
    banks : whether the body leans into its turns and looks into them
    """

    stride: float
    facing: Callable[[Array], Array]
    banks: bool = False

    def place(self, cycles: Array, left: Array | float) -> Array:
        """Return the ground positions (..., 3) after a number of cycles, offset by `left` metres to the body's left."""
        along = 0.5 * (_POINTS + 1.0) * cycles[..., None]
        facing = self.facing(along)
        x = 0.5 * self.stride * cycles * (np.sin(facing) @ _WEIGHTS)
        y = -0.5 * self.stride * cycles * (np.cos(facing) @ _WEIGHTS)
        now = self.facing(cycles)
        return np.stack([x + left * np.cos(now), y + left * np.sin(now), np.zeros_like(x)], axis=-1)

    def bank(self, cycles: Array, cycles_a_second: float) -> Array:
        """Return the lean (radians) of the body to its left that balances the turn."""
        if not self.banks:
            return np.zeros_like(cycles)
        near = 0.01
        turning = (self.facing(cycles + near) - self.facing(cycles - near)) / (2.0 * near) * cycles_a_second
        return np.arctan(self.stride * cycles_a_second * turning / _GRAVITY)


def frames_in(rate: float, speed: float, step: float) -> int:
    """Return the number of frames of a cycle, rounded to a whole number by adjusting the step, not the speed.

    speed m/s, step m. Raises OptionError unless both are positive.
    """
    if min(rate, speed, step) <= 0.0:
        raise OptionError("Rate, cycles, speed and step must be more than zero")
    return max(8, round(2.0 * step / speed * rate))


def gait(name: str, style: Gait, rate: float, cycles: int, *, speed: float, step: float, turn: float) -> Clip:
    """Return whole cycles of a gait, from the origin along −Y, and the first frame of the next cycle.

    speed m/s, step m, turn radians to the left in each cycle. A cycle takes a whole number of frames, so that it loops.
    Raises OptionError for values that are zero or negative, and for steps too long for the figure's legs.
    """
    frames = frames_in(rate, speed, step)
    if cycles < 1:
        raise OptionError("Rate, cycles, speed and step must be more than zero")
    path = RootPath(speed * frames / rate, lambda progress: turn * progress)
    return make_gait(name, style, rate, np.arange(cycles * frames + 1) / frames, path)


def make_gait(name: str, style: Gait, rate: float, progress: Array, path: RootPath) -> Clip:
    """Return a gait along a root trajectory; progress (F,) : the position on it in each frame, in cycles."""
    body = skeleton()
    late = np.array([0.0, 0.5] if style.leads == "L" else [0.5, 0.0])
    phases = progress[:, None] + late
    bank = path.bank(progress, float(progress[1] - progress[0]) * rate)
    ankles, across, world = _feet(body, style, phases, late, path)
    world |= _trunk(style, phases[:, 0], progress, path, bank)
    if style.holds is None:
        world |= hanging(style, phases, path.facing(progress), bank)
    else:
        world |= _holding(body, world["chest"], style.holds)
    drop, bob, sway = style.hips
    middle = _CYCLE * (phases[:, 0] - 0.5 * style.off)
    high = body.offsets[0, 2] - drop
    place = path.place(progress, sway * np.cos(middle) + high * np.tan(bank))
    place[:, 2] = high + bob * np.cos(2.0 * middle)
    to_thighs = quat.rotate(world["hips"][:, None], body.offsets[pair(body, "thigh")])
    hips = _lower_hips(body, place, to_thighs, ankles)
    bones = (body.offsets[body.roles[role]] for role in ("shin.L", "foot.L"))
    world["thigh"], world["shin"] = two_bones(hips[:, None] + to_thighs, ankles, across, *bones)
    return make_clip(name, body, rate, world, hips)


def _feet(
    body: Skeleton, style: Gait, phases: Array, late: Array, path: RootPath
) -> tuple[Array, Array, dict[str, Array]]:
    """Return ankles and axes of the knees (F, 2, 3), and the rotations of feet and toes (F, 2, 4).

    late (2,) : the phase at which each foot strikes in a cycle of the leading one
    """
    phase = phases % 1.0
    pitch = np.radians(through(phase, style.pitch))
    sole = body.offsets[body.roles["toe.L"]]
    # A foot moves along the root trajectory, from one standing position to the next.
    there = np.floor(phases) + through(phase, ((style.go[0], 0.0), (style.go[1], 1.0)))
    there += 0.5 * style.off - late + (style.ahead - sole[1]) / path.stride
    ball = path.place(there, 0.5 * _WIDTH * SIDES)
    strike = float(_over_heel(np.radians(style.pitch[0][1])))
    lifted = through(phase, ((style.off, 0.0), *style.lift, (1.0, strike)))
    ball[..., 2] = _BALL + np.where(phase < style.off, _over_heel(pitch), lifted)
    facing = quat.about_axis("Z", path.facing(there) + _TOES_OUT * SIDES)
    foot = quat.mul(facing, quat.about_axis("X", -pitch))
    # The toes stay on the ground while the heel rises over them, and straighten in the air.
    flat = through(phase, ((0.1, 0.0), (0.3, 1.0), (style.off, 1.0), (style.off + 0.14, 0.0)))
    toe = quat.mul(facing, quat.about_axis("X", -pitch * (1.0 - flat)))
    across = quat.rotate(facing, np.array([1.0, 0.0, 0.0]))
    return ball - quat.rotate(foot, sole), across, {"foot": foot, "toe": toe}


def standing(body: Skeleton) -> tuple[Array, Array, dict[str, Array]]:
    """Return ankles and axes of the knees (2, 3), and the rotations of feet and toes (2, 4), of a body at rest."""
    facing = quat.about_axis("Z", _TOES_OUT * SIDES)
    sole = body.offsets[body.roles["toe.L"]]
    ball = np.stack([body.offsets[pair(body, "thigh")][:, 0], np.full(2, sole[1]), np.full(2, _BALL)], axis=-1)
    across = quat.rotate(facing, np.array([1.0, 0.0, 0.0]))
    return ball - quat.rotate(facing, sole), across, {"foot": facing, "toe": facing}


def _over_heel(pitch: Array) -> Array:
    """Return the additional height (m) of the ball of a foot pitched (radians) on its heel, relative to a flat foot."""
    up = np.maximum(pitch, 0.0)
    return _HEEL * np.sin(up) - _BALL * (1.0 - np.cos(up))


def _lower_hips(body: Skeleton, place: Array, to_thighs: Array, ankles: Array) -> Array:
    """Return the hips positions (F, 3), lowered where a leg is too short to keep its foot in place."""
    away = np.linalg.norm((place[:, None] + to_thighs - ankles)[..., :2], axis=-1)
    leg = _STRAIGHTEST * body.leg_length
    if away.max() > 0.8 * leg:
        raise OptionError("The step is too long, or the turn too sharp, for the figure's legs")
    highest = ankles[..., 2] - to_thighs[..., 2] + np.sqrt(leg**2 - away**2)
    # Smooth minimum of the three heights.
    height = -np.log(np.exp(-_SOFT * np.column_stack([place[:, 2], highest])).sum(axis=1)) / _SOFT
    return np.column_stack([place[:, :2], height])


def _trunk(style: Gait, left: Array, progress: Array, path: RootPath, bank: Array) -> dict[str, Array]:
    """Return the rotations from hips to head and of the clavicles, given the left foot's phase (F,)."""
    lean, twist = np.radians(style.lean), np.radians(style.twist)
    swing = np.cos(_CYCLE * left)
    tilt = -_TILT * np.cos(_CYCLE * (left - 0.2)) + 0.5 * bank
    bent = np.full_like(tilt, lean[0])
    facing, soon, later = (path.facing(progress + early * path.banks) for early in (0.0, 0.1, 0.3))
    hips = quat.from_euler(np.stack([facing - twist[0] * swing, tilt, bent], axis=-1), "ZYX")
    chest = leaning(soon + twist[1] * swing, lean[1], bank)
    return bending(hips, chest, leaning(later, lean[2], 0.5 * bank))


def bending(hips: Array, chest: Array, head: Array) -> dict[str, Array]:
    """Return the rotations of the whole trunk from the rotations of hips, chest and head (F, 4)."""
    half = np.full((2, 1), 0.5)
    spine, neck = quat.mean([hips, chest], half), quat.mean([chest, head], half)
    clavicle = np.stack([chest, chest], axis=1)
    return {"hips": hips, "spine": spine, "chest": chest, "neck": neck, "head": head, "clavicle": clavicle}


def hanging(style: Gait, phases: Array, heading: Array, bank: Array) -> dict[str, Array]:
    """Return the rotations of arms and hands, which swing against the leg of their side, a little late."""
    swing = -np.cos(_CYCLE * (phases - 0.03))
    ahead, bend = (np.radians(mean + reach * swing) for mean, reach in (style.arm, style.elbow))
    out, zero = np.sin(_ARM_OUT) * SIDES, np.zeros(2)
    along = np.stack([out, zero, np.full(2, -np.cos(_ARM_OUT))], axis=-1)
    elbow = np.stack([np.full(2, np.cos(_ARM_OUT)), zero, out], axis=-1)
    bent = np.radians(style.elbow[0])
    hang = quat.about_axis("Y", (_ARM_OUT - _ARM_HANGS) * SIDES)
    upper = quat.mul(leaning(heading[:, None], -ahead, 0.5 * bank[:, None]), hang)
    # The forearm turns inwards and the hand droops in proportion to the bend of the elbow.
    inward, drooping = quat.exp(style.wrist[0] * bent * SIDES[:, None] * along), quat.exp(style.wrist[1] * bent * elbow)
    forearm = quat.mul(quat.mul(upper, inward), quat.exp(-bend[..., None] * elbow))
    return {"upper_arm": upper, "forearm": forearm, "hand": quat.mul(forearm, drooping)}


def _holding(body: Skeleton, chest: Array, wrist: tuple[float, float, float]) -> dict[str, Array]:
    """Return the rotations of arms and hands that hold something in front of the chest (F, 4)."""
    still = reaching(body, MIRROR * wrist, MIRROR * _ELBOWS)
    # Palms turn up under the held object, fingers inwards; the forearms take half of that turn.
    palm_up, half_up = (quat.about_axis("Y", angle * SIDES) for angle in np.radians((65.0, 35.0)))
    inwards = quat.about_axis("Z", np.radians(-30.0) * SIDES)
    still["hand"] = quat.mul(quat.mul(inwards, palm_up), still["hand"])
    still["forearm"] = quat.mul(half_up, still["forearm"])
    return {role: quat.mul(chest[:, None], rotations) for role, rotations in still.items()}


def leaning(heading: Array, lean: Array | float, bank: Array | float) -> Array:
    """Return the rotations of a part that faces a heading and leans forward and to its left (radians)."""
    aside = quat.mul(quat.about_axis("Y", np.asarray(bank)), quat.about_axis("X", np.asarray(lean)))
    return quat.mul(quat.about_axis("Z", heading), aside)


def through(phase: Array, keys: Keys) -> Array:
    """Return a curve through (phase, value) keys with zero velocity at each key and continuous acceleration."""
    times, values = np.array(keys).T
    k = np.clip(np.searchsorted(times, phase, side="right") - 1, 0, len(times) - 2)
    u = np.clip((phase - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0)
    near = np.minimum(u, 1.0 - u)
    x = np.minimum(near / _RAMP, 1.0)
    gone = (_RAMP * (x**3 - 0.5 * x**4) + np.maximum(near - _RAMP, 0.0)) / (1.0 - _RAMP)
    return values[k] + np.where(u < 0.5, gone, 1.0 - gone) * (values[k + 1] - values[k])
