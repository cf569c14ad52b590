"""Reduce the keys of a clip within an error bound (methods: Fewer keys)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import RARE, declaration, option
from ...recipes.base import Recipe


@declaration
class FewerKeys(Recipe):
    """Leave out the keys that a clip does not need; no joint moves by more than a bound."""

    verb = "fewer_keys"
    label = "Fewer Keys"
    tooltip = "Make an action with few Bézier keys, within a bound"
    least = most = 1
    of_action = True
    summary = "leave out the keys that a clip does not need"

    within: float = option(
        2.0,
        "How far any joint may be off in any frame",
        bounds=(0.01, 1000.0),
        unit=" mm",
        usual=(0.5, 20.0),
    )
    feet: float = option(
        0.0,
        "How far hips, legs and feet may be off; standing feet must not shake",
        bounds=(0.0, 1000.0),
        unit=" mm",
        usual=(0.0, 5.0),
        zero="a quarter of the other",
    )
    keep_frames: tuple[tuple[float, ...], ...] = option(
        (),
        "Frames that keep their keys, from 0, besides the first, the last and those where feet begin and end to stand",
        bounds=(0.0, 1e9),
        table=True,
        shown=RARE,
    )

    @property
    def kept(self) -> tuple[int, ...]:
        """The frames of `keep_frames`, in order."""
        return tuple(sorted({round(frame) for row in self.keep_frames for frame in row}))

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} with fewer keys"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["fewer_keys"]
        before, after = own["keys"]
        share = "" if own["share"] is None else f" ({own['share']:.1%})"
        found = [
            f"  {before} → {after} keys{share}",
            f"  joints {own['error_mm']:.2f} mm off at most, hips, legs and feet {own['feet_error_mm']:.2f} mm",
        ]
        if own["stand_slide_cm_s"]:
            found.append("  feet that stood go {:.1f} → {:.1f} cm/s".format(*own["stand_slide_cm_s"]))
        return found
