"""Report the main figures of a written result to the artist."""

from collections.abc import Sequence
from typing import Any

from ....core.verbs import Walk
from ....core.weave.results import EditResult, Result
from ...model import contact_rows
from .writing import Written

FALLS = 6  # listed flights


def summary(written: Written, made: Result, seconds: float) -> str:
    """Return the main figures of a result in one line; seconds : from the click to the written action."""
    report, action = made.report, written.action
    after = report["quality"]["after"]["slide_cm_s"]
    before = report["quality"]["before"][0]["slide_cm_s"] if isinstance(made, EditResult) else None
    slide = " → ".join(f"{one:.1f}" for one in (before, after) if one is not None)
    figures = "" if after is None else f", feet slide {slide} cm/s"
    planted = contact_rows.figures(report)
    if planted:
        figures = f", standing feet {planted}"
    if "follow" in report:
        figures += f", {100.0 * report['follow']['rms']:.1f} cm off the curve"
    if "walk" in report:
        figures += f", {Walk().figures(report)[0].strip()}"
    figures += _describe_flights(report.get("flights")) + _describe_hands(report.get("hands"))
    if written.partner is not None:
        beside = _describe_hands(report["partner"])
        figures += f"; {written.partner.action.name}{beside}"
    figures = written.few + figures + written.limbs
    if written.keys is not None and written.keys[0] != written.keys[1]:
        figures = ", keys {:,} → {:,}".format(*written.keys) + figures
    first, last = action.curve_frame_range[:]
    return f"{action.name}: {round(last - first) + 1} frames made in {seconds:.2f} s{figures}"


def _describe_hands(hands: dict[str, Any] | None) -> str:
    """Return on how many contacts the hands of a result were kept, if they were off."""
    if not hands or not hands["kept"] or hands["off_cm"][0] == hands["off_cm"][1]:
        return ""
    before, after = hands["off_cm"]
    return f", hands on {hands['kept']} contacts {before:.1f} → {after:.1f} cm"


def _describe_flights(flights: Sequence[dict[str, Any]] | None) -> str:
    """Return the falls of the flights of a result, wrong ones first."""
    judged = sorted(
        (one for one in flights or () if one["verdict"] != "short"), key=lambda one: one["verdict"] != "off"
    )
    if not judged:
        return ""
    falls = ", ".join(f"{one['fall']:.1f}" for one in judged[:FALLS])
    return f", flights fall at {falls} m/s²"
