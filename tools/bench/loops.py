"""Benchmarks of the cycle search, compared with the autocorrelation of statsmodels."""

import numpy as np
from action_loom.core.motion import quat
from action_loom.core.motion.quat import Array
from action_loom.core.sync import cycle_search
from line import Case, Line, Rival, Target, later
from material import Material


def lines() -> list[Line]:
    return [
        Line("loop", "find a loop in 1000 frames: the whole finder", Target(20.0), _find),
        Line("loop-autocorrelation", "autocorrelation of all joints' angles, alone", Target(), _autocorrelation),
    ]


def _find(material: Material) -> Case:
    clip = material.clips[0]
    step = max(1, round(clip.rate / cycle_search.SEARCH_RATE))
    frames = -(-len(clip) // step)
    # Products of all pairs of frames and of all pairs of their sums; each matrix is symmetric.
    return Case(lambda: cycle_search.find(clip), operations=2.0 * frames**2 * 3 * len(clip.skeleton))


def _autocorrelation(material: Material) -> Case:
    rotations = material.clips[0].rotations
    vectors = quat.log_about(quat.mean_of_frames(rotations), rotations).reshape(len(rotations), -1)
    vectors = vectors[:, np.ptp(vectors, axis=0) > 1e-6]
    return Case(
        lambda: cycle_search._autocorrelation(vectors),
        {"statsmodels": later(_statsmodels, vectors)},
        moved=float(vectors.nbytes),
    )


def _statsmodels(vectors: Array) -> Rival:
    from statsmodels.tsa.stattools import acf

    def work() -> Array:
        return np.mean([acf(one, adjusted=True, nlags=len(one) - 1, fft=True) for one in vectors.T], axis=0)

    return Rival(work, lambda ours, theirs: float(np.abs(ours - theirs).max()))
