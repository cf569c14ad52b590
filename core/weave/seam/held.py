"""Make a clip start with the frames of an earlier one, and fade out the difference after these.

Method: Following a drawn path.
"""

from dataclasses import replace

import numpy as np

from ...motion import quat
from ...motion.clip import Channel, Clip
from . import repairs


def with_beginning(earlier: Clip, clip: Clip, count: int, settle: int) -> Clip:
    """Return a clip with its first `count` frames from an earlier one: same skeleton, nearly the same motion.

    The difference in the last of these frames fades over the next `settle` frames.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave.seam import held
        >>> walk, slower = actions.walk(), actions.walk(speed=1.2)
        >>> mixed = held.with_beginning(walk, slower, 20, 10)
        >>> [bool((mixed.rotations[k] == walk.rotations[k]).all()) for k in (19, 20)]
        [True, False]
        >>> bool((mixed.rotations[30:] == slower.rotations[30:]).all())
        True
    """
    count = min(count, len(clip), len(earlier))
    if count == 0:
        return clip
    last, after = count - 1, slice(count, min(count + settle, len(clip)))
    share = 1.0 - repairs.fade(after.stop - after.start)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    # Rotation from the clip to the earlier one in the last kept frame, applied after the clip's own rotation.
    turned = quat.log(quat.mul(quat.inv(clip.rotations[last]), earlier.rotations[last]))
    rotations[after] = quat.mul(rotations[after], quat.exp(share[:, None, None] * turned))
    translations[after] += share[:, None, None] * (earlier.translations[last] - clip.translations[last])
    rotations[:count], translations[:count] = earlier.rotations[:count], earlier.translations[:count]
    scales = clip.scales
    if scales is not None and earlier.scales is not None:
        scales = np.concatenate([earlier.scales[:count], scales[count:]])
    channels = {
        name: Channel(np.concatenate([earlier.channels[name].values[:count], own.values[count:]]), own.discrete)
        if name in earlier.channels
        else own
        for name, own in clip.channels.items()
    }
    return replace(clip, rotations=rotations, translations=translations, scales=scales, channels=channels)
