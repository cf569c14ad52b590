"""Check in the motion whether left and right of the roles are correct (methods: Conventions of files).

In each pose the line between the thighs and the line from hips to feet give the front direction implied by the roles.
Toes point there, knees bend there, and bodies mostly travel there. The file's up axis does not matter.
"""

import numpy as np

from ...motion.quat import Array
from .sample import PoseSample

# Values at which each kind of evidence counts fully.
TOES_POINT = 0.3  # mean cosine of toes and front
KNEES_BEND = 0.02  # mean distance of the knee from the line between hip and ankle, body heights
TRAVELS = 0.5  # mean cosine of the direction of travel and the front
MOVING = 0.3  # body heights a second; slower hips show no direction of travel
CONTRADICTS = 1.5  # evidence against named sides; only one of 637 files with correct names has more


def measure_handedness(sample: PoseSample) -> float:
    """Return the evidence that the roles' left is the body's left: positive for, negative against, from −3 to 3."""
    across = sample.of("thigh.R") - sample.of("thigh.L")
    ends = [sample.of(f"foot.{side}" if f"foot.{side}" in sample.column else f"shin.{side}") for side in "LR"]
    down = 0.5 * (ends[0] + ends[1] - sample.of("thigh.L") - sample.of("thigh.R"))
    front = _directions(np.cross(across, down))
    toes = [
        _directions(sample.of(f"toe.{side}") - sample.of(f"foot.{side}"))
        for side in "LR"
        if f"toe.{side}" in sample.column and f"foot.{side}" in sample.column
    ]
    knees = [
        sample.of(f"shin.{side}") - 0.5 * (sample.of(f"thigh.{side}") + sample.of(f"foot.{side}"))
        for side in "LR"
        if f"foot.{side}" in sample.column
    ]
    evidence = _share(toes, front, TOES_POINT) + _share(knees, front, KNEES_BEND)
    hips = sample.column["hips"]
    moving = sample.speeds[:, hips] > MOVING
    if moving.any():
        ways = _directions(sample.velocities[moving, hips])
        evidence += _share([ways], front[moving], TRAVELS)
    return evidence


def _share(lines: list[Array], front: Array, full: float) -> float:
    """Return the mean alignment of some lines (F, 3) with the front, from −1 to 1; 0 for none."""
    if not lines:
        return 0.0
    mean = float(np.mean([(line * front).sum(axis=1).mean() for line in lines]))
    return float(np.clip(mean / full, -1.0, 1.0))


def _directions(lines: Array) -> Array:
    return lines / np.maximum(np.linalg.norm(lines, axis=1, keepdims=True), 1e-12)
