"""Which joints count in a pose distance, and how much."""

import difflib

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

MOST = 1e6  # so that sums of weights are finite


def point_weights(skeleton: Skeleton, joints: str) -> Array:
    """Return the importance of each point (joints, then tips), sum 1; raises OptionError where none is left."""
    chosen = factors(skeleton, joints)
    return _normalized(skeleton.point_weights * np.concatenate([chosen, chosen[skeleton.tipped]]), joints)


def rotation_weights(skeleton: Skeleton, joints: str) -> Array:
    """Return the importance (J,) of each joint's rotation, sum 1: how much of the body, in length, it moves.

    So a hip counts more than a wrist ([TMPS] warns of weighing them alike). Raises OptionError where none is left.
    """
    bones = np.where(skeleton.parents >= 0, np.linalg.norm(skeleton.offsets, axis=1), 0.0)
    moved = np.linalg.norm(skeleton.tips, axis=1)
    for joint in range(len(skeleton) - 1, 0, -1):
        if skeleton.parents[joint] >= 0:
            moved[skeleton.parents[joint]] += bones[joint] + moved[joint]
    return _normalized(moved * skeleton.body * factors(skeleton, joints), joints)


def factors(skeleton: Skeleton, joints: str) -> Array:
    """Return by how much each joint's own weight (J,) is multiplied: "all", "lower", "upper", or a list of names.

    A name may carry a factor: "LeftFoot=2, RightFoot=2, Hips". Joints that are not named do not count. Raises
    OptionError for names that the skeleton lacks, and where legs are asked for that are not known.
    """
    if joints == "all":
        return np.ones(len(skeleton))
    if joints in ("lower", "upper"):
        lower = _lower_body(skeleton, joints)
        return np.where(skeleton.body & (lower if joints == "lower" else ~lower), 1.0, 0.0)
    weights = np.zeros(len(skeleton))
    for entry in joints.split(","):
        name, _, factor = (part.strip() for part in entry.partition("="))
        if name not in skeleton.names:
            near = difflib.get_close_matches(name, skeleton.names, n=3, cutoff=0.4)
            hint = f"; did you mean {', '.join(near)}?" if near else ": all, lower, upper, or names of joints"
            raise OptionError(f"joints names {name!r}, which the reference lacks{hint}")
        try:
            weights[skeleton.index(name)] = float(factor or 1.0)
        except ValueError:
            raise OptionError(f"joints gives {name} the factor {factor!r}, which is not a number") from None
    if not ((weights >= 0.0) & (weights <= MOST)).all():
        raise OptionError(f"joints is {joints!r}, but factors must be numbers from 0 to {MOST:g}")
    return weights


def _lower_body(skeleton: Skeleton, joints: str) -> NDArray[np.bool_]:
    legs = [joint for role, joint in skeleton.roles.items() if role.startswith(("thigh", "shin", "foot", "toe"))]
    if "thigh.L" not in skeleton.roles and "thigh.R" not in skeleton.roles:
        raise OptionError(f"joints is {joints!r}, but the legs of this body are not known: name the joints instead")
    lower = skeleton.with_below(legs)
    if "hips" in skeleton.roles:
        lower[skeleton.roles["hips"]] = True
    return lower


def _normalized(weights: Array, joints: str) -> Array:
    total = float(weights.sum())
    if total <= 0.0:
        raise OptionError(f"joints is {joints!r}, but these joints have no extent: choose others")
    return weights / total
