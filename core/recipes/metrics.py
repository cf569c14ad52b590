"""The registry of pose distances: one row for each, the only place that names them (methods: Pose distance).

A new metric is a class (see `sync.distance.Metric`) and a row here.
"""

from typing import NamedTuple


class MetricRow(NamedTuple):
    """name : the option's value; unit : of its distances; source : module and class of core; about : a sentence."""

    name: str
    unit: str
    source: str
    about: str


ROWS = (
    MetricRow("points", "m", "sync.positions:PointMetric", "Joint positions, after the best turn and shift"),
    MetricRow("motion", "", "sync.positions:MotionMetric", "How the body moves, in its own heading frame and scale"),
    MetricRow("angles", "rad²", "sync.angles:AngleMetric", "Angles between joint rotations"),
    MetricRow("chordal", "", "sync.angles:ChordalMetric", "Squared sine of half the angle between joint rotations"),
)
METRICS = {row.name: row for row in ROWS}
AUTO = "motion"  # for matching different actions, it aligns steps of different people best


def row_of(name: str) -> MetricRow:
    """Return the row of a value of the option `metric`.

    Example:
        >>> from action_loom.core.recipes import metrics
        >>> metrics.row_of("points").unit, metrics.row_of("auto").name
        ('m', 'motion')
    """
    return METRICS[AUTO if name == "auto" else name]
