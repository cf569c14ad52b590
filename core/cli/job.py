"""One piece of work of a command line or a job file: clips in files, a recipe, and the files to make of them."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..motion import bvh, bvh_text
from ..progress import SILENT, Progress
from ..recipes import Recipe
from ..sync import pairing
from ..weave.woven import Woven
from . import common, outputs


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is to be done with which files; goes from process to process.

    output, report, picture : the files to make, None for those that are not wanted
    folders : those of them that are made where they are missing
    """

    recipe: Recipe
    clips: tuple[str, ...]
    output: Path | None
    report: Path | None
    picture: Path | None
    folders: frozenset[Path]
    units: str
    up: str
    force: bool

    @property
    def outputs(self) -> list[Path]:
        return [path for path in (self.output, self.report, self.picture) if path is not None]


@dataclass(frozen=True)
class Made:
    """What a job has made: the contents of its files, its report, and its main figures in a few lines."""

    contents: dict[Path, bytes]
    report: dict[str, Any]
    summary: str


def plan(
    recipe: Recipe,
    clips: Sequence[str],
    *,
    output: str | None = None,
    report: str | None = None,
    picture: str | None = None,
    units: str = "auto",
    up: str = "auto",
    force: bool = False,
) -> Job:
    """Return the job; outputs that are folders get files named after the result. Raises OptionError."""
    title = recipe.result_name([Path(clip).stem for clip in clips])
    given = [(output, ".bvh"), (report, ".json"), (picture, ".png")]
    places = [None if path is None else outputs.place(path, title, ending) for path, ending in given]
    folders = frozenset(f for path, _ in given if path is not None and (f := outputs.folder(path)) is not None)
    return Job(
        recipe=recipe,
        clips=tuple(clips),
        output=places[0],
        report=places[1],
        picture=places[2],
        folders=folders,
        units=units,
        up=up,
        force=force,
    )


def make(job: Job, progress: Progress = SILENT) -> Made:
    """Read the clips and apply the recipe, and write nothing yet; raises LoomError kinds."""
    sources = common.read(job.clips, job.units, job.up)
    woven = job.recipe.apply([source.clip for source in sources], progress)
    reference = sources[woven.reference]
    report = woven.report | {
        "inputs": [source.motion.path for source in sources],
        "output": None if job.output is None else str(job.output),
        "units": [dataclasses.asdict(source.convention) for source in sources],
    }
    contents = {}
    if job.output is not None:
        motion = bvh.from_clip(woven.clip, reference.motion, reference.convention)
        contents[job.output] = bvh_text.compose(motion).encode("utf-8")
    if job.picture is not None:
        from . import plots

        contents[job.picture] = plots.picture(woven)
    if job.report is not None:
        contents[job.report] = outputs.as_json(report)
    return Made(contents, report, _summary(woven, job.recipe))


def _summary(woven: Woven, recipe: Recipe) -> str:
    report, after = woven.report, woven.report["quality"]["after"]
    lines = [f"{woven.clip.name}: {report['frames']} frames at {report['rate']:g} a second"]
    lines += [_registration_line(one, recipe) for one in report["registration"]]
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
