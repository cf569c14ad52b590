"""Clips ready to be compared by the metric that is asked for; which there are, `recipes.metrics` says."""

from ..entry_points import load
from ..motion.clip import Clip
from ..recipes.matching import Matching
from ..recipes.metrics import row_of
from .distance import Metric


def prepare(clip: Clip, matching: Matching) -> Metric:
    """Return a clip ready to be compared by the metric that `matching` names; raises OptionError for its joints."""
    metric: type[Metric] = load(row_of(matching.metric).source)
    return metric(clip, matching)
