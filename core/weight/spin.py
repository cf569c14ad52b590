"""Make the angular momentum about the vertical constant in each flight (methods: Weight)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import SkeletonError
from ..motion import kinematics, mass, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from .centre import mass_shares
from .flights import PUSHED, TOLERANCES, Analysis, analyse

LEAST = TOLERANCES[1][0]  # s; shorter flights turn too little to be measured


@dataclass(frozen=True)
class Spin:
    """The flight of a body that turns unevenly.

    before, after : root mean square deviation of the turning from constant angular momentum, °/s
    turned : largest turn of the repair, degrees
    """

    start: float
    end: float
    before: float
    after: float
    turned: float

    def as_json(self, rate: float) -> dict[str, Any]:
        """Return the flight as plain JSON values; frames are counted from 0."""
        return {
            "first": round(self.start * rate, 1),
            "last": round(self.end * rate, 1),
            "uneven": [round(self.before, 1), round(self.after, 1)],
            "turned": round(self.turned, 1),
        }


def level_spin(clip: Clip, strength: float = 1.0) -> tuple[Clip, list[Spin]]:
    """Return a clip that keeps its angular momentum about the vertical in each flight; raises as `analyse` does.

    The body turns about its centre of mass; take-offs and landings keep their places.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import spin
        >>> walk = actions.walk()
        >>> same, spins = spin.level_spin(walk)
        >>> same is walk, spins
        (True, [])
    """
    with kinematics.keeping():
        found = analyse(clip)
        whole, spins = found.whole.clip, list[Spin]()
        chosen = [one for one in found.found.flights if one.whole and one.seconds >= LEAST and one.verdict != PUSHED]
        if not chosen or strength <= 0.0:
            return clip, spins
        momentum, inertia, centre = _measure(whole)
        turn = np.zeros(len(whole))
        for flight in chosen:
            part = slice(round(flight.start * clip.rate), round(flight.end * clip.rate) + 1)
            uneven = _uneven(momentum[part], inertia[part])
            turn[part] = -strength * _integrate(uneven, clip.rate)
            if (own := found.own(flight)) is not None:
                spins.append(Spin(own.start, own.end, _rms(uneven), 0.0, float(np.degrees(np.abs(turn[part]).max()))))
        made = _turn_about(whole, turn, centre)
        after = _spins_after(found, made)
        return found.cut(made), [replace(one, after=after[one.start]) for one in spins]


def _spins_after(found: Analysis, made: Clip) -> dict[float, float]:
    """Return the unevenness of each flight of a result, °/s, by its start in the clip itself."""
    momentum, inertia, _ = _measure(made)
    after = {}
    for flight in found.found.flights:
        if (own := found.own(flight)) is not None:
            part = slice(round(flight.start * made.rate), round(flight.end * made.rate) + 1)
            after[own.start] = _rms(_uneven(momentum[part], inertia[part]))
    return after


def _uneven(momentum: Array, inertia: Array) -> Array:
    """Return how much faster (F,), radians/s, a body turns than at constant momentum and with the same total turn."""
    even = (momentum / inertia).sum() / (1.0 / inertia).sum()
    return np.asarray((momentum - even) / inertia)


def _integrate(speed: Array, rate: float) -> Array:
    """Return the angle (F,) of a speed (F,), 0 at both ends."""
    angle = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1])) / rate])
    return np.asarray(angle - np.linspace(0.0, angle[-1], len(angle)))


def _rms(speed: Array) -> float:
    return float(np.degrees(np.sqrt((speed**2).mean())))


def _turn_about(clip: Clip, turn: Array, centre: Array) -> Clip:
    """Return a clip turned (F,), radians, about the vertical through a centre (F, 3); unturned frames are kept."""
    turned = np.flatnonzero(turn)
    some = replace(clip, rotations=clip.rotations[turned], translations=clip.translations[turned])
    at = centre[turned, 0] + 1j * centre[turned, 1]
    moved = at - np.exp(1j * turn[turned]) * at
    some = root_motion.place_clip(some, turn[turned], np.stack([moved.real, moved.imag], axis=1))
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[turned], translations[turned] = some.rotations, some.translations
    return replace(clip, rotations=rotations, translations=translations)


def _measure(clip: Clip) -> tuple[Array, Array, Array]:
    """Return angular momentum (F,) and inertia (F,) about the vertical through the centre of mass (F, 3), by mass."""
    points = kinematics.points(clip)
    centre = np.einsum("p,fpk->fk", mass_shares(clip.skeleton), points)
    masses, weights = _point_masses(clip.skeleton)
    away = np.einsum("sp,fpk->fsk", weights, points) - centre[:, None]
    speed = np.gradient(away, axis=0) * clip.rate
    momentum = (away[..., 0] * speed[..., 1] - away[..., 1] * speed[..., 0]) @ masses
    return momentum, (away[..., :2] ** 2).sum(axis=2) @ masses, centre


def _point_masses(skeleton: Skeleton) -> tuple[Array, Array]:
    """Return masses (S,), two for each part of a person, and their places as weights (S, P) of points."""
    try:
        return mass.point_masses(skeleton)
    except SkeletonError:  # four feet, or unknown parts
        return skeleton.point_weights, np.eye(len(skeleton.point_weights))
