"""The main figures of a result in a few lines, from its report."""

from collections.abc import Callable, Mapping
from typing import Any

from ..graph.motion_graph import MotionGraph
from ..recipes.base import Recipe
from ..style.measures import UNITS
from ..style.style import Style
from ..sync import register_pair
from ..verbs import Plant
from ..weave import planting

Report = Mapping[str, Any]


def lines(name: str, report: Report, recipe: Recipe) -> list[str]:
    """Return what is printed of a result that is called `name`."""
    found = [f"{name}: {report['frames']} frames at {report['rate']:g} a second"]
    for key, section in _SECTIONS.items():
        if key in report:
            found += section(report[key], report, recipe)
    found += [
        f"  {one['clip']}: left out first {one['first']}, last {one['last']} frames ({one['why']})"
        for one in report["dropped"]
        if "pieces" not in report
    ]
    found += _slide(report)
    found += [f"  note: {warning}" for warning in report["warnings"]]
    return [*found, f"  {report['seconds_taken']:.2f} s"]


def graph_lines(graph: MotionGraph) -> list[str]:
    """Return what is printed of a motion graph."""
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


def style_lines(style: Style) -> list[str]:
    """Return what is printed of a style."""
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
    found += [f"  note: {warning}" for warning in report["warnings"]]
    return [*found, f"  {report['seconds_taken']:.2f} s"]


def _style(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    return [
        f"  {name}: asked {each['asked']:+.2f}, from {each['before']:+.2f} to {each['after']:+.2f}"
        f" ({each['measure_before']:.3g} to {each['measure_after']:.3g} {UNITS[name]})"
        for name, each in one["sliders"].items()
    ]


def _ask(one: Report, report: Report, _recipe: Recipe) -> list[str]:
    shares = sorted(zip(one["weights"], report["names"], strict=True), key=lambda pair: -pair[0])
    return [
        *(
            f"  {name}: asked {value:.3g}, got {one['got'][name]:.3g} {UNITS[name]}"
            for name, value in one["asked"].items()
        ),
        "  of " + ", ".join(f"{share:.0%} {name}" for share, name in shares if share > 0.0),
        *([f"  {one['off_path_cm']:.1f} cm off a path of {one['path_m']:.1f} m"] if "path_m" in one else []),
    ]


def _registration(curves: list[Report], _report: Report, recipe: Recipe) -> list[str]:
    return [_registration_line(one, recipe) for one in curves]


def _registration_line(one: Report, recipe: Recipe) -> str:
    at_limit = f", {one['at_limit']:.0%} of the path at the limit" if one["at_limit"] >= 0.01 else ""
    joints = "" if one["joints"] == "all" else f" of {one['joints']}"
    was_raised = getattr(recipe, "slope", None) == 0 and one["slope_limit"] > register_pair.LIMIT
    raised = f", slope limit raised to {one['slope_limit']}" if was_raised else ""
    return (
        f"  {one['clip']}: {one['metric']}{joints}, {one['ends']} ends, "
        f"likeness {one['likeness']:.2f}, kept {one['kept'][0]:.0%} of the reference and {one['kept'][1]:.0%} of it, "
        f"slopes {one['slope_min']:.2f}–{one['slope_max']:.2f}{raised}{at_limit}"
    )


def _loop(one: Report, report: Report, _recipe: Recipe) -> list[str]:
    score = "set by hand" if one["score"] is None else f"score {one['score']:.2f}"
    turn = "straight on" if one["straightened"] or not one["turn_degrees"] else f"{one['turn_degrees']:.1f}° a cycle"
    seconds = one["length"] / report["rate"]
    return [
        f"  cycle from frame {one['start']} over {one['length']} frames ({seconds:.2f} s), {score}",
        f"  seam closed by {one['method']}, {one['travel_m']:.2f} m a cycle, {turn}",
    ]


def _connect(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    return [
        f"  left at frame {seam['from_frame']} for frame {seam['to_frame']}, {100.0 * seam['distance']:.1f} cm apart, "
        f"mended by {seam['method']}"
        for seam in one.get("joints", [one])
    ]


def _splice(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    frames, turned = one["action_frame"], one["correction_degrees"]
    if one["timing"] == "points":
        found = _points(one)
    else:
        played = "in step with the locomotion" if one["timing"] == "sync" else "at its own speed"
        again = f", again after {one['repeated']} frames" if one["repeated"] else ""
        found = [f"  action played {played} ({one['why']}), from frame {frames[0]:.0f}{again}"]
    if one["pelvis"] is not None and one["method"] != "copy":
        mean = f"{sum(turned) / len(turned):.1f}° on the mean, {max(turned):.1f}° at most"
        found.append(f"  {one['pelvis']} turned by {mean} ({one['method']})")
    swung = one["swing"]
    if swung["locomotion"] is not None and swung["result"] is not None:
        found.append(f"  chest against pelvis {swung['locomotion']:+.2f} → {swung['result']:+.2f}")
    return found


def _points(one: Report) -> list[str]:
    """What a summary says of splice points."""
    entered = [point for point in one["splice_points"] if point["level"] is not None]
    least = "" if one["least_distance"] is None else f", the nearest {100.0 * one['least_distance']:.1f} cm off"
    timed = sum(point["legs_apart_in_time"] is not None for point in one["splice_points"])
    in_time = f"; {timed} re-timed to the legs" if timed else ""
    return [
        f"  entered at {len(entered)} splice points within {100.0 * one['threshold']:.3g} cm{least}{in_time}",
        f"  {one['in_step']:.0%} of it goes on from these",
    ]


def _follow(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    bent = f", {one['bent_share']:.0%} of the way bent" if one["bent_share"] else ""
    return [
        f"  {one['length']:.1f} m, {100.0 * one['rms']:.1f} cm off the path (RMS), {100.0 * one['max']:.1f} at most"
        f" ({100.0 * one['rms_before_spread']:.1f} before the rest was spread)",
        f"  {one['transitions']} transitions{bent}, {one['searched']} states tried",
        *(line for carried in one["carries"] for line in [f"  {carried['action']}:", *_points(carried)]),
    ]


def _walk(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    return [f"  {one['length']:.1f} m, {one['transitions']} transitions"]


def _travel(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    a_cycle = " a cycle" if one["cyclic"] else ""
    turn = f", turning {one['turn_degrees']:.0f}°{a_cycle}" if round(one["turn_degrees"]) else ""
    way = f"{one['speed_m_s']:.2f} m/s {one['direction']}, {one['direction_degrees'] + 0.0:.0f}° to the left{turn}"
    feet = one["feet"]
    if feet is None:
        return [f"  {way}; feet unknown"]
    each = ", ".join(f"{name} {speed:.2f}" for name, speed in feet["each_m_s"].items())
    found = [f"  {way}"] if one["direction"] else []
    found += [f"  feet say {each} m/s, one stands {feet['standing']:.0%} of the time"]
    if None not in feet["slide_cm_s"]:
        found.append("  standing feet go {:.1f} → {:.1f} cm/s".format(*feet["slide_cm_s"]))
    return found


def _plant(one: Report | None, report: Report, recipe: Recipe) -> list[str]:
    if one is None:
        return [] if report["not_planted"] in _UNTOLD else [f"  feet not planted: {report['not_planted']}"]
    found = [f"  {len(one['spans'])} spans planted, {len(one['refused'])} refused"]
    if recipe.verb != Plant.verb:
        slide = "; standing feet go {:.1f} → {:.1f} cm/s".format(*one["slide_cm_s"]) if one["slide_cm_s"] else ""
        return [found[0] + slide]
    if one["slide_cm_s"]:
        found.append("  standing feet go {:.1f} → {:.1f} cm/s".format(*one["slide_cm_s"]))
        found.append(f"  pelvis moved by {one['pelvis_cm']:.1f} cm, swinging feet by {one['swing_cm']:.1f} cm at most")
    return found


def _retarget(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    joints, off = one["joints"], one["limbs_off_degrees"]
    matched = ", ".join(f"{len(names)} by {_HOW[how]}" for how, names in joints.items() if names and how in _HOW)
    poses = " and ".join(dict.fromkeys((one["rest"], one["body_rest"])))
    return [
        f"  legs × {one['scale']:.2f}, against {poses}; limbs off {max(off.values(), default=0.0):.2f}° at most",
        f"  joints: {matched}, {len(joints['rest'])} at rest",
    ]


def _mirror(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    alone = f", {len(one['alone'])} joints reflected in themselves" if one["alone"] else ""
    return [f"  {one['pairs']} pairs of joints have changed places{alone}"]


def _warp(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    frames = ", ".join(str(frame) for frame in one["frames"])
    return [
        f"  through poses at {frames}; joints turned by {one['degrees']:.1f}° and moved by {one['cm']:.1f} cm at most"
    ]


def _move_events(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    moved = ", ".join(
        f"{told['frame']:g} → {told['at']:g}" + (f" held to {told['at'] + told['held']:g}" if told["held"] else "")
        for told in one["coming"]
    )
    return [f"  events {moved}; plays at {one['speeds'][0]:.2f} to {one['speeds'][1]:.2f} times its speed"]


def _fewer_keys(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    before, after = one["keys"]
    share = "" if one["share"] is None else f" ({one['share']:.1%})"
    found = [
        f"  {before} → {after} keys{share}",
        f"  joints {one['error_mm']:.2f} mm off at most, hips, legs and feet {one['feet_error_mm']:.2f} mm",
    ]
    if one["stand_slide_cm_s"]:
        found.append("  feet that stood go {:.1f} → {:.1f} cm/s".format(*one["stand_slide_cm_s"]))
    return found


def _place(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    (x, y, facing), (far_x, far_y, far_facing) = one["first"][1], one["last"][1]
    raised = f", raised by {one['raised_m']:.2f} m" if one["raised_m"] else ""
    return [
        f"  turned by {one['turned_degrees']:.1f}°{raised}: from {x:.2f}, {y:.2f} facing {facing:.0f}°"
        f" to {far_x:.2f}, {far_y:.2f} facing {far_facing:.0f}°"
    ]


def _root(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    way = "{:.2f} → {:.2f} m".format(*one["travel_m"])
    away = "{:.1f} cm from over it, {:.1f} at most".format(*one["from_hips_cm"])
    found = [f"  {one['joint']} goes {way}, hips {away}"]
    if None not in one["acceleration_m_s2"]:
        found.append("  its sharpest acceleration {:.1f} → {:.1f} m/s²".format(*one["acceleration_m_s2"]))
    return found


def _key_poses(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    held = sum(pose["last"] > pose["first"] for pose in one["poses"])
    back = ", and back to the first" if one["back_after"] else ""
    turn = max(one["turns_degrees"], default=0.0)
    return [f"  {len(one['poses'])} poses, {held} of them held{back}; joints turn by {turn:.0f}° at most between two"]


def _reach(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    first, last = one["span"]
    when = f"at frame {first}" if first == last else f"from frame {first} to {last}"
    by = f"{one['moved_cm']:.1f} cm from where it was, at most; {one['changed_frames']} frames are changed"
    return [f"  {one['limb'].replace('_', ' ')} is led {when}, {by}; {one['off_mm']:.2g} mm off its target at most"]


def _filter(one: Report, _report: Report, _recipe: Recipe) -> list[str]:
    found = []
    if one["spikes"]:
        worst = one["spikes"][0]
        frames = sum(len(joint["frames"]) for joint in one["spikes"])
        far = f"{worst['worst_degrees']:.0f}°" if worst["worst_degrees"] else f"{worst['worst_cm']:.0f} cm"
        found.append(f"  {frames} spikes of {len(one['spikes'])} joints mended, up to {far} ({worst['joint']})")
    if one["noise_degrees"]:
        found.append(f"  noise of {one['noise_degrees']:.2f}° taken off")
    if any(band["gain"] != 1.0 for band in one["bands"]):
        each = ", ".join("{:.2g} → {:.2g}".format(*band["degrees"]) for band in one["bands"])
        found.append(f"  bands, finest first: {each}°")
    same = "" if one["contacts_iou"] is None else f"; {one['contacts_iou']:.0%} of contacts as before"
    return [*found, "  joints moved by {:.1f} cm, {:.1f} at most".format(*one["moved_cm"]) + same]


def _slide(report: Report) -> list[str]:
    slides, after = [one["slide_cm_s"] for one in report["quality"]["before"]], report["quality"]["after"]["slide_cm_s"]
    if "pieces" in report:
        known = [slide for slide in slides if slide is not None]
        if known and after is not None:
            return [f"  feet slide {sum(known) / len(known):.1f} (mean of the clips used) → {after:.1f} cm/s"]
    elif after is not None and None not in slides:
        return [f"  feet slide {', '.join(f'{s:.1f}' for s in slides)} → {after:.1f} cm/s"]
    return []


_HOW = {
    "role": "role",
    "spine": "their place in the spine",
    "finger": "finger",
    "name": "name",
    "follows": "the hips",
    "between": "the trunk on both sides of them",
}
_UNTOLD = (planting.OFF, planting.ONE_SOURCE)  # nothing that anybody waits for
# What is said of each part of a report, in this order.
_SECTIONS: dict[str, Callable[[Any, Report, Recipe], list[str]]] = {
    "registration": _registration,
    "loop": _loop,
    "connect": _connect,
    "splice": _splice,
    "follow": _follow,
    "walk": _walk,
    "shortest": _walk,
    "travel": _travel,
    "in_place": _travel,
    "filter": _filter,
    "plant": _plant,
    "mirror": _mirror,
    "warp": _warp,
    "move_events": _move_events,
    "fewer_keys": _fewer_keys,
    "place": _place,
    "root": _root,
    "key_poses": _key_poses,
    "reach": _reach,
    "style": _style,
    "ask": _ask,
    "retarget": _retarget,
}
