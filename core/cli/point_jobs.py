"""Points as jobs: of `action-loom points`, and of job files with `verb = "points"`."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import files
from ..errors import OptionError
from ..formats import motion_file, registry
from ..formats.motion_file import MotionFile
from ..options import declared_options
from ..points import orders, read, solve
from ..points.recording import Recording
from ..points.solve import Solved
from ..progress import SILENT, Progress
from ..recipes.points import FromPoints
from . import outputs
from .host import Host, Settings
from .job import Job, Made


def resolve(recipe: FromPoints, folder: str) -> FromPoints:
    """Return a recipe whose files are named from a job file's folder."""
    paths = {"character": recipe.character, "order": "" if recipe.order in orders.CHOICES else recipe.order}
    found: dict[str, Any] = {
        name: os.path.join(folder, os.path.expanduser(path)) for name, path in paths.items() if path
    }
    return replace(recipe, **found)


def plan_job(
    host: Host,
    recipe: FromPoints,
    clips: Sequence[str],
    settings: Settings,
    *,
    output: str,
    report: str | None,
    force: bool,
) -> Job:
    """Return the job of one file of points; several people of it have a file each. Raises LoomError kinds."""
    if len(clips) != 1:
        raise OptionError(f"points takes one file at a time; {len(clips)} are named: each = does so with many")
    orders.names_of(recipe.order)
    title = Path(clips[0]).stem
    place = outputs.place(output, title, registry.DEFAULT)
    motion_file.format_of(place)
    given = [path for path in (output, report) if path is not None]
    folders = frozenset(inside for path in given if (inside := outputs.folder(path)) is not None)
    return Job(
        host=host,
        recipe=recipe,
        clips=tuple(clips),
        settings=settings,
        output=place,
        report=None if report is None else outputs.place(report, title, ".json"),
        folders=folders,
        force=force,
    )


def finish_job(job: Job, progress: Progress = SILENT) -> Made:
    """Return the clips of a file of points as the result of its job, after checking all its files; raises LoomError."""
    assert job.output is not None
    assert isinstance(job.recipe, FromPoints)
    began = time.perf_counter()
    progress.at(0.0, "Reading")
    people = read.people(job.clips[0], job.recipe.order)
    character = motion_file.read(job.recipe.character) if job.recipe.character else None
    names = [_place_of(job.output, one, len(people)) for one in people]
    made = []
    for k, (one, place) in enumerate(zip(people, names, strict=True)):
        part = progress.part(0.1 + 0.8 * k / len(people), 0.1 + 0.8 * (k + 1) / len(people))
        body = None if character is None else character.clip.skeleton
        made.append(solve.solve(one, job.recipe, place.stem, body, part))
    contents = {place: _compose(one, place, character) for place, one in zip(names, made, strict=True)}
    report = _report(job, dict(zip(names, made, strict=True)), time.perf_counter() - began)
    if job.report is not None:
        contents[job.report] = outputs.as_json(report)
    outputs.check(list(contents), job.force, job.folders, job.inputs)
    return Made(job.output.stem, contents, report, "\n".join(lines(report)))


def _place_of(output: Path, person: Recording, count: int) -> Path:
    if count == 1:
        return output
    return output.with_name(files.file_name(f"{output.stem} {person.person}", output.suffix))


def _compose(made: Solved, place: Path, like: MotionFile | None) -> bytes:
    return motion_file.compose(made.clip, place, None, None if like is None else like.convention)


def _report(job: Job, made: dict[Path, Solved], seconds: float) -> dict[str, Any]:
    return {
        "verb": FromPoints.verb,
        "inputs": list(job.clips),
        "output": str(job.output),
        "options": {name: getattr(job.recipe, name) for name in declared_options(FromPoints)},
        "people": [{"output": str(place), **one.report} for place, one in made.items()],
        "warnings": [sentence for one in made.values() for sentence in one.sentences],
        "seconds_taken": round(seconds, 4),
    }


def lines(report: dict[str, Any]) -> list[str]:
    """Return the lines on a result: its files, and sentences about the points."""
    shown = [f"{one['output']}: {one['frames']} frames at {one['rate']:g} a second" for one in report["people"]]
    return [*shown, *(f"  {sentence}" for sentence in report["warnings"]), f"  {report['seconds_taken']:.2f} s"]
