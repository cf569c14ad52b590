"""Legs of made bodies, by the joints that bend in their walk."""

import numpy as np
from action_loom.core.motion import leg_chains, leg_count, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from oracles import walkers


def on_two_anchors(clip, chains):
    """The same walk, where one joint on each side carries all legs of that side."""
    old = np.array([*range(2), *range(4, len(clip.skeleton) + 2)])  # where joints are now; the anchors are 2 and 3
    count = len(clip.skeleton) + 2
    parents, offsets = np.zeros(count, dtype=int), np.zeros((count, 3))
    parents[old] = [old[parent] if parent >= 0 else -1 for parent in clip.skeleton.parents]
    offsets[old] = clip.skeleton.offsets
    for k, chain in enumerate(chains):
        parents[old[chain[0]]] = 2 + k % 2
    still = np.tile(quat.IDENTITY, (count, 1))
    body = Skeleton(tuple(f"bone{k}" for k in range(count)), parents, offsets, still, np.zeros((count, 3)))
    rotations, places = np.tile(quat.IDENTITY, (len(clip), count, 1)), np.zeros((len(clip), count, 3))
    rotations[:, old], places[:, old] = clip.rotations, clip.translations
    return Clip("anchored", body, clip.rate, rotations, places), old


def test_legs_that_one_joint_carries_are_several():
    clip, chains, _ = walkers.walker(8, 3)
    anchored, at = on_two_anchors(clip, chains)
    assert leg_count.count(anchored) == 8
    expected = {foot: tuple(at[list(joints)].tolist()) for foot, joints in leg_chains.find(clip).items()}
    assert leg_chains.find(anchored) == expected


def test_a_bone_with_an_invented_end_is_no_leg_of_two():
    clip, chains, _ = walkers.walker(4, 2)
    stiff = clip.rotations.copy()
    stiff[:, [chain[1] for chain in chains]] = quat.IDENTITY
    ends = np.zeros((len(clip.skeleton), 3))
    ends[[chain[1] for chain in chains]] = 0.0, 0.0, -0.65
    keep = [j for j in range(len(clip.skeleton)) if j not in {chain[2] for chain in chains}]
    place = {joint: k for k, joint in enumerate(keep)}
    parents = np.array([place.get(int(clip.skeleton.parents[j]), -1) for j in keep])
    body = Skeleton(
        tuple(f"bone{k}" for k in range(len(keep))),
        parents, clip.skeleton.offsets[keep], clip.skeleton.orients[keep], ends[keep],
    )  # fmt: skip
    made = Clip("stiff", body, clip.rate, stiff[:, keep], clip.translations[:, keep])
    assert leg_chains.find(made) == {}
