"""Where the centres of mass of the parts of a body are, by a published table (Ae, Tang & Yokoi 1992, adult men)."""

from dataclasses import dataclass

import numpy as np

from ...errors import SkeletonError
from ...motion import roles
from ...motion.quat import Array
from ...motion.skeleton import Skeleton


@dataclass(frozen=True)
class Segment:
    """Its share of the body's mass, and its centre as a share of the way from its proximal to its distal end."""

    mass: float
    centre: float


TRUNK = Segment(0.489, 0.493)  # from the base of the neck to the middle of the hips
UPPER_TRUNK = Segment(0.302, 0.428)  # to the lower end of the ribs
LOWER_TRUNK = Segment(0.187, 0.609)  # from there
# Where on the whole trunk the ribs end is what makes the two halves' common centre that of the whole.
RIBS = (TRUNK.mass * TRUNK.centre - LOWER_TRUNK.mass * LOWER_TRUNK.centre) / (
    UPPER_TRUNK.mass * UPPER_TRUNK.centre + LOWER_TRUNK.mass * (1.0 - LOWER_TRUNK.centre)
)


def trunk(skeleton: Skeleton) -> Array:
    """Return the centre of mass of the trunk as shares (1, J) of its joints' places.

    So it bends with the spine. Raises SkeletonError for a body whose neck, hips or thighs are not known.
    """
    return _along(skeleton, _spine(skeleton), [TRUNK.centre])


def trunk_halves(skeleton: Skeleton) -> Array:
    """Return the centres of mass of the upper and the lower trunk as shares (2, J), likewise."""
    lower = RIBS + LOWER_TRUNK.centre * (1.0 - RIBS)
    return _along(skeleton, _spine(skeleton), [RIBS * UPPER_TRUNK.centre, lower])


def _spine(skeleton: Skeleton) -> list[int]:
    """The joints from the base of the neck down to the lowest of the spine."""
    known = skeleton.roles
    missing = [role for role in ("neck", "spine", "thigh.L", "thigh.R") if role not in known]
    if missing:
        raise SkeletonError(f"The trunk is not known, since no joint plays the part of {', '.join(missing)}")
    below = [int(known["neck"]), *roles.ancestors(known["neck"], skeleton.parents)]
    if known["spine"] not in below:
        neck, spine = skeleton.names[known["neck"]], skeleton.names[known["spine"]]
        raise SkeletonError(f"{neck} does not hang on {spine}: correct the parts of the body")
    return below[: below.index(known["spine"]) + 1]


def _along(skeleton: Skeleton, spine: list[int], shares: list[float]) -> Array:
    """Points at shares of the way along the spine to the middle of the thighs, measured at rest."""
    stations = np.zeros((len(spine) + 1, len(skeleton)))
    stations[np.arange(len(spine)), spine] = 1.0
    stations[-1, [skeleton.roles["thigh.L"], skeleton.roles["thigh.R"]]] = 0.5
    steps = np.linalg.norm(np.diff(stations @ skeleton.rest[1], axis=0), axis=1)
    gone = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
    return np.stack([np.interp(shares, gone, column) for column in stations.T], axis=1)
