"""Complete keyed poses of hips, hands and feet to full poses, using frames of other clips (methods: Fill)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..edit import reaching
from ..errors import SkeletonError
from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.roles import ancestors
from . import candidates, choice
from .rows import RATE, SPARSE, Longs, Rows, of_clips, of_poses, stretch

ROUNDS = 8  # largest number of iterations
EXACT = 1e-4  # m; the iteration ends when the largest error at the end of a limb, or its decrease, is smaller
LIMBS = ("left_leg", "right_leg", "left_arm", "right_arm")


def complete_keys(clip: Clip, keys: Longs, clips: Sequence[Clip], *, images: bool = True) -> tuple[Clip, Array]:
    """Return a clip that keeps the keys' hips, hand and foot positions; the rest comes from library clips.

    Stretches for all gaps are chosen jointly by these five points. The pose of each key is taken from the adjacent
    stretch whose end is nearer, and its limbs are moved to the keyed positions. Frames between keys are interpolated,
    and frames outside change like the nearest key. The array (K,) is the distance (m) by which a limb of a pose is too
    short. Raises SkeletonError for bodies without these joints.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.inbetween import completing
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> made, short = completing.complete_keys(walk, np.array([10, 30]), [walk])
        >>> bool(abs(made.rotations - walk.rotations).max() < 1e-3), bool(short.max() < 1e-6)
        (True, True)
    """
    lacking = [role for role in SPARSE if role not in clip.skeleton.roles]
    if lacking:
        raise SkeletonError(f"{clip.name}: poses of hands, feet and hips need a {lacking[0]}: choose it in Body Roles")
    known, poses = of_clips(clips, sparse=True, images=images), of_poses(clip.take_frames(keys), sparse=True)
    found = []
    for k, (a, b) in enumerate(pairwise(keys.tolist())):
        found.append(candidates.find_candidates(known, candidates.gap_of(poses, k, (b - a) * RATE / clip.rate)))
    chosen = choice.choose_together(known, found, [[(1.0, 1.0)] * len(some) for some in found])
    made, short = [], []
    for k, key in enumerate(keys.tolist()):
        row = _nearer(known, poses, k, found, chosen)
        pose, lacks = _pose(clip.cut(key, key + 1), clips, known, row)
        made.append(pose)
        short.append(lacks)
    turns = np.concatenate([pose.rotations for pose in made])
    places = np.concatenate([pose.translations for pose in made])
    change = quat.log(quat.mul(quat.inv(clip.rotations[keys]), turns))
    rotations = quat.mul(clip.rotations, quat.exp(_spread(change, keys, len(clip))))
    translations = clip.translations + _spread(places - clip.translations[keys], keys, len(clip))
    rotations[keys], translations[keys] = turns, places
    return replace(clip, rotations=quat.continuous(rotations), translations=translations), np.array(short)


def _spread(at_keys: Array, keys: Longs, frames: int) -> Array:
    """Return values given at keys (K, J, 3) for every frame, linear between them."""
    if len(keys) == 1:
        return np.repeat(at_keys, frames, axis=0)
    k = np.clip(np.searchsorted(keys, np.arange(frames), side="right") - 1, 0, len(keys) - 2)
    share = np.clip((np.arange(frames) - keys[k]) / (keys[k + 1] - keys[k]), 0.0, 1.0)[:, None, None]
    return np.asarray((1.0 - share) * at_keys[k] + share * at_keys[k + 1])


def _nearer(known: Rows, poses: Rows, k: int, found: list[list[candidates.Candidate]], chosen: list[int]) -> int:
    """Return the library row for a key: the nearer end of the adjacent stretches, or else the nearest of all rows."""
    rows = [found[k - 1][chosen[k - 1]].end] if k > 0 and chosen[k - 1] >= 0 else []
    rows += [found[k][chosen[k]].start] if k < len(found) and chosen[k] >= 0 else []
    among = np.array(rows) if rows else np.arange(len(known))
    return int(among[((known.places[among] - poses.places[k]) ** 2).sum(axis=(1, 2)).argmin()])


def _pose(key: Clip, clips: Sequence[Clip], known: Rows, row: int) -> tuple[Clip, float]:
    """Return a row's pose with a key's hips and limb ends, and the distance (m) by which a limb is too short."""
    at = float(known.frames[row])
    like = stretch(clips[known.clips[row]], np.array([at]), mirrored=bool(known.mirrored[row]))
    hips = key.skeleton.roles["hips"]
    own = [hips, *ancestors(hips, key.skeleton.parents)]
    rotations, translations = like.rotations.copy(), like.translations.copy()
    rotations[:, own], translations[:, own] = key.rotations[:, own], key.translations[:, own]
    pose = replace(key, rotations=rotations, translations=translations)
    lacks = np.inf
    for _ in range(ROUNDS):  # leaning the trunk for one hand moves the other one
        before = lacks
        for name in LIMBS:
            pose = _reach_key(pose, key, name)
        lacks = max(_lacks(pose, key, name) for name in LIMBS)
        if lacks < EXACT or lacks > before - EXACT:
            break
    return pose, lacks


def _reach_key(pose: Clip, key: Clip, name: str) -> Clip:
    """Return a pose with a limb's end at its keyed position; a short arm's chain is extended up the trunk."""
    skeleton, tip = pose.skeleton, np.zeros(3)
    limb = reaching.limb_of(pose, name)
    goal = reaching.ends(key, limb, tip)
    result = reaching.reach_target(pose, reaching.Asked(limb, goal, np.ones(1), tip=tip))
    above = ancestors(skeleton.roles[reaching.PARTS[name][0]], skeleton.parents)
    hips = skeleton.roles["hips"]
    for joint in above[: above.index(hips)] if hips in above else []:
        if _lacks(result, key, name) < EXACT:
            break
        end = skeleton.names[skeleton.roles[reaching.PARTS[name][2]]]
        chain = reaching.chain_of(result, f"{skeleton.names[joint]} > {end}", whole=False)
        result = reaching.reach_target(result, reaching.Asked(chain, goal, np.ones(1), tip=tip))
    return result


def _lacks(pose: Clip, key: Clip, name: str) -> float:
    tip, limb = np.zeros(3), reaching.limb_of(pose, name)
    return float(np.linalg.norm(reaching.ends(pose, limb, tip) - reaching.ends(key, limb, tip)))
