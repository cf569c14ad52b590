"""Prepare clips for comparison by a metric; `recipes.metrics` lists the metrics (methods: Pose distance)."""

from ..entry_points import load
from ..motion.clip import Clip
from ..recipes.matching import Matching
from ..recipes.metrics import row_of
from .distance import Metric
from .posed_clip import PosedClip


def prepare(clip: Clip | PosedClip, matching: Matching) -> Metric:
    """Return a clip prepared for comparison by the metric named in `matching`.

    Raises OptionError if the joints named in `matching` are invalid for this body.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.matching import Matching
        >>> from action_loom.core.sync import metrics
        >>> walk, sneak = (metrics.prepare(clip, Matching()) for clip in (actions.walk(), actions.sneak()))
        >>> walk.matrix(sneak, 1).shape  # all pairs of frames
        (97, 199)
    """
    metric: type[Metric] = load(row_of(matching.metric).source)
    return metric(PosedClip.of(clip), matching)
