"""Bring one figure near enough to another for the contacts of their hands (methods: Partners)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from . import couple, keep
from .couple import Source, Two
from .figure import Figure, figure_of
from .wanted import Played, Wanted

STRAIGHT = 0.95  # largest stretch of an arm as a share of its length, unless the sources stretch it further
OFF = 0.9  # of `keep.FAR`; palms that are farther from their contact are brought nearer by moving a figure
AIM = 0.6  # of `keep.FAR`; the distance within which these palms are brought
MANY = 0.9  # quantile of the distance over the frames of a contact, for the comparison with `OFF`
FLAT = 0.3  # of the reach; least radius of its disc on the ground, because heights cannot be changed here
SMOOTH = 0.35  # s; sigma with which shifts and turns are smoothed
ROUNDS = 300  # largest number of iterations
NEAR = 0.01  # m; the iteration ends when all distances to the discs are smaller
TURNS = 0.1  # m; damps the turn that several contacts give, so that contacts nearer to each other hardly turn a figure

Plane = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class _Disc:
    """How near a point of the partner has to come to another one in K frames of a contact, on the ground.

    away, lever : from it to the other one, and from the root to it, m, x + iy; radius (K,) : m
    """

    span: slice
    away: Plane
    lever: Plane
    radius: Array

    def measure_lack(self, turn: Array, shift: Plane) -> tuple[Plane, Plane]:
        """Return the missing distance and the lever (K,) of a partner turned (F,) about its root and shifted (F,)."""
        lever = np.exp(1j * turn[self.span]) * self.lever
        away = self.away + self.lever - lever - shift[self.span]
        return away * np.maximum(1.0 - self.radius / np.maximum(np.abs(away), 1e-9), 0.0), lever


def bring_near(made: Two, played: Sequence[Played], sources: Mapping[Clip, Source], adapts: str) -> Clip:
    """Return the partner moved and turned on the ground so that arms reach their contacts; unchanged if they do.

    played, sources, adapts : as `couple.keep_contacts`

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import couple, figure, placement, wanted
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> wave = actions.wave()
        >>> palm = figure.figure_of(wave).palms["L"][50, :2]
        >>> partner = root_motion.place_clip(wave, np.pi, 2.0 * palm)
        >>> far = root_motion.place_clip(partner, 0.0, np.array([0.0, -2.0]))
        >>> played = [wanted.Played(wave, 0, np.arange(float(len(wave))), np.ones(len(wave)))]
        >>> sources = couple.find_sources(played, {wave: partner})
        >>> placement.bring_near((wave, partner), played, sources, "both") is partner
        True
        >>> near = placement.bring_near((wave, far), played, sources, "both")
        >>> bool(1.0 < near.translations[0, 0, 1] - far.translations[0, 0, 1] < 2.0)
        True
    """
    leader, partner = made
    root = _as_complex(root_motion.ground_frames(partner)[0])
    discs = _list_discs(made, played, sources, adapts, root)
    still = np.zeros(len(partner)), np.zeros(len(partner), dtype=complex)
    if max((float(np.abs(one.measure_lack(*still)[0]).max()) for one in discs), default=0.0) <= keep.EXACT:
        return partner
    turn, shift = _solve(discs, *still, leader)
    moved = root + shift - np.exp(1j * turn) * root
    return root_motion.place_clip(partner, turn, np.column_stack([moved.real, moved.imag]))


def _list_discs(
    made: Two, played: Sequence[Played], sources: Mapping[Clip, Source], adapts: str, root: Plane
) -> list[_Disc]:
    """Return the limits of all wanted contacts: shoulders within reach of the arms, and palms not too far apart."""
    nows, shares = [figure_of(clip) for clip in made], couple.SHARES[adapts]
    facing = root_motion.ground_frames(made[0])[1]
    stretches = couple.list_wanted(
        made, nows, played, sources, lambda source, key, frames: source.measure_stretch(key, frames, shares)
    )
    far, found = keep.FAR * made[0].skeleton.height, list[_Disc]()
    for one, stretch in zip(couple.list_wanted(made, nows, played, sources), stretches, strict=True):
        span = one.span
        away, place = _find_ends(one, nows, facing)
        distance = np.linalg.norm(away, axis=1)
        is_far = float(np.quantile(distance, MANY)) > OFF * far
        # Palms that are near enough must only stay so.
        within = np.full(len(away), AIM * far) if is_far else np.maximum(distance, OFF * far)
        discs = [(away, place, within)]
        length = np.zeros(len(away))
        for k, side in couple.hands_of(one.contact.key, shares):
            line, size = (values[span] for values in couple.measure_arm(nows[k], side))
            away, length = away + (line if k else -line), length + size
            place = place - line if k else place
        discs.append((away, place, length * np.maximum(STRAIGHT, stretch.relation[span, 0])))
        for apart, low, reach in discs:
            flat = np.sqrt(np.maximum(reach**2 - apart[:, 2] ** 2, (FLAT * reach) ** 2))
            found.append(_Disc(span, _as_complex(apart), _as_complex(low) - root[span], flat))
    return found


def _find_ends(one: Wanted, nows: Sequence[Figure], facing: Array) -> tuple[Array, Array]:
    """Return the displacement (K, 3) that the partner's end of a contact needs, and the place (K, 3) of that end."""
    (body, side), lack = next(iter(couple.measure_lack(one, nows, facing, (1.0, 0.0)).items()))
    palm = nows[body].ends[side][one.span]
    if body:
        return lack, palm
    if one.contact.kind == couple.ON_PARTNER:
        return -lack, palm + lack
    return -lack, nows[1].ends[one.contact.ends[1][1]][one.span]


def _solve(discs: Sequence[_Disc], turn: Array, shift: Plane, leader: Clip) -> tuple[Array, Plane]:
    """Return the turn (F,), radians, and the shift (F,), m, x + iy, that bring all ends as near as is possible."""
    count, frames, sigma = len(turn), np.arange(len(turn)), SMOOTH * leader.rate
    facing = root_motion.ground_frames(leader)[1]
    # Where a cycle turns, its shift turns with it.
    turning = np.exp(1j * frames / max(count - 1, 1) * (facing[-1] - facing[0]) * leader.cyclic)

    def spread(steps: Array, known: NDArray[np.int64]) -> Array:
        if not leader.cyclic:
            return root_motion.smooth(np.interp(frames, known, steps), sigma)
        once = root_motion.smooth(np.interp(frames[:-1], known, steps, period=count - 1), sigma, repeats=True)
        return np.append(once, once[:1])

    best, least = (turn, shift), np.inf
    for _ in range(ROUNDS):
        number, square, about = (np.zeros(count) for _ in range(3))
        missing, levers = (np.zeros(count, dtype=complex) for _ in range(2))
        lacks = list[float]()
        for one in discs:
            lack, lever = one.measure_lack(turn, shift)
            lacks.append(float(np.median(np.abs(lack))) + float(np.abs(lack).max()))
            number[one.span] += 1.0
            missing[one.span] += lack
            levers[one.span] += lever
            square[one.span] += np.abs(lever) ** 2
            about[one.span] += (np.conj(1j * lever) * lack).real
        if sum(lacks) < least:  # ends that can't all come near are not better after more rounds
            best, least = (turn, shift), sum(lacks)
        if max(lacks) < NEAR:
            break
        known = np.flatnonzero(number)
        number, missing, levers = number[known], missing[known], levers[known]
        middle = levers / number
        wide = square[known] - number * np.abs(middle) ** 2
        turns = (about[known] - (np.conj(1j * middle) * missing).real) / (wide + TURNS**2)
        moves = (missing / number - 1j * turns * middle) / turning[known]
        turn = turn + spread(turns, known)
        shift = shift + turning * (spread(moves.real, known) + 1j * spread(moves.imag, known))
    return best


def _as_complex(places: Array) -> Plane:
    return np.asarray(places[:, 0] + 1j * places[:, 1])
