"""In-betweening learnt from the same clips: a Gaussian process, for tools/bench/between.py; needs scikit-learn.

From both ends of a gap, its way and turn (what Fill searches by, in the same weights) to what the frames between add
to interpolation, as rotation vectors and the hips' places, in principal components. Whatever it says, keys are met.
"""

from contextlib import suppress
from dataclasses import replace

import numpy as np
from action_loom.core.between import candidates, filling
from action_loom.core.between.rows import of_poses
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import mirror, quat

WINDOWS, TRIED, COMPONENTS = 600, 250, 40  # that are learnt from; that length and noise are found on; of the answer


class Learnt:
    """Gaps of `step` frames, learnt from clips and their mirror images; one of the clips can be left out."""

    def __init__(self, clips, step):
        self.step = step
        room = sum(max(len(clip) - step, 0) for clip in clips)
        every = max(1, round(2 * room / WINDOWS))
        self.windows = [self._windows(clip, every) for clip in clips]
        self.kernel = None

    def _windows(self, clip, every):
        """What is asked and what is added, of windows of a clip and of its mirror image."""
        pair = [clip]
        with suppress(SkeletonError):
            pair.append(mirror.mirrored(clip))
        return [self._window(one, start) for one in pair for start in range(0, len(one) - self.step, every)]

    def without(self, number):
        """Learn from all clips but one; says whether there is anything to learn from."""
        from sklearn.decomposition import PCA
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

        windows = [one for k, some in enumerate(self.windows) if k != number for one in some]
        if len(windows) < 2:
            return False
        asked, added = (np.stack(some) for some in zip(*windows, strict=True))
        self.components = PCA(min(COMPONENTS, len(asked), added.shape[1]), random_state=0).fit(added)
        known = self.components.transform(added)
        self.scale = max(float(known.std()), 1e-9)
        if self.kernel is None:
            few = np.random.default_rng(0).permutation(len(asked))[:TRIED]
            free = ConstantKernel(1.0) * RBF(0.1, (0.01, 3.0)) + WhiteKernel(0.1, (1e-4, 3.0))
            self.kernel = GaussianProcessRegressor(free).fit(asked[few], known[few] / self.scale).kernel_
        self.process = GaussianProcessRegressor(self.kernel, optimizer=None).fit(asked, known / self.scale)
        return True

    def _window(self, clip, a):
        b = a + self.step
        plain = filling.interpolated(clip.cut(a, a + 1), clip.cut(b, b + 1), self.step + 1)
        turns = quat.log(quat.mul(quat.inv(plain.rotations), clip.rotations[a : b + 1]))
        moves = clip.translations[a : b + 1, 0] - plain.translations[:, 0]
        asked, facing = self._asked(clip, a)
        moves[:, :2] = candidates.as_faced(moves[:, :2], facing)
        return asked, np.concatenate([turns.reshape(len(turns), -1), moves / clip.skeleton.height], axis=1).ravel()

    def _asked(self, clip, a):
        keys = of_poses(clip.taken(np.array([a, a + self.step])))
        gap = candidates.gap_of(keys, 0, float(self.step))
        ends = np.concatenate([gap.first.ravel(), gap.last.ravel()]) / np.sqrt(len(gap.first))
        way = np.sqrt(candidates.TRAVEL) * gap.travel
        return np.concatenate([ends, way, [candidates.TURN * gap.turn]]), keys.facing[0]

    def filled(self, clip, a):
        """The frames of a clip from a to a + step, of which it knows the first and the last."""
        asked, facing = self._asked(clip, a)
        answer = self.scale * self.process.predict(asked[None])
        added = self.components.inverse_transform(answer).reshape(self.step + 1, -1)
        plain = filling.interpolated(clip.cut(a, a + 1), clip.cut(a + self.step, a + self.step + 1), self.step + 1)
        moves = clip.skeleton.height * added[:, -3:]
        moves[:, :2] = candidates.as_faced(moves[:, :2], -facing)
        added[[0, -1]], moves[[0, -1]] = 0.0, 0.0
        places = plain.translations.copy()
        places[:, 0] += moves
        turns = quat.exp(added[:, :-3].reshape(self.step + 1, -1, 3))
        return replace(plain, rotations=quat.mul(plain.rotations, turns), translations=places)
