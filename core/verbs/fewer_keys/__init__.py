"""Reduce a clip to as few keys as play it within a bound (methods: Fewer keys)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import RARE, declaration, option
from ...recipes.base import Recipe


@declaration
class FewerKeys(Recipe):
    """Leave out the keys that a clip does not need; no joint moves by more than a bound."""

    verb = "fewer_keys"
    label = "Fewer Keys"
    tooltip = "Make an action of the armature's own with few Bézier keys; no joint is farther off than a bound"
    least = most = 1
    of_action = True
    summary = "leave out the keys that a clip does not need"

    within: float = option(
        2.0,
        "How far any joint or tip may be from where it was, in any frame",
        minimum=0.01,
        maximum=1000.0,
        unit=" mm",
        usual=(0.5, 20.0),
    )
    feet: float = option(
        0.0,
        "The same for hips, legs and feet: what stands must not shake",
        minimum=0.0,
        maximum=1000.0,
        unit=" mm",
        usual=(0.0, 5.0),
        zero="a quarter of the other",
    )
    keep_frames: tuple[tuple[float, ...], ...] = option(
        (),
        "Frames that have keys in any case, counted from 0; the first and the last do, and on legs those where their"
        " foot begins and ends to stand",
        minimum=0.0,
        maximum=1e9,
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
