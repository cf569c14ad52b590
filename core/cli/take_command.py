"""action-loom take: cut long recordings into sets, with a motion file per action and a set.json about them."""

import argparse
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import files
from ..errors import LoomError, OptionError
from ..formats import motion_file, registry
from ..motion import cycles, resample
from ..motion.clip import Clip
from ..options import Choice, declaration, declared_options, option
from ..processes import Attempt
from ..progress import SILENT, Progress
from ..recipes.base import Recipe
from ..verbs.take import SUMMARY, coverage, naming, placing, take_set
from ..verbs.take.placing import IN_PLACE, ROOT
from ..verbs.take.take_set import Item, TakeSet
from . import common, cuts, outputs, parts, reading, workers
from .host import Host

SET = "set.json"
SUFFIXES = {IN_PLACE: "_InPlace", ROOT: ""}


@declaration
class Sets(Recipe):
    """Cut a long recording into a set of named actions."""

    verb = "take"
    label = "Take"
    tooltip = summary = SUMMARY
    least = most = 1

    mirror: bool = option(False, "Mirror what there is of one side only: a turn left becomes a turn right, too")
    root: str = option(
        ROOT,
        f"How actions travel: {IN_PLACE}, {ROOT} (as they did, on a root bone if there is one), or both",
        choices=tuple(map(Choice, (ROOT, IN_PLACE, f"{IN_PLACE},{ROOT}", f"{ROOT},{IN_PLACE}"))),
    )
    names: str = option("{name}{root}", "Names of files: {name}, {take}, {root} (_InPlace or nothing), {speed} (m/s)")
    rate: float = option(0.0, "Frames a second of the actions; 0 is the take's", bounds=(0.0, 1000.0))
    format: str = option(
        "auto",
        "Of the actions; auto is the take's own if it can be written",
        choices=tuple(map(Choice, ("auto", *(suffix.removeprefix(".") for suffix in registry.writable())))),
    )


OPTIONS = declared_options(Sets)


@dataclass(frozen=True)
class Task:
    """A take to cut, for any process: its file, the settings, and the folder of its set."""

    path: str
    settings: Mapping[str, Any]
    folder: Path


@dataclass(frozen=True)
class Written:
    """The files of a set, and its report."""

    contents: Mapping[Path, bytes]
    report: Mapping[str, Any]


def add_arguments(parser: argparse.ArgumentParser, host: Host) -> None:
    text = f'motion files, or a pattern such as "takes/*.bvh"; {cuts.HELP}'
    parser.add_argument("takes", nargs="+", metavar="TAKE", help=text)
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", required=True, help="the set; of several takes, a folder each in it"
    )
    common.add_options(parser, {**OPTIONS, **host.reading})
    workers.add_flags(parser, host)
    turns = "do every N-th take only, beginning with the K-th: one of N parts, for as many machines"
    parser.add_argument("--part", metavar="K/N", help=turns)
    common.add_common(parser)
    parser.set_defaults(run=run)


def run(host: Host, arguments: argparse.Namespace) -> None:
    """Cut takes and write their sets; raises LoomError if any failed, after writing the others."""
    began = time.perf_counter()
    workers.check(host, arguments)
    part = None if arguments.part is None else parts.read(arguments.part)
    settings = common.settings({**OPTIONS, **host.reading}, arguments)
    naming.check_pattern(settings["names"])
    paths = [path for given in arguments.takes for path in host.matching("TAKE", given, "", settings)]
    tasks = _tasks(list(dict.fromkeys(paths)), settings, Path(arguments.output))
    tasks = [task for place, task in enumerate(tasks) if part is None or part.has(place)]
    report = None if arguments.report is None else Path(arguments.report)
    report = report if report is None or part is None else part.part_path(report)
    _check(tasks, report, Path(arguments.output), arguments.force)
    done = _alone(tasks, arguments) if len(tasks) == 1 else _all(host, tasks, arguments)
    reports = [
        {"take": task.path, "status": "failed", "message": one.trouble}
        if one.result is None
        else {"take": task.path, "status": "done", **one.result.report}
        for task, one in zip(tasks, done, strict=True)
    ]
    if report is not None:
        about = {"verb": "take", "sets": reports, "seconds_taken": round(time.perf_counter() - began, 4)}
        outputs.write({report: outputs.as_json(about)}, arguments.force)
    if not arguments.quiet:
        print("\n".join(line for one in reports if one["status"] == "done" for line in lines(one)))
    failed = [f"{one['take']}: {one['message']}" for one in reports if one["status"] == "failed"]
    if failed:
        raise LoomError(failed[0] if len(tasks) == 1 else f"{len(failed)} of {len(tasks)} takes failed: {failed[0]}")


def _tasks(paths: Sequence[str], settings: Mapping[str, Any], folder: Path) -> list[Task]:
    """Return a task for each take; raises OptionError for takes whose sets would share a folder."""
    if len(paths) == 1:
        return [Task(paths[0], settings, folder)]
    tasks = [Task(path, settings, folder / folder_name(path)) for path in paths]
    named: dict[str, str] = {}
    for task in tasks:
        other = named.setdefault(files.identity(task.folder), task.path)
        if other != task.path:
            raise OptionError(f"{other} and {task.path} have one name, so their sets would have one folder: rename one")
    return tasks


def folder_name(path: str) -> str:
    """Return the name of the folder for a take's set, if there are several takes."""
    cut = cuts.split(path)
    return files.file_name(f"{Path(cut.clip).stem} {cut.part}".strip(), "")


def _check(tasks: Sequence[Task], report: Path | None, folder: Path, force: bool) -> None:
    """Raise LoomError if the sets can't be written, before any work; create the common folder of several."""
    above = {folder, *(task.folder for task in tasks)}
    if tasks and tasks[0].folder != folder:
        outputs.check([folder / SET], True, above)
        _make(folder)
    inputs = [cuts.split(task.path).clip for task in tasks]
    outputs.check([report, *(task.folder / SET for task in tasks)], force, above, inputs)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise LoomError(f"{folder} can't be made ({error.strerror})") from None


def _alone(tasks: Sequence[Task], arguments: argparse.Namespace) -> list[Attempt[Written]]:
    with common.progress(arguments.quiet) as progress:
        try:
            made = make(tasks[0], progress)
        except LoomError as error:
            return [Attempt(None, str(error).removeprefix(f"{tasks[0].path}: "))]
    return [_put(Attempt(made), arguments.force)]


def _all(host: Host, tasks: Sequence[Task], arguments: argparse.Namespace) -> list[Attempt[Written]]:
    """Cut all takes; only this process writes files, as soon as each take has ended."""
    outcomes: list[Attempt[Written]] = [Attempt(None)] * len(tasks)
    attempts = workers.attempts(host, arguments)
    with (
        common.bar(arguments.quiet, total=len(tasks), unit="take") as bar,
        closing(attempts(make, tasks)) as ended,
    ):
        for k, outcome in ended:
            outcomes[k] = _put(outcome, arguments.force)
            if bar is not None:
                bar.update()
    return outcomes


def _put(outcome: Attempt[Written], force: bool) -> Attempt[Written]:
    """Write the files of a set, all checked first, and return its outcome without their contents, to save memory."""
    if outcome.result is None:
        return outcome
    contents = outcome.result.contents
    try:
        outputs.check(list(contents), force, {path.parent for path in contents})
        outputs.write(contents, force)
    except LoomError as error:
        return Attempt(None, str(error))
    return Attempt(replace(outcome.result, contents={}))


def make(task: Task, progress: Progress = SILENT) -> Written:
    """Return the files of the set of a take, and the report on it; raises LoomError kinds."""
    progress.at(0.0, "Reading")
    settings = task.settings
    path = cuts.split(task.path).clip
    file = reading.read(path, settings["units"], settings["up"], settings)
    file = replace(file, clip=cuts.part_of(task.path, file.clip))
    made = take_set.make(file.clip, mirror=settings["mirror"], progress=progress.part(0.1, 0.8))
    report = take_set.as_json(made)
    report["coverage"] = {
        "loops": [vars(point) for point in coverage.points(made.items)],
        "holes": [vars(hole) for hole in coverage.holes(made.items)],
    }
    ending = Path(path).suffix.lower() if settings["format"] == "auto" else f".{settings['format']}"
    ending = ending if ending in registry.writable() else registry.DEFAULT
    contents: dict[Path, bytes] = {}
    for k, item in enumerate(made.items):
        progress.at(0.8 + 0.2 * k / len(made.items), "Writing")
        about = report["actions"][k]
        about["files"] = {}
        for root in settings["root"].split(","):
            clip, notes = placing.place_root(item.clip, root)
            about["warnings"] += [note for note in notes if note not in about["warnings"]]
            output = task.folder / _file_name(item, root, about["speed_m_s"], made, settings["names"], ending)
            if output in contents:
                raise OptionError(f"names is {settings['names']!r}, which gives two actions the name {output.name}")
            contents[output] = motion_file.compose(_at_rate(clip, settings["rate"]), output, file, file.convention)
            about["files"][root] = output.name
    contents[task.folder / SET] = outputs.as_json(report)
    return Written(contents, {"folder": str(task.folder), "notes": reading.notes(file), **report})


def _file_name(item: Item, root: str, speed: float, made: TakeSet, names: str, ending: str) -> str:
    fields = {"take": made.cut.clip.name, "name": item.name, "root": SUFFIXES[root], "speed": f"{speed:.1f}"}
    return files.file_name(naming.fill_pattern(names, fields), ending)


def _at_rate(clip: Clip, rate: float) -> Clip:
    if not rate or rate == clip.rate:
        return clip
    return cycles.to_rate(clip, rate) if clip.cyclic else resample.to_rate(clip, rate)


def lines(report: Mapping[str, Any]) -> list[str]:
    """Return the lines on a set: its actions, omissions with reasons, and missing motions."""
    lines = [f"{report['take']}: {len(report['actions'])} actions in {report['folder']}"]
    for one in report["actions"]:
        what = "loop" if one["loop"] else "action"
        image = f", {one['mirrored_from']} mirrored" if one["mirrored_from"] else ""
        frames = "frames {}–{}".format(*one["from"])
        lines.append(f"  {one['name']}: {what}, {one['seconds']:.2f} s, {one['speed_m_s']:.2f} m/s, {frames}{image}")
    lines += [f"  left out: {one['name']} ({one['first']}–{one['last']}): {one['why']}" for one in report["left_out"]]
    lines += [f"  {hole['words']}" for hole in report["coverage"]["holes"]]
    return lines + [f"  note: {note}" for note in (*report["notes"], *report["warnings"])]
