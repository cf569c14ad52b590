"""Takes as jobs of a job file: `verb = "take"`, an output folder, and the options of `action-loom take`."""

from collections.abc import Sequence
from pathlib import Path

from ..errors import OptionError
from ..options import declared_options
from ..progress import SILENT, Progress
from ..verbs.take import naming
from . import cuts, outputs, take_command
from .host import Host, Settings
from .job import Job, Made


def plan_job(
    host: Host,
    recipe: take_command.Sets,
    clips: Sequence[str],
    settings: Settings,
    *,
    output: str,
    report: str | None,
    several: bool,
    force: bool,
) -> Job:
    """Return the job of one take; several takes have separate folders in the output. Raises OptionError."""
    if len(clips) != 1:
        raise OptionError(f"take cuts one recording at a time; {len(clips)} are named: each = does so with many")
    naming.check_pattern(recipe.names)
    folder = Path(output)
    folders = {folder}
    if several:
        folder = folder / take_command.folder_name(clips[0])
        folders.add(folder)
    place = None if report is None else outputs.place(report, Path(cuts.split(clips[0]).clip).stem, ".json")
    return Job(
        host=host,
        recipe=recipe,
        clips=tuple(clips),
        settings=settings,
        output=folder / take_command.SET,
        report=place,
        folders=frozenset(folders),
        force=force,
    )


def finish_job(job: Job, progress: Progress = SILENT) -> Made:
    """Return the set of a take as the result of its job, after checking all its files; raises LoomError kinds."""
    assert job.output is not None
    own = {name: getattr(job.recipe, name) for name in declared_options(type(job.recipe))}
    task = take_command.Task(job.clips[0], {**job.settings, **own}, job.output.parent)
    written = take_command.make(task, progress)
    contents, report = dict(written.contents), dict(written.report)
    if job.report is not None:
        contents[job.report] = outputs.as_json(report)
    outputs.check(list(contents), job.force, job.folders, job.inputs)
    return Made(
        job.output.parent.name, contents, report, "\n".join(take_command.lines({"take": job.clips[0], **report}))
    )
