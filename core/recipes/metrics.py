"""The registry of pose distances: one row for each, the only place that names them (methods: Pose distance).

A new metric is a class (see `sync.distance.Metric`) and a row here, or in another package (`core.extend`).
"""

from typing import NamedTuple

from ..additions import Registry, Source


class MetricRow(NamedTuple):
    """name : the option's value; unit : of its distances; source : its class, also as text; about : a sentence."""

    name: str
    unit: str
    source: Source
    about: str


_ROWS = (
    MetricRow("points", "m", "sync.positions:PointMetric", "Joint positions, after the best turn and shift"),
    MetricRow("motion", "", "sync.positions:MotionMetric", "How the body moves, in its own heading frame and scale"),
    MetricRow("angles", "rad²", "sync.angles:AngleMetric", "Angles between joint rotations"),
    MetricRow("chordal", "", "sync.angles:ChordalMetric", "Squared sine of half the angle between joint rotations"),
)
METRICS = Registry("metrics", MetricRow, _ROWS, lambda row: row.name)
AUTO = "motion"  # for matching different actions, it aligns steps of different people best


def row_of(name: str) -> MetricRow:
    """Return the row of a value of the option `metric`.

    Example:
        >>> from action_loom.core.recipes import metrics
        >>> metrics.row_of("points").unit, metrics.row_of("auto").name
        ('m', 'motion')
    """
    return METRICS[AUTO if name == "auto" else name]
