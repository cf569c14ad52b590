"""The recipes: everything a user can ask for, as small frozen values with JSON in and out.

A panel fills a recipe, the command line parses one, a result carries the one that made it. Standard library
only; the work itself is imported when a recipe is applied.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from .errors import OptionError
from .options import declared, option
from .progress import SILENT, Progress

if TYPE_CHECKING:
    from .motion.clip import Clip
    from .sync.registration import Registration
    from .weave.prepare import Prepared


@dataclass(frozen=True)
class Woven:
    """What a recipe makes: the new clip, its report (plain JSON values) and what a picture of it needs."""

    clip: "Clip"
    report: dict[str, Any]
    prepared: "Prepared"
    registration: "Registration"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A verb with its options; values are checked when it is made."""

    verb: ClassVar[str]
    label: ClassVar[str]

    def __post_init__(self) -> None:
        for name, about in declared(type(self)).items():
            object.__setattr__(self, name, about.checked(getattr(self, name)))

    def apply(self, clips: Sequence["Clip"], progress: Progress = SILENT) -> Woven:
        raise NotImplementedError

    def to_json(self) -> str:
        values = {name: getattr(self, name) for name in declared(type(self))}
        return json.dumps({"verb": self.verb, **values}, sort_keys=True)


@dataclass(frozen=True, kw_only=True)
class Synchronise(Recipe):
    """Re-time the second clip so that it moves in step with the first."""

    verb = "sync"
    label = "Synchronise"

    metric: str = option(
        "auto",
        "How poses are compared: by joint positions, or by how the body moves",
        choices=("auto", "points", "motion"),
    )
    window: float = option(
        0.042, "Time on each side of a frame that is compared with it", minimum=0.0, maximum=1.0, unit=" s"
    )
    slope: int = option(
        0,
        "At most how many frames in a row one clip may wait for the other; 0 is 3, raised to 6 where needed",
        minimum=0,
        maximum=32,
    )
    ends: str = option(
        "auto",
        "Whether first and last frames are forced together or the best matching stretch is taken",
        choices=("auto", "pinned", "open"),
    )
    keep: float = option(
        2.5, "With open ends: larger keeps more of the clips, smaller matches better", minimum=1.0, maximum=10.0
    )
    smoothing: str = option(
        "spline", "How the registration curve is smoothed", choices=("spline", "none")
    )
    reference: str = option(
        "1", "The clip whose time, body and place the result takes: its number, medoid or longest"
    )
    trim: bool = option(True, "Leave out calibration poses and jumps in the first and last 0.1 s")

    def apply(self, clips: Sequence["Clip"], progress: Progress = SILENT) -> Woven:
        from .weave import retime

        return retime.synchronise(clips, self, progress)


@dataclass(frozen=True, kw_only=True)
class Blend(Synchronise):
    """Weave several clips into one that lies between them."""

    verb = "blend"
    label = "Blend"

    weights: tuple[float, ...] = option(
        (), "The share of each clip; any non-negative numbers, equal if none are given", minimum=0.0
    )
    timing: str = option(
        "blended",
        "Whether the result's timing lies between the clips or follows the reference",
        choices=("blended", "reference"),
    )

    def apply(self, clips: Sequence["Clip"], progress: Progress = SILENT) -> Woven:
        from .weave import blend

        return blend.blend(clips, self, progress)


RECIPES: dict[str, type[Recipe]] = {recipe.verb: recipe for recipe in (Synchronise, Blend)}


def from_json(text: str) -> Recipe:
    """Read a recipe; raises OptionError for unknown verbs, unknown options and values out of range."""
    try:
        values = json.loads(text)
        verb = values.pop("verb")
        recipe = RECIPES[verb]
    except (ValueError, AttributeError, KeyError, TypeError):
        raise OptionError(f"This is not a recipe of {', '.join(RECIPES)}: {text[:80]}") from None
    unknown = sorted(set(values) - set(declared(recipe)))
    if unknown:
        raise OptionError(f"The recipe {verb!r} has no option {', '.join(unknown)}")
    return recipe(**values)


