"""Match the joints of two bodies: by role, along the spine, by finger, by name.

Method: Body roles and retargeting.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..motion import fingers
from ..motion import roles as body_roles
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

# Ways of matching a joint, in the order in which they are tried.
ROLE, SPINE, FINGER, NAME, FOLLOWS, BETWEEN, REST = "role", "spine", "finger", "name", "follows", "between", "rest"


@dataclass(frozen=True, eq=False)
class Partners:
    """The joints of the source from which the J joints of a body get their rotations.

    joints (J,) : the partner in the source, −1 for none; how : one of the words above for each
    between : joints between two of the source's trunk, with a share from the first (0) to the second (1)
    carrier : the joint that moves the body as a whole
    fanned : sides on which both bodies have the fingers that define the hand's roll
    """

    joints: NDArray[np.int64]
    how: tuple[str, ...]
    between: dict[int, tuple[int, int, float]]
    carrier: int
    fanned: frozenset[str]


def match(source: Skeleton, body: Skeleton) -> Partners:
    """Return the partners of a body's joints in another body, the source; both must have hips and thighs.

    Example:
        >>> from action_loom.core.bodies import partners
        >>> from action_loom.core.demo_character import body
        >>> pairs = partners.match(body.skeleton(), body.skeleton())
        >>> set(pairs.how), body.skeleton().names[pairs.carrier]
        ({'role'}, 'hips')
    """
    joints, how = np.full(len(body), -1), [REST] * len(body)

    def pair(joint: int, theirs: int, by: str) -> None:
        if joints[joint] < 0:  # roles take precedence
            joints[joint], how[joint] = theirs, by

    # A single joint that is both spine and chest is matched as the chest, which carries the arms.
    for role in sorted(body.roles, key=lambda role: role == "spine"):
        if role in source.roles:
            pair(body.roles[role], source.roles[role], ROLE)
    for joint, other in _fingers(source, body):
        pair(joint, other, FINGER)
    between: dict[int, tuple[int, int, float]] = {}
    for ours, theirs in _stretches(source, body):
        if len(ours) == len(theirs):
            for joint, other in zip(ours[1:-1], theirs[1:-1], strict=True):
                pair(joint, other, SPINE)
            continue
        for joint, place in _places_between(body, ours, source, theirs).items():
            if joints[joint] < 0:
                between[joint], how[joint] = place, BETWEEN
    carrier = _carrier(body)
    pair(carrier, source.roles["hips"], FOLLOWS)
    _by_name(source, body, joints, how)
    both = [{s for s in "LR" if fingers.fan(one, s, one.rest[1]) is not None} for one in (source, body)]
    return Partners(joints, tuple(how), between, carrier, frozenset(both[0] & both[1]))


def _fingers(source: Skeleton, body: Skeleton) -> list[tuple[int, int]]:
    """Return pairs of joints of the same finger, from its root; surplus joints of the longer one stay at rest."""
    found = []
    for side in "LR":
        theirs = fingers.chains(source, side)
        for finger, joints in fingers.chains(body, side).items():
            found += list(zip(joints, theirs.get(finger, ()), strict=False))
    return found


def _stretches(source: Skeleton, body: Skeleton) -> list[tuple[list[int], list[int]]]:
    """Return the joints of both trunks between consecutive common roles, ends included."""
    both = ((body, _trunk(body)), (source, _trunk(source)))
    shared = [role for role in body_roles.TRUNK if all(skeleton.roles.get(role) in chain for skeleton, chain in both)]
    found = []
    for low, high in pairwise(shared):
        parts = []
        for skeleton, chain in both:
            first, last = chain.index(skeleton.roles[low]), chain.index(skeleton.roles[high])
            parts.append(chain[first : last + 1])
        if all(parts):
            found.append((parts[0], parts[1]))
    return found


def _trunk(skeleton: Skeleton) -> list[int]:
    """Return the joints from the hips to the highest role of the trunk."""
    top = next(skeleton.roles[role] for role in reversed(body_roles.TRUNK) if role in skeleton.roles)
    hips, chain = skeleton.roles["hips"], [top]
    while chain[-1] != hips and (above := next_carrier(skeleton, chain[-1])) >= 0 and above not in chain:
        chain.append(above)
    return chain[::-1]


def next_carrier(skeleton: Skeleton, joint: int) -> int:
    """Return the joint that bears a joint, else its parent."""
    bearer = int(skeleton.bearers[joint])
    return bearer if bearer >= 0 else int(skeleton.parents[joint])


def _places_between(
    body: Skeleton, ours: list[int], source: Skeleton, theirs: list[int]
) -> dict[int, tuple[int, int, float]]:
    """Return the two source joints between which each inner joint of a stretch of the trunk lies, and its share.

    A joint turns the bone after it, so its rotation is located at the middle of that bone.
    """
    own, other = _middles(body, ours), _middles(source, theirs)
    found = {}
    for joint, place in zip(ours[1:-1], own[1:-1], strict=True):
        k = int(np.clip(np.searchsorted(other, place) - 1, 0, len(theirs) - 2))
        wide = other[k + 1] - other[k]
        share = float(np.clip((place - other[k]) / wide, 0.0, 1.0)) if wide > 0.0 else 1.0
        found[joint] = (theirs[k], theirs[k + 1], share)
    return found


def _middles(skeleton: Skeleton, chain: list[int]) -> Array:
    """Return the middle of the bone after each joint of a chain, as a share of the chain's length."""
    trunk, places = _trunk(skeleton), skeleton.rest[1]
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(places[trunk], axis=0), axis=1)))
    middles = np.append(0.5 * (along[1:] + along[:-1]), along[-1])[[trunk.index(joint) for joint in chain]]
    wide = middles[-1] - middles[0]
    return np.asarray((middles - middles[0]) / wide) if wide > 0.0 else np.linspace(0.0, 1.0, len(chain))


def _carrier(body: Skeleton) -> int:
    """Return the lowest joint above hips, thighs and spine: usually the hips."""
    roles = body.roles
    chains = [
        [roles[role], *body_roles.ancestors(roles[role], body.parents)][::-1]
        for role in ("hips", "thigh.L", "thigh.R", "spine", "chest")
        if role in roles
    ]
    shared = [level[0] for level in zip(*chains, strict=False) if len(set(level)) == 1]
    return shared[-1] if shared else roles["hips"]


def _by_name(source: Skeleton, body: Skeleton, joints: NDArray[np.int64], how: list[str]) -> None:
    """Pair further joints of the same name below the same partners: props, tails, and others without a role."""
    index = {name: joint for joint, name in enumerate(source.names)}
    for joint, name in enumerate(body.names):  # parents come first
        theirs = index.get(name, -1)
        if how[joint] != REST or theirs < 0 or theirs in joints or theirs in source.roles.values():
            continue
        taken = set(joints.tolist())
        above = next((k for k in body_roles.ancestors(joint, body.parents) if joints[k] >= 0), -1)
        other = next((k for k in body_roles.ancestors(theirs, source.parents) if k in taken), -1)
        if (joints[above] if above >= 0 else -1) == other:
            joints[joint], how[joint] = theirs, NAME
