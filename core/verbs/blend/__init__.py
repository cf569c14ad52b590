"""Blend clips: the result lies between them (methods: N-way blending)."""

from collections.abc import Sequence
from itertools import pairwise

from ...errors import OptionError, wrong_count, wrong_rows
from ...options import HIDDEN, Choice, declaration, option
from ...recipes.base import Recipe
from ...recipes.matching import Matching
from ...recipes.planting import PlantOptions
from ...recipes.travel import TravelOptions


@declaration
class Blend(Recipe, PlantOptions, Matching, TravelOptions):
    """Weave several clips into one that lies between them."""

    verb = "blend"
    takes_partners = True
    label = "Blend"
    tooltip = "Make an action that lies between the ticked ones"
    mode = "Blend"
    intent = "Mix"
    summary = "weave clips into one that lies between them"

    weights: tuple[float, ...] = option(
        (),
        "The share of each clip; any non-negative numbers, equal if none are given",
        bounds=(0.0, 1e6),
        shown=HIDDEN,  # a column of the list of sources
    )
    weight_keys: tuple[tuple[float, ...], ...] = option(
        (),
        "Weights that change on the way: rows of a place from 0 (start) to 1 (end) and each clip's share there",
        bounds=(0.0, 1e6),
        table=True,
        shown=HIDDEN,  # keys of the weights in the list
    )
    timing: str = option(
        "blended",
        "When the result's steps fall",
        choices=(
            Choice("blended", "", "Between the clips, as the weights say"),
            Choice("reference", "", "With the reference's steps, for a scene that is timed already"),
        ),
    )

    def shares(self, count: int) -> tuple[list[float], list[list[float]]]:
        """Return positions along the result, 0 to 1, and at each the weights of `count` clips, with sum 1.

        Constant weights have one position. Raises OptionError if weights or weight keys do not fit the clips.
        """
        if not self.weight_keys:
            return [0.0], [_normalize_weights(self.weights or (1.0,) * count, count, "weights")]
        places = [row[0] for row in self.weight_keys if row]
        rising = all(place < after for place, after in pairwise(places))
        if len(places) != len(self.weight_keys) or max(places) > 1.0 or not rising:
            raise wrong_rows("weight_keys", "place (0-1)", "weight", "…")
        return places, [_normalize_weights(row[1:], count, "weight_keys") for row in self.weight_keys]

    def result_name(self, names: Sequence[str]) -> str:
        _, rows = self.shares(len(names))
        ends = [rows[0], rows[-1]] if any(row != rows[0] for row in rows) else [rows[0]]
        percent = (":".join(f"{round(100 * share)}" for share in row) for row in ends)
        return f"{' + '.join(names)} {' to '.join(percent)}"


def _normalize_weights(weights: Sequence[float], count: int, option: str) -> list[float]:
    if len(weights) != count:
        raise wrong_count(option, len(weights), count)
    total = sum(weights)
    if total <= 0.0:
        raise OptionError("All weights are zero: give at least one clip a share")
    return [weight / total for weight in weights]
