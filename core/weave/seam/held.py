"""A clip that begins as an earlier one, and loses what it differs in where it goes its own way.

Method: Following a drawn path.
"""

from dataclasses import replace

import numpy as np

from ...motion import quat
from ...motion.clip import Channel, Clip
from . import repairs


def going_on(earlier: Clip, clip: Clip, count: int, settle: int) -> Clip:
    """Return a clip whose first `count` frames are an earlier one's, of the same skeleton and nearly the same motion.

    What both differ in there fades over `settle` frames.
    """
    count = min(count, len(clip), len(earlier))
    if count == 0:
        return clip
    last, after = count - 1, slice(count, min(count + settle, len(clip)))
    share = 1.0 - repairs.fade(after.stop - after.start)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    # By what the earlier clip is turned at its last frame that is kept, after its own rotation.
    turned = quat.log(quat.mul(quat.inv(clip.rotations[last]), earlier.rotations[last]))
    rotations[after] = quat.mul(rotations[after], quat.exp(share[:, None, None] * turned))
    translations[after] += share[:, None, None] * (earlier.translations[last] - clip.translations[last])
    rotations[:count], translations[:count] = earlier.rotations[:count], earlier.translations[:count]
    scales = clip.scales
    if scales is not None and earlier.scales is not None:
        scales = np.concatenate([earlier.scales[:count], scales[count:]])
    channels = {
        name: Channel(np.concatenate([earlier.channels[name].values[:count], one.values[count:]]), one.discrete)
        if name in earlier.channels
        else one
        for name, one in clip.channels.items()
    }
    return replace(clip, rotations=rotations, translations=translations, scales=scales, channels=channels)
