"""Place feet on uneven ground, while a body is driven and in the baked clip (methods: Drive)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..edit.feet import legs
from ..edit.feet.spans import Span
from ..motion import feet, ik, kinematics, quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from . import springs
from .foot_lock import Foot
from .ground import LEVEL, Ground, Spot

CLIMBS = 0.25  # body heights; a higher step is passed through
LEADS = 0.4  # body heights of a foot above the ground under the body, at most
# s, half-lives of height: of a foot in the air, of a foot in contact, of the body
RISES, LANDS, SETTLES = 0.04, 0.02, 0.10
LOWER = 0.3  # position of the body's height between the lower foot (0) and the higher one (1)
FOLLOWS, CLEARS = 0.12, 0.03  # s, sigma of the body's height in the baked clip, and of lifts over edges
GAP = 1.0  # s without a contact of a foot, after which it follows the ground under the body
REACH = 1.0  # m around the body for which the ground is cached

Stood = tuple[int, int, Spot]  # a contact: its first frame, its end, and the ground under the foot


@dataclass(frozen=True, eq=False)
class Footing:
    """The height of a driven body over the floor of its clips, metres.

    level, rising : of the body, and its velocity; ups, lifting : of each foot, and its velocity
    under : height of the ground under its root; spots : ground under each foot, or under its target
    near, of : cached ground, and the place it was cached for
    """

    level: float
    rising: float
    ups: tuple[float, ...]
    lifting: tuple[float, ...]
    under: float
    spots: tuple[Spot, ...]
    held: tuple[bool, ...]
    near: Ground
    of: complex


def begin_footing(
    whole: Ground, place: complex, balls: Sequence[complex], ankles: Sequence[complex], height: float
) -> Footing:
    """Return the footing of a standing body with its feet on the ground; height : of the body, metres.

    Example:
        >>> from action_loom.core.drive import footing, ground
        >>> block = ground.of_rows([(-9, -9, 0.2, 9, -9, 0.2, 0, 9, 0.2)])
        >>> footing.begin_footing(block, 0j, [0.1 + 0j, -0.1 + 0j], [0.1 - 0.1j, -0.1 - 0.1j], 1.7).level
        0.2
    """
    near = whole.part_near([place], 2.0 * REACH)
    under = near.on(place, 0.0, CLIMBS * height)
    spots = tuple(near.under(*pair, under + LEADS * height) for pair in zip(balls, ankles, strict=True))
    ups = tuple(spot[0] for spot in spots)
    none = (0.0,) * len(ups)
    return Footing(_body(ups), 0.0, ups, none, under, spots, (False,) * len(ups), near, place)


def step_footing(
    before: Footing,
    whole: Ground,
    place: complex,
    moved: Sequence[Foot],
    ankles: Sequence[complex],
    coming: Sequence[complex],
    height: float,
    seconds: float,
) -> Footing:
    """Return the footing some seconds later; moved : feet on the floor; coming : their motion to the next contact."""
    near, of = before.near, before.of
    if abs(place - of) > REACH:
        near, of = whole.part_near([place], 2.0 * REACH), place
    under = near.on(place, before.under, CLIMBS * height)
    below = under + LEADS * height
    spots, ups, lifting = [], [], []
    for k, (foot, ankle, on) in enumerate(zip(moved, ankles, coming, strict=True)):
        spot = before.spots[k]
        if not (foot.held and before.held[k]):
            there = foot.at - foot.ball if foot.held else 0j
            spot = near.under(foot.ball + there, ankle + there, below)
            if not foot.held:
                spot = max(spot, near.under(foot.ball + on, ankle + on, below), key=lambda one: one[0])
        away, speed = springs.fade_offset(
            before.ups[k] - spot[0], before.lifting[k], LANDS if foot.held else RISES, seconds
        )
        spots.append((spot[0], _turn_normal(before.spots[k][1], spot[1], seconds)))
        ups.append(spot[0] + away)
        lifting.append(speed)
    goal = _body(ups)
    off, rising = springs.fade_offset(before.level - goal, before.rising, SETTLES, seconds)
    held = tuple(foot.held for foot in moved)
    return Footing(goal + off, rising, tuple(ups), tuple(lifting), under, tuple(spots), held, near, of)


def _body(ups: Sequence[float]) -> float:
    return min(ups) + LOWER * (max(ups) - min(ups))


def _turn_normal(before: Array, to: Array, seconds: float) -> Array:
    share = 1.0 - math.exp(-math.log(2.0) * seconds / RISES)
    normal = before + share * (to - before)
    return np.asarray(normal / np.linalg.norm(normal))


def tilt(normal: Array) -> Array:
    """Return the rotations (…, 4) that tilt the horizontal plane onto normals (…, 3).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.drive import footing
        >>> footing.tilt(np.array([0.0, 0.0, 1.0])).tolist()
        [1.0, 0.0, 0.0, 0.0]
    """
    normals = np.atleast_2d(normal)
    return np.asarray(ik.shortest(np.tile(LEVEL, (len(normals), 1)), normals).reshape(*normal.shape[:-1], 4))


def place_on_ground(clip: Clip, found: Sequence[Span], ground: Ground) -> tuple[Clip, dict[str, Any]]:
    """Return a clip of a walk on a floor with its feet placed on a ground, and its heights over the floor in metres.

    found : contacts of its feet. A foot in the air moves between the heights of its contacts and over obstacles; the
        body follows the mean of its feet, and drops where a leg is too short. Bodies without known legs are lifted as a
        whole.

    Example:
        >>> from action_loom.core.drive import footing, ground
        >>> from action_loom.core.edit.feet import spans
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> block = ground.of_rows([(-9, -9, 0.2, 9, -9, 0.2, 0, 99, 0.2)])
        >>> clip, figures = footing.place_on_ground(walk, spans.find(walk), block)
        >>> figures["highest"], figures["off"] < 0.001
        (0.2, True)
    """
    pairs, points = feet.balls_and_ankles(clip.skeleton), kinematics.points(clip)
    flat = {foot: points[:, pair] for foot, pair in pairs.items()}  # (F, 2, 3): ball and ankle
    under = _under(clip, ground)
    most = under + LEADS * clip.skeleton.height
    stances = _stances(flat, found, ground, most)
    lifts, tilts = {}, {}
    for foot, places in flat.items():
        own = [(span.first, span.end, spot) for span, spot in stances if span.foot == foot]
        lifts[foot], tilts[foot] = _lifts(_without_gaps(own, under, clip.rate), len(clip))
        lifts[foot] += _over(places, lifts[foot], own, ground, most, clip.rate)
    body = root_motion.smooth(np.mean(list(lifts.values()), axis=0)[:, None], FOLLOWS * clip.rate)
    raised = root_motion.place_clip(clip, 0.0, np.concatenate([np.zeros((len(clip), 2)), body], axis=1))
    limbs = [limb for limb in ik.known_legs(clip.skeleton) if limb.foot in lifts]
    if limbs:
        raised = _place_feet(raised, limbs, flat, lifts, tilts, body[:, 0], found)
    return raised, _figures(raised, pairs, flat, stances, under)


def _under(clip: Clip, ground: Ground) -> Array:
    """Return the height (F,) of the ground under a body, from frame to frame, ignoring rises that are too high."""
    under, heights = 0.0, np.empty(len(clip))
    for frame, (x, y) in enumerate(root_motion.ground_frames(clip)[0].tolist()):
        under = heights[frame] = ground.on(complex(x, y), under, CLIMBS * clip.skeleton.height)
    return heights


def _stances(flat: Mapping[str, Array], found: Sequence[Span], ground: Ground, most: Array) -> list[tuple[Span, Spot]]:
    """Return each span with the ground under its foot; most (F,) : upper limit of its height."""
    out = []
    for span in found:
        middle = slice(span.middle.first, span.middle.end)
        ball, ankle = flat[span.foot][middle].mean(axis=0)[:, :2]
        out.append((span, ground.under(complex(*ball), complex(*ankle), float(most[middle].mean()))))
    return out


def _without_gaps(own: Sequence[Stood], under: Array, rate: float) -> list[Stood]:
    """Return the contacts of a foot, with the ground height under the body (F,) inserted into long gaps."""
    ends = [(0, 0), *((first, end) for first, end, _ in own), (len(under), len(under))]
    out, apart = list(own), max(1, round(0.25 * GAP * rate))
    for (_, end), (first, _) in pairwise(ends):
        if first - end > GAP * rate:
            low, high = end + (apart if end else 0), first - (apart if first < len(under) else 1)
            out += [(at, at + 1, (float(under[at]), LEVEL)) for at in (*range(low, high, apart), high)]
    return sorted(out, key=lambda one: one[0]) or [(0, len(under), (float(under.mean()), LEVEL))]


def _lifts(own: Sequence[Stood], count: int) -> tuple[Array, Array]:
    """Return the lift (F,) of a foot, and the normals (F, 3) under it, interpolated linearly between contacts."""
    at = np.array([frame for first, end, _ in own for frame in (first, end - 1)], dtype=float)
    share = np.interp(np.arange(count), at, np.arange(len(at)))
    whole = np.floor(share)
    rest = share - whole
    share = whole + rest * rest * (3.0 - 2.0 * rest)
    spots = [spot for _, _, spot in own for _ in range(2)]
    heights, normals = np.array([spot[0] for spot in spots]), np.array([spot[1] for spot in spots])
    turned = np.stack([np.interp(share, np.arange(len(at)), normals[:, k]) for k in range(3)], axis=1)
    return np.interp(share, np.arange(len(at)), heights), turned / np.linalg.norm(turned, axis=1, keepdims=True)


def _over(places: Array, lift: Array, own: Sequence[Stood], ground: Ground, most: Array, rate: float) -> Array:
    """Return the additional lift (F,) of a foot in the air that clears the ground under it."""
    stands, deep = np.zeros(len(places), dtype=bool), np.zeros(len(places))
    for first, end, _ in own:
        stands[first:end] = True
    floor = float(np.median(places[stands, 0, 2])) if stands.any() else float(places[:, 0, 2].min())
    for frame in np.flatnonzero(~stands).tolist():
        (x, y, z), ankle = places[frame, 0], places[frame, 1]
        height, _ = ground.under(complex(x, y), complex(ankle[0], ankle[1]), float(most[frame]))
        deep[frame] = max(0.0, height - float(lift[frame]) - max(0.0, z - floor))
    if not deep.any():
        return deep
    reach = round(2.0 * CLEARS * rate)
    highest = sliding_window_view(np.pad(deep, reach, mode="edge"), 2 * reach + 1).max(axis=1)
    return root_motion.smooth(np.where(stands, 0.0, highest)[:, None], CLEARS * rate)[:, 0]


def _place_feet(
    clip: Clip,
    limbs: Sequence[ik.Limb],
    flat: Mapping[str, Array],
    lifts: Mapping[str, Array],
    tilts: Mapping[str, Array],
    body: Array,
    found: Sequence[Span],
) -> Clip:
    """Return a clip with its feet at their heights, tilted with the ground about their balls."""
    shifts, ups, turns = {}, {}, {}
    for limb in limbs:
        arm = flat[limb.foot][:, 1] - flat[limb.foot][:, 0]
        turns[limb.foot] = tilt(tilts[limb.foot])
        away = quat.rotate(turns[limb.foot], arm) - arm
        held = np.zeros(len(clip))
        for span in found:
            if span.foot == limb.foot:
                held[span.first : span.end] = 1.0
        shifts[limb.foot] = away[:, 0] + 1j * away[:, 1], held
        ups[limb.foot] = away[:, 2] + lifts[limb.foot] - body
    made, _, _ = legs.following(clip, limbs, shifts, (), ups)
    rotations = made.rotations.copy()
    ends = [limb for limb in limbs if limb.end < len(clip.skeleton)]
    if ends:
        turned, _ = kinematics.world_of(made, [limb.end for limb in ends])
        for limb in ends:
            own, by = turned[:, limb.end], turns[limb.foot]
            rotations[:, limb.end] = quat.mul(rotations[:, limb.end], quat.mul(quat.inv(own), quat.mul(by, own)))
    return replace(made, rotations=rotations)


def _figures(
    clip: Clip,
    pairs: Mapping[str, tuple[int, int]],
    flat: Mapping[str, Array],
    stances: Sequence[tuple[Span, Spot]],
    under: Array,
) -> dict[str, Any]:
    """Return lowest and highest contact, and the mean and largest height error (m) of balls in contact."""
    points = kinematics.points(clip)
    off = []
    for span, spot in stances:
        middle = slice(span.middle.first, span.middle.end)
        before = float(flat[span.foot][middle, 0, 2].mean())
        off.append(abs(float(points[middle, pairs[span.foot][0], 2].mean()) - before - spot[0]))
    heights = [spot[0] for _, spot in stances] or under.tolist()
    return {
        "stances": len(stances),
        "lowest": round(min(heights), 4),
        "highest": round(max(heights), 4),
        "off": round(float(np.mean(off or [0.0])), 4),
        "off_most": round(max(off, default=0.0), 4),
    }
