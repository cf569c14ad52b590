"""Vary crowd bodies by differences between people, without changing their steps (methods: Drive)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..errors import LoomError
from ..motion import ik, kinematics, quat, root_motion
from ..motion.clip import Clip
from ..motion.ik import Limb
from ..motion.quat import Array
from ..style import chance, fit, shipped
from ..style.form import PHASES, Form, Motion, at_phases
from ..style.style import Style
from ..weave import root_blend
from .database import RATE, Database, Rows

SMOOTH = 0.05  # s, sigma of smoothing the distance between the feet
PASSES, ROUND = 0.1, 0.7  # heights by which feet must pass each other, and share of a stride required to detect it
FULL = 0.5  # of a usual stride; stride length from which on the full variation is applied
# s by which a body may respond later, and m (for a height of 1.7 m) that this is on its walk
LATEST, BEHIND = 0.2, 0.25
MOST = 8192  # rows per block

Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class People:
    """The differences between people in a body's usual walk.

    style : added to that walk; strides (R,) : phase of each row in a stride, as an angle; of length 1 in the walk
    """

    style: Style
    strides: Complex


@lru_cache(maxsize=1)
def people(data: Database) -> People | None:
    """Return the differences between people in the usual walk of a body; None if none of its clips walks on two feet.

    Example:
        >>> from action_loom.core.drive import database, variety
        >>> from action_loom.core.demo_character import actions
        >>> variety.people(database.build([actions.wave(), actions.wave()], mirror=False)) is None
        True
    """
    if data.skeleton.four_footed:
        return None
    ahead, faster = _feet(data)
    for k in _walks(data):
        rows = np.flatnonzero(data.clip == k)
        reach = float(np.sqrt(2.0) * ahead[rows].std())
        # The phase is 0 where the left foot is in front of the right, and increases along a walk.
        strides = (ahead - 1j * faster * (ahead[rows].std() / max(float(faster[rows].std()), 1e-9))) / max(reach, 1e-9)
        angles = np.angle(strides[rows])
        gone = np.unwrap(angles)
        if reach < PASSES * data.skeleton.height or gone[-1] - gone[0] < ROUND * 2.0 * np.pi:
            continue
        try:
            walks = fit.on_body(shipped.walks(), data.clips[k])
        except LoomError:
            return None
        phases = 2.0 * np.pi * np.arange(PHASES) / PHASES
        at = np.abs(np.angle(np.exp(1j * (phases[:, None] - angles)))).argmin(axis=1)
        return People(shipped.added_to_row(walks, _row(data, walks.form, rows[at])), strides)
    return None


def vary_person(data: Database, number: int, amount: float) -> Database | None:
    """Return a database with poses varied like another person's, seeded by a number; the steps do not change.

    amount : size of the variation, relative to the usual one between people. The same rows and number give a
    bit-identical result. None if `people` returns None.

    Example:
        >>> from action_loom.core.drive import database, variety
        >>> from action_loom.core.demo_character import actions
        >>> data = database.build([actions.walk(), actions.wave()], mirror=False)
        >>> other = variety.vary_person(data, 1, 1.0)
        >>> bool((other.features == data.features).all()), bool(abs(other.rotations - data.rotations).max() > 0.01)
        (True, True)
    """
    known = people(data)
    if known is None:
        return None
    change = chance.shift(known.style, number, amount)[:-1].reshape(PHASES, -1)[:, known.style.form.turning]
    rotations, translations = data.rotations.copy(), data.translations.copy()
    for first in range(0, len(data), MOST):
        some = slice(first, first + MOST)
        posed = _pose_rows(data, known, change, np.arange(len(data))[some])
        rotations[some], translations[some] = posed.rotations, posed.translations
    return replace(data, rotations=rotations, translations=translations)


def later(data: Database, number: int, amount: float) -> int:
    """Return the delay in steps of a crowd body's response, seeded by its number; 0 for number 0.

    Example:
        >>> from action_loom.core.drive import database, variety
        >>> from action_loom.core.demo_character import actions
        >>> data = database.build([actions.walk(), actions.wave()], mirror=False)
        >>> [variety.later(data, number, 1.0) for number in (0, 1, 2)], variety.later(data, 2, 0.0)
        ([0, 4, 10], 0)
    """
    if not number:
        return 0
    most = min(LATEST, BEHIND * data.unit / max(data.gaits[0], 1e-9))
    return round(min(amount, 1.0) * most * RATE * float(np.random.default_rng((number, 1)).random()))


def _pose_rows(data: Database, known: People, change: Array, rows: Rows) -> Clip:
    """Return the poses of rows with the change (P, 3 (K + 1)) of a stride added, and their own feet."""
    form, poses = known.style.form, data.poses(rows)
    limbs = [limb for limb in data.limbs if limb is not None]
    hips, own = root_motion.travelling_joint(data.skeleton), ~_legs(data)[form.joints]
    turned, places = kinematics.world(poses)
    before = np.concatenate([poses.rotations[:, form.joints], turned[:, hips, None]], axis=1)
    more = _at(change, known.strides[rows]).reshape(len(rows), -1, 3)
    after = quat.mul(form.means, quat.exp(quat.log_about(form.means, before) + more))
    rotations = poses.rotations.copy()
    rotations[:, form.joints[own]] = quat.same_side(after[:, :-1][:, own], before[:, :-1][:, own])
    posed = replace(poses, rotations=rotations)
    if len(limbs) < len(data.limbs):
        return posed  # without changing the hips, since the feet could not be kept in place
    posed = root_blend.place_joints(posed, {hips: (after[:, -1], places[:, hips])})
    return _with_steps(posed, limbs, turned, places)


def _at(change: Array, strides: Complex) -> Array:
    """Return the change (P, D) of a stride at the phases of rows (R,): posture fully, the rest by stride length."""
    posture = change.mean(axis=0)
    going = np.minimum(np.abs(strides) / FULL, 1.0)[:, None]
    return np.asarray(posture + going * (at_phases(np.angle(strides) / (2.0 * np.pi)) @ (change - posture)))


def _row(data: Database, form: Form, rows: Rows) -> Array:
    """Return the stride (P C + 1,) of P rows in a form; without steps, because only its poses are used."""
    poses, hips = data.poses(rows), root_motion.travelling_joint(data.skeleton)
    turned, places = kinematics.world_of(poses, [hips])
    motion = Motion(poses.rotations[:, form.joints], turned[:, hips], places[:, hips, 2], np.zeros((len(rows), 3)))
    return np.append(form.to_rows(motion).ravel(), 0.0)


def _feet(data: Database) -> tuple[Array, Array]:
    """Return the distance (R,) of the left ball in front of the right one, metres, and its rate, m/s."""
    both = np.column_stack([data.raw[:, k] - data.raw[:, k + 3] for k in (1, 7)])
    for k in range(len(data.clips)):
        rows = np.flatnonzero(data.clip == k)
        both[rows] = root_motion.smooth(both[rows], SMOOTH * RATE, repeats=bool(data.onward[rows[-1]] == rows[0]))
    return both[:, 0], both[:, 1]


def _walks(data: Database) -> list[int]:
    """Return the given clips, sorted by similarity to the usual walking speed."""
    speeds = [float(np.median(np.abs(data.velocity[data.clip == k]))) for k in range(data.given)]
    return sorted(range(data.given), key=lambda k: abs(speeds[k] - data.gaits[0]))


def _legs(data: Database) -> NDArray[np.bool_]:
    """Return which joints (J,) belong to the legs, or are below feet."""
    limbs = ik.known_legs(data.skeleton)
    tops = [joint for limb in limbs for joint in (limb.upper, limb.end) if joint < len(data.skeleton)]
    return np.asarray(data.skeleton.with_below(tops))


def _with_steps(clip: Clip, limbs: Sequence[Limb], turned: Array, places: Array) -> Clip:
    """Return a clip with its feet restored from rotations (F, J, 4) and positions (F, J, 3) of all joints."""
    done = ik.to_targets(clip, {limb: places[:, limb.end] for limb in limbs})[0]
    rotations = done.rotations.copy()
    now = kinematics.world_of(done, [limb.end for limb in limbs])[0]
    for limb in limbs:
        rotations[:, limb.end] = ik.local_rotation(done, limb.end, now, turned[:, limb.end], None)
    return replace(done, rotations=rotations)
