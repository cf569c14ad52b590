"""Filter a clip: its spikes, noise and bands (methods: Filtering)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import JOINTS, RARE, declaration, option
from ...recipes.base import Recipe

BANDS = 7


def _gain(band: int) -> Any:
    """Return the option for the gain of a band, counted from 1; each band has twice the previous wavelengths."""
    return option(
        1.0,
        "Strength of waves of one length: up to 6 frames in Band 1, twice as long in each next one; 0 removes them",
        bounds=(0.0, 3.0),
        label=f"Band {band}",
        shown=RARE,
    )


@declaration
class Filter(Recipe):
    """Mend spikes, remove noise, and make fine or coarse motion stronger or weaker."""

    verb = "filter"
    label = "Filter"
    tooltip = "Remove spikes and noise; bands make fine or coarse motion stronger or weaker"
    least = most = 1
    of_action = True
    summary = "mend spikes, take off noise, change the bands of a clip"

    spikes: bool = option(True, "Remove frames in which a joint jumps away and back")
    cutoff: float = option(
        -1.0,
        "Remove what is faster as noise; -1 measures the noise, 0 is off",
        bounds=(-1.0, 1000.0),
        unit=" Hz",
        usual=(-1.0, 20.0),
        zero="off",
        below="as much as is measured",
    )
    keep_contacts: bool = option(False, "Keep standing feet in place")
    band_1: float = _gain(1)
    band_2: float = _gain(2)
    band_3: float = _gain(3)
    band_4: float = _gain(4)
    band_5: float = _gain(5)
    band_6: float = _gain(6)
    band_7: float = _gain(7)
    joints: str = option(
        "",
        "Joints to filter: all if empty, lower, upper, or comma-separated names",
        shown=RARE,
        pick=JOINTS,
    )
    longest_spike: int = option(
        0,
        "Frames of the longest spike; a blow in a game action has 3",
        bounds=(0, 3),
        zero="by the rate",
        shown=RARE,
    )
    toes: bool = option(
        False,
        "Remove spikes of toes, too; steps of a run can look like spikes",
        shown=RARE,
    )

    @property
    def gains(self) -> tuple[float, ...]:
        """The gains of the bands, the finest first."""
        return tuple(getattr(self, f"band_{band}") for band in range(1, BANDS + 1))

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} filtered"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["filter"]
        found = []
        if own["spikes"]:
            worst = own["spikes"][0]
            frames = sum(len(joint["frames"]) for joint in own["spikes"])
            far = f"{worst['worst_degrees']:.0f}°" if worst["worst_degrees"] else f"{worst['worst_cm']:.0f} cm"
            found.append(f"  {frames} spikes of {len(own['spikes'])} joints mended, up to {far} ({worst['joint']})")
        if own["noise_degrees"]:
            found.append(f"  noise of {own['noise_degrees']:.2f}° taken off")
        if any(band["gain"] != 1.0 for band in own["bands"]):
            each = ", ".join("{:.2g} → {:.2g}".format(*band["degrees"]) for band in own["bands"])
            found.append(f"  bands, finest first: {each}°")
        same = "" if own["contacts_iou"] is None else f"; {own['contacts_iou']:.0%} of contacts as before"
        return [*found, "  joints moved by {:.1f} cm, {:.1f} at most".format(*own["moved_cm"]) + same]
