"""Figures of planting: foot slide before and after, and displacement of the rest of the body."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...motion import feet, ik, kinematics
from ...motion.clip import Clip
from ...motion.quat import Array
from . import legs, spans
from .displacement import Complex
from .spans import BALL, Span


def measure(before: Clip, after: Clip, rows: Sequence[Span]) -> dict[str, Any]:
    """Return the foot slide in spans of a clip, before and after planting, as plain JSON values.

    slide_cm_s, middle_slide_cm_s : mean speed of balls on the ground in spans, and in the middle half of each
    way_cm : distance that a ball moves in the middle half of its span, median of all spans
    knee : ratio of the 99th percentile of the knees' angular acceleration after to before
    None: no ball is in contact in any span; for `knee`, no span or no acceleration before.
    """
    on_ball = [span for span in rows if span.part == BALL]
    middles = [span.middle for span in on_ball]
    both = [(_balls(clip), clip.rate) for clip in (before, after)] if on_ball else []
    return {
        "slide_cm_s": [_slide(balls, rate, on_ball) for balls, rate in both] or None,
        "middle_slide_cm_s": [_slide(balls, rate, middles) for balls, rate in both] or None,
        "way_cm": [_extent(balls, middles) for balls, _ in both] or None,
        "knee": _knees(before, after) if rows else None,
    }


def moved(
    rows: Sequence[Span],
    shifts: Mapping[str, Complex],
    pelvis: Array,
    away: Mapping[str, Array],
    lifts: Mapping[str, Array],
) -> dict[str, Any]:
    """Return the displacement of the body by planting; the arrays are attributes of `planting.Planted`.

    pelvis_cm, swing_cm : the largest displacement of the pelvis, and of feet in the air
    away_cm : the largest distance of an ankle in contact from its target
    lifted_cm : the largest lift of a foot out of the ground
    """
    standing = spans.flags(rows, len(pelvis))
    nowhere = np.zeros(len(pelvis), dtype=bool)
    swings = [np.abs(shift)[~standing.get(foot, nowhere)] for foot, shift in shifts.items()]
    held = [miss[standing.get(foot, nowhere)] for foot, miss in away.items()]
    return {
        "pelvis_cm": _most([np.linalg.norm(pelvis, axis=1)]),
        "swing_cm": _most(swings),
        "away_cm": _most(held),
        "lifted_cm": _most(list(lifts.values())),
    }


def _balls(clip: Clip) -> dict[str, Complex]:
    places = kinematics.points(clip)
    points = feet.balls_and_ankles(clip.skeleton)
    return {foot: places[:, ball, 0] + 1j * places[:, ball, 1] for foot, (ball, _) in points.items()}


def _slide(balls: Mapping[str, Complex], rate: float, rows: Sequence[Span]) -> float | None:
    # The foot moves fast in the frames before and after a span.
    paths = [balls[span.foot][span.first : span.end] for span in rows]
    speeds = [np.abs(path[2:] - path[:-2]) * 0.5 * rate for path in paths if len(path) > 2]
    speeds += [np.abs(np.diff(path)) * rate for path in paths if len(path) == 2]
    return round(100.0 * float(np.concatenate(speeds).mean()), 3) if speeds else None


def _extent(balls: Mapping[str, Complex], rows: Sequence[Span]) -> float:
    paths = [balls[span.foot][span.first : span.end] for span in rows]
    return round(100.0 * float(np.median([2.0 * np.abs(path - path.mean()).max() for path in paths])), 3)


def _most(values: Sequence[Array]) -> float:
    return round(100.0 * max((float(lengths.max(initial=0.0)) for lengths in values), default=0.0), 2)


def _knees(before: Clip, after: Clip) -> float | None:
    sharpest = []
    for clip in (before, after):
        _, posed = legs.posed(clip, ik.known_legs(clip.skeleton))
        second = [np.abs(np.diff(leg.flexion, n=2)) for leg in posed.values()]
        sharpest.append(float(np.percentile(np.concatenate(second), 99.0)) if len(clip) > 2 else 0.0)
    return round(sharpest[1] / sharpest[0], 3) if sharpest[0] > 0.0 else None
