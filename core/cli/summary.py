"""The main figures of a result in a few lines, from its report."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..recipes.base import Recipe
from ..verbs import Plant

if TYPE_CHECKING:  # a command loads only required modules
    from ..graph.motion_graph import MotionGraph
    from ..style.groups import Groups
    from ..style.style import Style

Report = Mapping[str, Any]


def lines(name: str, report: Report, recipe: Recipe) -> list[str]:
    """Return the summary of a result with this name."""
    found = [f"{name}: {report['frames']} frames at {report['rate']:g} a second"]
    found += _registration(report, recipe) + recipe.figures(report) + _plant(report, recipe)
    found += [*_hands(report), *_partner(report)]
    found += [
        f"  {one['clip']}: left out first {one['first']}, last {one['last']} frames ({one['why']})"
        for one in report["dropped"]
        if "pieces" not in report
    ]
    found += _slide(report)
    found += [f"  note: {note}" for note in [*report.get("notes", ()), *report["warnings"]]]
    return [*found, f"  {report['seconds_taken']:.2f} s"]


def graph_lines(graph: "MotionGraph") -> list[str]:
    """Return the summary of a motion graph."""
    report, figures = graph.report, graph.report["graph"]
    clips = f"{graph.inputs.given} clips{' and their mirror images' if graph.inputs.mirrored else ''}"
    found = [
        f"{graph.name}: {figures['frames']} frames of {clips}",
        f"  {figures['transitions']} transitions, half of them nearer than {100.0 * figures['distance_median']:.1f} cm",
    ]
    for number, one in enumerate(figures["components"][:5], 1):
        found.append(
            f"  component {number}: {one['share']:.0%} of the frames, {len(one['clips'])} of {len(graph.clips)} clips "
            f"and images, {one['transitions']} transitions"
        )
    found += [f"  {one['clip']} is outside the first: {one['why']}" for one in figures["outside"]]
    found += [
        f"  {one['clip']}: left out first {one['first']}, last {one['last']} frames ({one['why']})"
        for one in report["dropped"]
    ]
    found += [f"  note: {warning}" for warning in report["warnings"]]
    return [*found, f"  {report['seconds_taken']:.2f} s"]


def style_lines(style: "Style", grouped: "Groups | None" = None) -> list[str]:
    """Return the summary of a style, and of its strides in groups."""
    report, figures = style.report, style.report["style"]
    what = "strides" if figures["gait"] else "repetitions"
    found = [f"{style.name}: {figures['strides']} {what} of {len(figures['people'])} people"]
    for name, one in figures["sliders"].items():
        found.append(
            f"  {name}: {one['mean']:.3g} {one['unit']}, usually {one['deviation']:.2g} more or less,"
            f" from {one['lowest']:+.1f} to {one['highest']:+.1f} times that"
        )
    shares = zip(figures["components"], figures["shares"]["apart"], strict=True)
    found.append("  " + ", ".join(f"{name} {share:.0%}" for name, share in shares))
    found.append(f"  about the rest pose, as in the source, the first is {figures['shares']['source'][0]:.1%}")
    for column, one in figures["labels"].items():
        found.append(
            f"  {column}: {one['component']}, effect size {one['effect']:+.2f},"
            f" by chance in {one['chance']:.1%} of cases"
        )
    if grouped is not None:
        each = ", ".join(f"{group.name} {group.strides.sum()}" for group in grouped.every)
        best = style.learnt("apart").names[grouped.component]
        found.append(f"  strides by {grouped.by}: {each}; {best} tells them apart best, {grouped.share:.0%} of it")
    found += [f"  note: {note}" for note in [*report.get("notes", ()), *report["warnings"]]]
    return [*found, f"  {report['seconds_taken']:.2f} s"]


def _registration(report: Report, recipe: Recipe) -> list[str]:
    return [_registration_line(one, recipe) for one in report.get("registration", ())]


def _registration_line(one: Report, recipe: Recipe) -> str:
    from ..sync import register_pair  # with numpy, which the list of commands does not need

    at_limit = f", {one['at_limit']:.0%} of the path at the limit" if one["at_limit"] >= 0.01 else ""
    joints = "" if one["joints"] == "all" else f" of {one['joints']}"
    was_raised = getattr(recipe, "slope", None) == 0 and one["slope_limit"] > register_pair.LIMIT
    raised = f", slope limit raised to {one['slope_limit']}" if was_raised else ""
    return (
        f"  {one['clip']}: {one['metric']}{joints}, {one['ends']} ends, "
        f"likeness {one['likeness']:.2f}, kept {one['kept'][0]:.0%} of the reference and {one['kept'][1]:.0%} of it, "
        f"slopes {one['slope_min']:.2f}–{one['slope_max']:.2f}{raised}{at_limit}"
    )


def _plant(report: Report, recipe: Recipe) -> list[str]:
    if "plant" not in report:
        return []
    one = report["plant"]
    if one is None:
        from ..weave import planting

        needs_no_line = planting.OFF, planting.ONE_SOURCE
        return [] if report["not_planted"] in needs_no_line else [f"  feet not planted: {report['not_planted']}"]
    found = [f"  {len(one['spans'])} spans planted, {len(one['refused'])} refused"]
    if recipe.verb != Plant.verb:
        slide = "; standing feet go {:.1f} → {:.1f} cm/s".format(*one["slide_cm_s"]) if one["slide_cm_s"] else ""
        return [found[0] + slide]
    if one["slide_cm_s"]:
        found.append("  standing feet go {:.1f} → {:.1f} cm/s".format(*one["slide_cm_s"]))
        found.append(f"  pelvis moved by {one['pelvis_cm']:.1f} cm, swinging feet by {one['swing_cm']:.1f} cm at most")
    if one["lifted_cm"]:
        found.append(f"  feet lifted by {one['lifted_cm']:.1f} cm at most")
    return found


def _hands(report: Report) -> list[str]:
    one = report.get("hands")
    if not one or not one["kept"]:
        return []
    before, after = one["off_cm"]
    plural = "" if one["kept"] == 1 else "s"
    return [f"  hands kept on {one['kept']} contact{plural}: {before:.1f} → {after:.1f} cm"]


def _partner(report: Report) -> list[str]:
    one = report.get("partner")
    if not one:
        return []
    before, after = one["off_cm"]
    return [f"  {one['name']}: hands kept on {one['kept']} contacts of both figures: {before:.1f} → {after:.1f} cm"]


def _slide(report: Report) -> list[str]:
    slides, after = [one["slide_cm_s"] for one in report["quality"]["before"]], report["quality"]["after"]["slide_cm_s"]
    if "pieces" in report:
        known = [slide for slide in slides if slide is not None]
        if known and after is not None:
            return [f"  feet slide {sum(known) / len(known):.1f} (mean of the clips used) → {after:.1f} cm/s"]
    elif after is not None and None not in slides:
        return [f"  feet slide {', '.join(f'{s:.1f}' for s in slides)} → {after:.1f} cm/s"]
    return []
