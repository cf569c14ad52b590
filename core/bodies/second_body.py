"""Find a second body in one armature, such as a mount or a partner."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..motion.roles import ancestors
from ..motion.skeleton import Skeleton

Flags = NDArray[np.bool_]

LARGE = 0.3  # least share of all moving joints in each of two bodies
LEG = 3  # joints of a leg: thigh, shin and foot
ALIKE = 0.75  # least length ratio of a pair of legs
NEAR = 0.15  # of a tree's height: legs end within this above its lowest joint


def root_of(skeleton: Skeleton, moving: Flags) -> int:
    """Return the root of a second body in a skeleton, −1 for none; moving (J,) : joints with keys.

    It is another tree of joints without any known part of the body. Both trees must have legs, or at least three tenths
    of the moving joints each.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.bodies import second_body
        >>> from action_loom.core.demo_character import body
        >>> figure = body.skeleton()
        >>> second_body.root_of(figure, np.ones(len(figure), dtype=bool))
        -1
    """
    trees = {int(root): skeleton.with_below([int(root)]) for root in np.flatnonzero(skeleton.parents < 0)}
    if len(trees) < 2 or not moving.any():
        return -1
    known = np.zeros(len(skeleton), dtype=bool)
    known[[joint for joint in skeleton.roles.values() if joint < len(skeleton)]] = True
    main = max(trees, key=lambda root: (int((trees[root] & known).sum()), int(trees[root].sum())))
    for root, tree in trees.items():
        if root == main or (tree & known).any() or not (tree & moving).any():
            continue
        shares = [float((moving & one).sum()) / float(moving.sum()) for one in (trees[main], tree)]
        if min(shares) >= LARGE or (_has_legs(skeleton, tree) and _has_legs(skeleton, trees[main])):
            return root
    return -1


def _has_legs(skeleton: Skeleton, tree: Flags) -> bool:
    """Return whether a tree has two similar chains from one joint to near its lowest joint at rest."""
    heights, parents = skeleton.rest[1][:, 2], skeleton.parents
    joints = np.flatnonzero(tree).tolist()
    low, tall = float(heights[tree].min()), float(np.ptp(heights[tree]))
    ends = [joint for joint in joints if not (tree & (parents == joint)).any()]
    chains = [[end, *ancestors(end, parents)] for end in ends if heights[end] - low <= NEAR * tall]
    for one, other in combinations(chains, 2):
        shared = set(one) & set(other)
        legs = [[joint for joint in chain if joint not in shared] for chain in (one, other)]
        lengths = [float(np.linalg.norm(skeleton.offsets[leg], axis=1).sum()) for leg in legs]
        if min(map(len, legs)) >= LEG and shared and min(lengths) > ALIKE * max(lengths):
            return True
    return False
