"""The pose distances that there are, by name."""

from ..motion.clip import Clip
from .angles import Angles, Chordal
from .distance import Metric
from .matching import Matching
from .positions import Motion, Points

METRICS: dict[str, type[Metric]] = {metric.name: metric for metric in (Points, Motion, Angles, Chordal)}
AUTO = "motion"  # to match distinct actions; steps of different people come out nearest to each other


def of(clip: Clip, matching: Matching) -> Metric:
    """Return a clip ready to be compared by the metric that `matching` names; raises OptionError for its joints."""
    return METRICS[AUTO if matching.metric == "auto" else matching.metric](clip, matching)
