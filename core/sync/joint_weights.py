"""The weights of joints in a pose distance (methods: Pose distance)."""

import difflib

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

MOST = 1e6  # largest factor of a joint, so that sums of weights stay finite


def point_weights(skeleton: Skeleton, joints: str, *, equal: bool = False) -> Array:
    """Return the weight (P,) of each point (joints, then tips), sum 1.

    joints : as in `factors`; equal : whether all points of the body have equal weight, as in [TMPS], rather than by
        bones
    Raises OptionError if no point remains.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.sync import joint_weights
        >>> figure = body.skeleton()
        >>> weights = joint_weights.point_weights(figure, "thigh.L=3, thigh.R")
        >>> {figure.names[k]: round(float(weights[k]), 2) for k in weights.nonzero()[0]}
        {'thigh.L': 0.75, 'thigh.R': 0.25}
    """
    points = np.append(np.arange(len(skeleton)), skeleton.tipped)
    own = skeleton.body.astype(float)[points] if equal else skeleton.point_weights
    return _normalize_weights(own * factors(skeleton, joints)[points], joints)


def rotation_weights(skeleton: Skeleton, joints: str) -> Array:
    """Return the weight (J,) of each joint's rotation, sum 1: the share of the body's bone length that it moves.

    A hip is thus weighted more than a wrist ([TMPS] warns against equal weights). Raises OptionError if no joint
    remains.
    """
    bones = np.where(skeleton.parents >= 0, np.linalg.norm(skeleton.offsets, axis=1), 0.0)
    moved = np.linalg.norm(skeleton.tips, axis=1)
    for joint in range(len(skeleton) - 1, 0, -1):
        if skeleton.parents[joint] >= 0:
            moved[skeleton.parents[joint]] += bones[joint] + moved[joint]
    return _normalize_weights(moved * skeleton.body * factors(skeleton, joints), joints)


def factors(skeleton: Skeleton, joints: str) -> Array:
    """Return the factor (J,) of each joint's weight for "all", "lower", "upper", or a list of names.

    A name may have a factor: "LeftFoot=2, RightFoot=2, Hips". Other joints get 0. Raises OptionError for names that the
    skeleton lacks, for factors other than numbers from 0 to 1,000,000, and for "lower" or "upper" of a body with
    unknown legs.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.sync import joint_weights
        >>> figure = body.skeleton()
        >>> factors = joint_weights.factors(figure, "hand.L=2, hips")
        >>> [float(factors[figure.index(name)]) for name in ("hand.L", "hips", "hand.R")]
        [2.0, 1.0, 0.0]
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
            raise unknown_joint("joints", name, skeleton, ": all, lower, upper, or names of joints")
        try:
            weights[skeleton.index(name)] = float(factor or 1.0)
        except ValueError:
            raise OptionError(f"joints gives {name} the factor {factor!r}, which is not a number") from None
    if not ((weights >= 0.0) & (weights <= MOST)).all():
        raise OptionError(f"joints is {joints!r}, but factors must be numbers from 0 to {MOST:g}")
    return weights


def unknown_joint(option: str, name: str, skeleton: Skeleton, otherwise: str = "") -> OptionError:
    """Return the error for a name that no joint has, with similar names, or another hint if there are none.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.sync import joint_weights
        >>> print(joint_weights.unknown_joint("joints", "hip", body.skeleton()))
        joints names 'hip', which the body lacks; did you mean hips, shin.R, shin.L?
    """
    near = difflib.get_close_matches(name, skeleton.names, n=3, cutoff=0.4)
    hint = f"; did you mean {', '.join(near)}?" if near else otherwise
    return OptionError(f"{option} names {name!r}, which the body lacks{hint}")


def no_joint(option: str, value: str) -> OptionError:
    """Return the error for a choice of joints that has none.

    Example:
        >>> from action_loom.core.sync import joint_weights
        >>> print(joint_weights.no_joint("joints", ""))
        joints is '', which leaves no joint
    """
    return OptionError(f"{option} is {value!r}, which leaves no joint")


def _lower_body(skeleton: Skeleton, joints: str) -> NDArray[np.bool_]:
    """Return which joints (J,) are the hips, or belong to the legs."""
    legs = [joint for role, joint in skeleton.roles.items() if role.startswith(("thigh", "shin", "foot", "toe"))]
    if "thigh.L" not in skeleton.roles and "thigh.R" not in skeleton.roles:
        raise OptionError(f"joints is {joints!r}, but the legs of this body are not known: name the joints instead")
    lower = skeleton.with_below(legs)
    if "hips" in skeleton.roles:
        lower[skeleton.roles["hips"]] = True
    return lower


def _normalize_weights(weights: Array, joints: str) -> Array:
    """Return weights divided by their sum."""
    total = float(weights.sum())
    if total <= 0.0:
        raise OptionError(f"joints is {joints!r}, but these joints have no extent: choose others")
    return weights / total
