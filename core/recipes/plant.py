"""Planting feet: they stay where they stand (methods 18)."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..options import HIDDEN, option
from .base import Recipe


@dataclass(frozen=True, kw_only=True)
class Plant(Recipe):
    """Let feet that slide stay where they stand: pelvis and legs follow, all else is as it was."""

    verb = "plant"
    label = "Plant Feet"
    tooltip = "Make an action of the ticked one whose feet stay where they stand; pelvis and legs follow"
    least = most = 1
    summary = "let feet that slide stay where they stand"

    spans: tuple[tuple[float, ...], ...] = option(
        (),
        "When feet stand: rows of a foot (0 left, 1 right, 2 and 3 in front), what it stands on (0 ball, 1 heel), the"
        " first frame, counted from 0, and the frame after the last; found if none are given; the report has them",
        minimum=0.0,
        maximum=1e9,
        table=True,
        shown=HIDDEN,  # they come from a report
    )

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} planted"
