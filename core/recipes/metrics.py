"""The registry of pose distances: a row for each, and nothing else has to know of it.

A new metric is a class (see `sync.distance.Metric`) and a row here.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class MetricRow:
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
AUTO = "motion"  # to match distinct actions; steps of different people come out nearest to each other


def row_of(name: str) -> MetricRow:
    """Return the row that the option `metric` means."""
    return METRICS[AUTO if name == "auto" else name]
