"""The motion-matching controller: a target velocity and a state give the next state (methods: Drive)."""

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..motion import feet, kinematics, root_motion
from ..motion.quat import Array
from . import foot_lock, footing, offsets, reach, springs
from .database import AHEAD, OWN, RATE, Database
from .foot_lock import Foot
from .footing import Footing
from .ground import Ground
from .offsets import Offsets
from .search import Numbers
from .springs import Ahead, wrap_angle

STEP = 1.0 / RATE
EVERY = 6  # steps between two searches
CHANGED = (0.4, 0.4)  # m/s and radians by which a wish must change to trigger a search at once
WAITS = 0.1  # m of lead at which the target waits for the body
# Pull of the body towards the target: its limit as a share of the speed of the body, and its half-life in s.
PULL, PULL_HALF_LIFE = 0.45, 0.15
BRAKE = 1.0  # the same limit while the wish is to stand
FOLLOWS = 0.5  # share of the target's excess speed that the body adopts; while the wish is to stand it adopts all of it
TURN_HALF_LIFE = 0.08  # s, for the facing, in addition to the target's turn rate
TURN_PULL, TURN_ALONE = 0.5, 0.5  # limit as a share of the body's turning, plus radians a second at 1 m/s
TURN_LATE, TURN_FORCED = 0.05, 20.0  # allowed lag in radians; beyond it, additional radians a second per radian
ROOT_HALF_LIFE = 0.10  # s; decay of the difference between the root velocities of two sources
SWAYS = 0.3  # radians that a body turns by itself while it idles
BRAKES, TURNS = 0.75, 1.2  # factors on the half-life, while it is to stand, and for facing
STANDING, STOPPING = 0.15, 0.125  # m/s of the wish, and share of walking speed; below either the body stands
SLOWEST = 0.3  # share of walking speed; a slower wish that waits does not start the body
NEVER = 1e6  # cost of a jump to a standing row while the body must travel
IMAGE_PRICE = 0.5  # cost of a jump into or out of a mirror image
LEAST_STAY = 10  # steps in a source before the next jump, unless the wish changes


@dataclass(frozen=True)
class Manner:
    """The response of the body: `weight` from 0 (immediate) to 1 (natural motion).

    waits : whether the target waits for a body that lags, instead of following a clock
    """

    weight: float = 0.2
    waits: bool = True

    @property
    def bonus(self) -> float:
        """Least cost reduction for a jump."""
        return 4.0 * self.weight

    @property
    def half_life(self) -> float:
        """Half-life of the springs of velocity and facing, seconds."""
        return 0.16 + 0.3 * self.weight


@dataclass(frozen=True)
class Wish:
    """A control input: target velocity on the ground, x + iy m/s, and facing (radians; None: travel direction)."""

    velocity: complex = 0j
    facing: float | None = None


@dataclass(frozen=True, eq=False)
class State:
    """A driven body at one step.

    row : of the database; jumped : whether a jump led there
    place, facing : of its root; drift, spin : decaying remainders of the root velocities of earlier sources
    ahead : spring that follows the wish; goal : the wish within the clips' limits
    pose, pose_before : rotations (J, 4) and translations (J, 3) in the frame of the root, before locking the feet
    shown : rotations and translations in the world, with locked feet
    since, stayed : steps since the last search, and since the last jump; asked : the wish at that search
    idle : place in the plans of its idling, −1 outside them; held : whether it stands in one pose
    ground : the ground it walks on, None for the floor; footing : its height above the floor
    """

    row: int
    place: complex = 0j
    facing: float = 0.0
    ahead: Ahead = field(default_factory=Ahead)
    goal: Wish = field(default_factory=Wish)
    asked: Wish = field(default_factory=Wish)
    drift: complex = 0j
    spin: float = 0.0
    since: int = 0
    stayed: int = 0
    steps: int = 0
    jumped: bool = False
    still: bool = False
    idle: int = -1
    held: bool = False
    offsets: Offsets | None = None
    pose: tuple[Array, Array] = (np.empty(0), np.empty(0))
    pose_before: tuple[Array, Array] = (np.empty(0), np.empty(0))
    shown: tuple[Array, Array] = (np.empty(0), np.empty(0))
    feet: tuple[Foot, ...] = ()
    velocity: complex = 0j
    ground: Ground | None = None
    footing: Footing | None = None


def begin_state(
    data: Database, place: complex = 0j, facing: float = 0.0, ground: Ground | None = None, number: int = 0
) -> State:
    """Return a standing body at a place, x + iy m, facing a direction, radians; ground : None for the floor.

    number : of a body of a crowd, each of which begins elsewhere in its idling

    Example:
        >>> from action_loom.core.drive import controller, database
        >>> from action_loom.core.demo_character import actions
        >>> data = database.build([actions.walk(cycles=1), actions.wave()])
        >>> state = controller.begin_state(data)
        >>> for _ in range(120):
        ...     state = controller.step(data, controller.Manner(), state, controller.Wish(1.3j))
        >>> 1.0 < state.place.imag < 3.0
        True
    """
    row, standing = data.rest_row, data.idling.rows if len(data.idling.rows) else data.still
    if len(standing):
        calm = int(np.argmin(np.abs(data.raw[standing, 6:OWN]).sum(axis=1)))
        row = data.idling.begin(calm, number) if len(data.idling.rows) else int(standing[calm])
    pose = data.rotations[row], data.translations[row]
    ahead = Ahead(place=place, facing=facing)
    goal = Wish(0j, facing)
    state = State(row, place, facing, ahead, goal, goal, pose=pose, pose_before=pose, still=True, ground=ground)
    return _show_pose(data, state)


def step(data: Database, manner: Manner, state: State, wish: Wish) -> State:
    """Return the state one step (1/60 s) later; arguments are not modified.

    Example:
        >>> from action_loom.core.drive import controller, database
        >>> from action_loom.core.demo_character import actions
        >>> data = database.build([actions.walk(cycles=1), actions.wave()], mirror=False)
        >>> before = controller.begin_state(data)
        >>> after = controller.step(data, controller.Manner(), before, controller.Wish(1.3j))
        >>> before.steps, after.steps
        (0, 1)
    """
    goal = _limit_wish(data, state, wish)
    ahead = _step_spring(data, manner, state, goal)
    state = replace(
        state,
        ahead=ahead,
        goal=goal,
        jumped=False,
        since=state.since + 1,
        stayed=state.stayed + 1,
        steps=state.steps + 1,
    )
    state = _search_rows(data, manner, state)
    return _show_pose(data, _advance(data, state))


def _limit_wish(data: Database, state: State, wish: Wish) -> Wish:
    """Return the wish limited to the clips: at most their speed, and facing a direction in which they travel."""
    speed = abs(wish.velocity)
    if speed < 1e-6:
        return Wish(0j, state.goal.facing if wish.facing is None else wish.facing)
    way = cmath.phase(wish.velocity / 1j)  # a facing of 0 is along +y
    facing = way if wish.facing is None else wish.facing
    cap = data.cap(wrap_angle(way - facing))
    if cap == 0.0:
        facing, cap = way, data.cap(0.0)
    if cap == 0.0:
        cap = max(data.caps.max(), 0.0)
    return Wish(wish.velocity * min(1.0, cap / speed), facing)


def _step_spring(data: Database, manner: Manner, state: State, goal: Wish) -> Ahead:
    """Return the spring one step later; it waits for the body if it is too far ahead."""
    ahead = predict_springs(manner, replace(state, goal=goal), (1,))[0]
    there, limit = state.place + state.velocity * STEP, WAITS * data.unit  # position of the body after the step
    apart = ahead.place - there
    if manner.waits and abs(apart) > limit:
        ahead = replace(ahead, place=there + apart * (limit / abs(apart)))
    return ahead


def _search_rows(data: Database, manner: Manner, state: State) -> State:
    """Return the state after a search, if one is due: at another row, if it is much better."""
    ends = data.onward[state.row] < 0
    changed = abs(state.goal.velocity - state.asked.velocity) > CHANGED[0] * data.unit
    changed = changed or abs(wrap_angle((state.goal.facing or 0.0) - (state.asked.facing or 0.0))) > CHANGED[1]
    slow = max(STANDING * data.unit, STOPPING * data.gaits[0])
    stand = state.goal.velocity == 0j and abs(state.ahead.velocity) < slow
    if stand and not state.still:
        settles = bool(data.settling[state.row])
        return replace(state, still=bool(data.stays[state.row])) if settles else _standing(data, state)
    if not stand and state.still:
        changed = True
    if stand:
        return _idle(data, state)
    state = replace(state, idle=-1, held=False)
    if not (ends or changed or state.since >= EVERY):
        return replace(state, still=False)
    query = _query(data, manner, state)
    left = _left_behind(data, manner, state)
    row, cost = data.index.nearest(query, _prices(data, state.row, left))
    apart = data.features[state.row] - query
    now = float(apart @ apart)
    state = replace(state, since=0, asked=state.goal, still=False)
    near = data.clip[row] == data.clip[state.row] and abs(row - state.row) < EVERY
    soon = state.stayed < LEAST_STAY and not changed
    if ends or left or (cost + manner.bonus < now and not near and not soon):
        return _jump_to(data, state, row)
    return state


def _left_behind(data: Database, manner: Manner, state: State) -> bool:
    """Return whether a body stands although its wish moves: a slow wish is nearer to standing than to any step."""
    behind = abs(state.ahead.place - state.place) >= 0.99 * WAITS * data.unit
    slow = manner.waits and abs(state.goal.velocity) < SLOWEST * data.gaits[0]
    return behind and not slow and abs(state.velocity) < STANDING * data.unit and bool(data.going.any())


def _prices(data: Database, row: int, goes: bool) -> Numbers | None:
    """Return the cost added to a jump to each row; goes : whether the body must travel."""
    if data.given == len(data.clips) and not goes:
        return None
    prices = np.where(data.image[data.index.rows] == data.image[row], np.float32(0.0), np.float32(IMAGE_PRICE))
    return np.where(data.going, prices, np.float32(NEVER)) if goes else prices


def _standing(data: Database, state: State) -> State:
    """Return the state at the standing row most similar to the body's pose."""
    if not len(data.still):
        return replace(_jump_to(data, state, data.rest_row), still=True) if not state.still else state
    query = data.features[state.row].copy()
    assert data.still_index is not None
    row, _ = data.still_index.nearest(query)
    if row == state.row:
        return replace(state, still=True)
    return replace(_jump_to(data, state, row), still=True, since=0, asked=state.goal)


def _idle(data: Database, state: State) -> State:
    """Return the state of a standing body that plays its planned idling, or its clip to the end, and then holds it."""
    if state.held or not len(data.still):
        return state
    row, at, plans = state.row, state.idle, data.idling
    if at < 0 or plans.rows[at] != row:
        entered, onward = int(plans.entry[row]) if len(plans.entry) else -1, int(data.onward[row])
        if entered != row and onward >= 0 and data.stays[onward]:
            return state  # a clip that stands plays on
        if entered < 0:
            return _hold(data, state)
        at = plans.find(entered, state.steps)
        if entered != row:
            return replace(_jump_to(data, state, entered), idle=at)
    at = int(plans.after[at])
    onward = int(plans.rows[at])
    state = state if data.onward[row] == onward else _jump_to(data, state, data.before(onward))
    return replace(state, idle=at)


def _hold(data: Database, state: State) -> State:
    """Return the state of a body that stays in its pose, after its motion has decayed."""
    rows = [state.row, state.row]
    offs = offsets.between(state.pose, state.pose_before, data.rotations[rows], data.translations[rows], STEP)
    return replace(state, held=True, jumped=True, stayed=0, offsets=offs, drift=state.velocity)


def _query(data: Database, manner: Manner, state: State) -> Numbers:
    """Return the query features (27,): the current pose, and the root predicted from the wish."""
    query = data.features[state.row].astype(np.float64)
    own = np.empty(12)
    turned = cmath.exp(-1j * state.facing)
    for k, later in enumerate(predict_springs(manner, state)):
        away = (later.place - state.place) * turned
        own[2 * k : 2 * k + 2] = away.real, away.imag
        apart = later.facing - state.facing
        own[6 + 2 * k : 8 + 2 * k] = -math.sin(apart), math.cos(apart)
    query[OWN:] = (own - data.mean[OWN:]) * data.scale[OWN:]
    return query.astype(np.float32)


def predict_springs(manner: Manner, state: State, rows: Sequence[int] = AHEAD) -> list[Ahead]:
    """Return the predicted spring states after given numbers of rows.

    Example:
        >>> from action_loom.core.drive import controller
        >>> state = controller.State(0, goal=controller.Wish(1j))
        >>> [round(later.place.imag, 1) for later in controller.predict_springs(controller.Manner(), state, (60, 120))]
        [0.7, 1.7]
    """
    facing = state.ahead.facing + wrap_angle((state.goal.facing or 0.0) - state.ahead.facing)
    half = manner.half_life * (1.0 if state.goal.velocity else BRAKES)
    return [
        state.ahead.after(count * STEP, state.goal.velocity, facing, half, TURNS * manner.half_life) for count in rows
    ]


def _jump_to(data: Database, state: State, row: int) -> State:
    """Return the state at another row, with the body's position and motion inertialized."""
    before = data.before(row)
    rows = [row if before < 0 else before, row]
    offs = offsets.between(state.pose, state.pose_before, data.rotations[rows], data.translations[rows], STEP)
    drift = state.velocity - _root_speed(data, row, state.facing)
    spin = state.spin + (data.turn[state.row] - data.turn[row]) * RATE
    return replace(state, row=row, offsets=offs, drift=drift, spin=float(spin), jumped=True, stayed=0)


def _root_speed(data: Database, row: int, facing: float) -> complex:
    return complex(data.step[row]) * RATE * cmath.exp(1j * facing)


def _advance(data: Database, state: State) -> State:
    """Return the state with its root and pose advanced by one row."""
    row = state.row
    rests = state.held or (state.still and not len(data.still))
    step, turn = (0j, 0.0) if rests else (complex(data.step[row]), float(data.turn[row]))
    onward = row if rests or data.onward[row] < 0 else int(data.onward[row])
    fade = math.exp(-springs.rate_of(ROOT_HALF_LIFE) * 0.5 * STEP)
    drift, spin = state.drift * fade, state.spin * fade
    velocity = step * RATE * cmath.exp(1j * state.facing) + drift
    velocity += _pull(state, velocity)
    facing = state.facing + turn + spin * STEP
    facing += _turn_pull(data, state, turn * RATE + spin, abs(velocity), facing)
    offs = None if state.offsets is None else state.offsets.fade_offsets(STEP)
    pose = data.rotations[onward], data.translations[onward]
    if offs is not None:
        pose = offs.on(*pose)
    return replace(
        state,
        row=onward,
        place=state.place + velocity * STEP,
        facing=facing,
        drift=drift,
        spin=spin,
        offsets=offs,
        pose=pose,
        pose_before=state.pose,
        velocity=velocity,
    )


def _pull(state: State, velocity: complex) -> complex:
    """Return the velocity correction towards the position and speed of the spring.

    It is limited to a share of the body's own speed.
    """
    apart = state.ahead.place - (state.place + velocity * STEP)  # remaining distance after the step
    wanted = apart * (1.0 - math.exp(-math.log(2.0) * STEP / PULL_HALF_LIFE)) * RATE
    if state.idle < 0:  # an idling body sways
        wanted += (FOLLOWS if state.goal.velocity else 1.0) * (state.ahead.velocity - velocity)
    most = (PULL if state.goal.velocity or state.idle >= 0 else BRAKE) * abs(velocity)
    return wanted * min(1.0, most / abs(wanted)) if abs(wanted) > 0.0 else 0j


def _turn_pull(data: Database, state: State, turning: float, speed: float, facing: float) -> float:
    apart = wrap_angle(state.ahead.facing - facing)
    wanted = apart * (1.0 - math.exp(-math.log(2.0) * STEP / TURN_HALF_LIFE))
    sways = state.idle >= 0  # an idling body turns a little as it does
    wanted += 0.0 if sways else (state.ahead.turning - turning) * STEP
    forced = TURN_FORCED * max(0.0, abs(apart) - (SWAYS if sways else TURN_LATE))
    most = (TURN_PULL * abs(turning) + TURN_ALONE * speed / data.unit + forced) * STEP
    return max(-most, min(most, wanted))


def _show_pose(data: Database, state: State) -> State:
    """Return the state with its pose in the world and its feet locked."""
    clip = replace(data.clips[0], rate=RATE, rotations=state.pose[0][None], translations=state.pose[1][None])
    clip = root_motion.place_clip(clip, state.facing, np.array([state.place.real, state.place.imag]))
    pairs = list(feet.balls_and_ankles(data.skeleton).values())
    points = kinematics.points(clip)[0]
    moved = _lock_feet(data, state, [complex(points[ball][0], points[ball][1]) for ball, _ in pairs])
    on = _footing(data, state, moved, [points[ball] - points[ankle] for ball, ankle in pairs])
    lifts = [foot.lift for foot in moved]
    tilts: list[Array | None] = [None] * len(pairs)
    if on is not None:
        clip = root_motion.place_clip(clip, 0.0, np.array([0.0, 0.0, on.level]))
        lifts = [foot.lift + up - on.level for foot, up in zip(moved, on.ups, strict=True)]
        tilts = [footing.tilt(normal) for _, normal in on.spots]
    offs = {
        limb: (ball, np.array([foot.off.real, foot.off.imag, lift]), tilt)
        for foot, lift, tilt, limb, (ball, _) in zip(moved, lifts, tilts, data.limbs, pairs, strict=True)
        if limb is not None and (foot.off != 0j or lift or tilt is not None)
    }
    posed = reach.move_balls(clip, offs)
    return replace(state, shown=(posed.rotations[0], posed.translations[0]), feet=moved, footing=on)


def _lock_feet(data: Database, state: State, balls: Sequence[complex]) -> tuple[Foot, ...]:
    stands = data.stands[state.row]
    can = [bool(flag) and limb is not None for flag, limb in zip(stands, data.limbs, strict=True)]
    before = state.feet or tuple(Foot(ball) for ball in balls)
    return foot_lock.step_feet(before, balls, can, data.skeleton.height, STEP)


def _footing(data: Database, state: State, moved: Sequence[Foot], arms: Sequence[Array]) -> Footing | None:
    """Return the height of the body over the floor; arms (3,) : from ankles to balls."""
    if state.ground is None:
        return None
    height = data.skeleton.height
    ankles = [foot.ball - complex(arm[0], arm[1]) for foot, arm in zip(moved, arms, strict=True)]
    if state.footing is None:
        return footing.begin_footing(state.ground, state.place, [foot.ball for foot in moved], ankles, height)
    coming = data.coming[state.row] * cmath.exp(1j * state.facing)
    return footing.step_footing(state.footing, state.ground, state.place, moved, ankles, coming.tolist(), height, STEP)
