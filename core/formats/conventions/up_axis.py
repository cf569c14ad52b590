"""Infer the up axis of a file from its motion (methods: Conventions of files).

Feet carry a body most of the time, and the floor of most files is at height zero. Both are measured for each of the six
signed axes; the rest pose and the usual axis of the format have less weight.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...motion.quat import Array
from .sample import PoseSample

AXES = ("x", "y", "z", "-x", "-y", "-z")
_DIRECTIONS = np.concatenate([np.eye(3), -np.eye(3)])

# Thresholds for a pose on two feet, in body heights.
FEET_ABOVE_LOWEST = 0.06
HEAD_ABOVE_FEET = 0.4
# Thresholds for a pose on four feet.
FOUR_ABOVE_LOWEST = 0.12
HIPS_ABOVE_FOUR = 0.2
KNEES_ABOVE_FOUR = 0.1  # excludes crawling people, whose knees are on the floor

ENOUGH_POSES = 8  # for full weight of the floor; a single pose is near zero along some axis by chance
FLOOR_AT_ZERO = (-0.03, 0.06)  # body heights; range of the lowest joint of a body that stands or lies on a floor at 0
# Shares of poses at which evidence has full weight.
STANDS, ON_FLOOR = 0.5, 0.6
# Weights of each kind of evidence, tuned on captures that stand, lie, crawl and fall: see the methods.
STANDING, WALKING, LEVEL, RESTING, USUAL = 3.0, 4.0, 3.5, 1.5, 1.5
SURE = 0.75  # lead over the next axis below which the result is doubtful
# In a walk, one foot is nearly still while the hips travel.
WALKS_AT, FEET_STAY = 0.15, 0.1  # speed of the hips, body heights a second; speed of the slower foot relative to it
RESTS_WITHIN = 0.8  # cosine: in a standing rest pose, trunk and legs are within 37° of an axis


@dataclass(frozen=True)
class UpAxis:
    """The up axis, and its certainty.

    axis : one of AXES
    measured : whether the motion shows it; otherwise it is from the rest pose or the format's usual axis
    doubtful : whether another axis is nearly as likely, or the body stands along another one
    standing : the axis along which most poses stand, "" for none
    rest : the axis along which the rest pose stands, "" if it does not stand
    upright : share of the poses that stand on their feet along the axis
    four_footed : whether the body has four feet
    """

    axis: str
    measured: bool
    doubtful: bool
    standing: str
    rest: str
    upright: float
    four_footed: bool


def find_up_axis(sample: PoseSample, usual: str) -> UpAxis:
    """Return the up axis in a sample of poses; usual : the usual axis of the format."""
    heights = sample.places @ _DIRECTIONS.T
    lowest = heights.min(axis=1)
    upright, four = _share_standing(sample, heights, lowest), _share_on_four(sample, heights, lowest)
    on_floor = (lowest >= FLOOR_AT_ZERO[0]) & (lowest <= FLOOR_AT_ZERO[1])
    level = np.minimum(on_floor.mean(axis=0) / ON_FLOOR, 1.0) * min(1.0, len(lowest) / ENOUGH_POSES)
    standing = np.minimum(np.maximum(upright, four) / STANDS, 1.0)
    rest = find_resting_axis(sample.rest, sample.column)
    scores = (WALKING if _walks(sample) else STANDING) * standing + LEVEL * level
    motion = scores.copy()
    scores[AXES.index(usual)] += USUAL
    if rest:
        scores[AXES.index(rest)] += RESTING
    best, stands = int(np.argmax(scores)), int(np.argmax(standing))
    measured = bool(motion[best] >= 0.5 * STANDING)
    lies = standing[stands] >= 1.0 and standing[best] < 0.5
    close = scores[best] - np.delete(scores, best).max() < SURE
    return UpAxis(
        AXES[best],
        measured,
        bool(close or lies or not (measured or rest)),
        AXES[stands] if standing[stands] >= 1.0 else "",
        rest,
        float(max(upright[best], four[best])),
        bool(four[best] >= STANDS and four[best] > upright[best]),
    )


def find_resting_axis(rest: Array, column: Mapping[str, int]) -> str:
    """Return the axis of a standing rest pose, "" for a pose that is not standing.

    rest (R, 3) : positions at rest; column : of each role
    """
    hips = 0.5 * (rest[column["thigh.L"]] + rest[column["thigh.R"]])
    ends = [rest[column.get(f"foot.{side}", column[f"shin.{side}"])] for side in "LR"]
    legs = [_direction(hips - end) for end in ends]
    top = next((role for role in ("head", "neck", "chest") if role in column), None)
    trunk = legs[0] if top is None else _direction(rest[column[top]] - rest[column["hips"]])
    for axis, direction in zip(AXES, _DIRECTIONS, strict=True):
        if min(float(part @ direction) for part in (*legs, trunk)) >= RESTS_WITHIN:
            return axis
    return ""


def _direction(line: Array) -> Array:
    return line / max(float(np.linalg.norm(line)), 1e-12)


def _share_standing(sample: PoseSample, heights: Array, lowest: Array) -> Array:
    """Return for each axis (6,) the share of poses on two feet."""
    feet = sample.columns("foot", "toe") or sample.columns("shin")
    top = sample.columns("head") or sample.columns("neck") or sample.columns("chest") or sample.columns("hips")
    ankles = sample.columns("foot") or sample.columns("shin")
    on_feet = heights[:, feet].min(axis=1) - lowest < FEET_ABOVE_LOWEST
    tall = heights[:, top].mean(axis=1) - heights[:, ankles].mean(axis=1) > HEAD_ABOVE_FEET
    return np.asarray((on_feet & tall).mean(axis=0))


def _share_on_four(sample: PoseSample, heights: Array, lowest: Array) -> Array:
    """Return for each axis (6,) the share of poses on hands and feet, with hips and knees above them."""
    hands, feet = sample.columns("hand"), sample.columns("foot", "toe")
    if not hands or not feet:
        return np.zeros(len(AXES))
    above = heights - lowest[:, None]
    low = (above[:, hands].max(axis=1) < FOUR_ABOVE_LOWEST) & (above[:, feet].min(axis=1) < FOUR_ABOVE_LOWEST)
    high = above[:, sample.columns("hips")].min(axis=1) > HIPS_ABOVE_FOUR
    shoulders, knees = sample.columns("upper_arm"), sample.columns("shin")
    high &= above[:, shoulders].min(axis=1) > HIPS_ABOVE_FOUR if shoulders else True
    return np.asarray((low & high & (above[:, knees].min(axis=1) > KNEES_ABOVE_FOUR)).mean(axis=0))


def _walks(sample: PoseSample) -> bool:
    """Return whether the feet alternately keep still while the hips travel."""
    hips = sample.speeds[:, sample.column["hips"]]
    moving = hips > WALKS_AT
    if moving.mean() < STANDS:
        return False
    slower = sample.speeds[:, sample.columns("foot", "toe") or sample.columns("shin")].min(axis=1)
    return bool(np.median(slower[moving] / hips[moving]) < FEET_STAY)
