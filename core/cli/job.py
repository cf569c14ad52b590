"""One piece of work of a command line or a job file: clips, a recipe, and what is to be made of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import OptionError
from ..motion import bvh_text
from ..progress import SILENT, Progress
from ..recipes import Recipe
from ..sync import pairing
from . import outputs
from .host import Host, Settings, Sources


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is to be done with which clips; goes from process to process.

    settings : the host's, how the clips are read and what is asked of the result
    output, report, picture : the files to make, None for those that are not wanted
    kept_in : the file that is open and keeps the result, None where it is not kept
    folders : those of the files' folders that are made where they are missing
    """

    host: Host
    recipe: Recipe
    clips: tuple[str, ...]
    settings: Settings
    output: Path | None
    report: Path | None
    picture: Path | None
    kept_in: Path | None
    folders: frozenset[Path]
    force: bool

    @property
    def outputs(self) -> list[Path]:
        return [path for path in (self.output, self.report, self.picture) if path is not None]


@dataclass(frozen=True)
class Made:
    """What a job has made: its name, the contents of its files, its report, and its main figures in a few lines."""

    name: str
    contents: dict[Path, bytes]
    report: dict[str, Any]
    summary: str


def plan(
    host: Host,
    recipe: Recipe,
    clips: Sequence[str],
    settings: Settings,
    *,
    title: str = "",
    output: str | None = None,
    report: str | None = None,
    picture: str | None = None,
    kept_in: Path | None = None,
    force: bool = False,
) -> Job:
    """Return the job; outputs that are folders get files named after the result (its title). Raises OptionError."""
    if picture is not None and not host.draws:
        raise OptionError("pictures are not drawn inside Blender, which has no matplotlib: action-loom draws them")
    title = title or host.called(settings) or recipe.result_name([host.title(clip) for clip in clips])
    given = [(output, ".bvh"), (report, ".json"), (picture, ".png")]
    places = [None if path is None else outputs.place(path, title, ending) for path, ending in given]
    folders = frozenset(f for path, _ in given if path is not None and (f := outputs.folder(path)) is not None)
    return Job(
        host=host,
        recipe=recipe,
        clips=tuple(clips),
        settings=settings,
        output=places[0],
        report=places[1],
        picture=places[2],
        kept_in=kept_in,
        folders=folders,
        force=force,
    )


def make(job: Job, progress: Progress = SILENT) -> Made:
    """Read the clips and apply the recipe, and write no file yet; raises LoomError kinds."""
    return make_of(job.host.read(job.clips, job.settings), job, progress)


def make_of(sources: Sources, job: Job, progress: Progress = SILENT) -> Made:
    """Do a job whose clips have been read already."""
    woven = job.recipe.apply(sources.clips, progress)
    contents = {}
    if job.output is not None:
        contents[job.output] = bvh_text.compose(sources.motion(woven)).encode("utf-8")
    if job.picture is not None:
        from . import plots

        contents[job.picture] = plots.picture(woven)
    name, notes = job.host.called(job.settings) or woven.clip.name, tuple(sources.notes)
    output = job.output or job.kept_in
    report = woven.report | sources.report() | {"output": None if output is None else str(output)}
    if job.kept_in is not None:
        kept = sources.keep(job.recipe, woven)
        name, notes, report = kept.name, notes + kept.notes, report | {"action": kept.name}
    report["warnings"] = [*notes, *woven.report["warnings"]]
    if job.report is not None:
        contents[job.report] = outputs.as_json(report)
    return Made(name, contents, report, _summary(name, report, job.recipe))


def _summary(name: str, report: dict[str, Any], recipe: Recipe) -> str:
    after = report["quality"]["after"]
    lines = [f"{name}: {report['frames']} frames at {report['rate']:g} a second"]
    lines += [_registration_line(one, recipe) for one in report.get("registration", ())]
    lines += _loop_lines(report["loop"], report["rate"]) if "loop" in report else []
    joints = report.get("connect", {})
    lines += [_joint_line(one) for one in joints.get("joints", [joints] if joints else [])]
    lines += _splice_lines(report["splice"]) if "splice" in report else []
    lines += [
        f"  {one['clip']}: left out first {one['first']}, last {one['last']} frames ({one['why']})"
        for one in report["dropped"]
    ]
    slides = [figures["slide_cm_s"] for figures in report["quality"]["before"]]
    if after["slide_cm_s"] is not None and None not in slides:
        before = ", ".join(f"{s:.1f}" for s in slides)
        lines.append(f"  feet slide {before} → {after['slide_cm_s']:.1f} cm/s")
    lines += [f"  note: {warning}" for warning in report["warnings"]]
    lines.append(f"  {report['seconds_taken']:.2f} s")
    return "\n".join(lines)


def _loop_lines(one: dict[str, Any], rate: float) -> list[str]:
    score = "set by hand" if one["score"] is None else f"score {one['score']:.2f}"
    turn = "straight on" if one["straightened"] or not one["turn_degrees"] else f"{one['turn_degrees']:.1f}° a cycle"
    return [
        f"  cycle from frame {one['start']} over {one['length']} frames ({one['length'] / rate:.2f} s), {score}",
        f"  seam closed by {one['method']}, {one['travel_m']:.2f} m a cycle, {turn}",
    ]


def _joint_line(one: dict[str, Any]) -> str:
    return (
        f"  left at frame {one['from_frame']} for frame {one['to_frame']}, {100.0 * one['distance']:.1f} cm apart, "
        f"mended by {one['method']}"
    )


def _splice_lines(one: dict[str, Any]) -> list[str]:
    played = "in step with the locomotion" if one["timing"] == "sync" else "at its own speed"
    frames, turned = one["action_frame"], one["correction_degrees"]
    again = f", again after {one['repeated']} frames" if one["repeated"] else ""
    lines = [f"  action played {played} ({one['why']}), from frame {frames[0]:.0f}{again}"]
    if one["pelvis"] is not None and one["method"] != "copy":
        mean = f"{sum(turned) / len(turned):.1f}° on the mean, {max(turned):.1f}° at most"
        lines.append(f"  {one['pelvis']} turned by {mean} ({one['method']})")
    swung = one["swing"]
    if swung["locomotion"] is not None and swung["result"] is not None:
        lines.append(f"  chest against pelvis {swung['locomotion']:+.2f} → {swung['result']:+.2f}")
    return lines


def _registration_line(one: dict[str, Any], recipe: Recipe) -> str:
    at_limit = f", {one['at_limit']:.0%} of the path at the limit" if one["at_limit"] >= 0.01 else ""
    joints = "" if one["joints"] == "all" else f" of {one['joints']}"
    was_raised = getattr(recipe, "slope", None) == 0 and one["slope_limit"] > pairing.LIMIT
    raised = f", slope limit raised to {one['slope_limit']}" if was_raised else ""
    return (
        f"  {one['clip']}: {one['metric']}{joints}, {one['ends']} ends, "
        f"likeness {one['likeness']:.2f}, kept {one['kept'][0]:.0%} of the reference and {one['kept'][1]:.0%} of it, "
        f"slopes {one['slope_min']:.2f}–{one['slope_max']:.2f}{raised}{at_limit}"
    )
