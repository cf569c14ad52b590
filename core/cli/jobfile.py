"""Job files: many jobs in one TOML file, checked as a whole before any of them runs."""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from .. import files
from ..errors import LoomError, OptionError
from ..jit import ENGINES
from ..options import Choice, Option, by_name, declared_options, readable, rename_values, show_value
from ..recipes.base import Recipe
from ..recipes.graph import GraphWalk
from ..recipes.points import FromPoints
from ..verbs import verb_of
from . import artefacts, common, outputs, point_jobs, take_jobs
from .host import FilePath, Host, Settings
from .job import ADAPTS, Job, plan
from .parts import Part
from .take_command import Sets

FOR_ALL = by_name(
    Option("force", False, "Overwrite files that exist"),
    Option("folder", "", "Where results go that have no output of their own"),
)
FOR_THE_RUN = by_name(
    Option("engine", "auto", "What computes the recurrences", choices=tuple(map(Choice, ENGINES))),
    Option("quiet", False, "No progress bar, no summary"),
    Option("report", "", "Where the figures of all jobs go"),
)
FOR_ONE = by_name(
    Option("name", "", "What messages call it"),
    Option("each", "", "A pattern; the job is done once for each file that matches, as the last of its clips"),
    Option("output", "", "Where the result goes"),
    Option("report", "", "Where the figures go"),
    Option("picture", "", "Where the picture goes"),
    Option("timewarp", "", "Where the timewarp matrix goes"),
    ADAPTS,
    Option("like", "", "The clip on whose body another is put"),
    Option("graph", "", "The file of a motion graph to walk through, instead of one of the clips"),
    Option("style", "", "The file of a style to use, instead of one learnt from the clips"),
)
_KINDS = {
    bool: "true or false",
    str: "a text",
    int: "a number",
    float: "a number",
    tuple: "numbers in brackets",
    dict: "a table of names",
}


@dataclass(frozen=True)
class Entry:
    """A job, the number of its table in the file, and its name, "" for none."""

    number: int
    name: str
    job: Job

    @property
    def label(self) -> str:
        return _label(self.number, self.name)


@dataclass(frozen=True)
class JobFile:
    """The jobs of a file, or of a part of it, and the settings of the whole run.

    of_all : the number of jobs in the whole file
    """

    entries: tuple[Entry, ...]
    of_all: int
    report: Path | None
    engine: str | None
    quiet: bool
    force: bool


def read(
    host: Host,
    path: str,
    flags: dict[str, Any],
    report: str | None = None,
    kept_in: Path | None = None,
    is_ours: Callable[[Path], bool] = lambda _: False,
    part: Part | None = None,
) -> JobFile:
    """Read a job file, and validate it as far as possible before the work.

    flags : values that override the file's own; report : the same, relative to the current folder
    kept_in : the file that keeps results, which then need no output
    is_ours : returns whether an existing file may be replaced without force
    part : the part to read, None for all; files of other parts may exist already
    Raises LoomError with the file, the line or the job, and the key.
    """
    values = _parse(path)
    tables = values.pop("job", None)
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise LoomError(f"{path}: there are no jobs; each begins with [[job]]")
    folder = os.path.dirname(path)
    try:
        for key, value in values.items():
            _check_default(host, key, value, folder)
        defaults = values | flags
        if report is None:
            report = _resolve_path(folder, _text(defaults.get("report")))
        place = None if report is None else Path(report)
        if part is not None and place is not None:
            place = part.part_path(place)
        force = defaults.get("force", False) or (place is not None and is_ours(place))
        outputs.check([place], force, inputs=[path])
    except LoomError as error:
        raise LoomError(f"{path}: {error}") from None
    entries = []
    for number, table in enumerate(tables, 1):
        name = table.get("name")
        label = _label(number, name if isinstance(name, str) else "")
        try:
            entries += _entries(host, number, table, defaults, flags, folder, kept_in)
        except LoomError as error:
            raise LoomError(f"{path}, {label}: {error}") from None
    _check_together(path, entries, place)
    wanted = [entry for k, entry in enumerate(entries) if part is None or part.has(k)]
    wanted = [replace(entry, job=_replacing(entry.job, is_ours)) for entry in wanted]
    for entry in wanted:
        _check_outputs(path, entry)
    return JobFile(tuple(wanted), len(entries), place, defaults.get("engine"), defaults.get("quiet", False), force)


def _replacing(job: Job, is_ours: Callable[[Path], bool]) -> Job:
    """Return a job that may overwrite its outputs if all existing ones are ours."""
    there = [path for path in job.outputs if os.path.lexists(path)]
    return replace(job, force=job.force or (bool(there) and all(map(is_ours, there))))


def _parse(path: str) -> dict[str, Any]:
    try:
        text = files.read(path, files.MOST_TEXT).decode("utf-8-sig")
        return tomllib.loads(text)
    except OSError as error:
        raise LoomError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise LoomError(f"{path}, line {line}: this is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", str(error), re.DOTALL)
        problem, line_number = found.groups() if found else (str(error), None)
        raise LoomError(f"{path}, line {line_number or len(text.splitlines())}: {problem}") from None
    except ValueError:  # from Python's limit for whole numbers, which tomllib does not catch
        raise LoomError(f"{path}: a whole number in it has thousands of digits") from None
    except RecursionError:
        raise LoomError(f"{path}: brackets within brackets within brackets, too many of them") from None


def _label(number: int, name: str) -> str:
    return f"job {number} ({name})" if name else f"job {number}"


def _for_all(host: Host) -> dict[str, Option]:
    return FOR_ALL | {name: about for name, about in host.settings.items() if name not in host.single}


def _check_default(host: Host, key: str, value: Any, folder: str) -> None:
    """Raise OptionError for a value at the top of the file that no verb accepts."""
    groups = (_for_all(host), FOR_THE_RUN, *map(declared_options, host.recipes.values()))
    accepting = [
        options[name] for options in groups for name in rename_values(options, {key: value}) if name in options
    ]
    trouble = OptionError(f"there is no key {key!r}")
    for about in accepting:
        try:
            _convert_value(about, value, folder)
        except OptionError as error:
            trouble = error
        else:
            return
    raise trouble


def _convert_value(about: Option, value: Any, folder: str) -> Any:
    """Return a TOML value converted to the option's own type; raises OptionError."""
    if about.kind is str and not about.choices and isinstance(value, int | float) and not isinstance(value, bool):
        return show_value(value) if isinstance(value, int) else f"{value:.12g}"  # reference = 2, units = 0.01
    if isinstance(about, FilePath) and isinstance(value, str) and "\0" not in value:
        return about.checked(_resolve_path(folder, value) or "")
    if about.from_file and isinstance(value, str) and "\0" not in value:
        return common.read_value(about, value, folder)
    if about.table:
        fits = isinstance(value, list) and all(_are_numbers(row) for row in value)
    elif about.kind is tuple:
        fits = _are_numbers(value)
    elif about.kind in (int, float):
        fits = _are_numbers([value])
    else:
        fits = isinstance(value, about.kind) and "\0" not in str(value)
    if not fits:
        kind = "rows of numbers, such as [[0, 1], [1, 0]]" if about.table else _KINDS[about.kind]
        raise OptionError(f"{about.name} is {show_value(value)}, but must be {kind}")
    return about.checked(value)


def _text(value: Any) -> str | None:
    """Return a key's value as text; the file may have a number."""
    return None if value is None else str(_convert_value(FOR_ONE["report"], value, ""))


def _are_numbers(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def _entries(
    host: Host,
    number: int,
    table: Mapping[str, Any],
    defaults: Mapping[str, Any],
    flags: dict[str, Any],
    folder: str,
    kept_in: Path | None,
) -> list[Entry]:
    """Return the job of a table, or a job for each of its files; raises LoomError kinds."""
    verb, recipe = _verb(host, table)
    options, for_all = readable(recipe), _for_all(host)
    known = for_all | FOR_ONE | host.settings | options
    defaults = rename_values(known, defaults)
    own = rename_values(known, {key: value for key, value in table.items() if key not in ("verb", "clips", "partners")})
    for key in own:
        if key not in known:
            raise OptionError(f"there is no key {key!r} for {verb}")
    inherited = {key: value for key, value in defaults.items() if key in for_all | options}
    given = {key: _convert_value(known[key], value, folder) for key, value in (inherited | own).items()} | flags
    settings = {key: given.get(key, about.default) for key, about in host.settings.items()}
    output = given.get("output") or (f"{given['folder']}/" if given.get("folder") else "")
    if not output and kept_in is None:
        raise OptionError("output is missing, and there is no folder for it either")
    made = recipe(**{key: given[key] for key in options if key in given})
    if isinstance(made, Sets | FromPoints):
        return _of_takes_or_points(host, number, table, given, settings, folder, made)
    beside = {kind: _resolve_path(folder, given.get(kind)) for kind in artefacts.KINDS}
    artefact = artefacts.artefact_file(beside, made)
    if artefact is not None and not os.path.isfile(artefact):
        raise OptionError(f"{verb_of(verb).uses}: there is no file {artefact}")
    name, each = given.get("name", ""), given.get("each", "")
    body = _body(host, recipe, given.get("like", ""), folder, settings)
    walks = issubclass(recipe, GraphWalk) and artefact is not None
    results = _clips(host, table, folder, each, settings, made, none_needed=walks)
    partners = _match_clips(host, table, "partners", folder, settings)
    if partners and not host.partners:
        raise OptionError(f"there is no key 'partners' for {verb}")
    if partners and each:
        raise OptionError("partners are for named clips, not for each")
    count = sum(len(clips) for _, clips in results)
    beside_of = made.each(partners) if len(partners) == count else [(made, partners)] * len(results)
    several = bool(each) or len(results) > 1
    return [
        Entry(
            number,
            f"{name} {host.title(clips[-1]) if clips else place + 1}".strip() if several else name,
            plan(
                host,
                one,
                [*body, *clips],
                settings,
                artefact=artefact,
                output=_resolve_path(folder, output),
                report=_resolve_path(folder, given.get("report")),
                picture=_resolve_path(folder, given.get("picture")),
                timewarp=_resolve_path(folder, given.get("timewarp")),
                kept_in=kept_in,
                force=given.get("force", False),
                partners=others,
                adapts=given.get("adapts", ADAPTS.default),
            ),
        )
        for place, ((one, clips), (_, others)) in enumerate(zip(results, beside_of, strict=True))
    ]


def _of_takes_or_points(
    host: Host,
    number: int,
    table: Mapping[str, Any],
    given: Mapping[str, Any],
    settings: Settings,
    folder: str,
    made: Sets | FromPoints,
) -> list[Entry]:
    """Return the jobs of a table that cuts takes, or makes clips of points; takes have a subfolder each if several."""
    unknown = next((key for key in ("picture", "timewarp", "like", *artefacts.KINDS) if given.get(key)), None)
    if unknown is not None:
        raise OptionError(f"there is no key {unknown!r} for {made.verb}")
    name, each = given.get("name", ""), given.get("each", "")
    groups = [clips for _, clips in _clips(host, table, folder, each, settings, made, none_needed=False)]
    several = bool(each) or len(groups) > 1
    report, force = _resolve_path(folder, given.get("report")), given.get("force", False)
    if isinstance(made, Sets):
        output = given.get("output") or given.get("folder")
        planned = partial(take_jobs.plan_job, host, made, several=several)
    else:
        output = given.get("output") or f"{given['folder']}/"
        planned = partial(point_jobs.plan_job, host, point_jobs.resolve(made, folder))
    place = _resolve_path(folder, output) or ""
    return [
        Entry(
            number,
            f"{name} {host.title(clips[-1])}".strip() if several else name,
            planned(clips, settings, output=place, report=report, force=force),
        )
        for clips in groups
    ]


def _verb(host: Host, table: Mapping[str, Any]) -> tuple[str, type[Recipe]]:
    verb = table.get("verb")
    known = host.recipes
    with suppress(OptionError):  # by an earlier name
        verb = verb_of(verb if isinstance(verb, str) else "").recipe.verb
    if not isinstance(verb, str) or verb not in known:
        problem = "is missing" if verb is None else f"is {show_value(verb)}"
        raise OptionError(f"verb {problem}, but must be one of {', '.join(known)}")
    return verb, known[verb]


def _body(host: Host, recipe: type[Recipe], like: str, folder: str, settings: Settings) -> list[str]:
    """Return the clip of the key `like` for verbs that need one, [] for others; raises OptionError."""
    if bool(like) != bool(recipe.like):
        raise OptionError(
            f"like is missing: {recipe.like}" if recipe.like else f"there is no key 'like' for {recipe.verb}"
        )
    found = host.matching("like", like, folder, settings) if like else []
    if len(found) > 1:
        raise OptionError(f"like is {show_value(like)}, but must be one clip; {len(found)} match")
    return found


def _match_clips(host: Host, table: Mapping[str, Any], key: str, folder: str, settings: Settings) -> list[str]:
    """Return the clips that the names and patterns of a key match; raises OptionError."""
    patterns = table.get(key, [])
    if not isinstance(patterns, list) or not all(isinstance(p, str) and "\0" not in p for p in patterns):
        raise OptionError(
            f'{key} is {show_value(patterns)}, but must be names of files, such as ["walk.bvh", "run*.bvh"]'
        )
    return [clip for pattern in patterns for clip in host.matching(key, pattern, folder, settings)]


def _clips(
    host: Host,
    table: Mapping[str, Any],
    folder: str,
    each: str,
    settings: Settings,
    recipe: Recipe,
    none_needed: bool,
) -> list[tuple[Recipe, list[str]]]:
    """Return the recipe and the clips of each job in a table, which may be several."""
    clips = _match_clips(host, table, "clips", folder, settings)
    if each:
        every = host.matching("each", each, folder, settings)
        return [(one, [*clips, clip]) for clip in every for one, _ in recipe.each([clip])]
    if not clips and not none_needed:
        raise OptionError("clips is missing: no file is named")
    return recipe.each(clips)


def _resolve_path(folder: str, path: str | None) -> str | None:
    """Return a path relative to the job file's folder as a full path; None for None."""
    return os.path.join(folder, os.path.expanduser(path)) if path else None


def _outputs(entry: Entry) -> list[tuple[str, Path]]:
    """Return the files that a job makes, with their keys."""
    keys = ("output", "partner_output", "report", "picture", "timewarp")
    named = {key: getattr(entry.job, key, None) for key in keys}
    return [(key, output) for key, output in named.items() if output is not None]


def _check_outputs(path: str, entry: Entry) -> None:
    """Raise LoomError for files that can't be written, or must not be overwritten."""
    for key, output in _outputs(entry):
        try:
            outputs.check([output], entry.job.force, entry.job.folders, [path, *entry.job.inputs])
        except LoomError as error:
            raise LoomError(f"{path}, {entry.label}: {key}: {error}") from None


def _check_together(path: str, entries: list[Entry], report: Path | None) -> None:
    """Raise LoomError for files that two jobs write, or that one job reads and another writes."""
    writers = {} if report is None else {files.identity(report): (-1, "the report of all jobs")}
    for place, entry in enumerate(entries):
        for key, output in _outputs(entry):
            same = files.identity(output)
            if same in writers:
                raise LoomError(f"{path}, {entry.label}: {key}: {output} is already written by {writers[same][1]}")
            writers[same] = place, f"{entry.label}, {key}"
    for place, entry in enumerate(entries):
        read = [(clip, entry.job.host.file_of(clip)) for clip in entry.job.clips]
        for clip, file in [*read, *([(entry.job.artefact, entry.job.artefact)] if entry.job.artefact else [])]:
            writing, other = (place, "") if file is None else writers.get(files.identity(file), (place, ""))
            if writing != place:
                raise LoomError(f"{path}, {entry.label}: clips: {clip} is written by {other}")
