"""What a verb hands back."""

from dataclasses import dataclass
from typing import Any

from ..motion.clip import Clip
from ..motion.quat import Array
from ..sync.registered import Registration
from .prepare import Prepared


@dataclass(frozen=True, eq=False)
class Woven:
    """The new clip of K frames, its report (plain JSON values) and what a picture of it needs.

    reference_frames (K,) : of the prepared reference, at each frame of the clip
    weights (N, K) : the share of each prepared clip in each frame
    """

    clip: Clip
    report: dict[str, Any]
    prepared: Prepared
    registration: Registration
    reference_frames: Array
    weights: Array
